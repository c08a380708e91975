"""How far the exposure of item groups to user groups may be off in the population, as shares of the target.

The share of a pair of groups is the ratio x = sum D / sum T of sums over the n users of the group, D = E - T
a user's mean exposure of the item group beyond its target T. Both sums are of the same users, so both are
uncertain, and to the first order x errs like the mean of r_u = D_u - x T_u over the mean of T (Cochran 1977,
6.4). Dividing the interval of a difference by the target as if that were known covered 34 to 97% for 95%.

    v = (sum r_u^2 + 8 q) / (n - 1 + 8),    reach = t sqrt(v / n) / mean T,

with q the variance of r within user groups, over all of them: eight users who might be anybody. Without them
a small group in which by chance nobody likes what one in ten likes would seem to be sure of it. Above, a
ratio of positive means is skew, since its variance grows with it: the upper limit is no less than the largest
y with (y - (1 + x))^2 <= t^2 v' y / (1 + x), v' the variance from the group's own users. Below 100 users,
and for what nobody was shown, the interval also holds that of a known target, (mean D +- t sd(D) / sqrt(n)) /
mean T, which errs otherwise: neither can be relied on alone.

Where an item group is relevant to few users, or shown to few, these few are the sample. t has a degree of
freedom less than there are users who carry the target, (sum T)^2 / sum T^2 (Kish 1965), where these are fewer
than a quarter (in all worlds it made intervals of 10 to 60 users 1.07 to 2.2 times as wide). And where a sum
of T or E amounts to less than five users with what a user has who has it (the sum of squares within user
groups over the sum, of all of them), the number of such users is uncertain like that of any rare event: the
target, or the exposure, may be as large as the upper limit of Poisson's distribution says (Garwood 1936).
With n - 1 degrees and without that limit all pairs held in 37 to 97% of samples where one in fifty likes an
item group or is shown it.

All pairs hold at once (Sidak 1967: whatever their correlation).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import GroupMatrix, group_matrix, group_sizes

Floats = NDArray[np.float64]

FEW_USERS = 100
ANYBODY = 8
FEW_CARRY = 0.25  # of the users of a group
RARE = 5  # so few users who like or are shown a group are counted as rare events
# As a share of random exposure: a target below it is nothing, or what rounding left of larger numbers.
LEAST_TARGET = 1e-9


@dataclass(frozen=True)
class Pairs:
    """Exposure over target minus 1, user groups x item groups, with limits that hold for all pairs at once;
    NaN where nothing is asked for, and limits NaN for a group of one user."""

    matrix: GroupMatrix
    share: Floats
    low: Floats
    high: Floats

    @property
    def over_exposed(self) -> NDArray[np.bool_]:
        return self.low > 0

    @property
    def under_exposed(self) -> NDArray[np.bool_]:
        return self.high < 0


def pairs(evidence: Evidence, level: float = 0.95) -> Pairs:
    """Who is shown to whom more or less than relevance asks for."""
    n = group_sizes(evidence)[:, None]
    matrix = group_matrix(evidence)
    asked = matrix.target > LEAST_TARGET * matrix.random
    target = np.where(asked, matrix.target, np.nan)
    share = matrix.difference / target
    squares = np.concatenate([evidence.cell_squares[:, :, None], evidence.cell_products], axis=2)
    d, t = matrix.difference, matrix.target
    within = squares - n[:, :, None] * np.stack([d * d, d * t, t * t], axis=2)
    own = _residual(squares, share)
    anybody = _residual(within.sum(axis=0, keepdims=True), share) / n.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = critical(evidence, t, level) / (np.sqrt(n) * target)
        reach = scale * np.sqrt((own + ANYBODY * anybody) / (n - 1 + ANYBODY))
        alone = scale * np.sqrt(own / (n - 1))
        known = scale * np.sqrt(np.maximum(evidence.cell_squares - n * matrix.difference**2, 0) / (n - 1))
        ratio = 1 + share
        skew = alone**2 / (2 * ratio) + np.sqrt(alone**2 + (alone**2 / (2 * ratio)) ** 2)
    few = (n < FEW_USERS) | (ratio <= LEAST_TARGET)
    low = share - np.where(few, np.fmax(reach, known), reach)
    high = share + np.fmax(np.where(few, np.fmax(reach, known), reach), np.where(ratio > 0, skew, 0))
    dd, dt, tt = np.moveaxis(within, 2, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        least, upper = LEAST_TARGET * (n * matrix.random).sum(axis=0), _upper(evidence, level)
        low = np.fmin(low, ratio * t / _most_if_rare(n * t, tt, n, least, upper) - 1)
        shown = _most_if_rare(n * (d + t), dd + 2 * dt + tt, n, least, upper)
        high = np.fmax(high, shown / target - 1)
    low, high = np.maximum(low, -1), np.maximum(high, -1)  # nothing is shown less than never
    return Pairs(matrix, share, np.where(n > 1, low, np.nan), np.where(n > 1, high, np.nan))


def critical(evidence: Evidence, target: Floats, level: float) -> Floats:
    """The quantile of t that makes all pairs hold at once, with the degrees of freedom of those users who
    carry the target."""
    n, squares = group_sizes(evidence)[:, None], evidence.cell_products[:, :, 1]
    carriers = np.divide((n * target) ** 2, squares, out=np.ones(target.shape), where=squares > 0)
    # Of users who differ as usual all count: their targets vary, but not what is uncertain about a ratio.
    degrees = np.maximum(np.where(carriers < FEW_CARRY * n, carriers, n) - 1, 1)
    return np.asarray(special.stdtrit(degrees, _upper(evidence, level)), dtype=np.float64)


def _upper(evidence: Evidence, level: float) -> float:
    """The probability below the upper limit of each pair, for all to hold at once."""
    return float(0.5 + level ** (1 / evidence.cell_squares.size) / 2)


def _most_if_rare(total: Floats, within: Floats, n: NDArray[np.int64], least: Floats, upper: float) -> Floats:
    """The upper limit of a mean over users that few of them carry; NaN where they are not few, or where all
    have less than `least`, so that nobody shows what a user has who has it."""
    total = np.maximum(total, 0)
    one = np.where(total.sum(axis=0) > least, within.sum(axis=0) / total.sum(axis=0), np.nan)
    count = total / one
    most = one * special.gammaincinv(count + 1, upper) / n
    return np.where(count < RARE, most, np.nan)


def _residual(squares: Floats, share: Floats) -> Floats:
    """Sum of (D - x T)^2 from the sums of D^2, D T and T^2; rounding may leave less than nothing."""
    dd, dt, tt = np.moveaxis(squares, 2, 0)
    return np.maximum(dd - 2 * share * dt + share**2 * tt, 0)
