"""Add a day, or correct one: counted once, and then stored with all that follows from it, or not at all."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Row, func, insert, select, update

from evenhand.arrays import Progress
from evenhand.errors import InputError
from evenhand.following import UnlikeError
from evenhand.monitor import records
from evenhand.monitor.days import dates
from evenhand.monitor.days.counted import CountedPlan, counted_day
from evenhand.monitor.days.remarks import DAYS, packed
from evenhand.monitor.flags import Raised, after_looks
from evenhand.monitor.following_plan import FollowedPlan, differences
from evenhand.monitor.looking import Looked, look_from
from evenhand.monitor.whose import OF_ITS_OWN
from evenhand.store.connecting import Store
from evenhand.store.tables import day, monitor, regime

What = Literal["added", "there already", "corrected", "taken out"]


@dataclass(frozen=True)
class Added:
    """What became of a day. `looked` are the looks that were made, that of the day first; none where nothing
    changed."""

    what: What
    day: str
    monitor_id: int
    followed: FollowedPlan
    looked: tuple[Looked, ...] = ()
    raised: Raised | None = None
    same_as: str | None = None  # another day that has exactly these numbers, which is hardly chance
    remarks: tuple[str, ...] = ()  # what is unusual about its rows
    forgotten: bool = False  # it is there, and its evidence is not


def add(
    plan: str | Path,
    store: Store,
    label: str | None = None,
    *,
    name: str | None = None,
    late: bool = False,
    new_regime: str | None = None,
    progress: Progress = lambda message: None,
) -> Added:
    """Read one day of the plan's logs and add it to its monitor.

    Without `label` it is the last day that is over. A day that is there already with the same numbers changes
    nothing. `late` lets a day in that is earlier than the last; `new_regime` says what changed, where days
    before and after cannot be taken together.
    """
    counted = counted_day(plan, store, label, name, progress, renamed=new_regime is not None)
    with store.writing() as connection:
        try:
            return _add(connection, counted, late, new_regime, progress)
        except UnlikeError as error:
            raise InputError(
                f'{error} If that is meant, begin a new regime with this day: --new-regime "what changed". '
                f"{OF_ITS_OWN}"
            ) from error


def correct(
    plan: str | Path,
    store: Store,
    label: str,
    reason: str,
    *,
    name: str | None = None,
    progress: Progress = lambda message: None,
) -> Added:
    """Read a day that is there again, and let what is read now count. What it was stays beside it, and looks
    from that day on are made again."""
    if not reason.strip():
        raise InputError("Say why the day is corrected: --reason 'late rows arrived'.")
    counted = counted_day(plan, store, label, name, progress)
    with store.writing() as connection:
        try:
            return _correct(connection, counted, reason.strip(), progress)
        except UnlikeError as error:
            raise InputError(
                f"{error} So {counted.label} stays as it was: check the log that was read now. If it is "
                "right, follow these days anew under another --name."
            ) from error


def _add(
    connection: Connection, counted: CountedPlan, late: bool, new_regime: str | None, progress: Progress
) -> Added:
    found = records.known_monitor(connection, counted.name)
    records.lock(connection, found.id)
    there = records.current_day(connection, found.id, counted.label)
    if there is not None:
        return _there_already(counted, found.id, there)
    last = records.last_regime(connection, found.id)
    definition = counted.followed.definition()
    _refuse_disorder(connection, found.id, counted.label, last, late, new_regime)
    if last is None or new_regime is not None:
        regime_id = _begun(connection, found.id, last, counted.label, definition, new_regime)
    else:
        refuse_other_question(last, definition)
        regime_id = last.id
    number = _next_number(connection, regime_id)
    twin = records.day_like(connection, found.id, counted.fingerprint)
    before = records.revisions(connection, found.id, counted.label)
    again = records.AGAIN if before else ""
    remarks = _stored(connection, counted, found.id, regime_id, number, before + 1, again)
    records.begin_with_first_day(connection, regime_id)
    added = looked_at(
        connection, counted.followed, found.id, regime_id, number, "added", counted.label, progress
    )
    return replace(added, same_as=twin, remarks=remarks)


def _there_already(counted: CountedPlan, monitor_id: int, there: Row[Any]) -> Added:
    if there.fingerprint == counted.fingerprint:
        gone = there.forgotten_at is not None
        return Added("there already", counted.label, monitor_id, counted.followed, forgotten=gone)
    if there.forgotten_at is not None:
        raise InputError(
            f"{counted.label} is in the store already, and its evidence was forgotten; what was found on it "
            "stays as it was. The log has other numbers now, which cannot be added any more."
        )
    raise InputError(
        f"{counted.label} is in the store already, with other numbers (added {there.added_at}). If those of "
        f"now are right, let them count: evenhand monitor correct. {OF_ITS_OWN}"
    )


def _correct(connection: Connection, counted: CountedPlan, reason: str, progress: Progress) -> Added:
    found = records.known_monitor(connection, counted.name)
    records.lock(connection, found.id)
    there = records.current_day(connection, found.id, counted.label)
    if there is None:
        raise InputError(f"{counted.label} is not in the store, so there is nothing to correct; add it.")
    if there.forgotten_at is not None:
        raise InputError(f"The evidence of {counted.label} was forgotten, so it cannot be corrected.")
    if there.fingerprint == counted.fingerprint:
        return Added("there already", counted.label, found.id, counted.followed)
    last = records.last_regime(connection, found.id)
    if last is None or last.id != there.regime_id:
        raise InputError(
            f"{counted.label} is of an earlier regime, which is closed: what was found then stays as it was. "
            f"{OF_ITS_OWN}"
        )
    refuse_other_question(last, counted.followed.definition())
    connection.execute(update(day).where(day.c.id == there.id).values(current=None))
    remarks = _stored(connection, counted, found.id, last.id, there.number, there.revision + 1, reason)
    added = looked_at(
        connection, counted.followed, found.id, last.id, there.number, "corrected", counted.label, progress
    )
    return replace(added, remarks=remarks)


def _refuse_disorder(
    connection: Connection,
    monitor_id: int,
    label: str,
    last: Row[Any] | None,
    late: bool,
    new_regime: str | None,
) -> None:
    chosen = select(func.max(day.c.day)).where(day.c.monitor_id == monitor_id, day.c.current == 1)
    latest = connection.execute(chosen).scalar()
    if latest is None or label > latest:
        return
    if new_regime is not None:
        raise InputError(
            f"A new regime begins after {latest}, the last day in the store; {label} is earlier. {OF_ITS_OWN}"
        )
    if last is not None and label < last.first_day:
        raise InputError(
            f"{label} is before {last.first_day}, when the regime that counts began, so it cannot be added. "
            f"{OF_ITS_OWN}"
        )
    if not late:
        raise InputError(
            f"{label} is earlier than {latest}, the last day in the store. If it was missing and is not a "
            f"slip, add it with --late. {OF_ITS_OWN}"
        )


def refuse_other_question(last: Row[Any], definition: str) -> None:
    differ = differences(last.definition, definition)
    if differ:
        more = f" (and {len(differ) - 3} more)" if len(differ) > 3 else ""
        raise InputError(
            f"The plan asks something else than on the days since {last.first_day}: {'; '.join(differ[:3])}"
            f"{more}. Days before and after cannot be taken together. If that is meant, begin a new regime "
            f'with this day: --new-regime "what changed". {OF_ITS_OWN}'
        )


def _begun(
    connection: Connection,
    monitor_id: int,
    last: Row[Any] | None,
    label: str,
    definition: str,
    reason: str | None,
) -> int:
    values = {
        "monitor_id": monitor_id,
        "number": 1 if last is None else last.number + 1,
        "first_day": label,
        "definition": definition,
        "reason": (reason or "").strip() or "the first day",
        "created_at": dates.stamp(),
    }
    made = connection.execute(insert(regime).values(**values).returning(regime.c.id))
    return int(made.scalar_one())


def _next_number(connection: Connection, regime_id: int) -> int:
    chosen = select(func.max(day.c.number)).where(day.c.regime_id == regime_id)
    return (connection.execute(chosen).scalar() or 0) + 1


def _stored(
    connection: Connection,
    counted: CountedPlan,
    monitor_id: int,
    regime_id: int,
    number: int,
    revision: int,
    reason: str,
) -> tuple[str, ...]:
    """The row of a day, and its evidence; what is to be said about its rows."""
    remarks = counted.remarks(records.days_before(connection, regime_id, counted.label, DAYS))
    values = counted.values() | {
        "monitor_id": monitor_id, "regime_id": regime_id, "number": number, "revision": revision,
        "current": 1, "reason": reason, "added_at": dates.stamp(), "remarks": packed(remarks),
    }  # fmt: skip
    row = connection.execute(insert(day).values(**values).returning(day)).one()
    for key, each in counted.days.items():
        records.store_evidence(connection, row.id, key, each.evidence)
    return tuple(one.said for one in remarks if one.new)


def looked_at(
    connection: Connection,
    followed: FollowedPlan,
    monitor_id: int,
    regime_id: int,
    number: int,
    what: What,
    label: str,
    progress: Progress,
) -> Added:
    """Looks from a place on, after what became of a day; the flags that follow, and the plan that was
    followed."""
    looked = look_from(
        connection,
        monitor_id,
        regime_id,
        followed,
        number,
        dates.stamp(),
        progress,
        were_together=what == "taken out",
    )
    told = json.dumps(followed.plan.told(), ensure_ascii=False)
    connection.execute(update(monitor).where(monitor.c.id == monitor_id).values(plan=told))
    # Looks are made again in the order of arrival: a day that came late may be before the one corrected.
    since = min([label, *(one.day for one in looked)])
    raised = after_looks(connection, monitor_id, followed.plan.monitoring, since=since)
    return Added(what, label, monitor_id, followed, looked, raised)
