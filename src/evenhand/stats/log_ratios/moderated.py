"""Variances of several groups that learn from each other, as far as the groups are alike.

Where a few large clusters make most of a variance, as popular items do, a group that happens to lack one has
too small a mean and too small a variance at once. The other groups tell what is missing.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from evenhand.stats.normal import Array


def moderated_scores(scores: Array, part: float = 1.0) -> Array:
    """Scores of clusters (clusters x arms x groups), larger where a group varies less than groups do.

    What groups may have in common is the variance of one cluster, n times that of a mean of n. A group has
    one factor in all arms, so that what arms have in common still cancels between them. The logarithm of a
    variance goes this `part` of the way, where something else already allows for the rest.
    """
    squares = (scores**2).sum(axis=1)
    variances = squares.sum(axis=0)
    # Scores that only rounding keeps from 0 are those of no cluster.
    number = (squares > 1e-16 * variances).sum(axis=0).astype(float)
    some = (number > 1) & (variances > 0)
    if some.sum() < 2:
        return scores
    of_one = number[some] * variances[some]
    factors = np.ones(len(variances))
    factors[some] = moderated(of_one, _degrees(squares[:, some], number[some])) / of_one
    return np.asarray(scores * factors ** (part / 2))


def _degrees(squares: Array, number: Array) -> Array:
    """Degrees of freedom of the variances, sums of these squares (clusters x groups).

    Clusters are drawn alike, so that the variance of such a sum needs no law: 2 V^2 / (sum z^4 - V^2/n). A
    group without any of the few large clusters would seem to know its variance best of all; so it has at
    most the degrees that clusters of all groups together give as many: y = n^2 z^2 is of one scale in all,
    and 2 n / (E y^2 / (E y)^2 - 1) are those of n of them.
    """
    variances, fourth = squares.sum(axis=0), (squares**2).sum(axis=0)
    own = 2 * variances**2 / np.maximum(fourth - variances**2 / number, 1e-12 * variances**2)
    mean, square = (number**2) @ variances, (number**4) @ fourth
    shared = 2 * number / max(square * number.sum() / mean**2 - 1, 1e-12)
    return np.asarray(np.clip(np.minimum(own, shared), 1.0, number - 1.0))


def moderated(variances: Array, degrees: Array) -> Array:
    """Each variance drawn upwards to what the groups have in common (Smyth 2004).

    If true variances are spread like d0 s0^2 / chi-square(d0), the mean of one, given its estimate s^2 with
    d degrees of freedom, is (d0 s0^2 + d s^2) / (d0 + d). Where estimates differ by no more than chance d0 is
    infinite, and 0 where they have nothing in common: both come from the mean and the variance of
    log s^2. d0 counts at most for what the other groups know together. A variance that is large stays: it may
    be one of a group that is unlike the others.
    """
    logs = np.log(variances) - special.digamma(degrees / 2) + np.log(degrees / 2)
    beyond_chance = logs.var(ddof=1) - special.polygamma(1, degrees / 2).mean()
    prior = 2 * _inverse_trigamma(beyond_chance) if beyond_chance > 0 else np.inf
    usual = logs.mean()
    if np.isfinite(prior):
        usual += special.digamma(prior / 2) - np.log(prior / 2)
    known = np.minimum(prior, degrees.sum() - degrees)
    drawn = (known * np.exp(usual) + degrees * variances) / (known + degrees)
    return np.asarray(np.maximum(variances, drawn))


def _inverse_trigamma(value: float) -> float:
    """The x with trigamma(x) = value, by Newton's method on 1/trigamma, which is nearly a line."""
    x = 0.5 + 1 / value
    for _ in range(50):
        there = float(special.polygamma(1, x))
        step = there * (1 - there / value) / float(special.polygamma(2, x))
        x += step
        if -step < 1e-8 * x:
            break
    return x
