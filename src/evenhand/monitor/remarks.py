"""What is unusual about the rows of a day: far fewer than before, or values that no input takes any more.

A day that lost nine rows of ten can still be counted, and its numbers look like any other's. So it is said,
when it is added and on the page. What is said every day is read by nobody: weekends are no news, and neither
is what has always been left out.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evenhand.documents import Fingerprint
from evenhand.monitor.store.damage import sound
from evenhand.plan.untaken import LEAST_SHARE, LeftOut

# Days that a day is held against, the last before it.
DAYS = 28
# As many have seen a weekend; before that, days may well be a third of others.
_WEEK = 7
_HALF, _QUARTER = 0.5, 0.25


@dataclass(frozen=True)
class Remark:
    """A sentence; `marks` are what it is about, by which it is known again. One that is not `new` is kept to
    know what was there, and not said."""

    said: str
    marks: tuple[str, ...] = ()
    new: bool = True


@dataclass(frozen=True)
class Before:
    """A day before: its rows by input, and what was remarked on."""

    rows: Mapping[str, int | None]
    remarks: tuple[Remark, ...]


def few_rows(
    inputs: Mapping[str, Fingerprint], daily: Collection[str], before: Sequence[Before]
) -> Iterator[Remark]:
    """Inputs that have less than half of the rows of the quietest day before, weekends among them; less than
    a quarter while there is no whole week of days. Days that were remarked on do not count, so that what
    lasts is said every day."""
    for name in sorted(daily):
        now, mark = inputs[name].rows if name in inputs else None, f"few rows of {name}"
        usual = [day.rows.get(name) for day in before if not any(mark in one.marks for one in day.remarks)]
        known = [rows for rows in usual if rows is not None]
        if now is not None and known and now < min(known) * (_HALF if len(known) >= _WEEK else _QUARTER):
            yield Remark(
                f"{name} has {now:,} rows, and the quietest day before had {min(known):,}: is the log whole, "
                "and does the plan still take the rows that are meant?",
                (mark,),
            )


def left_out(found: Sequence[LeftOut], before: Sequence[Before]) -> Iterator[Remark]:
    """Rows that no input takes; new where a value is among them that none of the days before had so."""
    known = {mark for day in before for one in day.remarks for mark in one.marks}
    for one in found:
        if one.many:
            marks = tuple(value for value, rows in one.found.values if rows >= LEAST_SHARE * one.found.of)
            yield Remark(one.told(), marks, new=not marks or not set(marks) <= known)


def packed(remarks: Sequence[Remark]) -> str:
    return json.dumps([asdict(one) for one in remarks], ensure_ascii=False)


@sound("what was remarked on a day")
def unpacked(content: str | None) -> tuple[Remark, ...]:
    told: list[dict[str, Any]] = [] if content is None else json.loads(content)
    return tuple(Remark(one["said"], tuple(one["marks"]), one["new"]) for one in told)
