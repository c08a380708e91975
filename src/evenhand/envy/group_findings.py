"""Findings about groups of users: how much envy each holds, and which group envies which."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from evenhand.about import group_of
from evenhand.envy.evidence import Evidence
from evenhand.envy.findings import DRAWN, KNOWN, envious_limits, envy_limits
from evenhand.envy.group_envy import GroupEnvy
from evenhand.envy.grouping import UserGroups
from evenhand.envy.sampling import SampledUsers, share_of_envious
from evenhand.findings import Count, Finding, Interval
from evenhand.more_data import shrinking, with_more_data
from evenhand.stats.means.proportions import share_limits_at

MEMBERS = "Users are a sample of those of their group, each drawn without regard to the others."
UNLIKE_ANYBODY = (
    "No member is unlike everybody here. Twenty users tell nothing of a kind that one in ten is of and that "
    "happens not to be among them: if it would lose or gain much, the mean is outside its limits."
)
AS_THEY_ARE = "The policies are those of the users here: with more users there would be more to envy."
RANGE_AS_SEEN = (
    "Nobody envies by more than {reach:.4g}, the range of the preferences here. Where some people who are "
    "not here like things by much more, the mean may be above its limits."
)


def about_members(
    evidence: Evidence,
    groups: UserGroups,
    bounds: tuple[float, float] | None,
    gamma: float,
    tolerance: float | None,
    level: float,
    seed: int,
) -> list[Finding]:
    """The share of envious users in each group, and their average envy.

    A mean over a group, or over pairs of groups, hides that some of its members envy; this counts them.
    """
    shares, means = [], []
    rng = np.random.default_rng(seed)
    each = level ** (1 / len(groups.names))
    known, assumed = _range(bounds)
    simultaneous = f"simultaneous over {len(groups.names):,} groups"
    for g, name in enumerate(groups.names):
        members = np.flatnonzero(groups.codes == g)
        envious = int(np.sum(evidence.share_better[members] > gamma))
        common: dict[str, Any] = {
            "audit": "envy",
            "about": {"users": group_of(groups.by, name)},
            "n": Count(len(members), "users"),
            "people": {name: len(members)},
            "assumptions": (KNOWN, MEMBERS, AS_THEY_ARE),
        }
        limits_at = share_limits_at(envious, len(members), each)
        low, high = limits_at(1)
        share = Finding(
            measure="envious_users",
            estimate=envious / len(members),
            interval=Interval(
                low=low,
                high=high,
                level=level,
                method=f"Clopper-Pearson, {simultaneous}",
                validity="exact",
            ),
            tolerance=tolerance,
            details={"epsilon": evidence.epsilon, "gamma": gamma, "envious": envious},
            **common,
        )
        shares.append(with_more_data(share, limits_at, of="users"))
        # Bets are settled one user after the other, in an order that has nothing to do with their envy.
        envy = rng.permutation(evidence.envy[members])
        means.append(
            Finding(
                measure="average_envy",
                estimate=float(envy.mean()),
                interval=_of_a_sample(
                    envy_limits(envy, known, each, level, f"betting, {simultaneous}"), assumed
                ),
                details={
                    "mean_utility": float(evidence.own[members].mean()),
                    "largest_envy": float(envy.max()),
                },
                **{**common, "assumptions": (*common["assumptions"], *assumed)},
            )
        )
    return shares + means


def _range(bounds: tuple[float, float] | None) -> tuple[tuple[float, float] | None, tuple[str, ...]]:
    """Between which numbers the preferences of all people lie, and what that takes for granted.

    Those from 0 to 1 are on the scale that an audit is meant for, whether or not it is used to its ends. Of
    others only those are known that are here.
    """
    if bounds is None:
        return None, ()
    if bounds[0] >= 0 and bounds[1] <= 1:
        return (0.0, 1.0), ()
    return bounds, (RANGE_AS_SEEN.format(reach=bounds[1] - bounds[0]),)


def _of_a_sample(interval: Interval | None, assumed: tuple[str, ...]) -> Interval | None:
    """Limits that rest on a range which was only seen are not exact."""
    if interval is None or not assumed:
        return interval
    return interval.amended(validity="fixed")


def about_drawn_members(
    sample: SampledUsers,
    groups: UserGroups,
    epsilon: float,
    gamma: float,
    tolerance: float | None,
    level: float,
) -> list[Finding]:
    """The share of envious users in each group, from those of its members that were drawn."""
    found = []
    each = level ** (1 / len(groups.names))
    for g, name in enumerate(groups.names):
        members = sample.only(groups.codes[sample.who] == g)
        common: dict[str, Any] = {
            "audit": "envy",
            "measure": "envious_users",
            "about": {"users": group_of(groups.by, name)},
            "tolerance": tolerance,
            "n": Count(len(members.own), "users"),
            "people": {name: len(members.own)},
        }
        if len(members.own) == 0:
            found.append(Finding(estimate=None, warnings=("nobody of this group was drawn.",), **common))
            continue
        share = share_of_envious(members, gamma, each)
        limits = Interval(
            low=share.low,
            high=share.high,
            level=level,
            method=f"two binomial limits, simultaneous over {len(groups.names):,} groups",
            validity="exact",
        )
        told = Finding(
            estimate=share.estimate,
            interval=limits,
            assumptions=(KNOWN, DRAWN),
            details={"epsilon": epsilon, "gamma": gamma, "policies_for_each": sample.policies},
            **common,
        )
        found.append(with_more_data(told, partial(envious_limits, members, gamma, each), of="users"))
    return found


def about_pairs(envy: GroupEnvy, groups: UserGroups, epsilon: float, level: float, top: int) -> list[Finding]:
    """The `top` pairs of groups with the most envy, by the mean gain of a member."""
    gains = envy.gain.copy()
    np.fill_diagonal(gains, -np.inf)
    names = groups.names
    pairs = gains.size - len(names)
    found = []
    for place in np.argsort(-gains, axis=None, kind="stable")[: min(top, pairs)]:
        g, h = np.unravel_index(place, gains.shape)
        interval = None
        if np.isfinite(envy.low[g, h]):
            interval = Interval(
                low=float(envy.low[g, h]),
                high=float(envy.high[g, h]),
                level=level,
                method=f"two-sample U-statistic, simultaneous over {pairs:,} pairs",
            )
        pair = Finding(
            audit="envy",
            measure="group_envy",
            about={"users": group_of(groups.by, names[g]), "other": group_of(groups.by, names[h])},
            estimate=float(envy.gain[g, h]),
            interval=interval,
            tolerance=epsilon,
            n=Count(int(envy.sizes[g]), "users"),
            people={names[g]: int(envy.sizes[g]), names[h]: int(envy.sizes[h])},
            assumptions=(KNOWN, MEMBERS, UNLIKE_ANYBODY),
            details={"own_utility": float(envy.own[g]), "other_users": int(envy.sizes[h])},
        )
        found.append(with_more_data(pair, shrinking(pair), of="users"))
    return found
