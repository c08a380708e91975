"""A gap that was searched for is too large: search among half of the users, estimate with the other half.

Both ways, and the two estimates are averaged. They are not independent (one half's extreme is what the other
half lacks), so each limit of the average is the average of the halves' limits.

Half of a small group may have no event at all, and then it has no spread either. So each half's interval is
not the estimate give or take its error; it asks of every mean how surprising the half would be
(`stats.tilting`), and the intervals of the two groups are put together by MOVER, as Newcombe (1998) does for
rates. What a half may have missed is what everybody has, in two values; if all of its users have one value,
that says so little that what was missed may be anything between the bounds of the metric.

A group may also have rare values that nobody else has, and where its other values are close together, no
spread tells of them. If a share c of its people are at an end of the range, at a distance of d, and none of n
was seen, its mean is off by c d, and chance does that with at most exp(-n c). Of both groups in both halves
the average gap is then off by the sum of c d / 2, at most max(d / n) / 2 times the sum of n c, and all went
unseen with at most exp(-sum of n c). So the lower limit is at least log(1 / (1 - level)) max(d / n) / 2 below
the estimate: the rule of three (Hanley and Lippman-Hand 1983), of all users and not of a half.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from evenhand.arrays import Floats, Ints
from evenhand.errors import TooLittleError
from evenhand.groups.cells import Cells, Groups
from evenhand.groups.evidence import Moments, cell_moments, group_moments
from evenhand.groups.measures import error_variances
from evenhand.stats.means import mover
from evenhand.stats.means.tilting import Sample, sample_of, score_limit, two_points
from evenhand.stats.normal import critical_value

WEIGHT = 1.0  # of each value that a half may have missed, in users
# In the search, a group's variance counts as if that of all had been seen in so many users more. With less,
# the search takes tiny groups that happen to have no event, of which the other half can confirm nothing.
CALM = 4.0


@dataclass(frozen=True)
class Half:
    """One half's choice of groups, and their gap among the other half's users.

    `unseen` is how much smaller each user more at an end of the range would make the gap; 0 without bounds.
    """

    highest: int
    lowest: int
    gap: float
    low: float
    high: float
    sure: bool
    unseen: float


@dataclass(frozen=True)
class Confirmation:
    """The gap between the chosen groups, as estimated with users who had no part in the choice.

    `sure` is False where the users of a half of a group have one value, and nothing bounds what they missed.
    """

    halves: tuple[Half, Half]
    level: float

    @property
    def estimate(self) -> float:
        return (self.halves[0].gap + self.halves[1].gap) / 2

    @property
    def low(self) -> float:
        return self.limits_at(1.0)[0]

    @property
    def high(self) -> float:
        return self.limits_at(1.0)[1]

    def limits_at(self, times: float) -> tuple[float, float]:
        """With so many times the users: errors fall with the root of that, what no user had with itself."""
        first, second = self.halves
        below = self.estimate - (first.low + second.low) / 2
        above = (first.high + second.high) / 2 - self.estimate
        unseen = math.log(1 / (1 - self.level)) * max(first.unseen, second.unseen) / 2
        root = math.sqrt(times)
        return self.estimate - max(below / root, unseen / times), self.estimate + above / root

    @property
    def sure(self) -> bool:
        return all(half.sure for half in self.halves)


def one_half(cells: Cells, rng: np.random.Generator) -> NDArray[np.bool_]:
    """True for one half of the users of every cell; chance decides who, and where an odd one goes."""
    order = np.lexsort((rng.random(len(cells.of_user)), cells.of_user))
    starts = np.concatenate([[0], np.cumsum(cells.sizes)[:-1]])
    place = np.arange(len(order)) - np.repeat(starts, cells.sizes)
    first = np.repeat(rng.integers(0, 2, len(cells)), cells.sizes)
    half = np.empty(len(order), dtype=bool)
    half[order] = (place + first) % 2 == 0
    return half


def confirm(
    groups: Groups,
    values: Floats,
    rng: np.random.Generator,
    level: float = 0.95,
    bounds: tuple[float, float] | None = None,
) -> Confirmation:
    """The confirmed gap with its interval. `bounds` are where a value can lie at all, if that is known."""
    half = one_half(groups.of, rng)
    spread = float(values.var())
    parts = [group_moments(groups, cell_moments(groups.of, values, users)) for users in (half, ~half)]
    # A small group of many cells may have all of its users in one half.
    in_both = np.flatnonzero((parts[0].n > 0) & (parts[1].n > 0))
    if len(in_both) < 2:
        raise TooLittleError(
            f"only {len(in_both)} of {len(groups):,} groups has users in both halves, into which users are "
            "divided to confirm the gap; raise min_size."
        )
    missed = Missed(two_points(values), bounds, float(values.min()) >= 0)
    first, second = (
        _estimate(groups, _choose(parts[i], in_both, spread), values, (~half, half)[i], missed, level)
        for i in (0, 1)
    )
    return Confirmation((first, second), level)


def _choose(groups: Moments, among: Ints, spread: float) -> tuple[int, int]:
    """The groups whose mean is surely high and surely low: by the bound of an interval, not by the mean.

    By the mean alone, the smallest groups would be chosen, whose means say least. Of all pairs of two groups,
    the one whose bounds are furthest apart: a large group alone could have the best bound at either end.
    """
    part = groups.select(among)
    error = np.sqrt(error_variances(part, spread, CALM)) * norm.ppf(1 - 0.05 / (2 * len(groups.n)))
    low, high = part.mean - error, part.mean + error
    best, worst = np.argsort(-low, kind="stable")[:2], np.argsort(high, kind="stable")[:2]
    pairs = [(low[a] - high[b], a, b) for a in best for b in worst if a != b]
    _, first, second = max(pairs, key=lambda pair: pair[0])
    return int(among[first]), int(among[second])


@dataclass(frozen=True)
class Missed:
    """Values that a half of a group may have missed: those that everybody has, in two, or any."""

    common: tuple[float, float]
    bounds: tuple[float, float] | None
    never_negative: bool

    def by(self, seen: Floats) -> Sample:
        one_value = bool(np.ptp(seen) == 0)
        ends = self.bounds if one_value and self.bounds is not None else self.common
        return sample_of(seen, ends, WEIGHT)

    def leave_it_sure(self, seen: Floats) -> bool:
        return self.bounds is not None or self.never_negative or bool(np.ptp(seen) > 0)

    def by_one(self, above: Floats, below: Floats) -> float:
        """How far a user at an end of the range would move either mean towards the other."""
        if self.bounds is None:
            return 0.0
        least, most = self.bounds
        return float(max((above.mean() - least) / len(above), (most - below.mean()) / len(below)))


def _estimate(
    groups: Groups,
    chosen: tuple[int, int],
    values: Floats,
    among: NDArray[np.bool_],
    missed: Missed,
    level: float,
) -> Half:
    """The difference of two group means among `among`; a user in both groups counts in both."""
    inside = [among & np.isin(groups.of.of_user, groups.cells_of(group)) for group in chosen]
    seen = [values[mine] for mine in inside]
    first, second = (missed.by(mine) for mine in seen)
    low = _limits(first, second, level)
    high = tuple(reversed(_limits(second, first, level)))
    limits = mover.difference(
        first.centre,
        (low[0], high[0]),
        second.centre,
        (high[1], low[1]),
        correlation=_correlation(values, inside),
    )
    sure = all(missed.leave_it_sure(mine) for mine in seen)
    return Half(*chosen, first.centre - second.centre, *limits, sure, missed.by_one(*seen))


def _limits(above: Sample, below: Sample, level: float) -> tuple[float, float]:
    """How low the one mean and how high the other may be: Student's, with Welch's degrees of freedom of the
    spreads that the two would have there."""
    degrees = np.maximum([above.size - 1, below.size - 1], 1)
    critical = critical_value(level)
    for _ in range(2):
        low, high = score_limit(above, critical, -1.0), score_limit(below, critical, 1.0)
        errors = np.array([low.variance, high.variance]) / degrees
        if not errors.any():
            break
        critical = float(t.ppf((1 + level) / 2, max(errors.sum() ** 2 / (errors**2 / degrees).sum(), 1.0)))
    return low.mean, high.mean


def _correlation(values: Floats, inside: list[NDArray[np.bool_]]) -> float:
    """Of the means of two groups that share users."""
    shared = values[inside[0] & inside[1]]
    if len(shared) == 0:
        return 0.0
    means = [values[mine].mean() for mine in inside]
    squares = [((values[mine] - mean) ** 2).sum() for mine, mean in zip(inside, means, strict=True)]
    product = float(np.sqrt(squares[0] * squares[1]))
    common = float(((shared - means[0]) * (shared - means[1])).sum())
    return float(np.clip(common / product, -1, 1)) if product > 0 else 0.0
