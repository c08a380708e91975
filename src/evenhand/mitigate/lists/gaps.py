"""How much the largest gap between groups changed, when it is not known which groups are at its ends.

With mu_g the mean of group g before and nu_g after, the change of UF = max - min is

    D = (max_i nu_i - max_j mu_j) - (min_i nu_i - min_j mu_j),

and either end is a number of differences between two groups, whichever of them are the extremes:

    max_i nu_i - max_j mu_j = max_i min_j (nu_i - mu_j) = min_j max_i (nu_i - mu_j),

as the two maxima have nothing to do with each other; for min the same with max and min exchanged. Every form
grows with each difference. So with limits L_ij <= nu_i - mu_j <= U_ij that hold all at once, D is between the
same forms of the limits, of which the narrower is taken. Where two groups are clearly at the ends only theirs
count; where many may be, the interval is as wide as that makes it. Limits at the groups that were found at
the ends, as if these had been known before, hold in 65 to 83% where groups are nearly equal.

Half of the error is for the differences of a group with itself, which are means of paired differences, and
half for those of two groups, put together by MOVER (Zou and Donner 2008) from limits of each; both by
Bonferroni. Groups that nobody changed do not differ from themselves, and how they differ from each other does
not matter.

Where a group's values are close together, its limits know nothing of the few users who may be at an end of
the range and whom chance left out. None of n was seen, so the limits of its mean are where up to log(1/error)
of n are there: the rule of three, as in `groups.confirmation`. It is that of one group, not of all at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from evenhand.arrays import Floats, Ints
from evenhand.groups import Groups
from evenhand.mitigate.lists.choice import Mask
from evenhand.stats.means.tilting import cautious_limits, two_points
from evenhand.stats.normal import critical_value

Ends = tuple[float, float]


@dataclass(frozen=True)
class GapChange:
    """UF, the largest minus the smallest group mean; below 0 the gap became smaller.

    The numbers are those of the groups found at the ends, before and after. The interval is of the change
    for users like these, whichever groups are at the ends in truth; NaN where a group has one user.
    """

    groups: int
    before: float
    after: float
    difference: float
    low: float
    high: float


NO_GAP = GapChange(0, *(np.nan,) * 5)


class _Group(NamedTuple):
    """The values of its users; whether any of them `moved`, or might have."""

    before: Floats
    after: Floats
    moved: bool


def gap_change(
    before: Floats,
    after: Floats,
    groups: Groups,
    counted: Mask,
    mitigated: Mask,
    least: int,
    level: float,
    ends: Ends | None,
    bounds: Ends | None,
) -> GapChange:
    """Of the counted users in groups with `least` of them; `mitigated` are those whose lists were changed.

    `ends`: how much a user's value could have changed at all, where the groups were chosen by other users and
    that a value stayed is luck. None where the groups were chosen by these users: any might have been.
    `bounds` are where a value can lie at all, if that is known.
    """
    parts = [
        _group(before[mine], after[mine], bool(mitigated[mine].any()), ends)
        for mine in _members(groups, counted)
        if len(mine) >= max(least, 1)
    ]
    if len(parts) < 2:
        return GapChange(len(parts), *(np.nan,) * 5)
    old, new = np.array([p.before.mean() for p in parts]), np.array([p.after.mean() for p in parts])
    found = float(np.ptp(old)), float(np.ptp(new)), float(np.ptp(new) - np.ptp(old))
    if not any(part.moved for part in parts):
        return GapChange(len(parts), *found, found[2], found[2])
    if min(len(part.before) for part in parts) < 2:
        return GapChange(len(parts), *found, np.nan, np.nan)
    low, high = _differences(parts, old, new, (1 - level) / 2, ends, bounds)
    top = low.max(axis=0).min(), high.min(axis=1).max()
    bottom = low.max(axis=1).min(), high.min(axis=0).max()
    least_change, most_change = top[0] - bottom[1], top[1] - bottom[0]
    if ends is not None:
        least_change, most_change = np.clip((least_change, most_change), *ends)
    return GapChange(len(parts), *found, float(least_change), float(most_change))


def change_limits(
    change: Floats, critical: float, ends: Ends | None, far: Ends | None = None
) -> tuple[float, float]:
    """Limits of the mean change of the same users: the cautious ones of `stats.tilting`, as few may change,
    and all one way. Without `ends` what a sample may have missed is what others of it have, in two values: in
    ordinary data this is Student's interval, which held in 83 to 93% where 2 to 10% of users change. `far` is
    how much others' values would change then: where everybody gains a little, nobody here may tell of the few
    who lose much.

    Where that a value stayed is luck, a loss and a gain of the usual size are added. The sample may also have
    missed a few users who lose or gain all: that none of n was seen is no surprise up to log(1 / error) of n,
    the rule of three with the errors of both sides, since whoever lacks such a user errs to one side only. Of
    many users it is less than the other limits allow. How much others change does not tell of them: half of
    40 users who gain 0.2 say nothing of one in 25 who loses all.
    """
    changed = change[change != 0]
    if ends is None:
        low, high = cautious_limits(change, two_points(change), critical)
        if far is None or len(changed) == 0:
            return low, high
    else:
        far, usual = ends, float(np.sqrt((changed**2).mean())) if len(changed) else 0.0
        low, high = cautious_limits(change, (-usual, usual) if usual else ends, critical)
    mean = float(change.mean())
    missed = float(-special.log_ndtr(-critical) - np.log(2)) / len(change)
    return min(low, mean + missed * (far[0] - mean)), max(high, mean + missed * (far[1] - mean))


def _group(before: Floats, after: Floats, mitigated: bool, ends: Ends | None) -> _Group:
    return _Group(before, after, mitigated and (ends is not None or bool(np.any(before != after))))


def _mean_limits(
    values: Floats, missed: Ends, critical: float, error: float, bounds: Ends | None
) -> tuple[float, float]:
    low, high = cautious_limits(values, missed, critical)
    if bounds is None:
        return low, high
    mean, share = float(values.mean()), -np.log(error) / len(values)
    return min(low, mean - share * (mean - bounds[0])), max(high, mean + share * (bounds[1] - mean))


def _differences(
    parts: list[_Group], old: Floats, new: Floats, error: float, ends: Ends | None, bounds: Ends | None
) -> tuple[Floats, Floats]:
    """Limits of nu_i - mu_j for all i and j; those of i = j and the others each miss with the `error`."""
    moved = np.array([part.moved for part in parts])
    groups, changed = len(parts), int(moved.sum())
    own, others = changed, changed * (2 * groups - changed - 1)
    if ends is None:  # chance chose the groups together with the values, and might have chosen any
        own, others = groups, groups * (groups - 1)
    missed = two_points(np.concatenate([part.before for part in parts]))
    missed_after = two_points(np.concatenate([part.after for part in parts]))
    was, now = np.empty((groups, 2)), np.empty((groups, 2))
    estimate = new[:, None] - old
    low, high = np.zeros((groups, groups)), np.zeros((groups, groups))
    for g, part in enumerate(parts):
        degrees = len(part.before) - 1
        critical = critical_value(1 - error / others, degrees)
        was[g] = now[g] = _mean_limits(part.before, missed, critical, error, bounds)
        if part.moved:
            now[g] = _mean_limits(part.after, missed_after, critical, error, bounds)
            critical = critical_value(1 - error / own, degrees)
            low[g, g], high[g, g] = change_limits(part.after - part.before, critical, ends)
    apart = ~np.eye(groups, dtype=bool)
    low[apart] = (estimate - np.hypot((new - now[:, 0])[:, None], was[:, 1] - old))[apart]
    high[apart] = (estimate + np.hypot((now[:, 1] - new)[:, None], old - was[:, 0]))[apart]
    stay = apart & ~moved[:, None] & ~moved
    low[stay], high[stay] = -np.inf, np.inf
    return low, high


def _members(groups: Groups, counted: Mask) -> list[Ints]:
    """The counted users of each group."""
    group, user = groups.members()
    kept = counted[user]
    group, user = group[kept], user[kept]
    order = np.argsort(group, kind="stable")
    return np.split(user[order], np.cumsum(np.bincount(group, minlength=len(groups)))[:-1])
