"""Shares and their differences: intervals that hold for few cases and near 0 and 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from evenhand.stats.means import mover
from evenhand.stats.normal import Array, critical_value

_ALIKE = 0.03  # of the squared distance from 0 or from 1


def wilson(share: float, count: float, level: float) -> tuple[float, float]:
    """The interval of Wilson (1927) for a share of `count` independent cases."""
    low, high = score_limits(np.array(share), critical_value(level) ** 2 / count)
    return float(low), float(high)


def score_limits(shares: Array, k: Array | float) -> tuple[Array, Array]:
    """Wilson's limits of each share, with k = z^2 / cases: those m with (share - m)^2 <= k m (1 - m)."""
    middle, reach = shares + k / 2, np.sqrt(k * shares * (1 - shares) + k**2 / 4)
    # Where nobody is, or everybody, rounding may leave the limit a little inside.
    low = np.where(shares > 0, np.maximum(0.0, (middle - reach) / (1 + k)), 0.0)
    return low, np.where(shares < 1, np.minimum(1.0, (middle + reach) / (1 + k)), 1.0)


def mean_share_limits(
    mean: float, variance: float, third: float, count: int, critical: float
) -> tuple[float, float]:
    """Limits of the mean of `count` values between 0 and 1, of which the second and third moment about it are
    given: the hull of Student's and of three that know what a sample may have missed.

    Where most values are near 0, or near 1, a sample without the others has hardly a spread. So the variance
    is taken at the mean m that is asked about, as Wilson (1927) does, where it is phi m (1 - m): phi is the
    sample's variance over that of values that are 0 or 1 (the quasi-likelihood of Wedderburn 1974). One user
    more, as likely at 0 as at 1, keeps phi from 0 where all values are alike; phi = 1 is Wilson's interval.

    A few values far from all others are told by the third moment: tilted to the mean m (as in `tilting`, to
    the first order, and less (m - mean)^2 so that values of 0 and 1 have Wilson's interval again) the
    variance is v + third / v (m - mean) - (m - mean)^2. And where values are nearly alike beside how far they
    are from 0 (or from 1), there may be some at 0 (or 1) that the sample has none of, as many as Poisson's
    limit says.
    """
    variance = max(variance, 0.0)
    spread, most = count * variance, count * mean * (1 - mean)
    phi = (spread + 0.25) / (most + 0.25)
    k = critical**2 * phi / (count - 1)
    middle, half = (mean + k / 2) / (1 + k), np.sqrt(k * mean * (1 - mean) + k**2 / 4) / (1 + k)
    reach = critical * np.sqrt(variance / (count - 1))
    low, high = [middle - half, mean - reach], [middle + half, mean + reach]
    if variance > np.finfo(float).eps:
        low.append(mean - _tilted_reach(variance, -third, critical**2 / (count - 1)))
        high.append(mean + _tilted_reach(variance, third, critical**2 / (count - 1)))
    missed = -special.log_ndtr(-critical) / count
    if variance < _ALIKE * mean**2:
        low.append(mean - mean * missed)
    if variance < _ALIKE * (1 - mean) ** 2:
        high.append(mean + (1 - mean) * missed)
    return float(max(min(low), 0)), float(min(max(high), 1))


def _tilted_reach(variance: float, third: float, k: float) -> float:
    """The d with d^2 = k (variance + third / variance d - d^2)."""
    slope = k * max(third, 0) / variance
    return float((slope + np.sqrt(slope**2 + 4 * (1 + k) * k * variance)) / (2 * (1 + k)))


def clopper_pearson(count: float, total: float, level: float) -> tuple[float, float]:
    """The exact limits of Clopper and Pearson (1934) for a share; counts need not be whole."""
    tail = (1 - level) / 2
    low = special.betaincinv(count, total - count + 1, tail) if count > 0 else 0.0
    high = special.betaincinv(count + 1, total - count, 1 - tail) if count < total else 1.0
    return float(low), float(high)


def share_limits_at(count: float, total: float, level: float) -> Callable[[float], tuple[float, float]]:
    """The limits of Clopper and Pearson with so many times the cases, of the same share."""
    return lambda times: clopper_pearson(times * count, times * total, level)


def newcombe(
    first: float, first_count: float, second: float, second_count: float, level: float
) -> tuple[float, float]:
    """The interval of Newcombe (1998, method 10) for the difference of two independent shares."""
    return mover.difference(
        first, wilson(first, first_count, level), second, wilson(second, second_count, level)
    )


def auc(scores: Array, positive: NDArray[np.bool_], part: NDArray[np.int64]) -> tuple[float, float]:
    """The chance that a positive scores above a negative of the same part, and its standard error.

    Only scores of one part are compared, as each part may have been scored by another model; ties count half.
    A part without a positive, or without a negative, has nothing to compare. The error is that of DeLong,
    DeLong and Clarke-Pearson (1988), NaN where a part has one of either kind.
    """
    values, variances, weights = [], [], []
    for here in (part == number for number in np.unique(part)):
        ours, theirs = scores[here & positive], scores[here & ~positive]
        if min(len(ours), len(theirs)) == 0:
            continue
        ranks = stats.rankdata(np.concatenate([ours, theirs]))
        above = (ranks[: len(ours)] - stats.rankdata(ours)) / len(theirs)
        below = 1 - (ranks[len(ours) :] - stats.rankdata(theirs)) / len(ours)
        values.append(above.mean())
        alone = min(len(ours), len(theirs)) < 2
        errors = [np.nan if alone else np.var(side, ddof=1) / len(side) for side in (above, below)]
        variances.append(sum(errors))
        weights.append(len(ours) * len(theirs))
    share = np.array(weights) / np.sum(weights)
    return float(share @ values), float(np.sqrt(share**2 @ variances))


def auc_interval(estimate: float, error: float, fewest: int, level: float) -> tuple[float, float]:
    """On the logit scale, which keeps it within 0 and 1; where all are in order, that of a share of 1."""
    if error == 0 or not 0 < estimate < 1:
        return wilson(estimate, fewest, level)
    reach = critical_value(level) * error / (estimate * (1 - estimate))
    low, high = special.expit(special.logit(estimate) + np.array([-reach, reach]))
    return float(low), float(high)
