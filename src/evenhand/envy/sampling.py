"""The share of envious users from a sample of users and of policies, for systems with millions of both.

The largest of all utilities cannot be estimated from a sample of the policies without bias: the best one is
hardly ever drawn. Definition 3.2 of Do and others (2022) can be: user m is (epsilon, gamma)-envious when
F_m = P_n[u^m(pi^m) + epsilon < u^m(pi^n)] > gamma. Users m are drawn at random, and K policies for each, all
with replacement as the definition's n ~ U_M, so the number X_m of better policies is Binomial(K, F_m). For
theta, the share of users with F_m > gamma, whatever the distribution of F_m over users,

    P(X >= c) <= theta + (1 - theta) beta,   beta  = P(Binomial(K, gamma) >= c),
    P(X >= d) >= theta (1 - beta'),          beta' = P(Binomial(K, gamma) <  d),

as the tails grow with F. Limits of Clopper and Pearson (1934) for the two probabilities on the left, each at
half the error, give limits of theta that hold without an approximation. d = 1 is the rule of Do and others'
AUDIT, which asks for no better policy at all; with many policies a larger d loses less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from evenhand.arrays import Floats, Ints
from evenhand.envy.evidence import ROUNDING
from evenhand.envy.rows import ENTRIES, UserRows
from evenhand.products import one_thread
from evenhand.stats.means.proportions import clopper_pearson

# How often a user at the edge, with F = gamma, may be taken for one on the other side of it.
MISTAKEN = 0.01


@dataclass(frozen=True)
class SampledUsers:
    """Sampled users: what they get, the best of the K policies drawn for each, and how many are better."""

    who: Ints
    own: Floats
    best: Floats
    better: Ints
    policies: int

    def only(self, chosen: NDArray[np.bool_]) -> SampledUsers:
        """The part of the sample that is about these of its users."""
        return SampledUsers(
            self.who[chosen], self.own[chosen], self.best[chosen], self.better[chosen], self.policies
        )

    @property
    def envy(self) -> Floats:
        """Gain from the best of K policies drawn at random: at most the user's envy of all policies."""
        return self.best - self.own


@dataclass(frozen=True)
class ShareEstimate:
    """The share of (epsilon, gamma)-envious users: as it is in the sample, and limits of the population's."""

    estimate: float
    low: float
    high: float


def draw(
    preferences: UserRows,
    policies: UserRows,
    user_count: int,
    others: int,
    epsilon: float,
    rng: np.random.Generator,
) -> SampledUsers:
    """`user_count` users, each against `others` policies of her own draw."""
    who = rng.integers(preferences.user_count, size=user_count)
    whose = rng.integers(policies.user_count, size=(user_count, others))
    size = max(1, ENTRIES // (others * policies.width))
    own, best, better = np.empty(user_count), np.empty(user_count), np.empty(user_count, dtype=np.int64)
    precision = np.finfo(np.result_type(preferences.dtype, policies.dtype)).eps
    for start in range(0, user_count, size):
        block = slice(start, min(start + size, user_count))
        m, n = who[block], whose[block]
        tastes = preferences.dense(m)
        own[block] = np.einsum("mi,mi->m", tastes, policies.dense(m), dtype=np.float64)
        # Each policy once, however often it was drawn.
        distinct, place = np.unique(n, return_inverse=True)
        table = policies.dense(distinct)
        with one_thread():
            values = np.stack(
                [table[chosen] @ row for row, chosen in zip(tastes, place.reshape(n.shape), strict=True)]
            )
        rounding = ROUNDING * precision * np.abs(tastes).max(axis=1)
        gain = values - own[block][:, None]
        better[block] = (gain > epsilon + rounding[:, None]).sum(axis=1)
        best[block] = own[block] + np.where(gain.max(axis=1) > rounding, gain.max(axis=1), 0)
    return SampledUsers(who, own, best, better, others)


def share_of_envious(sample: SampledUsers, gamma: float, level: float, times: float = 1.0) -> ShareEstimate:
    """The estimate and its limits, or those that so many times as many users like these would give; `gamma`
    must be above 0."""
    users, k = len(sample.better), sample.policies
    surely, maybe = fewest_better(k, gamma)
    beta, beta_prime = (
        float(stats.binom.sf(surely - 1, k, gamma)),
        float(stats.binom.cdf(maybe - 1, k, gamma)),
    )
    seen_surely, seen_maybe = (times * float((sample.better >= c).sum()) for c in (surely, maybe))
    low, _ = clopper_pearson(seen_surely, times * users, level)
    _, high = clopper_pearson(seen_maybe, times * users, level)
    return ShareEstimate(
        float(np.mean(sample.better / k > gamma)),
        float(max((low - beta) / (1 - beta), 0)) if beta < 1 else 0.0,
        float(min(high / (1 - beta_prime), 1)) if beta_prime < 1 else 1.0,
    )


def fewest_better(policies: int, gamma: float) -> tuple[int, int]:
    """c and d: at least c better policies are hardly ever seen with F = gamma, and fewer than d neither."""
    surely = int(stats.binom.isf(MISTAKEN, policies, gamma)) + 1
    maybe = int(stats.binom.ppf(MISTAKEN, policies, gamma))
    return surely, max(1, maybe)
