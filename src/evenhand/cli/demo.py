"""`evenhand demo`."""

from __future__ import annotations

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
    from evenhand.plan.demo import planted_and_found, write_demo
    from evenhand.plan.model import load

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
            typer.echo(f"Try: evenhand audit {plan} --out again")
