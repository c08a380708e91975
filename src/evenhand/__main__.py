"""`evenhand` and `python -m evenhand`: nothing is imported before an interrupt is one sentence."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from evenhand.cli.main import main as run

        run()
    except KeyboardInterrupt:  # before the command line could see to it
        sys.stderr.write("Error: Interrupted.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
