"""Every measure of every day: its estimate, and the interval that holds with all others and the one alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evenhand.opportunity.inference.one_log import Bounds
from evenhand.opportunity.measures import penalty, relative_utilities
from evenhand.opportunity.over_time.every_day import Held
from evenhand.opportunity.over_time.timeline import Stretch, Timeline
from evenhand.stats.log_ratios.inversion import hull

Judge = Literal["any", "latest"]
NOTHING = "Cannot be computed; what is left out says why."


@dataclass(frozen=True)
class Reading:
    """One measure of one stretch of days."""

    estimate: float
    together: Bounds
    alone: Bounds


@dataclass(frozen=True)
class Followed:
    """All measures of one stretch of days; `last` is the number of its last day."""

    last: int
    stretch: Stretch
    penalty: Reading
    relative_utilities: tuple[Reading, ...]
    worst_ratio: Reading


def follow(
    timeline: Timeline, stretches: Sequence[Stretch], held: Sequence[Held | None], level: float, seed: int
) -> list[Followed | None]:
    """The stretches in order, one a day; None where nothing can be computed."""
    return [
        None if together is None else follow_one(timeline, t, stretch, together, level, seed)
        for t, (stretch, together) in enumerate(zip(stretches, held, strict=True))
    ]


def follow_one(
    timeline: Timeline, last: int, stretch: Stretch, held: Held, level: float, seed: int
) -> Followed:
    """All measures of one stretch, with the intervals that hold with all others."""
    inference = timeline.inference(stretch, seed)
    u = inference.utilities
    groups = zip(
        relative_utilities(u).tolist(),
        held.relative_utilities,
        inference.relative_utility_intervals(level),
        strict=True,
    )
    ratio = float(u.min() / u.max())
    return Followed(
        last,
        stretch,
        _reading(float(penalty(u)), held.penalty, inference.penalty_interval(level)),
        tuple(_reading(*reading) for reading in groups),
        _reading(ratio, held.worst_ratio, inference.worst_ratio_interval(level)),
    )


def _reading(estimate: float, together: Bounds, alone: Bounds) -> Reading:
    # With very few positives the two, made in different ways, may cross; what holds together holds alone too.
    return Reading(estimate, hull(together, alone), alone)
