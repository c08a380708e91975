"""What the mean of a sample may be, when the sample may have missed the values that matter.

Twenty users without a single hit have a mean of 0 and a standard error of 0, and yet one in ten of such users
may have hits. So the error is not taken at the mean that was seen, but at the mean that is asked about, as
Wilson's interval does for a rate. What the spread would be at another mean is told by exponential tilting
(Efron 1981): value x gets the weight w exp(slope x), which of all laws on these values with that mean is the
nearest to the sample. Values that the sample may have missed are added with a small weight; they count for
nothing unless a mean cannot be reached without them. For values of 0 and 1 the interval is Wilson's.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit


class Limit(NamedTuple):
    """A mean at which the sample is just not surprising, and the variance of values there."""

    mean: float
    variance: float


class Sample(NamedTuple):
    """Different values with their weights, scaled to a range of at most 1 around `centre`; the size and the
    (scaled) mean are those of the values that were seen."""

    values: Floats
    weights: Floats
    size: int
    mean: float
    centre: float
    scale: float


def sample_of(seen: Floats, missed: tuple[float, ...], weight: float, most: int | None = None) -> Sample:
    """A sample, with `weight` for each of the values that it may have missed; of more than `most` different
    values neighbours are put together."""
    values, counts = np.unique(seen, return_counts=True)
    if most is not None and len(values) > most:
        values, counts = _fewer(values, counts, most)
    values = np.concatenate([values, missed])
    centre, scale = float(seen.mean()), float(np.ptp(values)) or 1.0
    weights = np.concatenate([counts, np.full(len(missed), weight)])
    return Sample((values - centre) / scale, weights, len(seen), 0.0, centre, scale)


def _fewer(values: Floats, counts: Ints, most: int) -> tuple[Floats, Ints]:
    """So many values with their counts, of the same mean: those at either end, which decide, stay alone."""
    alone = most // 4
    middle, of_middle = values[alone:-alone], counts[alone:-alone]
    starts = np.linspace(0, len(middle), most - 2 * alone, endpoint=False).astype(np.int64)
    together = np.add.reduceat(of_middle, starts)
    means = np.add.reduceat(middle * of_middle, starts) / together
    return (
        np.concatenate([values[:alone], means, values[-alone:]]),
        np.concatenate([counts[:alone], together, counts[-alone:]]),
    )


def score_limit(sample: Sample, critical: float, side: float) -> Limit:
    """The mean m above (`side` 1) or below (-1) the sample's that is `critical` of its own errors away.

    |m - mean| = critical sqrt(variance of the sample tilted to m / (n - 1)).
    """
    away = critical / math.sqrt(max(sample.size - 1, 1))
    slope = _slope_beyond(sample.values, sample.weights, sample.mean, away, side)
    mean, variance = _tilted(sample.values, sample.weights, side * slope)
    return Limit(sample.centre + sample.scale * mean, sample.scale**2 * variance)


def cautious_limits(
    seen: Floats, missed: tuple[float, ...], critical: float, most: int | None = None
) -> tuple[float, float]:
    """The hull of Student's interval of a mean and of the score's, with a weight of 1 for what was missed.

    Student's errs where one side of a law has hardly been seen, and the score's where both sides have and one
    of them is rare: tilted away from a rare value the sample seems surer than it is. Neither errs by much
    where the other does.
    """
    mean = float(seen.mean())
    reach = critical * float(seen.std(ddof=1)) / math.sqrt(len(seen)) if len(seen) > 1 else 0.0
    sample = sample_of(seen, missed, 1.0, most)
    low, high = (score_limit(sample, critical, side).mean for side in (-1.0, 1.0))
    return min(mean - reach, low), max(mean + reach, high)


def two_points(values: Floats) -> tuple[float, float]:
    """The two values that stand best for all: with fitting weights they have the same mean, variance and
    skewness (Gauss's rule with two nodes). Values of 0 and 1 are their own; of values that are mostly 0, one
    is near 0 and the other the size of a typical event; of symmetric ones, they are one deviation away."""
    mean, deviation = float(values.mean()), float(values.std())
    if deviation == 0:
        return mean, mean
    skewness = float((((values - mean) / deviation) ** 3).mean())
    root = math.hypot(skewness, 2)
    return mean + deviation * (skewness - root) / 2, mean + deviation * (skewness + root) / 2


@njit()
def _tilted(
    values: Floats, weights: Floats, slope: float
) -> tuple[float, float]:  # pragma: no cover - compiled
    """Mean and variance of the values with the weights w exp(slope x)."""
    top = -np.inf
    for i in range(len(values)):
        top = max(top, slope * values[i])
    total = first = second = 0.0
    for i in range(len(values)):
        weight = weights[i] * np.exp(slope * values[i] - top)
        total += weight
        first += weight * values[i]
        second += weight * values[i] * values[i]
    mean = first / total
    return mean, max(second / total - mean * mean, 0.0)


@njit()
def _is_beyond(
    values: Floats, weights: Floats, centre: float, errors: float, slope: float, side: float
) -> bool:  # pragma: no cover - compiled
    """Whether the mean at this slope is so many of its own errors away."""
    mean, variance = _tilted(values, weights, side * slope)
    away = side * (mean - centre)
    return away > 0 and away * away >= errors * errors * variance


@njit()
def _slope_beyond(
    values: Floats, weights: Floats, centre: float, errors: float, side: float
) -> float:  # pragma: no cover - compiled
    """In the tilted family the mean rises with the slope, so the first slope that is beyond is looked for."""
    inside, outside = 0.0, 1.0
    while not _is_beyond(values, weights, centre, errors, outside, side) and outside < 1e12:
        inside, outside = outside, 2 * outside
    if inside == 0.0:
        # What was missed may pull the mean past the limit by itself.
        while _is_beyond(values, weights, centre, errors, inside, side) and inside > -1e12:
            outside, inside = inside, 2 * inside - 1
    for _ in range(60):
        middle = (inside + outside) / 2
        if _is_beyond(values, weights, centre, errors, middle, side):
            outside = middle
        else:
            inside = middle
        if outside - inside < 1e-9 * max(1.0, abs(outside)):
            break
    return outside
