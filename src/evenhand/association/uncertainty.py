"""Intervals of association measures: entities on both sides are samples, and both make them uncertain.

GEAA and DEAA are products of means over tested entities and means over attribute entities. Leaving out one
entity changes such a product by its own score, so the jackknife needs no recomputation: its variance is the
sum, over the sets, of the variance of the scores divided by the size of the set. (The part that both sides
share is counted twice; it is smaller by the size of a set, and errs on the safe side.)

A direction that was fitted is made again without one of `PARTS` parts of the attribute entities at a time.
It is never quite along that of the population: chance has put some of its length elsewhere, the more the more
dimensions there are, and what lies along the line of the population seems less along that of a sample, by the
cosine between the two. The jackknife tells how much: its variance, over all dimensions, is the part of the
squared length that is chance (`straying`). So limits go as far from 0 as they would along the whole line.
A direction is only used if it passed its test, and where chance decided that, those that did are longer than
they should be: in 64 and 128 dimensions, where one in ten passes, all groups were held in 77 to 88%. So of a
direction with a p-value above `SURE` that part is taken a standard error larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenhand.arrays import Floats, Ints, Vectors
from evenhand.association.directions.fits import PAIRS, Fit, made, of_random_pairs
from evenhand.findings import Interval
from evenhand.more_data import LimitsAt
from evenhand.stats.means.tilting import cautious_limits, two_points
from evenhand.stats.normal import critical_value

PARTS = 20
CAUTION = 1.0  # standard errors
SURE = 1e-4
LEAST_SURE = 1e-4  # of the squared length of a direction: a part of chance is not known to be all of it
ENOUGH = 100  # users on a side: of so many, some carry what few carry
MOST_VALUES = 100  # different ones, of a side of users
MOST_COUNTED = 30  # items of a group, less one, where groups tell each other how much items vary


@dataclass(frozen=True)
class EstimatedVariance:
    """A variance with the degrees of freedom that it rests on.

    They grow with the data, unless they are `of_parts` that there are always as many of. `seen` is the
    variance without what was borrowed, and `summands` are what a sum is made of.
    """

    variance: float
    df: float
    of_parts: bool = False
    seen: float | None = None
    summands: tuple[EstimatedVariance, ...] = ()

    def with_data(self, times: float) -> EstimatedVariance:
        """What it would be with so many times the data."""
        df = self.df if self.of_parts else self.df * times
        return EstimatedVariance(
            self.variance / times, df, self.of_parts, None if self.seen is None else self.seen / times
        )

    def scaled(self, times: float) -> EstimatedVariance:
        """That of so many times the estimate."""
        seen = None if self.seen is None else self.seen * times**2
        return replace(self, variance=self.variance * times**2, seen=seen)

    def reach(self, level: float) -> float:
        """From an estimate to its limits: t * error, and no less than any summand would have by itself.

        Satterthwaite's degrees of freedom are those of the variances as they were seen. Where that of two or
        three items happens to be small, they are many, and at the level of one of many groups a limit was
        beyond the truth up to 20 times as often as it should be.
        """
        alone = [
            (one.df, one.variance if one.seen is None else one.seen)
            for one in (*self.summands, EstimatedVariance(self.variance, self.df))
        ]
        return max(float(special.stdtrit(df, (1 + level) / 2) * np.sqrt(variance)) for df, variance in alone)


def of_mean(scores: Floats, least: float = 0.0) -> EstimatedVariance:
    """The jackknife variance of a mean: s^2 / n, with an s^2 of at least `least`."""
    count = len(scores)
    if count < 2:
        return EstimatedVariance(np.inf, 1)
    seen = float(np.var(scores, ddof=1)) / count
    return EstimatedVariance(max(seen, least / count), count - 1, seen=seen)


def of_sides(scores: Floats, codes: Ints) -> list[EstimatedVariance]:
    """Jackknife variances of the means of two sides, of scores that a few on either side may carry.

    Where a few users are changed and all others stay, one side may have none of them: it varies at least as
    much as both do. And those few are the sample: the variance of n scores is known as by 2n/(kurtosis - 1)
    normal ones (Satterthwaite 1946), of both sides together.
    """
    sides = codes[:, None] == np.unique(codes)
    means = scores @ sides / sides.sum(axis=0)
    squares = (scores - sides @ means) ** 2
    least, kurtosis = within(scores, sides), 3.0
    if squares.any():
        kurtosis = float((squares**2).mean() / squares.mean() ** 2)
    carriers = 2 * len(scores) / max(kurtosis - 1, 1e-9)
    found = [of_mean(scores[side], least) for side in sides.T]
    return [replace(one, df=min(one.df, max(carriers - 1, 1.0))) for one in found]


def of_either_side(scores: Floats, codes: Ints, level: float) -> list[EstimatedVariance]:
    """The same, with limits of either side at the `level` that are no nearer than those of its own scores
    tilted (`stats.tilting`), where one has fewer than `ENOUGH` users: of 20 of whom few carry the mean a
    larger quiet side knows nothing."""
    sides = [scores[codes == code] - scores[codes == code].mean() for code in np.unique(codes)]
    missed, found = two_points(np.concatenate(sides)), of_sides(scores, codes)
    if min(map(len, sides)) >= ENOUGH:
        return found
    return [_at_least(one, own, missed, level) for one, own in zip(found, sides, strict=True)]


def _at_least(
    one: EstimatedVariance, scores: Floats, missed: tuple[float, float], level: float
) -> EstimatedVariance:
    if len(scores) < 2 or not scores.any():
        return one
    low, high = cautious_limits(scores, missed, critical_value(level, len(scores) - 1), MOST_VALUES)
    error = max(-low, high) / critical_value(level, one.df)
    return replace(one, variance=max(one.variance, error**2))


def within(scores: Floats, membership: NDArray[np.bool_]) -> float:
    """The variance of scores within groups (a column each), pooled over them; 0 where none has two members.

    It is the least that a group is taken to vary by. A few items may be alike by chance, and with a skew
    spread (an item of twenty that is far from the others) mostly are: their own variance then says that the
    mean is known. A large group counts like one of `MOST_COUNTED`, so that thousands of items which are alike
    do not speak for all others: beside one such group any of ten of 10 or 30 items was missed in 76 to 86%.
    """
    counts = membership.sum(axis=0)
    sums, squares = scores @ membership, scores**2 @ membership
    several = counts > 1
    freedom = counts[several] - 1
    around = np.maximum(squares[several] - sums[several] ** 2 / counts[several], 0)
    weights = np.minimum(freedom, MOST_COUNTED)
    return float(weights @ (around / freedom) / weights.sum()) if several.any() else 0.0


def together(parts: Sequence[EstimatedVariance]) -> EstimatedVariance:
    """The sum of independent variances, with Satterthwaite's degrees of freedom."""
    variance = sum(part.variance for part in parts)
    if not np.isfinite(variance):
        return EstimatedVariance(np.inf, 1)
    if variance <= 0:
        return EstimatedVariance(0.0, 1)
    df = variance**2 / sum(part.variance**2 / part.df for part in parts)
    return EstimatedVariance(variance, df, summands=tuple(parts))


def interval(
    estimate: float, spread: EstimatedVariance, level: float, method: str, most: float, strays: float = 0.0
) -> Interval | None:
    """The limits within [-most, most]; None where a set has a single member."""
    if not np.isfinite(spread.variance):
        return None
    low, high = limits(estimate, spread, level, strays)
    return Interval(low=max(-most, low), high=min(most, high), level=level, method=method)


def limits(
    estimate: float, spread: EstimatedVariance, level: float, strays: float = 0.0
) -> tuple[float, float]:
    """`strays` is the part of the squared length of a direction that is chance: without it an estimate along
    the direction would be so much further from 0."""
    reach, cosine = spread.reach(level), max(1 - strays, LEAST_SURE) ** 0.5
    low, high = estimate - reach, estimate + reach
    return min(low, low / cosine), max(high, high / cosine)


def limits_at(
    estimate: float, parts: Sequence[EstimatedVariance], level: float, strays: float = 0.0
) -> LimitsAt:
    """The limits of `interval` with so many times the data behind each of the parts of the variance."""

    def at(times: float) -> tuple[float, float]:
        # The length that is not chance stays, and what is falls like a variance.
        less = strays / (strays + times * (1 - strays)) if strays < 1 else 1.0
        return limits(estimate, together([part.with_data(times) for part in parts]), level, less)

    return at


def refitted(
    vectors: Vectors, codes: Ints, fit: Fit, direction: Floats, seed: int, parts: int = PARTS
) -> Floats:
    """The direction made without each of the parts in turn, a row each, turned as the whole one is.

    There are no more parts than entities of the rarest category: a part without any of them hardly moves the
    direction, and would count as a degree of freedom all the same. Pairs stay who they are, and are left out
    together: drawn anew without each part, they moved the direction far more than the part did.
    """
    paired = fit is of_random_pairs
    parts = min(parts, int(np.bincount(codes).min()))
    rng = np.random.default_rng([seed, 31])
    part, order = np.full(len(codes), -1), []
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        start = rng.integers(parts)
        part[members] = (np.arange(len(members)) + (0 if paired else start)) % parts
        order.append(members[:PAIRS])
    places = np.concatenate(order) if paired else np.arange(len(codes))
    rows = []
    for left_out in range(parts):
        kept = places[part[places] != left_out]
        drawn = None if paired else np.random.default_rng([seed, 32])
        row = made(fit, vectors[kept], codes[kept], drawn)
        rows.append(row if row @ direction >= 0 else -row)
    return np.stack(rows)


def of_refits(values: Floats) -> EstimatedVariance:
    """The delete-a-part jackknife variance of a statistic, from its value without each part."""
    parts = len(values)
    variance = float((parts - 1) / parts * ((values - values.mean()) ** 2).sum())
    return EstimatedVariance(variance, parts - 1, of_parts=True)


def straying(refits: Floats) -> float:
    """The part of the squared length of a direction that is chance, from the direction without each part."""
    parts = len(refits)
    return min(1.0, float((parts - 1) / parts * ((refits - refits.mean(axis=0)) ** 2).sum()))


def straying_if_doubtful(seen: float, dimensions: float) -> float:
    """The same, `seen` of a direction that its test only just told from chance.

    The squared length that was seen, a sum over so many `dimensions` of chance and along the line, has a
    variance of (2 s^2 + 4 s (1 - s)) / dimensions as a part of itself, with s the part that is chance.
    """
    return min(1.0, seen + CAUTION * ((2 * seen**2 + 4 * seen * (1 - seen)) / dimensions) ** 0.5)


def effective_dimensions(vectors: Vectors, codes: Ints) -> float:
    """In how many dimensions entities vary around the mean of their category: the squared sum of the
    variances of the principal components over the sum of their squares."""
    rows = np.asarray(vectors, dtype=np.float64).copy()
    for code in np.unique(codes):
        rows[codes == code] -= rows[codes == code].mean(axis=0)
    products = rows.T @ rows
    squares = float((products**2).sum())
    return float(np.trace(products)) ** 2 / squares if squares > 0 else np.inf
