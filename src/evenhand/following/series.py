"""Days of results as one: what is said of the latest day, with all days beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from evenhand.findings import Finding, decide
from evenhand.following.day_result import DayResult
from evenhand.pictures import Series


def followed(
    days: Sequence[tuple[str, DayResult | None]], unit: Literal["day", "week"] = "day"
) -> tuple[Finding, ...]:
    """The findings of the latest day, each with its series; None is a day that is missing, a gap.

    What the latest day does not have, such as a group that vanished, is told by its last day, and says so:
    it is about that day (`about["day"]`), so nobody takes it for today's.
    """
    latest: dict[str, tuple[str, Finding]] = {}
    by_day: list[tuple[str, dict[str, Finding]]] = []
    for label, day in days:
        found = {} if day is None else {one.id: one for one in day.findings}
        by_day.append((label, found))
        for name, one in found.items():
            latest.pop(name, None)  # so that those of the latest day come last, in their order
            latest[name] = label, one
    last = days[-1][0] if days else ""
    told = []
    for name, (label, one) in latest.items():
        entries = [_entry(label, found.get(name)) for label, found in by_day]
        changes: dict[str, Any] = {"pictures": (Series.of(unit, entries),)}
        if label != last:
            changes["about"] = one.about | {"day": label}
        told.append(one.amended(**changes))
    return tuple(told)


def _entry(label: str, one: Finding | None) -> dict[str, Any]:
    if one is None or one.estimate is None or one.interval is None:
        return {"day": label, "estimate": None}
    verdict = decide(one.interval, one.tolerance, one.harm, doubted=bool(one.doubts))
    return {
        "day": label,
        "estimate": one.estimate,
        "low": one.interval.low,
        "high": one.interval.high,
        "fixed": one.details["alone"],
        "verdict": one.verdict if verdict is None else verdict,
        "n": None if one.n is None else one.n.count,
        "people": min(one.people.values(), default=None) if one.people else None,
    }
