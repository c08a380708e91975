"""Findings of one look among many, whose intervals hold at every look at once.

Each day is a sample with a truth of its own. However much days have in common (users who return with the
tastes they had), errors of single days add up to no more than their sum: so look t is made at the level
1 - error * spent(t), in parts that sum to 1, and all of them hold at once. That is so of all days so far as
one sample, too, and a correction of a day is another look, with a part of its own: whoever corrects a day has
seen it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evenhand.findings import Finding, Interval
from evenhand.pictures import Series
from evenhand.stats.log_ratios.inversion import hull
from evenhand.stats.many_looks.looks import level_of_look

# Of the error that is asked for: days one by one have one half, all days so far as one sample the other.
DAILY, POOLED = 0.5, 0.5
SPENT, SO_FAR = "error spent over the days", "error spent over the looks"


def levels(level: float, look: int, share: float) -> tuple[float, float]:
    """The level of this look among all of them, and its level alone."""
    return level_of_look(level, look, share), level


def on_every_look(
    together: Iterable[Finding], alone: Iterable[Finding], level: float, how: str
) -> tuple[Finding, ...]:
    """The findings of one look, whose intervals hold with those of all other looks at `level`; the interval
    that holds for this look alone is in the details. `how` says how the error is shared."""
    by_id = {one.id: one for one in alone}
    found = []
    for one in together:
        # What a day that is past lacks, no more data can give; and a p-value is that of one look.
        changes: dict[str, Any] = {"p_value": None, "more_data": None, "pictures": ()}
        single = by_id[one.id].interval if one.id in by_id else None
        if one.interval is not None and single is not None:
            # What holds together holds alone too, whatever approximation each is made by.
            low, high = hull((one.interval.low, one.interval.high), (single.low, single.high))
            changes["interval"] = Interval(
                low=low, high=high, level=level, method=f"{single.method}, {how}", validity="anytime"
            )
            changes["details"] = one.details | {"alone": {"low": single.low, "high": single.high}}
        found.append(one.amended(**changes))
    return tuple(found)


def of_day(one: Finding, label: str, period: str) -> Finding:
    """The finding with its day: in the details, and as the one entry of its series."""
    entry: dict[str, Any] = {"day": label, "estimate": None}
    if one.estimate is not None and one.interval is not None:
        entry |= {
            "estimate": one.estimate,
            "low": one.interval.low,
            "high": one.interval.high,
            "fixed": one.details["alone"],
            "verdict": one.verdict,
            "n": None if one.n is None else one.n.count,
            "people": min(one.people.values()) if one.people else None,
        }
    return one.amended(pictures=(Series.of(period, [entry]),), details=one.details | {"day": label})
