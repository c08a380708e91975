"""Envy between groups of users.

Do and others (2022, Sec. 3.2) extend envy-freeness to groups that share one policy. Where the members of a
group have policies of their own, a group's policy is that of a member drawn at random, so that with g the
group that may envy and h the one that may be envied

    E[g, h] = mean_{m in g} [ mean_{n in h} u^m(pi^n) - u^m(pi^m) ],

which for shared policies is u^g(pi^h) - u^g(pi^g). Groups with one taste and one policy are the case
of the paper; with several tastes a mean may hide that some members of g gain and others lose.

The interval takes users as a sample of those of their group. E is a two-sample U-statistic, and with
a_m = mean_n u^m(pi^n) - u^m(pi^m) and b_n = mean_m u^m(pi^n) its variance is var(a) / |g| + var(b) / |h|
(Lehmann 1951); shared policies have var(b) = 0. Intervals of all pairs hold at once (Sidak 1967).

Where users like few things, most gains are small and some losses large, and a group that happened to have few
of those seems to envy: with 100 users a group and 2% of items liked, an interval of Student was above a true
envy of 0 in 11 to 13% of samples. So both parts have the cautious limits of `stats.tilting`, in which a group
may have missed what everybody has, and are put together by MOVER: 0 to 2%.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenhand.arrays import Floats, Ints
from evenhand.envy.rows import UserRows, own_utilities, row_blocks
from evenhand.products import product
from evenhand.stats.means.tilting import cautious_limits, two_points

MANY = 2_000  # different values; of more, tilting takes long


@dataclass(frozen=True)
class GroupEnvy:
    """(groups, groups): row g envies column h. The diagonal is what personalisation within a group costs (-)
    or wastes (+); it has no interval. NaN in `low` and `high` where a group has a single user."""

    gain: Floats
    low: Floats
    high: Floats
    own: Floats
    sizes: Ints


def group_envy(
    preferences: UserRows, policies: UserRows, codes: Ints, groups: int, level: float, top: int | None = None
) -> GroupEnvy:
    """`codes` number the group of each user. Only the `top` pairs with the most envy (by default all) have
    cautious limits, the others Student's."""
    sizes = np.bincount(codes, minlength=groups)
    own = np.concatenate([own_utilities(preferences, policies, users) for users in row_blocks(preferences)])
    mean_tastes, mean_policies = (_means(rows, codes, sizes) for rows in (preferences, policies))
    # Gains of each user from the policy of each group, and what each policy gives to the mean taste.
    gains = _products(preferences, mean_policies) - own[:, None]
    given = _products(policies, mean_tastes)
    gain, from_users = _moments(gains, codes, sizes)
    _, from_policies = _moments(given, codes, sizes)
    low, high = _intervals(gain, from_users, from_policies.T, sizes, level)
    alike_gains, alike_given = (_alike(values, codes, groups) for values in (gains, given))
    for g, h in _most_envy(gain, top):
        if min(sizes[g], sizes[h]) > 1:
            users, shown = (codes == g, codes == h)
            parts = (
                _Part(gains[users, h], gains[:, h], alike_gains[h]),
                _Part(given[shown, g], given[:, g], alike_given[g]),
            )
            below, above = _arms(parts, _each(level, groups))
            low[g, h], high[g, h] = min(low[g, h], gain[g, h] - below), max(high[g, h], gain[g, h] + above)
    return GroupEnvy(gain, low, high, np.bincount(codes, own, groups) / sizes, sizes)


def _means(rows: UserRows, codes: Ints, sizes: Ints) -> Floats:
    sums = np.zeros((len(sizes), rows.width))
    for users in row_blocks(rows):
        block, group = rows.dense(users), codes[users]
        for g in np.unique(group):
            sums[g] += block[group == g].sum(axis=0, dtype=np.float64)
    return sums / sizes[:, None]


def _products(rows: UserRows, means: Floats) -> Floats:
    return np.concatenate([product(rows.rows(users), means) for users in row_blocks(rows)])


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
    reach = special.stdtrit(df, 0.5 + _each(level, len(sizes)) / 2) * np.sqrt(total)
    np.fill_diagonal(reach, np.nan)
    return gain - reach, gain + reach


def _each(level: float, groups: int) -> float:
    """The level of each interval with which those of all pairs hold at once."""
    return level ** (1 / max(1, groups * (groups - 1)))


def _most_envy(gain: Floats, top: int | None) -> list[tuple[int, int]]:
    off = gain.copy()
    np.fill_diagonal(off, -np.inf)
    order = np.argsort(-off, axis=None, kind="stable")[: gain.size - len(gain)][:top]
    return [divmod(int(place), len(gain)) for place in order]


def _alike(values: Floats, codes: Ints, groups: int) -> NDArray[np.bool_]:
    """Of each column, whether no group mixes values: its users have one taste and one policy."""
    spread = [np.ptp(values[codes == g], axis=0) for g in range(groups)]
    return np.all(np.array(spread) <= 1e-9 * np.abs(values).max(axis=0), axis=0)


class _Part(NamedTuple):
    """What the users of a group have, what everybody has, and whether each group has one value."""

    mine: Floats
    everybody: Floats
    alike: bool


def _arms(parts: tuple[_Part, _Part], level: float) -> tuple[float, float]:
    """How far the envy may be below and above: the users' gains and what the policies give, together."""
    below = above = 0.0
    for mine, everybody, alike in parts:
        critical = float(special.stdtrit(len(mine) - 1, 0.5 + level / 2))
        # Groups of one taste and one policy each are the case of Do and others, and nothing was missed. Where
        # another group mixes values, one that happens to have a single value may have missed those.
        if alike:
            low, high = (side * critical * float(mine.std(ddof=1)) / np.sqrt(len(mine)) for side in (-1, 1))
        else:
            low, high = (
                limit - mine.mean() for limit in cautious_limits(mine, two_points(everybody), critical, MANY)
            )
        below, above = np.hypot(below, low), np.hypot(above, high)
    return float(below), float(above)
