"""How the penalty changes: each day against the one before, and against the first days together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.findings import Finding, Interval
from evenhand.opportunity.differences import Difference, penalty_difference
from evenhand.opportunity.timeline import Stretch, Stretches, Timeline
from evenhand.stats import looks

Pair = tuple[int, Stretch, Stretch]  # a day, its traffic, and what it is held against


def change_findings(
    timeline: Timeline,
    level: float,
    baseline: int,
    seed: int,
    subject: dict[str, str | int | float],
    clustered: str,
    common: dict[str, Any],
) -> list[Finding]:
    """`penalty_change` against the day before, and against the first `baseline` days as one log."""
    unit = timeline.calendar.period
    usable = [t for t in range(len(timeline)) if timeline.problem(timeline.day(t)) is None]
    before = [(t, timeline.day(t), timeline.day(s)) for s, t in zip(usable, usable[1:], strict=False)]
    first = timeline.until(baseline - 1)
    against = [(t, timeline.day(t), first) for t in usable if t >= baseline]
    if timeline.problem(first) is not None:
        against = []
    start = f"{unit} {timeline.labels[0]}"
    if baseline > 1:
        start = f"the first {baseline} {unit}s together"
    made = []
    for name, pairs in ((f"the {unit} before", before), (start, against)):
        if pairs:
            about = subject | {"against": name}
            made.append(_finding(timeline, pairs, about, level, seed, clustered, common))
    return made


def _finding(
    timeline: Timeline,
    pairs: Sequence[Pair],
    subject: dict[str, str | int | float],
    level: float,
    seed: int,
    clustered: str,
    common: dict[str, Any],
) -> Finding:
    """The change that stands out most, with an interval that holds for all changes at once."""
    entries = []
    for look, (t, day, other) in enumerate(pairs, start=1):
        arms = Stretches(timeline, (day, other))
        alone = penalty_difference(arms, 0, 1, level, seed)
        together = penalty_difference(arms, 0, 1, 1 - (1 - level) * float(looks.spent(look)), seed)
        entries.append(_entry(timeline, t, alone, together))
    clear = [entry for entry in entries if entry["low"] > 0 or entry["high"] < 0]
    chosen = max(clear or entries, key=lambda entry: abs(entry["estimate"]))
    method = f"{chosen.pop('method')}, error spent over the {timeline.calendar.period}s{clustered}"
    for entry in entries:
        entry.pop("method", None)
    return Finding(
        measure="penalty_change",
        subject=subject,
        estimate=chosen["estimate"],
        interval=Interval(
            low=chosen["low"], high=chosen["high"], level=level, method=method, validity="anytime"
        ),
        details={
            "unit": timeline.calendar.period,
            "day": chosen["day"],
            "days": len(entries),
            "clear": len(clear),
            "fixed_clear": sum(e["fixed"]["low"] > 0 or e["fixed"]["high"] < 0 for e in entries),
            "series": entries,
        },
        **common,
    )


def _entry(timeline: Timeline, t: int, alone: Difference, together: Difference) -> dict[str, Any]:
    return {
        "day": timeline.labels[t],
        "n": int(timeline.rows[t].sum()),
        "estimate": alone.estimate,
        "low": min(together.low, alone.low),
        "high": max(together.high, alone.high),
        "fixed": {"low": alone.low, "high": alone.high},
        "p_value": alone.p_value,
        "method": together.method,
    }
