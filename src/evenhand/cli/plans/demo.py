"""`evenhand demo`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli import common


def demo(
    out: Annotated[
        Path,
        typer.Option(
            metavar="PATH", parser=common.folder_option, help="Folder for the data, the plan and the report."
        ),
    ] = Path("demo"),
    as_json: common.Json = False,
    seed: common.Seed = None,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Make a small marketplace with planted unfairness, audit it, and show the report.

    The folder then holds audit.toml, the plan to start your own from; data/, the tables; findings.json and
    report.html.
    """
    from evenhand.plan import load
    from evenhand.plan.demo import planted_and_found, write_demo

    with common.progress_on_terminal(quiet) as progress:
        progress("making a marketplace with planted unfairness")
        plan, world = write_demo(out, seed or 0)
    result = common.finish(load(plan), out, common.ReportOptions(out, as_json, quiet=quiet, verbose=verbose))
    if not (quiet or as_json):
        with common.reader_may_leave():
            if verbose:
                typer.echo("\nPlanted, and found:")
                for line in planted_and_found(world, result):
                    typer.echo(f"  {line}")
            typer.echo(f"Try: {as_called()} audit {plan} --out again")


def as_called() -> str:
    """The command as it can be typed again: by its name where the shell finds it, or else by its path."""
    if Path(sys.argv[0]).name == "__main__.py":
        return f"{_typable(sys.executable)} -m evenhand"
    return _typable(sys.argv[0])


def _typable(program: str) -> str:
    name = Path(program).name
    found = shutil.which(name)
    # Not where a link leads: that of a virtual environment leads to another Python.
    return name if found is not None and Path(found).absolute() == Path(program).absolute() else program
