"""Shares and their differences: intervals that hold for few cases and near 0 and 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from evenhand.stats import mover
from evenhand.stats.normal import Array, critical_value


def wilson(share: float, count: float, level: float) -> tuple[float, float]:
    """The interval of Wilson (1927) for a share of `count` independent cases."""
    z = critical_value(level)
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    reach = z / (1 + z * z / count) * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return float(max(0.0, middle - reach)), float(min(1.0, middle + reach))


def mean_share_limits(mean: float, variance: float, count: int, critical: float) -> tuple[float, float]:
    """Limits of the mean of `count` values between 0 and 1: the hull of Student's and of a score interval.

    Where most values are near 0, or near 1, a sample without the others has hardly a spread. So the variance
    is taken at the mean m that is asked about, as Wilson (1927) does, where it is phi m (1 - m): phi is the
    sample's variance over that of values that are 0 or 1 (the quasi-likelihood of Wedderburn 1974). One user
    more, as likely at 0 as at 1, keeps phi from 0 where all values are alike; phi = 1 is Wilson's interval.
    """
    spread, most = count * max(variance, 0.0), count * mean * (1 - mean)
    phi = (spread + 0.25) / (most + 0.25)
    k = critical**2 * phi / (count - 1)
    middle, half = (mean + k / 2) / (1 + k), np.sqrt(k * mean * (1 - mean) + k**2 / 4) / (1 + k)
    reach = critical * np.sqrt(max(variance, 0.0) / (count - 1))
    return float(max(min(middle - half, mean - reach), 0)), float(min(max(middle + half, mean + reach), 1))


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
