"""`evenhand init [PATHS]`."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Annotated

import typer

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
        typer.Option(metavar="PATH", help="The plan to write; one that is there is never written over."),
    ] = Path("audit.toml"),
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing: take what is likeliest, and mark it.")
    ] = False,
    quiet: common.Quiet = False,
) -> None:
    """Look at your files, say what can be audited with them, and write a plan that runs.

    What was guessed is marked with CHECK, here and in the plan: above all what counts as liked, and whose
    groups are compared.
    """
    from evenhand.plan.init.asking import answers
    from evenhand.plan.init.command import first_look, write_plan

    if out.exists() or out.is_symlink():
        raise InputError(
            f"{out} is there already, and is not written over; name another one with --out, or move it."
        )
    ask = not yes and sys.stdin.isatty() and sys.stdout.isatty()
    if not yes and not ask:
        raise InputError(
            "There is no terminal to ask questions on; add --yes to take what is likeliest, marked."
        )
    given = paths or ["."]
    with common.progress_on_terminal(quiet) as progress:
        seen = first_look(given, out, progress)
    if ask:
        answers(seen, typer.prompt, typer.echo)
    with common.progress_on_terminal(quiet) as progress:
        told = write_plan(seen, given, out, progress)
    with common.reader_may_leave():
        for line in () if quiet else told.lines:
            typer.echo(
                "\n".join(textwrap.wrap(line, WIDTH, subsequent_indent="      ", break_long_words=False))
            )
    if not told.written:
        raise InputError("No plan was written, as these data answer none of the questions yet.")
