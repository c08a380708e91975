"""Looks at days that are in the store: what every followed audit finds, as one document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row

from evenhand.documents import Document, Fingerprint
from evenhand.errors import InputError
from evenhand.following import UnlikeError
from evenhand.monitor.following_plan import FollowedPlan
from evenhand.monitor.store import records
from evenhand.monitor.stored_days import StoredDays
from evenhand.plan.apart import told_apart
from evenhand.results import AuditResult

INPUTS = TypeAdapter(dict[str, Fingerprint])
# Less than so many people are not told of in what is stored to be shown.
_MIN_CELL = 5


def look_from(
    connection: Connection,
    monitor_id: int,
    regime_id: int,
    followed: FollowedPlan,
    number: int,
    at: str,
    progress: Callable[[str], None] = lambda message: None,
    publish: bool = True,
) -> Document | None:
    """Look at the days of a regime from the one in place `number` on, each as if it had just been added.

    Begins at the latest state that is kept before it: what lies between is looked at for the state alone.
    Without `publish`, so is all of it. Gives the document of the last day.
    """
    rows = records.days_of(connection, regime_id)
    begin = records.state_before(connection, regime_id, number, len(followed.steps))
    numbers = records.look_numbers(connection, regime_id)
    made = records.looks_made(connection, regime_id)
    last = None
    for place, row in enumerate(rows):
        if row.number <= begin:
            continue
        new = publish and row.number >= number
        if new:
            made += 1
            numbers[row.day] = made
        progress(f"looking at {row.day}")
        so_far = rows[: place + 1]
        before = so_far[-2].number if place else 0
        result = _look(
            connection, regime_id, followed, so_far, [numbers[each.day] for each in so_far], before
        )
        if new:
            last = result.published(_MIN_CELL).document
            records.store_look(connection, monitor_id, row, numbers[row.day], last.model_dump_json(), at)
    return last


def _look(
    connection: Connection,
    regime_id: int,
    followed: FollowedPlan,
    rows: Sequence[Row[Any]],
    numbers: Sequence[int],
    before: int,
) -> AuditResult:
    """What all steps find on the last of these days."""
    plan, results = followed.plan, []
    read = INPUTS.validate_json(records.inputs_of(connection, rows[-1].id))
    for one in followed.steps:
        state = records.read_state(connection, regime_id, one.key, before)
        if state is None and len(rows) > 1:
            raise InputError(f"The store has no state of {one.key} after {rows[-2].day}; it is damaged.")
        days = StoredDays(connection, one.key, rows, numbers, state, followed.period)
        try:
            look = one.following.look(one.asked, days, plan.seed)
        except UnlikeError as error:
            raise InputError(
                f"{rows[-1].day}: {error} Days before and after cannot be taken together. If that is meant, "
                'begin a new regime with this day: --new-regime "what changed".'
            ) from error
        records.store_state(connection, regime_id, one.key, rows[-1].number, look.state)
        results.append(AuditResult(look.findings, seed=plan.seed))
    joined = reduce(add, told_apart([one.step for one in followed.steps], results))
    scope = {key: value for key, value in plan.scope.model_dump().items() if isinstance(value, str) and value}
    return AuditResult(
        joined.findings, read, plan.seed, scope=scope, plan=plan.told(), labels=plan.labels or {}
    )
