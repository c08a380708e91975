"""`evenhand audit [PLAN]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli import common
from evenhand.errors import EvenhandError


def audit(
    plan: Annotated[
        Path,
        typer.Argument(metavar="[PLAN]", help="The plan; its paths are relative to it.", show_default=True),
    ] = Path("audit.toml"),
    out: common.Out = None,
    printed: common.Printed = None,
    as_json: common.Json = False,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            parser=common.seed_option,
            help="Seed of everything random, in place of the plan's.",
        ),
    ] = None,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
    fail_on: common.Fail = None,
    min_cell: common.MinCell = 5,
    together: Annotated[
        bool,
        typer.Option(
            "--together",
            help="Promise over all questions that none is said to be beyond its limit that is not: Holm over "
            "questions.",
        ),
    ] = False,
    only: common.Only = None,
    compare: Annotated[
        Path | None,
        typer.Option(
            metavar="OLD",
            help="Say what changed since an earlier report: its folder, or its findings.json.",
        ),
    ] = None,
    days: common.Days = None,
) -> None:
    """Run all the audits of a plan and write one report.

    One that was interrupted goes on where it stopped, with the same --out.
    """
    settings = common.ReportOptions(
        out,
        as_json,
        printed,
        seed,
        quiet=quiet,
        verbose=verbose,
        fail_on=fail_on,
        min_cell=min_cell,
        only=only,
        compare=compare,
    )
    try:
        _run(plan, days, together, settings)
    except (EvenhandError, OSError):
        # A build that keeps the folder would take the report of another day for what was found now.
        if out is not None and (report := out / "report.html").exists():
            typer.echo(f"Nothing was concluded: {report} is of an earlier run.", err=True)
        raise


def _run(plan: Path, days: str | None, together: bool, settings: common.ReportOptions) -> None:
    from evenhand.plan import load
    from evenhand.plan.running.days import over

    asked = over(load(plan), plan.parent, days)
    if together:
        asked = asked.model_copy(update={"together": True})
    common.finish(asked, plan.parent, settings)
