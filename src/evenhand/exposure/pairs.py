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
        scale = critical(evidence, level) / (np.sqrt(n) * target)
        reach = scale * np.sqrt((own + ANYBODY * anybody) / (n - 1 + ANYBODY))
        alone = scale * np.sqrt(own / (n - 1))
        known = scale * np.sqrt(np.maximum(evidence.cell_squares - n * matrix.difference**2, 0) / (n - 1))
        ratio = 1 + share
        skew = alone**2 / (2 * ratio) + np.sqrt(alone**2 + (alone**2 / (2 * ratio)) ** 2)
    few = (n < FEW_USERS) | (ratio <= LEAST_TARGET)
    low = share - np.where(few, np.fmax(reach, known), reach)
    high = share + np.fmax(np.where(few, np.fmax(reach, known), reach), np.where(ratio > 0, skew, 0))
    low, high = np.maximum(low, -1), np.maximum(high, -1)  # nothing is shown less than never
    return Pairs(matrix, share, np.where(n > 1, low, np.nan), np.where(n > 1, high, np.nan))


def critical(evidence: Evidence, level: float) -> Floats:
    """The quantile of t that makes all pairs hold at once, a row a user group."""
    upper = 0.5 + level ** (1 / evidence.cell_squares.size) / 2
    degrees = np.maximum(group_sizes(evidence) - 1, 1)
    return np.asarray(special.stdtrit(degrees, upper), dtype=np.float64)[:, None]


def _residual(squares: Floats, share: Floats) -> Floats:
    """Sum of (D - x T)^2 from the sums of D^2, D T and T^2; rounding may leave less than nothing."""
    dd, dt, tt = np.moveaxis(squares, 2, 0)
    return np.maximum(dd - 2 * share * dt + share**2 * tt, 0)
