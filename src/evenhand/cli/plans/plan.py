"""`evenhand plan`: is a plan fine, and who changed it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli import common
from evenhand.cli.monitors.words import not_followed, not_ready, same_every_day
from evenhand.cli.pages import SectionedCommand, SectionedGroup
from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.inputs import Table
    from evenhand.plan import Plan

app = typer.Typer(
    cls=SectionedGroup,
    help="Check a plan, or show and write down who changed it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
File = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, such as audit.toml.")]


@app.command(cls=SectionedCommand)
def check(plan: File) -> None:
    """Tell every mistake of a plan, with its line and what to do, without running it.

    All tables are opened and all columns looked up. Rows are read only of an input with `where`, to see that
    there are some, of one with `joined`, to see that it is by a key, and where the column of the day is of
    whole numbers, to see that they are dates; of one with {day} in its path, the last day that is there is
    looked at.
    """
    from evenhand.plan import load
    from evenhand.plan.running import days
    from evenhand.plan.running.runner import opened

    asked = load(plan)
    looked_at = {name: one for name, spec in asked.inputs.items() if (one := days.latest(spec, plan.parent))}
    tables, _ = opened(asked.model_copy(update={"inputs": looked_at}), plan.parent)
    _require_dates(asked, tables)
    with common.reader_may_leave():
        audits, those = _count(len(asked.audits), "audit"), _count(len(asked.inputs), "input")
        typer.echo(f"{plan.name} is fine: {audits}, {those}.")
        for key in ("where", "joined"):
            if read := [name for name, spec in looked_at.items() if getattr(spec, key)]:
                typer.echo(f"Rows were read for `{key}`: {', '.join(read)}.")
        for name, spec in asked.inputs.items():
            if days.is_daily(spec):
                known = days.there(spec, plan.parent)
                what = (
                    f"looked at on {known[-1]}, the last day that is there"
                    if known
                    else ("not looked at, as no day of it is there")
                )
                typer.echo(f"{name} has {{day}} in its path: {what}.")
        for said in _when_followed(asked):
            typer.echo(said)


@app.command(cls=SectionedCommand)
def log(
    plan: File,
    add: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="WHO WHAT", help="Write down a change: who made it, and what changed and why."),
    ] = None,
    when: Annotated[
        str | None, typer.Option(metavar="DATE", help="The day of that change.  [default: today]")
    ] = None,
) -> None:
    """Show who changed a plan, when and what; or write a change down.

    A change is written to the end of the plan, with a fingerprint of what the plan says then; one that was
    forgotten (--when) to its place among the others. If the plan is changed later and nobody writes that
    down, this command and the report say so, and this command which keys.
    """
    from evenhand.plan import load, revisions

    if add is None and when is not None:
        raise InputError("--when is the day of a change that is written down; give --add WHO WHAT, too.")
    if add is not None:
        # Somewhere it is tomorrow already.
        today = (datetime.now(UTC) + timedelta(hours=14)).date()
        revisions.add(plan, *add, _day(when), today)
    with common.reader_may_leave():
        for line in revisions.told(load(plan), plan):
            typer.echo(line)


def _require_dates(asked: Plan, tables: Mapping[str, Table]) -> None:
    """Refuse a column of the day that no day is found in; only what is followed is asked for it."""
    from evenhand import inputs

    column = asked.monitoring and asked.monitoring.day
    if not column:
        return
    followed = {name for step in asked.audits if step.follows for _, name in step.input_names()}
    for name, table in tables.items():
        if name in followed and column in table.columns:
            inputs.require_dates(table, column)


def _when_followed(asked: Plan) -> Iterator[str]:
    """What `evenhand monitor` would say of a plan that is to be followed."""
    from evenhand.plan.running import days

    yield from not_ready(asked.monitoring)
    if asked.monitoring is None and not any(map(days.is_daily, asked.inputs.values())):
        return
    if left_out := [step.audit for step in asked.audits if step.follows is None]:
        yield not_followed(left_out)
    yield from (
        same_every_day(name) for name in dict.fromkeys(one.audit for one in days.same_every_day(asked))
    )


def _day(when: str | None) -> date:
    if when is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(when)
    except ValueError:
        raise InputError(f"--when is {when!r}, but must be a date, such as 2026-03-01.") from None


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
