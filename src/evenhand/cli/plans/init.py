"""`evenhand init [PATHS]`."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Annotated

import typer

from evenhand.asked import written
from evenhand.cli import common
from evenhand.errors import InputError

WIDTH = 100


def init(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATHS]",
            help="Files, folders, or a database: a DuckDB or SQLite file, or postgresql://user@host/name.  "
            "[default: the current folder]",
        ),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            metavar="PATH",
            help="The plan to write, from the current folder. One that is there is replaced only if "
            "init wrote it and nobody changed it since.",
        ),
    ] = Path("audit.toml"),
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing: take what is likeliest, and mark it.")
    ] = False,
    their_names: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="NAME=THEIRS",
            rich_help_panel="Data",
            help="What a column is called in your tables, such as user_id=User_ID, label=bought, "
            "random=losowe for one that marks random rows, or arm=vers for the arms of a test. Repeat it.",
        ),
    ] = None,
    quiet: common.Quiet = False,
) -> None:
    """Look at your files, say what can be audited with them, and write a plan that runs.

    What was guessed is marked with CHECK, here and in the plan: above all what counts as liked, and whose
    groups are compared.
    """
    from evenhand.plan.init.asking import answers, users_and_items
    from evenhand.plan.init.command import first_look, keep_changes, write_plan
    from evenhand.plan.init.meaning.columns import NAMEABLE
    from evenhand.plan.init.tables.looking import must_be_there

    given = paths or ["."]
    must_be_there(given)
    if out.suffix != ".toml":
        raise InputError(f"--out is {str(out)!r}, but must be the name of a plan, such as audit.toml.")
    keep_changes(out, given)
    ask = not yes and sys.stdin.isatty() and sys.stdout.isatty()
    if not yes and not ask:
        raise InputError(
            "There is no terminal to ask questions on; add --yes to take what is likeliest, marked."
        )
    columns = written.names("--columns", their_names or [])
    with common.progress_on_terminal(quiet) as progress:
        seen = first_look(given, out, progress, columns)
    if ask:
        if who := users_and_items(seen, typer.prompt, typer.echo):
            with common.progress_on_terminal(quiet) as progress:
                seen = first_look(given, out, progress, {**columns, **who})
        answers(seen, typer.prompt, typer.echo)
    with common.progress_on_terminal(quiet) as progress:
        told = write_plan(seen, given, out, progress)
    with common.reader_may_leave():
        for line in () if quiet else told.lines:
            typer.echo(
                "\n".join(textwrap.wrap(line, WIDTH, subsequent_indent="      ", break_long_words=False))
            )
    if not told.written:
        raise InputError(
            "No plan was written, as these data answer none of the questions yet. If a column was not "
            "recognised, name it, such as --columns item_id=NAME; what can be named is "
            f"{', '.join(NAMEABLE)} (random marks random rows, arm says which version a user was given)."
        )
