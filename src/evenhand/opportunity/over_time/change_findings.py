"""How the penalty changes: each day against the one before, and against the first days together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from evenhand.about import About
from evenhand.findings import Finding, Interval
from evenhand.opportunity.inference.differences import Difference, penalty_difference
from evenhand.opportunity.inference.near_fair import penalty_change
from evenhand.opportunity.logs.preparation import clustering
from evenhand.opportunity.over_time.readings import NOTHING, Followed, Judge
from evenhand.opportunity.over_time.timeline import Stretches, Timeline
from evenhand.pictures import Series
from evenhand.stats.many_looks import looks


def change_findings(
    timeline: Timeline,
    days: Sequence[Followed],
    baseline: int,
    first: Followed | None,
    judge: Judge,
    level: float,
    seed: int,
    common: dict[str, Any],
) -> list[Finding]:
    """`penalty_change` against the day before, and against the `baseline` first days: `first`, as one log.

    `first` is None where nothing can be computed of them.
    """
    since = [] if first is None else [(day, first) for day in days if day.last >= baseline]
    before = [(day, earlier) for earlier, day in pairwise(days)]
    abouts = against(timeline, baseline)
    return [
        change_finding(timeline, pairs, judge, about, level, seed, common)
        if pairs
        else nothing_to_compare(about, common)
        for about, pairs in zip(abouts, (before, since), strict=True)
    ]


def against(timeline: Timeline, baseline: int) -> tuple[About, About]:
    """What changes are about: those against the day before, and against the first days."""
    unit = timeline.calendar.period
    by: About = {"by": {"creators": timeline.prepared.group}}
    return (
        by | {"against": "before", "unit": unit},
        by | {"against": "first", "unit": unit, "periods": baseline},
    )


def nothing_to_compare(about: About, common: dict[str, Any]) -> Finding:
    warnings = (NOTHING, *common["warnings"])
    return Finding(
        measure="penalty_change", about=about, estimate=None, state="moot",
        **(common | {"warnings": warnings}),
    )  # fmt: skip


def change_finding(
    timeline: Timeline,
    pairs: Sequence[tuple[Followed, Followed]],
    judge: Judge,
    about: About,
    level: float,
    seed: int,
    common: dict[str, Any],
    look: int = 1,
) -> Finding:
    """The change that stands out most, or the latest, with an interval that holds for all of them at once.

    `look` is the number of the first of these among all changes that are looked at.
    """
    changes = []
    for number, (day, other) in enumerate(pairs, start=look):
        arms = Stretches(timeline, (day.stretch, other.stretch))
        alone = penalty_difference(arms, 0, 1, level, seed, hulls=(day.penalty.alone, other.penalty.alone))
        spent = 1 - (1 - level) * float(looks.spent(number))
        hulls = day.penalty.together, other.penalty.together
        together = penalty_change(arms, 0, 1, spent, seed, hulls)
        changes.append((day, other, alone, together))
    entries = [_entry(timeline, *change) for change in changes]
    clear = [i for i, entry in enumerate(entries) if entry["low"] > 0 or entry["high"] < 0]
    if judge == "latest":
        chosen = len(entries) - 1
    else:
        chosen = max(clear or range(len(entries)), key=lambda i: abs(entries[i]["estimate"]))
    clustered = clustering(timeline.prepared.logs[0])
    method = f"{changes[chosen][3].method}, error spent over the {timeline.calendar.period}s{clustered}"
    entry = entries[chosen]
    return Finding(
        measure="penalty_change",
        about=about,
        estimate=entry["estimate"],
        interval=Interval(
            low=entry["low"], high=entry["high"], level=level, method=method, validity="anytime"
        ),
        details={
            "unit": timeline.calendar.period,
            "day": entry["day"],
            "judge": judge,
            "days": len(entries),
            "days_clear": len(clear),
            "days_clear_alone": sum(e["fixed"]["low"] > 0 or e["fixed"]["high"] < 0 for e in entries),
        },
        pictures=(Series.of(timeline.calendar.period, entries),),
        **common,
    )


def _entry(
    timeline: Timeline, day: Followed, other: Followed, alone: Difference, together: Difference
) -> dict[str, Any]:
    return {
        "day": timeline.labels[day.last],
        "n": int(timeline.rows[day.last].sum()),
        "against_n": int(timeline.rows[other.stretch.days].sum()),
        "people": min(timeline.fewest(day.stretch), timeline.fewest(other.stretch)),
        "estimate": alone.estimate,
        # Near fairness the two are made in different ways; what holds together also holds alone.
        "low": min(together.low, alone.low),
        "high": max(together.high, alone.high),
        "fixed": {"low": alone.low, "high": alone.high},
        "p_value": alone.p_value,
    }
