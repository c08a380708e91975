"""`evenhand` and `python -m evenhand`: nothing is imported before an interrupt is one sentence."""

import sys


def main() -> None:
    """Run the command line, and end the process."""
    import signal

    try:
        from evenhand.cli.main import main as run

        run()
    except KeyboardInterrupt:  # before the command line could see to it
        sys.stderr.write("Error: Interrupted.\n")
        sys.exit(130)
    finally:
        # All is done and said, and engines take a moment to close: an interrupt would end the process by a
        # signal, as if it were not.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
