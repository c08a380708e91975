"""Intervals that hold on every day of a series at once, however long it gets.

Two things can be followed. **Each day's own value**: every day is a new sample with a truth of its own, so
the error is spent over the days, in parts that sum to what was asked for. **All days so far as one log**: one
sample that grows, for which a confidence sequence is enough. Where a day of it was corrected, or days of it
were forgotten, it is another sample, with a sequence of its own; those after the first share a part of the
error.

Where all days share one random log, that log is one sample looked at once: it takes half of the error, once,
and the days share the other half. Where each day has a window of it, days and windows are new together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.opportunity.inference.one_log import ArmInference, Bounds
from evenhand.opportunity.inference.regions import Region
from evenhand.opportunity.measures import Array
from evenhand.opportunity.over_time.timeline import Stretch, Stretches, Timeline
from evenhand.stats.log_ratios import ellipsoids
from evenhand.stats.log_ratios.inversion import hull
from evenhand.stats.many_looks import looks

# From an error and the degrees of freedom to how far a contrast of log U may be off, in its standard errors.
Reach = Callable[[float, float | None], float]
# Of the error: what sequences after the first may use. They begin with the second part of it, so that it is
# half of this; the first sequence uses less than two thirds of its own in ten years of daily looks.
AGAIN = 0.5


@dataclass(frozen=True)
class Held:
    """Intervals of all measures of one day, or of all days up to one, that hold together."""

    penalty: Bounds
    relative_utilities: tuple[Bounds, ...]
    worst_ratio: Bounds


def on_each_day(timeline: Timeline, level: float) -> list[Held | None]:
    """The penalty, relative utilities and worst ratio of each day's own traffic, all days at once."""
    return [on_day(timeline, timeline.day(t), t + 1, level) for t in range(len(timeline))]


def on_day(timeline: Timeline, stretch: Stretch, look: int, level: float) -> Held | None:
    """Those of the day that is looked at as the first, the second ... of all."""
    error = _of_days(timeline, level)
    return _held(timeline, stretch, error * float(looks.spent(look)), _one_look(timeline), error)


def until_each_day(timeline: Timeline, level: float) -> list[Held | None]:
    """The same of all traffic up to each day, all days at once."""
    grown = growth(timeline)
    return [until_day(timeline, timeline.until(t), grown[t], level) for t in range(len(timeline))]


def until_day(
    timeline: Timeline, stretch: Stretch, grown: float, level: float, look: int = 1, again: int = 0
) -> Held | None:
    """Those of all traffic up to a day, with so many times the evidence of the first look.

    `look` is the number of this look among all that were made, of which `again` were at days that no longer
    count as they did: they were corrected since, or forgotten. Each such change begins another sequence, and
    `again` is its number. It holds as one of many sequences, or as one of many looks, whichever is narrower.
    """
    groups, now = _dimensions(timeline), np.asarray(grown)

    def reach(error: float, df: float | None) -> float:
        first = float(looks.every_look(error, groups, now, df))
        if not again:
            return first
        part = error * AGAIN / 2
        sequence = looks.every_look(part * float(looks.spent(1 + again)), groups, now, df)
        alone = looks.one_look(part * float(looks.spent(look)), groups, df)
        return max(first, float(min(sequence, alone)))

    error = _of_days(timeline, level)
    return _held(timeline, stretch, error, reach, error)


def _of_days(timeline: Timeline, level: float) -> float:
    """The error that the days may use: half of it where they share a random log, which takes the other."""
    return (1 - level) / (1 if timeline.window else 2)


def growth(timeline: Timeline) -> Array:
    """How many times the evidence of the first look there is at each day."""
    random = None
    if timeline.window:
        parts = timeline.random_squares.sum(axis=1)
        random = (np.logical_or.accumulate(timeline.within, axis=0) * parts).sum(axis=1)
    return growth_of(timeline.totals.sum(axis=1).cumsum(), random)


def growth_of(default: Array, random: Array | None) -> Array:
    """The same from the positives of the default log up to each day, and from the sums of squared weights of
    those of the random log, where that grows too.

    Errors of a mean at two looks are correlated by the root of the ratio of their evidence, or more: parts
    that do not grow, and users who come back, only tie looks together. Of two logs that grow the faster
    counts. A weighted sum moves by the squares of its weights: a few heavy rows can outweigh all before them.
    """
    steps = _steps(default)
    if random is not None:
        steps = np.maximum(steps, _steps(random))
    return np.asarray(np.cumprod(steps))


def _steps(evidence: Array) -> Array:
    """How many times the evidence of the day before; 1 until there is any."""
    before = np.concatenate([[0], evidence[:-1]])
    return np.divide(evidence, before, out=np.ones(len(evidence)), where=before > 0)


def _dimensions(timeline: Timeline) -> int:
    return len(timeline.prepared.random.groups) - 1


def _one_look(timeline: Timeline) -> Reach:
    return lambda error, df: float(looks.one_look(error, _dimensions(timeline), df))


def _held(
    timeline: Timeline, stretch: Stretch, error: float, reach: Reach, random_error: float
) -> Held | None:
    if timeline.problem(stretch) is not None:
        return None
    arms = Stretches(timeline, (stretch,))
    inference = ArmInference(arms, 0, 0)
    worlds = list(inference.worlds(1 - error))
    shape = _shape(timeline, arms, 1 - worlds[0][1], reach, random_error)  # they are all of one level
    if shape is None:
        return _anything(len(arms.groups))
    made = [_of_region(Region(utilities, shape)) for utilities, _ in worlds]
    of_groups = [held.relative_utilities for held in made]
    own = inference.own_worlds(1 - error)
    if own is not None:
        lows, highs = (np.diag(ends) for ends in Region(own[0], shape).relative_utilities())
        of_groups.append(tuple(map(_bounds, lows, highs)))
    return Held(
        hull(*(held.penalty for held in made)),
        tuple(hull(*bounds) for bounds in zip(*of_groups, strict=True)),
        hull(*(held.worst_ratio for held in made)),
    )


def _shape(
    timeline: Timeline, arms: Stretches, error: float, reach: Reach, random_error: float
) -> Array | None:
    """The ellipsoid of log U; None where too few clusters count for so many groups, and so no limit."""
    if timeline.window:
        both = arms.errors(0)
        reached = reach(error, both.degrees_together)
        return None if np.isinf(reached) else reached**2 * both.covariance
    random, own = arms.errors(0, own=False), arms.errors(0, random=False)
    of_random = _one_look(timeline)(random_error, random.degrees_together)
    of_own = reach(error, own.degrees_together)
    if np.isinf(of_random) or np.isinf(of_own):
        return None
    return ellipsoids.around_sum(of_random**2 * random.covariance, of_own**2 * own.covariance)


def _of_region(region: Region) -> Held:
    lows, highs = region.relative_utilities()
    return Held(
        _bounds(*region.penalties()),
        tuple(_bounds(low, high) for low, high in zip(lows, highs, strict=True)),
        _bounds(*region.worst_ratios()),
    )


def _bounds(low: Array, high: Array) -> Bounds:
    return float(low), float(high)


def _anything(groups: int) -> Held:
    """What is possible at all."""
    return Held((0.0, float(np.sqrt(groups - 1))), ((-1.0, groups - 1.0),) * groups, (0.0, 1.0))
