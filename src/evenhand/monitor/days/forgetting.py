"""Forget days: their evidence is deleted, and no sum of it is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import delete, select, update

from evenhand.errors import InputError
from evenhand.monitor import records
from evenhand.monitor.days.dates import day_of, now
from evenhand.monitor.following_plan import FollowedPlan
from evenhand.monitor.looking import look_from
from evenhand.monitor.whose import OF_ITS_OWN, own_monitor
from evenhand.plan import load
from evenhand.store.connecting import Store
from evenhand.store.tables import day, evidence, state


@dataclass(frozen=True)
class Forgotten:
    """How many days lost their evidence, and how many still have it."""

    days: int
    left: int


def forget(
    plan: str | Path,
    store: Store,
    before: str,
    *,
    name: str | None = None,
    progress: Callable[[str], None] = lambda message: None,
) -> Forgotten:
    """Delete the evidence of all days before one, old revisions too, and make the sums of the regime that
    counts anew from the days that are left. What was found on each day stays, as it was published."""
    first = day_of(before).isoformat()
    followed = FollowedPlan.of(load(plan), Path(plan).parent)
    at = now().isoformat(timespec="seconds")
    with store.writing() as connection:
        found = own_monitor(connection, plan, name)
        records.lock(connection, found.id)
        old = (day.c.monitor_id == found.id, day.c.day < first, day.c.forgotten_at.is_(None))
        gone = connection.execute(select(day.c.id, day.c.regime_id, day.c.current).where(*old)).all()
        last = records.last_regime(connection, found.id)
        if last is not None and last.definition != followed.definition():
            raise InputError(
                "The plan asks something else than the days in the store, whose sums are made anew when days "
                f"are forgotten; use the plan as it was, or add a day of the new regime first. {OF_ITS_OWN}"
            )
        connection.execute(delete(evidence).where(evidence.c.day_id.in_([row.id for row in gone])))
        connection.execute(update(day).where(day.c.id.in_([row.id for row in gone])).values(forgotten_at=at))
        regimes = {row.regime_id for row in gone}
        connection.execute(delete(state).where(state.c.regime_id.in_(regimes)))
        left = 0 if last is None else len(records.days_of(connection, last.id))
        if last is not None and last.id in regimes:
            look_from(
                connection, found.id, last.id, followed, 1, at, progress, publish=False, were_together=True
            )
    days, kept = sum(row.current == 1 for row in gone), store.erase()
    if kept is not None:
        raise InputError(
            f"The evidence of {days:,} {'day' if days == 1 else 'days'} is deleted and counts no more, but "
            f"old pages of the file {store.name} could not be overwritten and may still hold it ({kept}). "
            "When that is over, run the same command again."
        )
    return Forgotten(days, left)
