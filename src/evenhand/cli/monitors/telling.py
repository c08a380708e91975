"""`evenhand monitor flags` and `evenhand monitor deliver`."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli import common
from evenhand.cli.exit_codes import Exit
from evenhand.cli.monitors.options import (
    Json,
    Name,
    PlanPath,
    Quiet,
    StoreAddress,
    opened_store,
    own_monitor_id,
)
from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.monitor.delivery import Waiting
    from evenhand.monitor.flags import Flag
    from evenhand.plan import Plan


def flags(
    plan: PlanPath,
    store: StoreAddress = None,
    name: Name = None,
    only_open: Annotated[bool, typer.Option("--open", help="Only flags that are open.")] = False,
    as_json: Json = False,
    acknowledged: Annotated[
        str | None,
        typer.Option(
            "--acknowledge",
            metavar="FLAG",
            help="Write down that somebody has seen this flag; it stays open.",
        ),
    ] = None,
    who: Annotated[
        str | None, typer.Option("--who", metavar="TEXT", help="With --acknowledge: who has seen it.")
    ] = None,
    why: Annotated[
        str | None, typer.Option("--why", metavar="TEXT", help="With --acknowledge: why it may stand.")
    ] = None,
) -> None:
    """List the flags of a monitor, each once: what opened it, since when, and who has seen it."""

    if (acknowledged is None) != (who is None) or (acknowledged is None) != (why is None):
        raise InputError("--acknowledge, --who and --why belong together; give all three or none.")
    with opened_store(plan, store, make=False) as opened:
        from evenhand.monitor.delivery import waiting
        from evenhand.monitor.flags import acknowledge, listed

        monitor_id = own_monitor_id(opened, plan, name)
        if acknowledged is not None and who is not None and why is not None:
            with opened.writing() as connection:
                acknowledge(connection, monitor_id, acknowledged, who=who, why=why)
        with opened.reading() as connection:
            found = listed(connection, monitor_id, only_open=only_open)
            left = waiting(connection, monitor_id)
        with common.reader_may_leave():
            if as_json:
                told = {"flags": [asdict(one) for one in found], "waiting": [asdict(one) for one in left]}
                typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
            else:
                for line in _lines(found, left, only_open):
                    typer.echo(line)


def deliver(
    plan: PlanPath,
    store: StoreAddress = None,
    name: Name = None,
    wait: Annotated[
        int | None,
        typer.Option(
            "--wait",
            metavar="SECONDS",
            parser=common.whole_option("--wait", 1, 86_400),
            help="Keep trying for so long, until everything is delivered.",
        ),
    ] = None,
    lost: Annotated[
        str | None,
        typer.Option(
            "--give-up", metavar="CHANNEL", help="Give up what waits for this channel; its flags stay listed."
        ),
    ] = None,
    tested: Annotated[
        str | None,
        typer.Option(
            "--test", metavar="CHANNEL", help="Send this channel a test message now, and nothing that waits."
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Deliver the messages of flags that still wait, in order; exits with 1 if some wait on."""
    from evenhand.plan import load
    from evenhand.report.words.legible import line

    asked = load(plan)
    if tested is not None:
        _tested(asked, tested, plan, name, quiet)
        return
    with opened_store(plan, store, make=False) as opened:
        from evenhand.monitor.delivery import deliver as send
        from evenhand.monitor.delivery import give_up

        monitor_id = own_monitor_id(opened, plan, name)
        if lost is not None:
            with opened.writing() as connection:
                given_up = give_up(connection, monitor_id, lost, time.time())
            if not quiet:
                typer.echo(f"Gave up {given_up:,} that waited for {line(lost)!r}.")
        limit = 120 if wait is None else wait
        told = send(opened, monitor_id, asked.monitoring, plan.parent, limit=limit, wait=wait is not None)
    if not quiet:
        for said in told.lines() or ["Nothing waits."]:
            typer.echo(said)
    if told.waiting:
        raise typer.Exit(Exit.FAILED)


def _tested(asked: Plan, tested: str, plan: Path, name: str | None, quiet: bool) -> None:
    """Send a test message; it needs no day and no store."""
    from evenhand.monitor.delivery import NotDelivered, test
    from evenhand.monitor.naming import monitor_name

    channels = {} if asked.monitoring is None else {one.name: one for one in asked.monitoring.tell}
    if tested not in channels:
        there = f"it has {', '.join(channels)}" if channels else "it has none"
        raise InputError(f"The plan has no [[monitoring.tell]] of the name {tested!r}; {there}.")
    try:
        remark = test(channels[tested], monitor_name(plan, name), plan.parent)
    except NotDelivered as failure:
        raise InputError(f"{tested!r} was not told: {failure}.") from None
    if not quiet:
        typer.echo(f"{tested!r} was told{f': {remark}' if remark else ''}.")


def _lines(found: list[Flag], left: list[Waiting], only_open: bool) -> list[str]:
    from evenhand.report.words.legible import line

    told = [] if found else [f"No flag {'is open' if only_open else 'was raised'}."]
    for flag in found:
        until = f" to {flag.closed}" if flag.closed else ""
        told.append(f"{flag.state:<9} {flag.opened}{until}  {line(flag.rule)}  ({flag.name})")
        told.append(f"          {line(flag.said, 800)}")
        if flag.acknowledged is not None:
            seen = flag.acknowledged
            told.append(f"          Seen by {line(seen.by)} on {seen.at[:10]}: {line(seen.why, 800)}")
    for one in left:
        why = f": {one.problem}" if one.problem else ""
        told.append(f"Waiting for {line(one.channel)!r}: {one.messages:,} not delivered{why}.")
    return told
