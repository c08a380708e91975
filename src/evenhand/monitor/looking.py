"""Looks at days that are in the store: what every followed audit finds, as one document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row

from evenhand.documents import Document, Fingerprint
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.following import UnlikeError
from evenhand.monitor import records
from evenhand.monitor.days.stored import StoredDays
from evenhand.monitor.following_plan import FollowedPlan
from evenhand.plan.running.apart import told_apart
from evenhand.report.answers import answers
from evenhand.results import AuditResult

INPUTS = TypeAdapter(dict[str, Fingerprint])
# Less than so many people are not told of in what is stored to be shown.
_MIN_CELL = 5


@dataclass(frozen=True)
class Looked:
    """A look that was made: all that it found, and the ids of what is of all days so far. `before` and `now`
    are what the store had of its day, and has since all looks were made."""

    day: str
    found: Document
    of_all_days: frozenset[str]
    before: Document | None
    now: Document


def look_from(
    connection: Connection,
    monitor_id: int,
    regime_id: int,
    followed: FollowedPlan,
    number: int,
    at: str,
    progress: Callable[[str], None] = lambda message: None,
    publish: bool = True,
    were_together: bool = False,
) -> tuple[Looked, ...]:
    """Look at the days of a regime from the one in place `number` on, each as if it had just been added.

    Begins at the latest state that is kept before it: what lies between is looked at for the state alone.
    Without `publish`, so is all of it. Gives the looks that were made. Days that `were_together`, of which
    others were deleted, are not held against each other again.

    A day that came late is one look more, made when it came: what it says of all days so far is of the last
    day by date, and takes the place of what that day had said without it. So the last day always has what is
    known now, nothing else is looked at again, and no further error is spent.
    """
    rows = records.days_of(connection, regime_id)
    begin = records.state_before(connection, regime_id, number, len(followed.steps))
    numbers = records.look_numbers(connection, regime_id)
    made = records.looks_made(connection, regime_id)
    again = [row.day for row in rows if publish and row.number >= number]
    before = {label: records.document_of(connection, monitor_id, label) for label in again}
    looked: list[tuple[str, Document, frozenset[str]]] = []
    for place, row in enumerate(rows):
        if row.number <= begin:
            continue
        new = publish and row.number >= number
        if new:
            made += 1
            numbers[row.day] = made
        progress(f"looking at {row.day}")
        records.refuse_other_evidence(connection, row)
        so_far = rows[: place + 1]
        state_at = so_far[-2].number if place else 0
        result, of_all_days = _look(
            connection, regime_id, followed, so_far, [numbers[each.day] for each in so_far], state_at,
            were_together,
        )  # fmt: skip
        if not new:
            continue
        found = result.published(_MIN_CELL).document
        looked.append((row.day, found, of_all_days))
        latest = records.latest_day(connection, regime_id, row.number)
        kept = {row: found}
        if latest.day != row.day:
            own = tuple(one for one in found.findings if one.id not in of_all_days)
            last = records.document_of(connection, monitor_id, latest.day)
            assert last is not None  # it was looked at before the day that came late
            now = (one for one in found.findings if one.id in of_all_days)
            rest = (one for one in last.findings if one.id not in of_all_days)
            kept = {row: _of(found, own), latest: _of(last, (*now, *rest))}
        for each, document in kept.items():
            content = document.model_dump_json()
            records.store_look(connection, monitor_id, each, numbers[each.day], content, at)
    stored = {label: records.document_of(connection, monitor_id, label) for label, _, _ in looked}
    return tuple(
        Looked(label, found, ids, before.get(label), stored[label] or found) for label, found, ids in looked
    )


def _of(document: Document, findings: tuple[Finding, ...]) -> Document:
    """The same with these findings, and the answers that follow from them."""
    return document.amended(findings=findings, questions=answers(findings))


def _look(
    connection: Connection,
    regime_id: int,
    followed: FollowedPlan,
    rows: Sequence[Row[Any]],
    numbers: Sequence[int],
    before: int,
    were_together: bool,
) -> tuple[AuditResult, frozenset[str]]:
    """What all steps find on the last of these days, and the ids of what is of all days so far."""
    plan, results, looks = followed.plan, [], []
    read = INPUTS.validate_json(records.inputs_of(connection, rows[-1].id))
    for one in followed.steps:
        state = records.read_state(connection, regime_id, one.key, before)
        if state is None and len(rows) > 1:
            raise InputError(f"The store has no state of {one.key} after {rows[-2].day}; it is damaged.")
        days = StoredDays(connection, one.key, rows, numbers, state, followed.period, were_together)
        try:
            look = one.following.look(one.asked, days, plan.seed)
        except UnlikeError as error:
            raise UnlikeError(
                f"{rows[-1].day}: {error} Days before and after cannot be taken together."
            ) from error
        records.store_state(connection, regime_id, one.key, rows[-1].number, look.state)
        looks.append(look)
        results.append(AuditResult((*look.so_far, *look.findings), seed=plan.seed))
    apart = told_apart([one.step for one in followed.steps], results)
    of_all_days = frozenset(
        finding.id
        for look, result in zip(looks, apart, strict=True)
        for finding in result.findings[: len(look.so_far)]
    )
    joined = reduce(add, apart)
    scope = {key: value for key, value in plan.scope.model_dump().items() if isinstance(value, str) and value}
    whole = AuditResult(
        joined.findings, read, plan.seed, scope=scope, plan=plan.told(), labels=plan.labels or {}
    )
    return whole, of_all_days
