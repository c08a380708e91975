"""Whether a monitor is that of a plan: plans are often called alike, and a monitor by its plan."""

from __future__ import annotations

import json
from pathlib import Path

from sqlalchemy import Connection

from evenhand.errors import InputError
from evenhand.monitor import records
from evenhand.monitor.following_plan import FollowedPlan, differences, other_head
from evenhand.monitor.naming import monitor_name
from evenhand.plan import load
from evenhand.plan.model import Plan
from evenhand.store.damage import sound

OF_ITS_OWN = "If this is a plan of another system, give it a monitor of its own: --name."


def own_monitor(connection: Connection, path: str | Path, name: str | None) -> records.Monitor:
    """The monitor of a plan; refused where it follows another system."""
    called = monitor_name(path, name)
    found = records.known_monitor(connection, called)
    refuse_other_system(called, found.plan, load(path))
    return found


def refuse_other_system(called: str, before: str, plan: Plan) -> None:
    """In a store that several share, days of two systems would be counted, or shown, as one."""
    if (systems := other_head(before, plan, "system")) is not None:
        raise InputError(
            f"The monitor {called!r} follows {systems[0]!r}, and this plan is of {systems[1]!r}. Give a "
            "second system a monitor of its own: --name. If it is the same one, and now called so: "
            '`evenhand monitor add` with --new-regime "why".'
        )


def doubts(connection: Connection, path: str | Path, name: str | None) -> tuple[str, ...]:
    """Why what a monitor has may not be what this plan asks: of another title, or of another question."""
    plan = load(path)
    called = monitor_name(path, name)
    found = own_monitor(connection, path, name)
    told = []
    if (titles := other_head(found.plan, plan, "title")) is not None:
        told.append(f"the title is {titles[1]!r}, and was {titles[0]!r}")
    regime = records.last_regime(connection, found.id)
    if regime is not None:
        told += _other_question(regime.definition, plan, Path(path).parent)
        told += other_paths(found.plan, plan)
    if not told:
        return ()
    more = f"; and {len(told) - 3:,} more" if len(told) > 3 else ""
    return (
        f"This plan is not the one whose days the monitor {called!r} has: {'; '.join(told[:3])}{more}. What "
        f"is shown is of those days. {OF_ITS_OWN}",
    )


def _other_question(definition: str, plan: Plan, base: Path) -> list[str]:
    try:
        followed = FollowedPlan.of(plan, base)
    except InputError:
        return ["it has no audit that can be followed"]
    return differences(definition, followed.definition())


@sound("the plan of its last day")
def other_paths(before: str, plan: Plan) -> list[str]:
    """Which inputs the plan of the last day read from elsewhere, in words."""
    then, now = (told.get("inputs", {}) for told in (json.loads(before), plan.told()))
    paths = {name: (then[name].get("path"), now[name].get("path")) for name in now if name in then}
    return [
        f"{name} was read from {_said(was)}, and is now from {_said(path)}"
        for name, (was, path) in paths.items()
        if was != path
    ]


def _said(path: str | list[str]) -> str:
    return path if isinstance(path, str) else ", ".join(path)
