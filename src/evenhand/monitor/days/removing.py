"""Take a day out that should never have been added: a year that was mistyped, the log of another system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, delete, select, update

from evenhand.arrays import Progress
from evenhand.errors import InputError
from evenhand.monitor import records
from evenhand.monitor.days.adding import Added, looked_at, refuse_other_question
from evenhand.monitor.days.dates import day_of
from evenhand.monitor.days.remarks import without
from evenhand.monitor.flags import after_looks
from evenhand.monitor.following_plan import FollowedPlan
from evenhand.monitor.whose import own_monitor
from evenhand.plan import load
from evenhand.store.connecting import Store
from evenhand.store.tables import day, look, state


def remove(
    plan: str | Path,
    store: Store,
    label: str,
    reason: str,
    *,
    name: str | None = None,
    progress: Progress = lambda message: None,
) -> Added:
    """Let a day count no more, as if it had not been added. What it was stays beside the others with the
    reason, and looks since it came are made again without it; in a regime that is closed they stay as they
    were, and only what was found on that day is gone."""
    if not reason.strip():
        raise InputError("Say why the day is taken out: --reason 'the year was mistyped'.")
    label = day_of(label).isoformat()
    followed = FollowedPlan.of(load(plan), Path(plan).parent)
    with store.writing() as connection:
        found = own_monitor(connection, plan, name)
        records.lock(connection, found.id)
        there = records.current_day(connection, found.id, label)
        last = records.last_regime(connection, found.id)
        if there is None:
            raise InputError(f"{label} is not in the store, so there is nothing to take out.")
        is_open = last is not None and last.id == there.regime_id
        if last is not None and is_open:
            refuse_other_question(last, followed.definition())
        number = _first_look(connection, there)
        connection.execute(
            update(day).where(day.c.id == there.id).values(current=None, reason=reason.strip())
        )
        mine = (look.c.monitor_id == found.id, look.c.day == label)
        connection.execute(update(look).where(*mine).values(current=None))
        _remark_on_it_no_more(connection, there)
        mine = (state.c.regime_id == there.regime_id, state.c.number >= number)
        connection.execute(delete(state).where(*mine))
        records.begin_with_first_day(connection, there.regime_id)
        if not is_open:
            raised = after_looks(connection, found.id, followed.plan.monitoring, since=label)
            return Added("taken out", label, found.id, followed, raised=raised)
        return looked_at(
            connection, followed, found.id, there.regime_id, number, "taken out", label, progress
        )


def _first_look(connection: Connection, there: Row[Any]) -> int:
    """The place of the first look that has the day in it: its own; of one that came late, also that of the
    day whose look says what all days say."""
    return min(there.number, records.latest_day(connection, there.regime_id, there.number).number)


def _remark_on_it_no_more(connection: Connection, there: Row[Any]) -> None:
    others = (day.c.regime_id == there.regime_id, day.c.current == 1, day.c.remarks.is_not(None))
    for row in connection.execute(select(day.c.id, day.c.remarks).where(*others)).all():
        if (left := without(row.remarks, there.day)) != row.remarks:
            connection.execute(update(day).where(day.c.id == row.id).values(remarks=left))
