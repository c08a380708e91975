"""`evenhand monitor`: add days, correct and forget them, and show what they say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli import common
from evenhand.cli.monitors import telling, words
from evenhand.cli.monitors.options import (
    Json,
    Name,
    PlanPath,
    Quiet,
    StoreAddress,
    opened_store,
    own_monitor_id,
)
from evenhand.cli.pages import SectionedCommand, SectionedGroup
from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.monitor import Added, History, Store
    from evenhand.monitor.flags import Flag

app = typer.Typer(
    cls=SectionedGroup,
    help="Follow a plan from day to day: add days, show what they say, raise flags.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

Day = Annotated[
    str, typer.Option("--day", metavar="DAY", help="The day, as 2026-01-03; of a week its Monday.")
]


@app.command(cls=SectionedCommand)
def add(
    plan: PlanPath,
    day: Annotated[
        str | None,
        typer.Option(
            metavar="DAY",
            help="The day, as 2026-01-03; of a week its Monday.  [default: the last that is over, by UTC]",
        ),
    ] = None,
    store: StoreAddress = None,
    name: Name = None,
    late: Annotated[
        bool, typer.Option("--late", help="Let in a day that is earlier than the last one in the store.")
    ] = False,
    new_regime: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Begin anew with this day, and say what changed; it is not taken together with days before.",
        ),
    ] = None,
    as_json: Json = False,
    quiet: common.Quiet = False,
) -> None:
    """Read one day of the logs, add it, and say what it found. A day that is there changes nothing."""
    with opened_store(plan, store) as opened, common.progress_on_terminal(quiet or as_json) as progress:
        from evenhand import monitor

        added = monitor.add(plan, opened, day, name=name, late=late, new_regime=new_regime, progress=progress)
        _delivered(opened, added, plan, as_json, quiet)


@app.command(cls=SectionedCommand)
def correct(
    plan: PlanPath,
    day: Day,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why the day is corrected; it is kept.")],
    store: StoreAddress = None,
    name: Name = None,
    remove: Annotated[
        bool,
        typer.Option("--remove", help="Take the day out, as if it had not been added; no log is read."),
    ] = False,
    as_json: Json = False,
    quiet: common.Quiet = False,
) -> None:
    """Read a day again that is there, and let what is read now count; what it was stays beside it."""
    with (
        opened_store(plan, store, make=False) as opened,
        common.progress_on_terminal(quiet or as_json) as progress,
    ):
        from evenhand import monitor

        change = monitor.remove if remove else monitor.correct
        added = change(plan, opened, day, reason, name=name, progress=progress)
        _delivered(opened, added, plan, as_json, quiet)


@app.command(cls=SectionedCommand)
def forget(
    plan: PlanPath,
    before: Annotated[str, typer.Option(metavar="DAY", help="Forget all days before this one.")],
    store: StoreAddress = None,
    name: Name = None,
    quiet: Quiet = False,
) -> None:
    """Delete what was counted on old days. What was found on them stays, as it was published."""
    with opened_store(plan, store, make=False) as opened, common.progress_on_terminal(quiet) as progress:
        from evenhand import monitor

        gone = monitor.forget(plan, opened, before, name=name, progress=progress)
    if not quiet:
        left = "1 day is" if gone.left == 1 else f"{gone.left:,} days are"
        typer.echo(f"Forgot the evidence of {gone.days:,} day{'' if gone.days == 1 else 's'}; {left} left.")


@app.command(cls=SectionedCommand)
def show(
    plan: PlanPath,
    store: StoreAddress = None,
    name: Name = None,
    first: Annotated[
        str | None, typer.Option("--from", metavar="DAY", help="Only days from this one on, as one log.")
    ] = None,
    last: Annotated[
        str | None, typer.Option("--to", metavar="DAY", help="Only days up to this one, as one log.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            parser=common.folder_option,
            help="Folder for monitor.html, the page of the monitor; of some days for their report.",
        ),
    ] = None,
    as_json: Json = False,
    verbose: common.Verbose = False,
) -> None:
    """Show what the days say: the latest with all before it, or some days together as one log."""
    with opened_store(plan, store, make=False) as opened:
        from evenhand import monitor
        from evenhand.monitor.flags import listed
        from evenhand.monitor.naming import monitor_name

        if first is not None or last is not None:
            result = monitor.over_days(plan, opened, first, last, name=name)
            where = "" if out is None else str(result.save(out).report)
            shown = result.published()
            with common.reader_may_leave():
                if as_json:
                    typer.echo(shown.to_json(), nl=False)
                else:
                    typer.echo(f"{shown.inputs['days'].source}.")
                    shown.print(whole=verbose, where=where)
            return
        monitor_id = own_monitor_id(opened, plan, name)
        named = monitor_name(plan, name)
        found = monitor.history(opened, named)
        page = None if out is None or found.document is None else monitor.write_page(opened, named, out)
        promised = monitor.promises(plan, opened, name=name)
        with opened.reading() as connection:
            flags = listed(connection, monitor_id)
        with common.reader_may_leave():
            if as_json:
                told = _told(found) | {"flags": [asdict(one) for one in flags]}
                told |= {"promises": [asdict(one) for one in promised]}
                typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
            else:
                _print(found, flags, verbose)
                for line in words.of_promises(promised, found):
                    typer.echo(line)
                if page is not None:
                    typer.echo(f"Page: {page}")


@app.command(cls=SectionedCommand)
def export(
    plan: PlanPath,
    out: Annotated[
        Path,
        typer.Option(
            metavar="PATH",
            parser=common.folder_option,
            help="The file to write, such as feed.prom; its folder is made if needed.",
        ),
    ],
    store: StoreAddress = None,
    name: Name = None,
    whole: Annotated[
        bool,
        typer.Option("--history", help="All days, each with its time, as OpenMetrics to be imported once."),
    ] = False,
) -> None:
    """Write what the latest day found as a text file for Prometheus."""
    with opened_store(plan, store, make=False) as opened:
        from evenhand.monitor import prometheus
        from evenhand.monitor.naming import monitor_name
        from evenhand.monitor.page.stored import watch

        watched = watch(opened, monitor_name(plan, name))
        own_monitor_id(opened, plan, name)
        prometheus.write(watched, out, whole=whole)


app.command(cls=SectionedCommand)(telling.flags)
app.command(cls=SectionedCommand)(telling.deliver)


def _delivered(store: Store, added: Added, plan: Path, as_json: bool, quiet: bool) -> None:
    """Send what is due, also of days before, and say what became of the day: it is stored whatever happens
    next, and messages are sent whether or not somebody reads what is said here."""
    from evenhand.monitor.delivery import deliver

    try:
        with common.reader_may_leave():
            _say(added, as_json, quiet)
    finally:
        try:
            told = deliver(store, added.monitor_id, added.followed.plan.monitoring, plan.parent)
        except InputError as error:
            raise InputError(
                f"{added.day} is stored, but messages may wait still, as sending them failed: {error} "
                "`evenhand monitor deliver` sends what waits."
            ) from error
    if not (as_json or quiet):
        with common.reader_may_leave():
            for line in told.lines():
                typer.echo(line)
            for line in words.not_ready(added.followed.plan.monitoring):
                typer.echo(line)


def _say(added: Added, as_json: bool, quiet: bool) -> None:
    raised = added.raised
    if as_json:
        first = next((one for one in added.looked if one.day == added.day), None)  # none of one taken out
        document = None if first is None else first.found.model_dump(mode="json")
        told_json = {
            "day": added.day,
            "what": added.what,
            "forgotten": added.forgotten,
            "same_as": added.same_as,
            "remarks": added.remarks,
            "flags": () if raised is None else raised.texts,
            "undecided": () if raised is None else raised.undecided,
            "made_again": [one.day for one in added.looked if one.day != added.day],
            "document": document,
        }
        typer.echo(json.dumps(told_json))
    elif not quiet:
        for line in words.of_added(added):
            typer.echo(line)


def _told(found: History) -> dict[str, Any]:
    told = asdict(found)
    told["of_all_days"] = sorted(found.of_all_days)
    told["document"] = None if found.document is None else found.document.model_dump(mode="json")
    return told


def _print(found: History, flags: Sequence[Flag], whole: bool) -> None:
    from evenhand.results import AuditResult

    if found.document is None:
        typer.echo(f"{found.name}: no day {'is left' if found.taken_out else 'was added yet'}.")
        for line in words.of_taken_out(found):
            typer.echo(line)
        return
    document = found.document
    for line in words.before_the_last_day(found, flags):
        typer.echo(line)
    AuditResult(
        document.findings, document.inputs, document.seed, document.version, document.scope, document.plan,
        document.labels,
    ).print(whole=whole)  # fmt: skip
    typer.echo("")
    for line in words.of_history(found, flags):
        typer.echo(line)
