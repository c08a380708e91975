"""`evenhand aa PLAN`."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event
from typing import Annotated

import typer

from evenhand.cli import common

# Seconds that the split at hand has to end after an interrupt.
_LAST_SPLIT = 10


def aa(
    plan: Annotated[
        Path,
        typer.Argument(metavar="PLAN", help="The plan, such as audit.toml; its paths are relative to it."),
    ],
    fail_on: Annotated[
        common.FailOn,
        typer.Option(
            metavar="|".join(common.FailOn),
            help="The gate to be tried: as `evenhand audit --fail-on` has it.",
        ),
    ] = common.FailOn.VIOLATION,
    times: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            parser=common.whole_option("--times", 1, 1_000_000),
            help="How often users are split.  [default: 400; 40 for audits that read their tables again]",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            parser=common.seed_option,
            help="Seed of everything random, in place of the plan's.",
        ),
    ] = None,
    only: common.Only = None,
    days: common.Days = None,
    as_json: common.Json = False,
    quiet: common.Quiet = False,
) -> None:
    """How often would the gate of a plan alarm for nothing? Its own users, split at random, say so.

    Interrupted (Ctrl-C), it says what it has found so far.
    """
    from evenhand.plan import load
    from evenhand.plan.aa import Trial, try_gate
    from evenhand.plan.running.days import over

    asked = over(load(plan), plan.parent, days)
    stopped, ended = Event(), Event()
    trial = Trial(asked.seed if seed is None else seed, times)

    def work() -> None:
        try:
            try_gate(asked, trial, base=plan.parent, only=only, progress=progress, stopped=stopped.is_set)
        finally:
            ended.set()

    with common.progress_on_terminal(quiet) as progress:
        try:
            common.interruptible(work)
        except KeyboardInterrupt:
            stopped.set()
            _tell(trial, fail_on, as_json, quiet)
            ended.wait(_LAST_SPLIT)  # an engine that is still at work complains when Python ends
            raise
    _tell(trial, fail_on, as_json, quiet)


def _tell(trial: object, fail_on: common.FailOn, as_json: bool, quiet: bool) -> None:
    from evenhand.plan.aa import Trial, told

    assert isinstance(trial, Trial)
    with common.reader_may_leave():
        if as_json:
            typer.echo(json.dumps(told.as_json(trial, fail_on), indent=2))
        elif not quiet:
            for line in told.lines(trial, fail_on):
                typer.echo(line)
