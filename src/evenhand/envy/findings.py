"""From utilities to findings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.envy.epsilon import epsilon_details
from evenhand.envy.evidence import Evidence
from evenhand.envy.gains import gains
from evenhand.envy.measures import average_envy, envious_share, most_envied, worst_pairs
from evenhand.envy.sampling import SampledUsers, fewest_better, share_of_envious
from evenhand.findings import Count, Finding, Interval
from evenhand.inputs import word
from evenhand.more_data import with_more_data
from evenhand.stats.means.bounded import betting_intervals

KNOWN = (
    "Preferences and policies are taken as known: how well they were estimated is not part of this. "
    "Preferences that are estimated worse for some users make these look more or less envious than they are."
)
EVERYBODY = "Every user and every policy of the system is here."
DRAWN = "Users and policies were drawn at random, with replacement, from all those of the system."
CENSUS = "counted, not estimated: every user against every policy"


def about_users(
    evidence: Evidence,
    user_ids: NDArray[Any],
    bounds: tuple[float, float] | None,
    gamma: float,
    tolerance: float | None,
    level: float,
    top: int,
) -> list[Finding]:
    """Of all users against all policies: exact, as nothing was sampled."""
    common: dict[str, Any] = {"audit": "envy", "assumptions": (KNOWN, EVERYBODY), "people": {}}
    users = len(evidence.own)

    details: dict[str, Any] = {
        "mean_utility": float(evidence.own.mean()),
        "largest_envy": float(evidence.envy.max()),
        "total_utility": float(evidence.own.sum()),
        **epsilon_details(bounds, evidence.own, evidence.epsilon),
    }
    envied = most_envied(evidence)
    if envied is not None:
        # How many would like one policy best says something about the system; whose it is, about a person.
        named = {"most_envied": word(user_ids[envied[0]])} if top else {}
        details |= {**named, "envied_most_by": envied[1]}
    found = [
        Finding(
            measure="average_envy",
            estimate=average_envy(evidence),
            n=Count(users, "users"),
            pictures=gains(evidence.envy),
            details=details,
            **common,
        )
    ]
    for share in dict.fromkeys((0.0, gamma)):
        value = envious_share(evidence, share)
        exact = Interval(low=value, high=value, level=level, method=CENSUS, validity="exact")
        found.append(
            Finding(
                measure="envious_users",
                about={"epsilon": evidence.epsilon, "gamma": share},
                estimate=value,
                interval=exact,
                tolerance=tolerance if share == gamma else None,
                n=Count(users, "users"),
                details={"envious": int(np.sum(evidence.share_better > share))},
                **common,
            )
        )
    for pair in worst_pairs(evidence, top):
        if evidence.better[pair.user] == 0:  # by less than epsilon, which does not count
            break
        found.append(
            Finding(
                measure="envy_pair",
                about={"user": word(user_ids[pair.user]), "other": word(user_ids[pair.other])},
                estimate=pair.gain,
                details={"own_utility": pair.own, "utility_there": pair.own + pair.gain},
                **common,
            )
        )
    return found


def about_sample(
    sample: SampledUsers,
    bounds: tuple[float, float] | None,
    epsilon: float,
    gamma: float,
    tolerance: float | None,
    level: float,
) -> list[Finding]:
    """Of users and policies drawn at random; `bounds` hold all preferences, None where they are not known."""
    common: dict[str, Any] = {
        "audit": "envy",
        "n": Count(len(sample.own), "users"),
        "assumptions": (KNOWN, DRAWN),
    }
    share = share_of_envious(sample, gamma, level)
    surely, maybe = fewest_better(sample.policies, gamma)
    limits = Interval(
        low=share.low,
        high=share.high,
        level=level,
        method=f"two binomial limits, {surely} and {maybe} better policies of {sample.policies}",
        validity="exact",
    )
    found = Finding(
        measure="envious_users",
        about={"epsilon": epsilon, "gamma": gamma},
        estimate=share.estimate,
        interval=limits,
        tolerance=tolerance,
        details={"policies_for_each": sample.policies},
        **common,
    )
    found = with_more_data(found, partial(envious_limits, sample, gamma, level), of="users")
    return [found, _sampled_envy(sample, bounds, epsilon, level, common)]


def envious_limits(sample: SampledUsers, gamma: float, level: float, times: float) -> tuple[float, float]:
    share = share_of_envious(sample, gamma, level, times)
    return share.low, share.high


def _sampled_envy(
    sample: SampledUsers,
    bounds: tuple[float, float] | None,
    epsilon: float,
    level: float,
    common: dict[str, Any],
) -> Finding:
    envy = sample.envy
    # Users were drawn one by one, so their order has nothing to do with their envy.
    interval = envy_limits(envy, bounds, level, level, "betting")
    return Finding(
        measure="sampled_envy",
        about={"others": sample.policies},
        estimate=float(envy.mean()),
        interval=interval,
        pictures=gains(envy),
        details={
            "mean_utility": float(sample.own.mean()),
            **epsilon_details(bounds, sample.own, epsilon),
        },
        **common,
    )


def envy_limits(
    envy: NDArray[np.float64], bounds: tuple[float, float] | None, each: float, level: float, method: str
) -> Interval | None:
    """Limits of the mean envy of which users are a sample, in an order that says nothing about it.

    They hold at the level `each`, which is `level` for several samples together. None where it is not known
    between which numbers preferences lie.
    """
    if bounds is None or bounds[1] <= bounds[0]:
        return None
    ends = np.array([0, len(envy)], dtype=np.int64)
    low, high = betting_intervals(envy, ends, 1 - each, 0.0, bounds[1] - bounds[0])
    # A bet is settled to eight digits, which may leave a limit on the wrong side of a constant sample.
    mean = float(envy.mean())
    return Interval(
        low=min(float(low[0]), mean),
        high=max(float(high[0]), mean),
        level=level,
        method=method,
        validity="exact",
    )
