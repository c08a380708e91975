"""The `evenhand` command: one file a command, errors as one sentence, exit codes that scripts can use.

0 fine, 1 a verdict that was asked to fail (`--fail-on`), 2 bad input, 3 a fault of Evenhand itself,
130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import click
import typer

from evenhand import __version__
from evenhand.cli import audit, compare, demo, opportunity
from evenhand.errors import EvenhandError

app = typer.Typer(
    name="evenhand",
    help="Audit recommender systems for fairness, with honest uncertainty.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(demo.demo)
app.command()(audit.audit)
app.command()(opportunity.opportunity)
app.command()(compare.compare)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"evenhand {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; every error that a user can cause is one sentence on standard error."""
    try:
        code = app(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort:
        _fail("Interrupted. Nothing was written.", 130)
    except click.ClickException as error:
        _fail(error.format_message(), 2)
    except EvenhandError as error:
        _fail(str(error), 2)
    except KeyboardInterrupt:
        _fail("Interrupted. Nothing was written.", 130)
    except BrokenPipeError:
        # The reader of our output has gone (`| head`); there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        place = f" {error.filename}" if error.filename else ""
        _fail(f"The system refused{place}: {error.strerror or error}.", 2)
    except Exception as error:
        if os.environ.get("EVENHAND_DEBUG"):
            raise
        _fail(
            f"This is a fault in Evenhand, not in your data ({type(error).__name__}: {error}). "
            "Set EVENHAND_DEBUG=1 and run it again to see where; please report it.",
            3,
        )


def _fail(message: str, code: int) -> None:
    typer.echo(f"Error: {message}", err=True)
    sys.exit(code)
