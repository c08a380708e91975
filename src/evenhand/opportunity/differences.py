"""Each arm of an A/B test minus the first: overall and group by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from evenhand.opportunity.arms import Measured
from evenhand.opportunity.inference import RAY_DRAWS, ArmInference, Bounds
from evenhand.opportunity.measures import (
    Array,
    penalty,
    penalty_gradient,
    relative_utilities,
    relative_utility_jacobian,
)
from evenhand.stats import mover, normal
from evenhand.stats.clusters import Errors


@dataclass(frozen=True)
class Difference:
    """An estimate of arm minus baseline with its interval."""

    estimate: float
    low: float
    high: float
    p_value: float | None
    method: str


NearFair = Literal["bounds", "mover"]


def penalty_difference(
    arms: Measured,
    arm: int,
    baseline: int,
    level: float,
    seed: int,
    near_fair: NearFair = "bounds",
    hulls: Sequence[Bounds] | None = None,
) -> Difference:
    """h_arm - h_baseline.

    Delta method on the joint covariance, which knows that both arms are measured against the same
    random log. Where an arm may be exactly fair (its hull reaches 0) its gradient means nothing and its
    estimate can only err upwards. There the difference of the two hulls is taken, cut at the largest
    difference that the two sets of relative utilities allow: h is a norm of d, so
    |h_arm - h_baseline| <= rms(d_arm - d_baseline), which the shared random log makes small when the arms
    are alike. `near_fair="mover"` combines the hulls by MOVER instead. `hulls` are the intervals of the two
    penalties where they are known already, or where others than these are wanted.
    """
    both = [ArmInference(arms, i, seed) for i in (arm, baseline)]
    h = [float(penalty(inference.utilities)) for inference in both]
    estimate = h[0] - h[1]
    if hulls is None:
        may_be_fair = any(inference.reaches_zero(level) for inference in both)
    else:
        may_be_fair = any(low <= 0 for low, _ in hulls)
    if may_be_fair or any(inference.has_zero for inference in both):
        hulls = hulls or [inference.penalty_interval(level) for inference in both]
        if near_fair == "mover":
            low, high = mover.difference(h[0], hulls[0], h[1], hulls[1])
            return Difference(estimate, low, high, None, "mover of hulls")
        return difference_of_hulls(arms, arm, baseline, level, seed, hulls)
    return delta_difference(arms, arm, baseline, level)


def side_of_zero(arms: Measured, arm: int, baseline: int, level: float, seed: int) -> int:
    """1 if the interval of `penalty_difference` is above 0, -1 if it is below, and 0 if it has 0 in it.

    That is far quicker to say than where the interval ends.
    """
    both = [ArmInference(arms, i, seed) for i in (arm, baseline)]
    if not any(inference.has_zero or inference.reaches_zero(level) for inference in both):
        difference = delta_difference(arms, arm, baseline, level)
        return int(difference.low > 0) - int(difference.high < 0)
    # Where parts of the hulls meet, the hulls need not be made.
    side = 0
    for bounds in (ArmInference.delta_part, ArmInference.penalty_interval):
        (low, high), (other_low, other_high) = (bounds(i, level) for i in both)
        side = int(low > other_high) - int(high < other_low)
        if side == 0:
            break
    return side


def difference_of_hulls(
    arms: Measured, arm: int, baseline: int, level: float, seed: int, hulls: Sequence[Bounds]
) -> Difference:
    """h_arm - h_baseline from intervals of the two, cut at the largest difference that there can be."""
    low, high = hulls[0][0] - hulls[1][1], hulls[0][1] - hulls[1][0]
    if (arms.positives[[arm, baseline]] > 0).all():
        limit = _largest_difference(arms, arm, baseline, level, seed)
        low, high = max(low, -limit), min(high, limit)
    estimate = float(penalty(arms.utilities(arm)) - penalty(arms.utilities(baseline)))
    return Difference(estimate, low, high, None, "difference of hulls")


def delta_difference(arms: Measured, arm: int, baseline: int, level: float) -> Difference:
    """h_arm - h_baseline by the delta method, wherever the arms are."""
    utilities = [arms.utilities(i) for i in (arm, baseline)]
    estimate = np.array([penalty(utilities[0]) - penalty(utilities[1])])
    gradient = np.concatenate([penalty_gradient(utilities[0]), -penalty_gradient(utilities[1])])[None]
    errors = arms.errors(arm, baseline)
    reach = normal.critical_value(level, errors.degrees(gradient))
    return _normal_differences(estimate, gradient, errors, reach)[0]


def _joint_relative_utilities(
    arms: Measured, arm: int, baseline: int, around: tuple[Array, Array] | None = None
) -> tuple[Array, Array, Errors]:
    """d_arm - d_baseline, its gradients in the joint log U, and the joint errors."""
    utilities = around or (arms.utilities(arm), arms.utilities(baseline))
    estimates = relative_utilities(utilities[0]) - relative_utilities(utilities[1])
    gradients = np.hstack([relative_utility_jacobian(utilities[0]), -relative_utility_jacobian(utilities[1])])
    return estimates, gradients, arms.errors(arm, baseline)


def _largest_difference(arms: Measured, arm: int, baseline: int, level: float, seed: int) -> float:
    """Upper limit of rms(d_arm - d_baseline), at a fifth of the error so that using it too costs little."""
    estimates, gradients, joint = _joint_relative_utilities(arms, arm, baseline)
    error, covariance = (1 - level) / 5, gradients @ joint.covariance @ gradients.T
    if error * RAY_DRAWS >= 5:
        noise = normal.draws_with_covariance(covariance, RAY_DRAWS, seed, key=estimates)
        size = float(np.quantile(np.sqrt((noise**2).mean(axis=1)), 1 - error))
    else:  # further out than a few hundred draws reach: how a normal length concentrates around its mean
        longest = np.linalg.eigvalsh(covariance)[-1]
        size = float(np.sqrt(np.trace(covariance)) + np.sqrt(2 * longest * np.log(1 / error)))
        size /= np.sqrt(len(estimates))
    return float(np.sqrt((estimates**2).mean())) + size


def relative_utility_differences(
    arms: Measured, arm: int, baseline: int, level: float, seed: int, simultaneous: bool = True
) -> list[Difference]:
    """d_k of the arm minus d_k of the baseline, by the delta method on the joint covariance.

    Where an arm has a group without a positive, the hull over what its rate may be, and no p-value.
    """
    worlds = [list(ArmInference(arms, i, seed).worlds(level)) for i in (arm, baseline)]
    zero = any(len(options) > 1 for options in worlds)
    at = min(options[0][1] for options in worlds) if not zero else 1 - (1 - level) / 2
    made = [
        _differences(arms, arm, baseline, first, second, at, seed, simultaneous)
        for first, _ in worlds[0]
        for second, _ in worlds[1]
    ]
    if not zero:
        return made[0]
    estimates = _joint_relative_utilities(arms, arm, baseline)[0]
    return [
        Difference(
            float(estimates[k]),
            min(each[k].low for each in made),
            max(each[k].high for each in made),
            None,
            "delta, exact limits of zero counts",
        )
        for k in range(len(arms.groups))
    ]


def _differences(
    arms: Measured,
    arm: int,
    baseline: int,
    first: Array,
    second: Array,
    level: float,
    seed: int,
    simultaneous: bool,
) -> list[Difference]:
    """Differences around these utilities of the two arms."""
    estimates, gradients, errors = _joint_relative_utilities(arms, arm, baseline, (first, second))
    degrees = errors.degrees(gradients)
    reach = (
        normal.simultaneous_critical_value(gradients, errors.covariance, level, seed, degrees)
        if simultaneous
        else normal.critical_value(level, degrees)
    )
    return _normal_differences(estimates, gradients, errors, reach)


def _normal_differences(
    estimates: Array, gradients: Array, errors: Errors, reach: float | Array
) -> list[Difference]:
    """Each estimate with `reach` of its errors to either side."""
    widths, degrees = np.sqrt(errors.variances(gradients)), errors.degrees(gradients)
    law = stats.norm if degrees is None else stats.t(degrees)
    with np.errstate(divide="ignore", invalid="ignore"):
        chances = 2 * law.sf(np.abs(estimates) / widths)
    p_values = np.where(widths > 0, chances, estimates == 0)
    low, high = estimates - reach * widths, estimates + reach * widths
    made = zip(estimates.tolist(), low.tolist(), high.tolist(), p_values.tolist(), strict=True)
    return [Difference(*each, "delta") for each in made]
