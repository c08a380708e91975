"""The `evenhand` command: one file a command, errors as one sentence, exit codes that scripts can use."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from evenhand.cli.commands import Commands
from evenhand.cli.exit_codes import Exit
from evenhand.errors import EvenhandError

app = typer.Typer(
    name="evenhand",
    cls=Commands,
    help="Audit recommender systems for fairness, with honest uncertainty.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        import evenhand

        typer.echo(f"evenhand {evenhand.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


# Typer may carry its own copy of Click, whose errors are found by what it exports.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def main() -> None:
    """Run the command line; every error that a user can cause is one sentence on standard error."""
    # A stream that was closed before we began is None, and swallows what it is told.
    sys.stdout, sys.stderr = sys.stdout or io.StringIO(), sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a symbol that the terminal lacks must not end a run
    with _interrupts() as interrupts:
        message, code = _outcome()
    # An engine may turn an interrupt into an error of its own.
    if interrupts or code == Exit.INTERRUPTED:
        message, code = "Error: Interrupted.", Exit.INTERRUPTED
    if message:
        from evenhand.report.words.legible import lines  # names from data may be in it

        typer.echo(lines(message), err=True)
    sys.exit(code)


def _outcome() -> tuple[str, int]:
    """Run the command: what to say about how it ended, and the exit code."""
    try:
        code = app(standalone_mode=False)
        return "", code if isinstance(code, int) else Exit.FINE
    except (typer.Abort, KeyboardInterrupt):
        return "", Exit.INTERRUPTED
    except SystemExit:
        return (
            "",
            Exit.FINE,
        )  # Typer leaves like this when the reader of our output has gone (`--help | head`)
    except _UsageError as error:
        return _usage(error), Exit.BAD_INPUT
    except EvenhandError as error:
        return f"Error: {error}", Exit.BAD_INPUT
    except OSError as error:
        place = f" {error.filename}" if error.filename else ""
        return f"Error: The system refused{place}: {error.strerror or error}.", Exit.BAD_INPUT
    except Exception as error:
        if os.environ.get("EVENHAND_DEBUG"):
            raise
        return (
            f"Error: This is a fault in Evenhand, not in your data ({type(error).__name__}: {error}). "
            "Set EVENHAND_DEBUG=1 and run it again to see where; please report it."
        ), Exit.FAULT


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """The interrupts that came meanwhile; each raises KeyboardInterrupt as usual."""
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        signal.default_int_handler(number, frame)

    # One that is ignored, as in the background of a shell, stays ignored.
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield came
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _usage(error: Exception) -> str:
    """A wrong option or command, or none at all, which is a question for help."""
    context = getattr(error, "ctx", None)
    message = error.format_message()  # type: ignore[attr-defined]
    if context is None:
        return f"Error: {message}"
    if message == context.get_help():
        return message
    if message.startswith("Got unexpected extra argument") and (pattern := _unquoted(sys.argv[1:])):
        return f"Error: {pattern}"
    said = message.replace("Value error, ", "")
    said += "" if said.endswith((".", "?")) else "."
    return f"Error: {said} `{context.command_path} --help` lists what there is."


def _unquoted(words: list[str]) -> str:
    """Where a shell has put files in the place of a pattern, what to do; nothing where it has not."""
    for place, word in enumerate(words):
        files = [*takewhile(os.path.exists, words[place + 1 :])] if word.startswith("--") else []
        if len(files) > 1:
            pattern = Path(files[0]).parent / f"*{Path(files[0]).suffix}"
            return (
                f"after {word} there are {len(files):,} files, which the shell has put in the place of a "
                f"pattern; quote it: {word} '{pattern}'."
            )
    return ""


if __name__ == "__main__":
    main()
