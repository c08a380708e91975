"""What is unusual about the rows of a day: far fewer than before, or of other values.

A day that lost nine rows of ten can still be counted, and its numbers look like any other's. So it is said,
when it is added and on the page. What is said every day is read by nobody: weekends are no news, and neither
is what has always been left out.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any

from evenhand.documents import Fingerprint
from evenhand.plan.running.taken import Taken, in_rows
from evenhand.plan.running.untaken import LEAST_SHARE, LeftOut
from evenhand.store.damage import sound

# Days that a day is held against, the last before it.
DAYS = 28
# As many have seen a weekend; before that, days may well be a third of others.
_WEEK = 7
_HALF, _QUARTER = 0.5, 0.25
# So many days with as many files each are a habit; parts of a table are as many as the engine likes.
_HABIT = 3
# Days between two that follow each other, beyond which a year was rather mistyped.
_YEAR = 366
_NAMED = 3


@dataclass(frozen=True)
class Remark:
    """A sentence; `marks` are what it is about, by which it is known again. One that is not `new` is kept to
    know what was there, and not said."""

    said: str
    marks: tuple[str, ...] = ()
    new: bool = True


@dataclass(frozen=True)
class Before:
    """A day before: its rows and files by input, and what was remarked on."""

    rows: Mapping[str, int | None]
    remarks: tuple[Remark, ...]
    files: Mapping[str, int | None] = field(default_factory=dict)


def another_title(titles: tuple[str, str] | None) -> Iterator[Remark]:
    """Plans of two systems may be called alike, and so be one monitor."""
    if titles is not None:
        before, now = titles
        yield Remark(
            f"The plan's title was {before!r} when the last day was added, and is {now!r}. If these are two "
            "systems, take this day out (correct --remove) and give one of them a monitor of its own: --name."
        )


def other_places(moved: Sequence[str]) -> Iterator[Remark]:
    """Plans of two systems may ask the same, too, and differ in nothing but where their logs are."""
    if moved:
        yield Remark(
            f"{'; '.join(moved[:_NAMED])}. If these are two systems, take this day out (correct --remove) "
            "and give one of them a monitor of its own: --name."
        )


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


def few_files(
    inputs: Mapping[str, Fingerprint], daily: Collection[str], before: Sequence[Before]
) -> Iterator[Remark]:
    """Inputs that have fewer files than every day before, all of which had as many. Half a day is no day."""
    for name in sorted(daily):
        now, mark = inputs[name].files if name in inputs else None, f"few files of {name}"
        usual = [day.files.get(name) for day in before if not any(mark in one.marks for one in day.remarks)]
        if now is None or len(usual) < _HABIT or len(set(usual)) > 1 or usual[0] is None or now >= usual[0]:
            continue
        yield Remark(
            f"{name} has {now:,} {'file' if now == 1 else 'files'}, and the days before had {usual[0]:,} each"
            ": is the day whole? If a file comes later, `evenhand monitor correct` takes it in.",
            (mark,),
        )


def new_values(found: Sequence[Taken], before: Sequence[Before]) -> Iterator[Remark]:
    """Values that an input takes by `not`; new where no day before had one of them, and on the first day
    where there are several."""
    known = {mark for day in before for one in day.remarks for mark in one.marks}
    for one in found:
        takes = f"{one.name} takes "
        marks = tuple(takes + value for value, _ in one.frequent)
        if not any(mark.startswith(takes) for mark in known):
            said = f"{one.told()} If one of them is no part of it, leave it out, too: {{ not = [...] }}."
            yield Remark(said, marks, new=len(marks) > 1)
            continue
        new = [each for each, mark in zip(one.frequent, marks, strict=True) if mark not in known]
        what, them = ("a new value", "it") if len(new) == 1 else ("new values", "them")
        said = (
            f"{takes}{what}, because `not` does not name {them}: {in_rows(new)}. A release is meant to be "
            "taken so; anything else belongs behind `not`."
            if new
            else one.told()
        )
        yield Remark(said, marks, new=bool(new))


def left_out(found: Sequence[LeftOut], before: Sequence[Before]) -> Iterator[Remark]:
    """Rows that no input takes; new where a value is among them that none of the days before had so."""
    known = {mark for day in before for one in day.remarks for mark in one.marks}
    for one in found:
        if one.many:
            marks = tuple(value for value, rows in one.found.values if rows >= LEAST_SHARE * one.found.of)
            yield Remark(one.told(), marks, new=not marks or not set(marks) <= known)


def far_apart(before: str, label: str) -> Iterator[Remark]:
    """A day that comes more than a year after the last before it."""
    days = (date.fromisoformat(label) - date.fromisoformat(before)).days
    if days > _YEAR:
        yield Remark(
            f"The day before it in the store is {before}, {days:,} days earlier: is the year of one of them "
            "a slip? Then take that day out: evenhand monitor correct --day DAY --remove.",
            (_after(before),),
        )


def without(content: str | None, label: str) -> str | None:
    """The remarks of a day, but for what was said of one before it that was taken out since."""
    remarks = unpacked(content)
    kept = [one for one in remarks if _after(label) not in one.marks]
    return content if len(kept) == len(remarks) else packed(kept)


def _after(label: str) -> str:
    return f"after {label}"


def packed(remarks: Sequence[Remark]) -> str:
    return json.dumps([asdict(one) for one in remarks], ensure_ascii=False)


@sound("what was remarked on a day")
def unpacked(content: str | None) -> tuple[Remark, ...]:
    told: list[dict[str, Any]] = [] if content is None else json.loads(content)
    return tuple(Remark(one["said"], tuple(one["marks"]), one["new"]) for one in told)
