"""Each arm of an A/B test minus the first: overall and group by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import numpy as np
from scipy import special, stats

from evenhand.opportunity.inference.one_log import RAY_DRAWS, ArmInference, Bounds
from evenhand.opportunity.logs.arms import MeasuredLogs
from evenhand.opportunity.measures import (
    Array,
    corrected_square,
    logit_shares,
    own_rows,
    penalty,
    penalty_gradient,
    relative_utilities,
    relative_utility_jacobian,
)
from evenhand.stats import normal
from evenhand.stats.log_ratios import skewness
from evenhand.stats.log_ratios.clusters import Errors
from evenhand.stats.means import mover


@dataclass(frozen=True)
class Difference:
    """An estimate of arm minus baseline with its interval."""

    estimate: float
    low: float
    high: float
    p_value: float | None
    method: str


NearFair = Literal["bounds", "mover"]
# Around an ellipse: so many steps find its extremes to a ten-thousandth of its size.
_AROUND = np.linspace(0, 2 * np.pi, 181)[:, None]


def penalty_difference(
    arms: MeasuredLogs,
    arm: int,
    baseline: int,
    level: float,
    seed: int,
    near_fair: NearFair = "bounds",
    hulls: Sequence[Bounds] | None = None,
) -> Difference:
    """h_arm - h_baseline.

    Delta method on the joint covariance, which knows that both arms are measured against the same
    random log, around penalties without what noise adds to them (`clear_difference`). Where an arm may be
    exactly fair (its hull reaches 0) its gradient means nothing and its estimate can only err upwards.
    There the difference of the two hulls is taken, cut at the largest difference that the two sets of
    relative utilities allow: h is a norm of d, so |h_arm - h_baseline| <= rms(d_arm - d_baseline), which
    the shared random log makes small when the arms are alike. `near_fair="mover"` combines the hulls by
    MOVER instead. `hulls` are the intervals of the two penalties where they are known already, or where
    others than these are wanted.
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
    return clear_difference(arms, arm, baseline, level)


def side_of_zero(arms: MeasuredLogs, arm: int, baseline: int, level: float, seed: int) -> int:
    """1 if the interval of `penalty_difference` is above 0, -1 if it is below, and 0 if it has 0 in it.

    That is far quicker to say than where the interval ends.
    """
    both = [ArmInference(arms, i, seed) for i in (arm, baseline)]
    if not any(inference.has_zero or inference.reaches_zero(level) for inference in both):
        difference = clear_difference(arms, arm, baseline, level)
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
    arms: MeasuredLogs, arm: int, baseline: int, level: float, seed: int, hulls: Sequence[Bounds]
) -> Difference:
    """h_arm - h_baseline from intervals of the two, cut at the largest difference that there can be."""
    low, high = hulls[0][0] - hulls[1][1], hulls[0][1] - hulls[1][0]
    if (arms.positives[[arm, baseline]] > 0).all():
        limit = _largest_difference(arms, arm, baseline, level, seed)
        low, high = max(low, -limit), min(high, limit)
    estimate = float(penalty(arms.utilities(arm)) - penalty(arms.utilities(baseline)))
    return Difference(estimate, low, high, None, "difference of hulls")


def clear_difference(arms: MeasuredLogs, arm: int, baseline: int, level: float) -> Difference:
    """h_arm - h_baseline where both are clear of 0, around penalties c without what noise adds to them.

    Noise of variance v in d makes h^2 larger by v, in both arms, so that h_arm - h_baseline is too near to 0:
    with many small groups by more than its error, however long the default logs are. Noise along d itself,
    of the variance s^2 that the delta method gives h, makes h larger as often as smaller; where one rare
    group stands out it is nearly all there is. So the interval is built around c = sqrt(h^2 - (v - s^2)), of
    utilities without the bias of a ratio. With many groups Var(c) is (v/K)(1 + v/(2 c^2)) to second order,
    while the delta method has v/K at the observed utilities, whose spread holds the noise too: the gradient
    is taken sqrt(h/c) = (1 + v/c^2)^(1/4) times. The estimate stays h_arm - h_baseline, and is in the
    interval.
    """
    errors, groups = arms.errors(arm, baseline), len(arms.groups)
    parts = errors.covariance[:groups, :groups], errors.covariance[groups:, groups:]
    around, gradients = [], []
    for i, covariance in zip((arm, baseline), parts, strict=True):
        utilities = arms.utilities(i) / (1 + arms.ratio_bias(i))
        h = float(penalty(utilities))
        gradient = penalty_gradient(utilities)
        along = float(gradient @ covariance @ gradient)
        c = float(np.sqrt(max(0.0, corrected_square(utilities, covariance) + along)))
        around.append(c or h)
        gradients.append(gradient * np.sqrt(h / (c or h) if h else 1.0))
    joint = np.concatenate([gradients[0], -gradients[1]])[None]
    reach = normal.critical_value(level, errors.degrees(joint))
    made = _normal_differences(np.array([around[0] - around[1]]), joint, errors, reach)[0]
    estimate = float(penalty(arms.utilities(arm)) - penalty(arms.utilities(baseline)))
    return replace(
        made,
        estimate=estimate,
        low=min(made.low, estimate),
        high=max(made.high, estimate),
        p_value=made.p_value if made.estimate * estimate > 0 else 1.0,
    )


def delta_difference(arms: MeasuredLogs, arm: int, baseline: int, level: float) -> Difference:
    """h_arm - h_baseline by the delta method as published, wherever the arms are."""
    utilities = [arms.utilities(i) for i in (arm, baseline)]
    estimate = np.array([penalty(utilities[0]) - penalty(utilities[1])])
    gradient = np.concatenate([penalty_gradient(utilities[0]), -penalty_gradient(utilities[1])])[None]
    errors = arms.errors(arm, baseline)
    reach = normal.critical_value(level, errors.degrees(gradient))
    return _normal_differences(estimate, gradient, errors, reach)[0]


def _joint_relative_utilities(arms: MeasuredLogs, arm: int, baseline: int) -> tuple[Array, Array, Errors]:
    """d_arm - d_baseline, its gradients in the joint log U, and the joint errors."""
    utilities = arms.utilities(arm), arms.utilities(baseline)
    estimates = relative_utilities(utilities[0]) - relative_utilities(utilities[1])
    return estimates, _joint_gradients(*utilities), arms.errors(arm, baseline)


def _joint_gradients(first: Array, second: Array) -> Array:
    """Gradients, a row a group, of d of the first less d of the second in the joint log U."""
    made = [own_rows(relative_utility_jacobian(utilities)) for utilities in (first, second)]
    return np.hstack([made[0], -made[1]])


def _largest_difference(arms: MeasuredLogs, arm: int, baseline: int, level: float, seed: int) -> float:
    """Upper limit of rms(d_arm - d_baseline), at a fifth of the error so that using it too costs little."""
    estimates, gradients, joint = _joint_relative_utilities(arms, arm, baseline)
    error, covariance = (1 - level) / 5, gradients @ joint.covariance @ gradients.T
    if error * RAY_DRAWS >= 5:
        noise = normal.draws_with_covariance(covariance, RAY_DRAWS, seed, key=estimates)
        size = float(np.quantile(np.sqrt((noise**2).mean(axis=1)), 1 - error))
    else:  # further out than a few hundred draws reach: how a normal length concentrates around its mean
        longest = max(0.0, np.linalg.eigvalsh(covariance)[-1])  # two logs that are one have no error
        size = float(np.sqrt(max(0.0, np.trace(covariance))) + np.sqrt(2 * longest * np.log(1 / error)))
        size /= np.sqrt(len(estimates))
    return float(np.sqrt((estimates**2).mean())) + size


def relative_utility_differences(
    arms: MeasuredLogs, arm: int, baseline: int, level: float, seed: int, simultaneous: bool = True
) -> list[Difference]:
    """d_k of the arm minus d_k of the baseline.

    Each d_k is K expit(l_k) - 1 with l_k = logit(U_k / sum U), and the errors of the two l_k are nearly
    normal even where a group is rare, unlike those of d_k. So the interval is what K (expit(l_arm) -
    expit(l_baseline)) can be on the ellipse of both that reaches as many errors as the delta method would,
    or as far as l_arm - l_baseline then goes: to first order the delta method's, and 0 is in it just where
    l_arm = l_baseline is not ruled out, which is what the p-value is of. Where an arm has a group without a
    positive, the hull over what its rate may be, and no p-value.
    """
    both = [ArmInference(arms, i, seed) for i in (arm, baseline)]
    zero = any(inference.has_zero for inference in both)
    at = 1 - (1 - level) / 2 if zero else level
    worlds = [[u for u, _ in inference.unbiased_worlds(level)] for inference in both]
    pairs = list(product(worlds[0], worlds[1]))
    # A group stands out most in a world of its own, against the least and the greatest of the other arm.
    own = [inference.unbiased_own_worlds(level) for inference in both]
    if own[0] is not None:
        pairs += [(own[0][0], other) for other in _ends(worlds[1])]
    if own[1] is not None:
        pairs += [(other, own[1][0]) for other in _ends(worlds[0])]
    estimates, _, errors = _joint_relative_utilities(arms, arm, baseline)
    noise = _Noise(
        [arms.own_noise(i) for i in (arm, baseline)], [arms.ratio_bias(i) for i in (arm, baseline)]
    )
    made = [_differences(errors, pair, noise, at, seed, simultaneous) for pair in pairs]
    low = np.minimum.reduce([estimates, *(lows for lows, _, _ in made)])
    high = np.maximum.reduce([estimates, *(highs for _, highs, _ in made)])
    p_values = [None] * len(estimates) if zero else made[0][2].tolist()
    method = "logit scale, exact limits of zero counts" if zero else "logit scale"
    each = zip(estimates.tolist(), low.tolist(), high.tolist(), p_values, strict=True)
    return [Difference(*values, method) for values in each]


def _differences(
    errors: Errors,
    utilities: tuple[Array, Array],
    noise: _Noise,
    level: float,
    seed: int,
    simultaneous: bool,
) -> tuple[Array, Array, Array]:
    """Limits and p-values of the differences around these utilities of the two arms."""
    gradients = _joint_gradients(*utilities)
    groups = len(gradients)
    degrees = errors.degrees(gradients)
    reach = (
        normal.simultaneous_critical_value(gradients, errors.covariance, level, seed, degrees)
        if simultaneous
        else normal.critical_value(level, degrees)
    )
    shares = [logit_shares(u) for u in utilities]
    of_logits = [gradient for _, gradient in shares]
    # The logarithm of an unbiased sum is too small, by half of its relative variance.
    logits = [
        logit + (g * np.abs(g)) @ (own + random) / 2
        for (logit, g), own, random in zip(shares, noise.own, noise.random, strict=True)
    ]
    joint = errors.covariance.reshape(2, groups, 2, groups)
    own, other, common = (
        np.einsum("ki,ij,kj->k", of_logits[i], joint[i, :, j], of_logits[j])
        for i, j in ((0, 0), (1, 1), (0, 1))
    )
    own_error = np.sqrt(np.maximum(0.0, own))
    shared = np.divide(common, own_error, out=np.zeros(groups), where=own_error > 0)
    rest = np.sqrt(np.maximum(0.0, other - shared**2))

    def around(reach: Array) -> Array:
        first = special.expit(logits[0] + reach * own_error * np.cos(_AROUND))
        second = special.expit(logits[1] + reach * (shared * np.cos(_AROUND) + rest * np.sin(_AROUND)))
        return np.asarray(groups * (first - second))

    with np.errstate(invalid="ignore"):  # where both are 0 there is no difference
        apart = np.nan_to_num(logits[0] - logits[1], nan=0.0, posinf=np.inf, neginf=-np.inf)
    widths = np.sqrt(np.maximum(0.0, own + other - 2 * common))
    contrasts = np.hstack([of_logits[0], -of_logits[1]])
    skew = noise.skewness(contrasts, widths)
    below, above = skewness.reaches(reach, skew)
    bent = _bent(utilities, contrasts @ errors.covariance, widths, below, above)
    p_values = _p_values(apart, widths * np.where(apart > 0, *bent), degrees, skew)
    return around(below * bent[0]).min(axis=0), around(above * bent[1]).max(axis=0), p_values


def _bent(
    utilities: tuple[Array, Array], covariances: Array, widths: Array, below: Array, above: Array
) -> tuple[Array, Array]:
    """How many times as far as along the tangent l_arm - l_baseline goes downwards, and upwards, where the
    utilities of both arms go that move it most; at least 1. As in one log, the share of a large group bends
    with the utility of a rare one. `covariances` are those of the differences with all log U."""
    moved = np.divide(covariances, widths[:, None], out=np.zeros_like(covariances), where=widths[:, None] > 0)

    def apart(reach: Array) -> Array:
        steps = np.split(reach[:, None] * moved, 2, axis=1)
        first, second = (logit_shares(u * np.exp(s))[0] for u, s in zip(utilities, steps, strict=True))
        return np.asarray(first - second)

    def times(gone: Array, straight: Array) -> Array:
        some = (straight > 0) & np.isfinite(gone)
        return np.maximum(1.0, np.divide(gone, straight, out=np.ones_like(gone), where=some))

    with np.errstate(invalid="ignore"):  # a group without a positive stays where it is
        here = apart(np.zeros(len(widths)))
        return times(here - apart(-below), below * widths), times(apart(above) - here, above * widths)


@dataclass(frozen=True)
class _Noise:
    """Variances of log A and of log B of the two arms, with rows taken as independent."""

    own: Sequence[Array]
    random: Sequence[Array]

    def skewness(self, gradients: Array, widths: Array) -> Array:
        """That of contrasts (rows) of the joint log U, as in the intervals of one log: third cumulants of
        rows are 1/A^2 and, of the random log that both arms have, -1/B^2."""
        first, second = np.split(gradients, 2, axis=1)
        third = first**3 @ self.own[0] ** 2 + second**3 @ self.own[1] ** 2
        third -= (first + second) ** 3 @ self.random[0] ** 2
        return np.asarray(np.divide(third, widths**3, out=np.zeros_like(third), where=widths > 0))


def _ends(worlds: list[Array]) -> list[Array]:
    """The first world, and the one with the largest utilities."""
    return (
        [worlds[0], max(worlds, key=lambda utilities: float(utilities.sum()))] if len(worlds) > 1 else worlds
    )


def _normal_differences(
    estimates: Array, gradients: Array, errors: Errors, reach: float | Array
) -> list[Difference]:
    """Each estimate with `reach` of its errors to either side."""
    widths = np.sqrt(errors.variances(gradients))
    p_values = _p_values(estimates, widths, errors.degrees(gradients))
    low, high = estimates - reach * widths, estimates + reach * widths
    made = zip(estimates.tolist(), low.tolist(), high.tolist(), p_values.tolist(), strict=True)
    return [Difference(*each, "delta") for each in made]


def _p_values(estimates: Array, widths: Array, degrees: Array | None, skew: Array | float = 0.0) -> Array:
    law = stats.norm if degrees is None else stats.t(degrees)
    with np.errstate(divide="ignore", invalid="ignore"):
        chances = 2 * law.sf(np.abs(skewness.straightened(estimates / widths, skew)))
    return np.asarray(np.where(widths > 0, chances, estimates == 0), dtype=np.float64)
