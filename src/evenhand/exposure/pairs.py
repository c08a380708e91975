"""How far the exposure of item groups to user groups may be off in the population, as shares of the target.

The share of a pair of groups is the ratio x = sum D / sum T of sums over the n users of the group, D = E - T
a user's mean exposure of the item group beyond its target T. Both sums are of the same users, so both are
uncertain, and to the first order x errs like the mean of r_u = D_u - x T_u over the mean of T (Cochran 1977,
6.4). Dividing the interval of a difference by the target as if that were known covered 34 to 97% for 95%.

    v = (sum r_u^2 + 8 q) / (n - 1 + 8),    reach = t sqrt(v / n) / mean T,

with q the variance of r within user groups, over all of them: eight users who might be anybody. Without them
a small group in which by chance nobody likes what one in ten likes would seem to be sure of it. Above, a
ratio of positive means is skew, since its variance grows with it: the upper limit is no less than the largest
y with (y - (1 + x))^2 <= t^2 v' y / (1 + x), v' the variance from the group's own users. Where some see far
more than all others, the variance grows faster than the ratio: by third over second moment of r, if that is
more (Efron 1981, to the first order). Below 100 users, and for what nobody was shown, the interval also holds
that of a known target, (mean D +- t sd(D) / sqrt(n)) / mean T, which errs otherwise: neither can be relied on
alone.

Where few users carry the error of a share, these few are the sample. The variance of r is known as by

    3 n / 2 / (kurtosis - 1 - skewness^2 / 2) - 1

users less one, where these are fewer than 15%, and by n - 1 else: with 2 for 3 / 2 and the whole square
these would be the degrees of freedom of a variance beyond what the mean says of it (Satterthwaite 1946), but
both moments of few users are too small. And where what a user group asks for, or is shown, amounts to that
of few users with what a user has who has it, the number of such users is uncertain like that of any rare
event: the mean may be as large as the upper limit of Poisson's distribution says (Garwood 1936). What a user
has who has it is the third moment within user groups over the second, of all of them, which does not take
what everybody has alike for a part of it, and the number of such users is the variance over its square. With
n - 1 degrees and without these limits all pairs held in 35 to 97% of samples in which one user in fifty likes
an item group or is shown it. Where everybody has some, and a few far more (one and a half times the mean),
it is the number of those few that counts, the variance over the square of what they have, and not the mean:
where one in 100 is shown 25 times as much and the mean was asked, all pairs held in 11 to 67%. Fewer
than five such users are few where what is shown goes with what is asked for (85% of its variance), since the
ratio is known better than either there, and fewer than thirty elsewhere: where some see 4 to 6 times as much,
all pairs held in 69 to 90% with five everywhere. An item group of which
nobody or hardly anybody here has far more may be one where chance left those few out: it is taken to have
some, as far above the mean as in most item groups, if most have.

A sample may also have none of the few who have much. Other user groups may not tell how much that is, but
nobody has more than all there is: so much have as many users as Poisson's limit says of none. That is much,
so it is said only where it would turn the share around: where less than half of what is asked for is shown,
or less than half of what is shown is asked for, and users are nearly alike in it, with a standard deviation
below 3% of the distance from all there is. Without it all pairs held in 45 to 87% where one in 100 or 200 has
most of an item group, and everybody a trace. And it is said where nobody of a user group has to do with an
item group, neither liking it nor seeing it otherwise than all others do (standard deviations below the
means): with 20 kinds of items by Zipf, lists of the kind that is liked and 50 users a group, all pairs held
in 84%. With 30% of the means for the means they held in 70 to 85% where what everybody sees of other kinds
varies by 35 or 50%. Elsewhere, where more than half is shown, intervals do not know such users.

All pairs hold at once (Sidak 1967: whatever their correlation).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenhand.arrays import Floats
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import GroupMatrix, group_matrix, group_sizes

FEW_USERS = 100
ANYBODY = 8
FEW_CARRY = 0.15  # of the users of a group
FEW_LIKE = 0.25  # of them, too: who carry the target, by Kish's (1965) effective number
MUCH_LESS = 0.5  # shown of what is asked for, or asked for of what is shown
ALIKE = 0.03  # standard deviation, as a part of the distance from all there is
IDLE = 1.0  # standard deviation, as a part of the mean
# So few users who like or are shown a group are counted as rare events: where they are much the same users,
# whose ratio is known better than what they ask for and are shown, and where they are not.
RARE = 5
RARE_ALONE = 30
TOGETHER = 0.85  # of the variance of what is shown goes with what is asked for
FAR_MORE = 1.5  # times the mean: what a few have beside everybody's everyday
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


def pairs(evidence: Evidence, level: float = 0.95, first: float = 1.0) -> Pairs:
    """Who is shown to whom more or less than relevance asks for; `first` is the weight of the first place."""
    n = group_sizes(evidence)[:, None]
    matrix = group_matrix(evidence)
    asked = matrix.target > LEAST_TARGET * matrix.random
    target = np.where(asked, matrix.target, np.nan)
    share = matrix.difference / target
    d, t, upper = matrix.difference, matrix.target, _upper(evidence, level)
    dd, dt, tt = np.moveaxis(_within(evidence, matrix), 2, 0)
    ee, rare = dd + 2 * dt + tt, np.where(_alike_in_both(dd, dt, tt), RARE, RARE_ALONE)
    asked_for = _most_if_rare(n, t, tt, evidence.sums.cell_cubes[:, :, 3], rare, upper)
    shown = _most_if_rare(n, d + t, ee, evidence.sums.cell_cubes @ (1, 3, 3, 1), rare, upper)
    # Those who are counted as rare events are not counted again as few who carry the error.
    few, all_count = critical(evidence, share, level), special.stdtrit(n - 1, upper)
    below, _ = _reach(evidence, matrix, target, np.where(np.isnan(asked_for), few, all_count))
    _, above = _reach(evidence, matrix, target, np.where(np.isnan(shown), few, all_count))
    most = _all_there_is(evidence, first)
    idle = _idle(n, t, tt, d + t, ee)
    asked_for = np.fmax(
        asked_for, _most_if_missed(n, target, tt, idle | (t < MUCH_LESS * (d + t)), most, upper)
    )
    shown = np.fmax(shown, _most_if_missed(n, d + t, ee, idle | (d + t < MUCH_LESS * t), most, upper))
    with np.errstate(invalid="ignore", divide="ignore"):
        low = np.fmin(share - below, matrix.system / asked_for - 1)
        high = np.fmax(share + above, shown / target - 1)
    low, high = np.maximum(low, -1), np.maximum(high, -1)  # nothing is shown less than never
    return Pairs(matrix, share, np.where(n > 1, low, np.nan), np.where(n > 1, high, np.nan))


def _reach(
    evidence: Evidence, matrix: GroupMatrix, target: Floats, quantile: Floats
) -> tuple[Floats, Floats]:
    """How far limits are below and above a share, with the errors of a ratio."""
    n, share = group_sizes(evidence)[:, None], matrix.difference / target
    own = _residual(_squares(evidence), share)
    anybody = _residual(_within(evidence, matrix).sum(axis=0, keepdims=True), share) / n.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = quantile / (np.sqrt(n) * target)
        reach = scale * np.sqrt((own + ANYBODY * anybody) / (n - 1 + ANYBODY))
        alone = scale * np.sqrt(own / (n - 1))
        known = scale * np.sqrt(
            np.maximum(evidence.sums.cell_squares - n * matrix.difference**2, 0) / (n - 1)
        )
        ratio = 1 + share
        lean = np.minimum(_third(evidence, share), own**1.5) / own  # no larger but by rounding
        slope = np.fmax(alone**2 / ratio, quantile**2 / n * lean / target)
        skew = slope / 2 + np.sqrt(alone**2 + (slope / 2) ** 2)
        reach = np.where((n < FEW_USERS) | (ratio <= LEAST_TARGET), np.fmax(reach, known), reach)
        return reach, np.fmax(reach, np.where(ratio > 0, skew, 0))


def critical(evidence: Evidence, share: Floats, level: float) -> Floats:
    """The quantile of t that makes all pairs hold at once, with the degrees of freedom of those users who
    carry the error."""
    n = group_sizes(evidence)[:, None]
    second, powers = _residual(_squares(evidence), share), (-share[:, :, None]) ** np.arange(5)
    third = _third(evidence, share)
    fourth = (evidence.sums.cell_fourths * (1, 4, 6, 4, 1) * powers).sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        carriers = 1.5 * n / (n * fourth / second**2 - 1 - n * third**2 / second**3 / 2)
    # Of users who differ as usual all count, and where a share is the same for all, rounding has no law.
    few = (carriers > 0) & (carriers < FEW_CARRY * n) & (second > LEAST_TARGET * evidence.sums.cell_squares)
    total, squares = n * group_matrix(evidence).target, evidence.sums.cell_products[:, :, 1]
    liking = np.divide(total**2, squares, out=np.ones(total.shape), where=squares > 0)
    liking = np.where(liking < FEW_LIKE * n, liking, n)
    degrees = np.maximum(np.minimum(np.where(few, carriers, n), liking) - 1, 1)
    return np.asarray(special.stdtrit(degrees, _upper(evidence, level)), dtype=np.float64)


def _third(evidence: Evidence, share: Floats) -> Floats:
    """Sum of (D - x T)^3."""
    powers = (-share[:, :, None]) ** np.arange(4)
    return np.asarray((evidence.sums.cell_cubes * (1, 3, 3, 1) * powers).sum(axis=2))


def _within(evidence: Evidence, matrix: GroupMatrix) -> Floats:
    """Sums of D^2, D T and T^2 about the means of user groups."""
    d, t = matrix.difference, matrix.target
    return _squares(evidence) - group_sizes(evidence)[:, None, None] * np.stack([d * d, d * t, t * t], axis=2)


def _squares(evidence: Evidence) -> Floats:
    """Sums of D^2, D T and T^2."""
    return np.concatenate([evidence.sums.cell_squares[:, :, None], evidence.sums.cell_products], axis=2)


def _upper(evidence: Evidence, level: float) -> float:
    """The probability below the upper limit of each pair, for all to hold at once."""
    return float(0.5 + level ** (1 / evidence.sums.cell_squares.size) / 2)


def _alike_in_both(dd: Floats, dt: Floats, tt: Floats) -> NDArray[np.bool_]:
    """For which item groups those who ask for more are those who are shown more, of all user groups."""
    dd, dt, tt = (each.sum(axis=0) for each in (dd, dt, tt))
    return np.asarray((dt + tt) ** 2 > TOGETHER * (dd + 2 * dt + tt) * tt)


def _most_if_rare(
    n: NDArray[np.int64], mean: Floats, second: Floats, cubes: Floats, rare: Floats, upper: float
) -> Floats:
    """The upper limit of a mean over users that few of them carry, fewer than `rare`; NaN where they are not
    few, or where nobody has more than others. `second` are the sums of squares within user groups, `cubes`
    plain sums."""
    third = cubes - 3 * mean * second - n * mean**3
    second = np.maximum(second, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        one = third.sum(axis=0) / second.sum(axis=0)
        varies = second.sum(axis=0) > LEAST_TARGET * (n * mean**2).sum(axis=0)
        one = np.where(varies & (one > 0), one, np.nan)
        # By its own moments a group in which nobody has it has no number of such users.
        few = (n * mean / one < RARE) | ~(second**3 / third**2 >= RARE)
        everyday = (n * mean).sum(axis=0) / n.sum()
        usual = np.median(np.nan_to_num(one / everyday)) * everyday
        lacking = (second.sum(axis=0) < rare * usual**2) & (usual > FAR_MORE * everyday)
        one = np.where(lacking, np.fmax(one, usual), one)
        count = second / one**2
        few |= (count < rare) & (one > FAR_MORE * everyday)
        return np.where(few, mean + one * (special.gammaincinv(count + 1, upper) - count) / n, np.nan)


def _idle(n: NDArray[np.int64], t: Floats, tt: Floats, e: Floats, ee: Floats) -> NDArray[np.bool_]:
    """Whether nobody of a user group has to do with an item group: nobody asks for more of it than others do,
    and nobody is shown more. Not where everybody has the same ranking, which says what all others are shown.
    """
    one_ranking = ee.sum() <= LEAST_TARGET * (n * e**2).sum()
    return (tt < n * (IDLE * t) ** 2) & (ee < n * (IDLE * e) ** 2) & ~one_ranking


def _most_if_missed(
    n: NDArray[np.int64], mean: Floats, second: Floats, told: NDArray[np.bool_], most: Floats, upper: float
) -> Floats:
    """The upper limit of a mean over users who are nearly alike, if a few have the `most` that there can be
    and by chance none of them is in the data; NaN where users differ, or where it is not `told`."""
    alike = (second < n * (ALIKE * (most - mean)) ** 2) & told
    return np.where(alike, mean - np.log1p(-upper) / n * np.maximum(most - mean, 0), np.nan)


def _all_there_is(evidence: Evidence, first: float) -> Floats:
    """The most that the mean exposure of an item group can be to a user: that of all places, or of a first
    place for each of its items."""
    groups, n = evidence.item_groups, group_sizes(evidence)[:, None]
    # An item of two groups is in both sums.
    each = len(groups.groups) / groups.items
    places = (evidence.sums.random * groups.sizes).sum(axis=1, keepdims=True) / n / each
    return np.minimum(places / groups.sizes, first)


def _residual(squares: Floats, share: Floats) -> Floats:
    """Sum of (D - x T)^2 from the sums of D^2, D T and T^2; rounding may leave less than nothing."""
    dd, dt, tt = np.moveaxis(squares, 2, 0)
    return np.maximum(dd - 2 * share * dt + share**2 * tt, 0)
