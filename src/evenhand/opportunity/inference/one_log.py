"""From the counts of an arm to estimates with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy import special

from evenhand.opportunity.logs.arms import MeasuredLogs
from evenhand.opportunity.measures import (
    Array,
    logit_shares,
    penalty,
    penalty_gradient,
    relative_utilities,
)
from evenhand.stats import delta, normal
from evenhand.stats.log_ratios import equality, inversion, skewness
from evenhand.stats.log_ratios.clusters import Errors

PenaltyInterval = Literal["hull", "delta", "ray"]
Bounds = tuple[float, float]

# Enough evenly spread draws for a 95% interval; the calibration tests stand behind the number.
RAY_DRAWS = 512
FEW_PAIRS = 1_000


@dataclass(frozen=True)
class ArmInference:
    """Estimates and intervals of one arm."""

    arms: MeasuredLogs
    arm: int
    seed: int

    @cached_property
    def utilities(self) -> Array:
        return self.arms.utilities(self.arm)

    @cached_property
    def errors(self) -> Errors:
        return self.arms.errors(self.arm)

    @property
    def covariance(self) -> Array:
        return self.errors.covariance

    @cached_property
    def ratio_bias(self) -> Array:
        return self.arms.ratio_bias(self.arm)

    @property
    def has_zero(self) -> bool:
        return bool((self.arms.positives[self.arm] == 0).any())

    def worlds(self, level: float) -> Iterator[tuple[Array, float]]:
        """The utilities to build intervals around, and the level at which to do it.

        A group without a positive has U = 0, but its rate may be anything up to its exact (Clopper-Pearson)
        limit. So half of the error goes to these limits, and intervals are the hull over a few
        counts up to them, held fixed. All groups share this error, since of many with a few
        positives each it is chance which of them has none. Where rows of a cluster come in clumps, so do
        those that did not come: the limit is as many times as large as a clump, by the group that clumps
        most. Groups have the same utility as far as their limits allow, among others that of the groups with
        positives: so the fairest of all systems that fit is one of these.
        """
        zero = self.arms.positives[self.arm] == 0
        if not zero.any():
            yield self.utilities, level
            return
        limits, at = self._limits(level)
        highest = float(limits.max())
        for utility in (*(highest * np.linspace(0, 1, 9) ** 2), self.utilities[~zero].mean()):
            yield np.where(zero, np.minimum(limits, utility), self.utilities), at

    def own_worlds(self, level: float) -> tuple[Array, float] | None:
        """For each group (a row) the utilities with which it stands out most above the others.

        It has its limit, if it has no positive, and all others without any have none at all. None where fewer
        than two groups are without a positive: `worlds` has that one.
        """
        zero = self.arms.positives[self.arm] == 0
        if zero.sum() < 2:
            return None
        limits, at = self._limits(level)
        return np.tile(self.utilities, (len(zero), 1)) + np.diag(limits), at

    def _limits(self, level: float) -> tuple[Array, float]:
        """Exact limits of the utilities of groups without a positive (0 of others), all at once, and the
        level that is left."""
        error = (1 - level) / 2
        total, groups = self.arms.totals[self.arm], len(self.utilities)
        limit = self.arms.clumping(self.arm) * total * (1 - (error / groups) ** (1 / total))
        return self.arms.utilities(self.arm, np.full(groups, limit)) - self.utilities, 1 - error

    def unbiased_worlds(self, level: float) -> Iterator[tuple[Array, float]]:
        """The same without the bias of a ratio, which with many small groups exceeds the error of their mean.

        Only intervals are built around these: the estimate stays the published one.
        """
        for utilities, at in self.worlds(level):
            yield utilities / (1 + self.ratio_bias), at

    def unbiased_own_worlds(self, level: float) -> tuple[Array, float] | None:
        """The same of `own_worlds`."""
        own = self.own_worlds(level)
        return own and (own[0] / (1 + self.ratio_bias), own[1])

    def penalty_interval(self, level: float, method: PenaltyInterval = "hull") -> Bounds:
        worlds = self.unbiased_worlds(level) if method == "hull" else self.worlds(level)
        estimate = float(penalty(self.utilities))
        made = [self._penalty_interval(u, at, method) for u, at in worlds]
        low, high = inversion.hull(*made, (estimate, estimate))
        return max(0.0, low), min(high, float(np.sqrt(len(self.utilities) - 1)))

    def delta_part(self, level: float) -> Bounds:
        """A part of the hull that is quick to make."""
        made = [self._penalty_interval(u, at, "delta") for u, at in self.unbiased_worlds(level)]
        return inversion.hull(*made)

    def reaches_zero(self, level: float) -> bool:
        """Whether the hull starts at 0, which is far quicker to say than where it ends."""
        if self.has_zero:
            return self.penalty_interval(level)[0] <= 0
        ((utilities, _),) = self.unbiased_worlds(level)
        h = float(penalty(utilities))
        error = delta.standard_error(penalty_gradient(utilities), self.covariance)
        if h == 0 or delta.interval(h, error, level, self.errors.most)[0] <= 0:
            return True
        if len(utilities) == 2:
            return self._ray(utilities, level)[0] <= 0
        noise = self._noise(utilities)
        return inversion.ray_reaches_zero(penalty, relative_utilities(utilities), noise, level)

    def _penalty_interval(self, utilities: Array, level: float, method: PenaltyInterval) -> Bounds:
        h = float(penalty(utilities))
        error = delta.standard_error(penalty_gradient(utilities), self.covariance)
        by_delta = delta.interval(h, error, level, self.errors.most)
        if method == "delta":
            return by_delta
        by_ray = self._ray(utilities, level)
        if method == "ray":
            return by_ray
        reach = normal.critical_value(level, self.errors.most)
        by_noise = inversion.along_noise(penalty, utilities, self.covariance, reach)
        return inversion.hull(by_delta, by_ray, by_noise)

    def _ray(self, utilities: Array, level: float) -> Bounds:
        """The sizes of unfairness that fit; from 0 to the estimate where the groups are surprisingly equal.

        There no size fits and 0 fits best. With many small groups that is common: their noise alone makes
        a larger penalty than the one observed, and without 0 the other parts of the hull would miss it.
        """
        d = relative_utilities(utilities)
        h = float(penalty(utilities))
        if len(d) == 2 and (utilities > 0).all():
            contrast = np.array([1.0, -1.0])
            error = delta.standard_error(contrast, self.covariance)
            sizes = inversion.folded_normal(abs(float(np.diff(np.log(utilities))[0])), error, level)
            return (0.0, h) if sizes is None else (float(np.tanh(sizes[0] / 2)), float(np.tanh(sizes[1] / 2)))
        if h == 0:
            return 0.0, h
        noise = self._noise(utilities)
        steps = inversion.along_ray(penalty, d, noise, level)
        return (0.0, h) if steps is None else (steps[0] * h, steps[1] * h)

    def _noise(self, utilities: Array) -> Array:
        """Draws of the error of log U, the same for a group whatever its name and place."""
        return normal.draws_with_covariance(self.covariance, RAY_DRAWS, self.seed, key=utilities)

    def relative_utility_intervals(self, level: float, simultaneous: bool = True) -> list[Bounds]:
        """Intervals of d_k, made on the scale of logit(U_k / sum U).

        There the error is nearly symmetric, and the limits stay in (-1, K - 1). What skewness is left counts
        far out, where the limits of many groups at once are: that of rows is known, and taken out. Two groups
        have one log ratio between them, so there the simultaneous interval is the pointwise one.
        """
        worlds = [*self.unbiased_worlds(level), self.unbiased_own_worlds(level)]
        made = [self._relative_utility_intervals(*world, simultaneous) for world in worlds if world]
        return [inversion.hull(*intervals) for intervals in zip(*made, strict=True)]

    def _relative_utility_intervals(self, utilities: Array, level: float, simultaneous: bool) -> list[Bounds]:
        """Around these utilities, or for each group around those in its row."""
        _, gradients = logit_shares(utilities)
        errors = np.sqrt(self.errors.variances(gradients))
        degrees = self.errors.degrees(gradients)
        reach = normal.critical_value(level, degrees)
        if simultaneous:
            reach = normal.simultaneous_critical_value(gradients, self.covariance, level, self.seed, degrees)
        own, random = self.arms.own_noise(self.arm), self.ratio_bias
        # The logarithm of an unbiased sum is too small, by half of its relative variance.
        half = (gradients * np.abs(gradients)) @ (own + random) / 2
        # Third cumulants of rows: 1/A^2 and -1/B^2. Those of clusters would have to be estimated, which
        # makes intervals worse: the one large cluster that would tell is mostly not there.
        third = gradients**3 @ (own**2 - random**2)
        skew = np.divide(third, errors**3, out=np.zeros_like(third), where=errors > 0)
        below, above = skewness.reaches(reach, skew)
        # Limits are where the utilities go that move the group most, as the share of a large group bends with
        # the utility of a rare one; or along the tangent, where that is further.
        moved = gradients @ self.covariance / np.where(errors > 0, errors, 1.0)[:, None]
        logits = logit_shares(utilities)[0] + half
        bent = [
            logit_shares(utilities * np.exp(reach[:, None] * moved))[0] + half for reach in (-below, above)
        ]
        low = len(half) * special.expit(np.minimum(bent[0], logits - below * errors)) - 1
        high = len(half) * special.expit(np.maximum(bent[1], logits + above * errors)) - 1
        return list(zip(low.tolist(), high.tolist(), strict=True))

    def worst_ratio_interval(self, level: float) -> Bounds:
        """Interval of min U / max U from simultaneous intervals of all pairs.

        The worst ratio is the least of all ratios U_i/U_j. If every pair's interval holds, the least lower
        limit is below it and the least upper limit is above it, however the two extreme groups
        were chosen.
        """
        return inversion.hull(*(self._worst_ratio_interval(u, at) for u, at in self.worlds(level)))

    def _worst_ratio_interval(self, utilities: Array, level: float) -> Bounds:
        if (utilities == 0).any():
            return 0.0, 0.0
        first, second = np.triu_indices(len(utilities), k=1)
        logs = np.log(utilities) - self.ratio_bias / 2
        gaps = np.abs(logs[first] - logs[second])
        v = np.diag(self.covariance)
        errors = np.sqrt(np.maximum(0, v[first] + v[second] - 2 * self.covariance[first, second]))
        if len(first) <= FEW_PAIRS:
            pairs = np.eye(len(utilities))[first] - np.eye(len(utilities))[second]
            critical = normal.simultaneous_critical_value(
                pairs, self.covariance, level, self.seed, self.errors.degrees(pairs)
            )
        else:  # Bonferroni: the matrix of all contrasts would be large, and gain little
            critical = normal.critical_value(1 - (1 - level) / len(first), self.errors.most)
        reach = errors * critical
        return float(np.exp(-(gaps + reach).max())), float(min(1.0, np.exp(-(gaps - reach).max())))

    def equality(self) -> equality.ChiSquare | None:
        """Test of equal utilities: Wald on log U, or the score test where a group has no positive.

        None where no test keeps its level: clustered or weighted rows and a group without a positive, or
        fewer clusters that count than groups.
        """
        if not self.has_zero:
            return equality.wald(np.log(self.utilities), self.covariance, self.errors.degrees_together)
        counted = self.arms.random_of(self.arm)
        if self.errors.most is not None or counted is None:
            return None
        return equality.score(self.arms.positives[self.arm], counted)
