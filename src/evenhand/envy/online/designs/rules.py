"""The arithmetic of an audit's decisions, once: the step-by-step auditor and the simulation kernel both call
it.

**How the error is shared out.** Only one outcome can be wrong at a time. If some arm is better than the
baseline by more than epsilon, only "no_envy" is wrong, and to return it the audit must discard *that* arm:
its upper bound or the baseline's lower bound has failed, and no union over arms is needed (an
intersection-union test). If no arm is better than the baseline, only "envy" is wrong: one of the K lower
bounds or the baseline's upper bound has failed. So an arm's upper bound has the error A, its lower bound
A'/K, each side of the baseline B, and the constraint's bound for the sum of explored means C. The constraint
needs C and the baseline's upper bound, so the outcome is right and the constraint holds at every step,
together, with probability at least

    1 - (A + B + B + C)   if there is envy by more than epsilon,      1 - (A' + B + C)   otherwise,
both 1 - delta for the shares below. Several audits that share one delta (the users of a system, all to be
certified) have the same asymmetry: a wrong "no envy in the system" must discard the one arm of the one user,
so A and the baseline's lower bound are not divided by the number of users; the others are. Do and others
(2022) give every arm of every user delta/(K + 1)/users on both sides, which `bound="lil"` does.

**Not used: one test of mu_k - mu_0.** The product of the mixtures of an arm and of the baseline, at its least
over the pairs that are claimed to be impossible, would test the difference directly. It pays for both
mixtures' priors: in simulations audits were 1.4 times shorter at best (alpha = .5, where arm and baseline are
pulled equally), and up to twice as long. And when rewards are late the two would stand at different times, so
that one could be looked at with knowledge of the other's future; two intervals, each on its own arm's order,
cannot.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from evenhand.compiled import njit
from evenhand.envy.online.settings import AuditorSettings

# Shares of delta: an arm's upper bound (A), all lower bounds (A'), a side of the baseline (B), the sum (C).
_UPPER, _LOWER, _BASELINE, _EXPLORED = 0.60, 0.70, 0.10, 0.20

FIRST_DRIFT_LOOK = 128


class Rules(NamedTuple):
    """What an audit was asked to do, and the error that each of its bounds may have."""

    epsilon: float
    delta: float
    alpha: float
    lil: bool
    adaptive: bool
    budget: int
    drift: float
    arm_upper: float
    arm_lower: float
    baseline_lower: float
    baseline_upper: float
    explored: float


NO_BUDGET = 2**62


def rules_for(settings: AuditorSettings) -> Rules:
    """The rules of one audit; `settings.users` such audits share delta."""
    delta, arms, users = settings.delta, settings.arms, settings.users
    return Rules(
        epsilon=settings.epsilon,
        delta=delta / users,
        alpha=settings.alpha,
        lil=settings.bound == "lil",
        adaptive=settings.choice == "adaptive",
        budget=NO_BUDGET if settings.budget is None else settings.budget,
        drift=settings.drift / (arms + 1),
        arm_upper=_UPPER * delta / settings.passes,
        arm_lower=_LOWER * delta / arms / users,
        baseline_lower=_BASELINE * delta / settings.passes,
        baseline_upper=_BASELINE * delta / users,
        explored=_EXPLORED * delta / users,
    )


@njit(nogil=True)
def next_refresh(count: int) -> int:
    """When an arm's interval is computed next: every time at first, then whenever its pulls grew by 1 in 32.

    A sequence that is looked at less often is still a confidence sequence; audits get about 1% longer.
    """
    return count + max(1, count // 32)


@njit(nogil=True)
def baseline_wanted(explored: int, most: int) -> float:
    """How many pulls of the baseline balance those of the active arms: `explored` in all, `most` of one of
    them.

    Each of n arms with N pulls is compared with the same baseline. For a given sum of the two intervals'
    widths, 1/sqrt N + 1/sqrt N_0, the pulls n N + N_0 are fewest at N_0 = n^(2/3) N. Here n = explored/most,
    which is 1 when the choice has settled on one arm.
    """
    if most == 0:
        return 1.0
    return (explored / most) ** (2.0 / 3.0) * most


@njit(nogil=True)
def anticipated_upper(high: float, count: int, total: float, assigned: int) -> float:
    """The upper bound of an arm as it will be when its outstanding pulls are settled, if these are like the
    others.

    The adaptive choice goes by it: by the bound as it is, it would show one arm over and over while rewards
    are late. Only the choice: nothing is decided on it.
    """
    if assigned == count:
        return high
    centre = (total + 0.5) / (count + 1.0)
    return centre + (high - centre) * math.sqrt((count + 1.0) / (assigned + 1.0))


@njit(nogil=True)
def constraint_margin(
    explored_means: float, step: int, baseline_pulls: int, alpha: float, baseline_upper: float
) -> float:
    """Constraint (3) of Do and others (2022) after `step` pulls, bounded from below as in their (4):

    sum of explored means - ((1 - alpha) t - N_0) mu_0, with a lower bound of the first and an upper bound of
    mu_0. An exploring pull is allowed if this is at least 0 with it, its own mean taken as 0.
    """
    return explored_means + (baseline_pulls - (1.0 - alpha) * step) * baseline_upper


@njit(nogil=True)
def lil_sum_radius(count: int, delta: float) -> float:
    """phi of Do and others (2022), Sec. 4.3: how far the sum of N explored rewards is from that of their
    means.
    """
    if count == 0:
        return 0.0
    needed = math.log(6.0 * count * count / delta)
    return 0.5 * math.sqrt(2.0 * count * needed) + 2.0 / 3.0 * needed


@njit(nogil=True)
def has_drifted(count: int, first_half: float, total: float, drift: float) -> bool:
    """Whether the two halves of an arm's first `count` rewards differ more than one distribution allows.

    If the distribution stays, the first half is a random half of all. By the inequality of Hoeffding and
    Serfling its mean is more than x from that of all with probability at most 2 exp(-4 h^2 x^2/(h + 1)), h =
    count/2. Looks at 128, 256, ... pulls have shares 1/2, 1/6, 1/12, ... of `drift`, so that all are wrong
    with at most that.
    """
    half = count // 2
    look = math.log2(count / FIRST_DRIFT_LOOK) + 1.0
    level = drift / (look * (look + 1.0))
    away = abs(first_half / half - total / count)
    return 4.0 * half * half * away * away / (half + 1.0) > math.log(2.0 / level)
