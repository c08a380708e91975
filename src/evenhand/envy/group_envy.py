"""Envy between groups of users.

Do and others (2022, Sec. 3.2) extend envy-freeness to groups that share one policy. Where the members of a
group have policies of their own, a group's policy is that of a member drawn at random, so that with g the
group that may envy and h the one that may be envied

    E[g, h] = mean_{m in g} [ mean_{n in h} u^m(pi^n) - u^m(pi^m) ],

which for shared policies is u^g(pi^h) - u^g(pi^g). Groups with one taste and one policy are the case of the
source; with several tastes a mean may hide that some members of g gain and others lose.

The interval takes users as a sample of those of their group. E is a two-sample U-statistic, and with
a_m = mean_n u^m(pi^n) - u^m(pi^m) and b_n = mean_m u^m(pi^n) its variance is var(a) / |g| + var(b) / |h|
(Lehmann 1951); shared policies have var(b) = 0. Intervals of all pairs hold at once (Sidak 1967).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenhand.envy.rows import Ints, Rows, own_utilities, row_blocks

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GroupEnvy:
    """(groups, groups): row g envies column h. The diagonal is what personalisation within a group costs (-)
    or wastes (+); it has no interval. NaN in `low` and `high` where a group has a single user."""

    gain: Floats
    low: Floats
    high: Floats
    own: Floats
    sizes: Ints


def group_envy(preferences: Rows, policies: Rows, codes: Ints, groups: int, level: float) -> GroupEnvy:
    """`codes` number the group of each user."""
    sizes = np.bincount(codes, minlength=groups)
    own = np.concatenate([own_utilities(preferences, policies, users) for users in row_blocks(preferences)])
    mean_tastes, mean_policies = (_means(rows, codes, sizes) for rows in (preferences, policies))
    # Gains of each user from the policy of each group, and what each policy gives to the mean taste.
    gains = _products(preferences, mean_policies) - own[:, None]
    given = _products(policies, mean_tastes)
    gain, from_users = _moments(gains, codes, sizes)
    _, from_policies = _moments(given, codes, sizes)
    low, high = _intervals(gain, from_users, from_policies.T, sizes, level)
    return GroupEnvy(gain, low, high, np.bincount(codes, own, groups) / sizes, sizes)


def _means(rows: Rows, codes: Ints, sizes: Ints) -> Floats:
    sums = np.zeros((len(sizes), rows.width))
    for users in row_blocks(rows):
        block, group = rows.dense(users), codes[users]
        for g in np.unique(group):
            sums[g] += block[group == g].sum(axis=0, dtype=np.float64)
    return sums / sizes[:, None]


def _products(rows: Rows, means: Floats) -> Floats:
    return np.concatenate([np.asarray(rows.rows(users) @ means.T) for users in row_blocks(rows)])


def _moments(values: Floats, codes: Ints, sizes: Ints) -> tuple[Floats, Floats]:
    """Mean over the users of each group, and the variance of that mean; NaN for a group of one."""
    groups = len(sizes)
    mean, variance = np.empty((groups, values.shape[1])), np.full((groups, values.shape[1]), np.nan)
    for g in range(groups):
        members = values[codes == g]
        mean[g] = members.mean(axis=0)
        if len(members) > 1:
            variance[g] = members.var(axis=0, ddof=1) / len(members)
    return mean, variance


def _intervals(
    gain: Floats, first: Floats, second: Floats, sizes: Ints, level: float
) -> tuple[Floats, Floats]:
    total = first + second
    freedom = sizes - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):  # groups of one, and variances of 0
        df = total**2 / (first**2 / freedom[:, None] + second**2 / freedom[None, :])
    df = np.where(np.isfinite(df), np.maximum(df, 1), np.maximum(freedom, 1)[:, None])
    pairs = max(1, gain.size - len(sizes))
    reach = special.stdtrit(df, 0.5 + level ** (1 / pairs) / 2) * np.sqrt(total)
    np.fill_diagonal(reach, np.nan)
    return gain - reach, gain + reach
