"""One measure over the days: what is published of each, and the finding that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.about import About
from evenhand.findings import Finding, Harm, Interval, Verdict, decide
from evenhand.opportunity.over_time.readings import NOTHING, Reading
from evenhand.opportunity.over_time.timeline import Stretch, Timeline
from evenhand.pictures import Series

Entry = dict[str, Any]
WORST_FIRST = [Verdict.VIOLATION.value, Verdict.INCONCLUSIVE.value, Verdict.WITHIN_TOLERANCE.value, None]
_TALLY = dict(zip(("days_outside", "days_undecided", "days_within"), WORST_FIRST, strict=False))


@dataclass(frozen=True)
class Line:
    """One measure over all days, the rows that each day has of it, and what is tolerated."""

    measure: str
    about: About
    readings: Sequence[Reading | None]
    rows: NDArray[np.int64]
    tolerance: float | None
    harm: Harm
    method: str
    group: int | None = None
    doubts: tuple[str, ...] = ()


def tally(verdicts: Iterable[str | None]) -> dict[str, int]:
    """How many days have which verdict."""
    found = list(verdicts)
    return {name: found.count(verdict) for name, verdict in _TALLY.items()}


def entry_of(
    timeline: Timeline, line: Line, stretch: Stretch, label: str, rows: int, reading: Reading | None
) -> Entry:
    """A day as it is published."""
    entry: Entry = {"day": label, "n": rows, "estimate": None}
    if reading is not None:
        # Of the group with the fewest: what is said of the others would tell of it.
        entry["people"] = timeline.fewest(stretch)
        low, high = reading.together
        interval = Interval(low=low, high=high, level=0.95, method=line.method)
        entry |= {"estimate": reading.estimate, "low": low, "high": high}
        entry |= {"fixed": dict(zip(("low", "high"), reading.alone, strict=True))}
        entry |= {"verdict": decide(interval, line.tolerance, line.harm, doubted=bool(line.doubts))}
    return entry


def finding_of(
    line: Line,
    entry: Entry,
    entries: list[Entry],
    details: dict[str, Any],
    level: float,
    common: dict[str, Any],
) -> Finding:
    return Finding(
        measure=line.measure,
        about=line.about,
        estimate=entry["estimate"],
        interval=Interval(
            low=entry["low"], high=entry["high"], level=level, method=line.method, validity="anytime"
        ),
        tolerance=line.tolerance,
        harm=line.harm,
        doubts=line.doubts,
        details=details | {"alone": entry["fixed"]},
        pictures=(Series.of(details["unit"], entries),),
        **common,
    )


def not_computed(line: Line, common: dict[str, Any]) -> Finding:
    warnings = (NOTHING, *common["warnings"])
    return Finding(
        measure=line.measure, about=line.about, estimate=None, tolerance=line.tolerance, harm=line.harm,
        **(common | {"warnings": warnings}),
    )  # fmt: skip
