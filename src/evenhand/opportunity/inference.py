"""From counts to estimates with intervals, for arms that share a random log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.measures import (
    Array,
    logit_share_gradients,
    penalty,
    penalty_gradient,
    relative_utilities,
)
from evenhand.stats import counts, delta, equality, inversion, normal

PenaltyInterval = Literal["hull", "delta", "ray"]
Bounds = tuple[float, float]

# Enough evenly spread draws for a 95% interval; the calibration tests stand behind the number.
RAY_DRAWS = 512
FEW_PAIRS = 1_000


class Measured(Protocol):
    """Several default logs, each against random traffic: what the inference on one or two of them needs."""

    @property
    def groups(self) -> tuple[str, ...]: ...

    @property
    def positives(self) -> Array: ...  # arms x groups

    @property
    def totals(self) -> Array: ...

    @property
    def df(self) -> int | None: ...

    def random_of(self, arm: int) -> Array | None:
        """Positives by group of the random traffic of this arm; None where they are no plain counts."""

    def utilities(self, arm: int, zero_counts: Array | None = None) -> Array: ...

    def block(self, arm: int, other: int | None = None) -> Array:
        """Covariance of log U between two arms, or within one."""


@dataclass(frozen=True)
class Arms:
    """Several default logs against one random log, over the groups that random traffic can identify.

    `random_scores` and `scores` are what each cluster adds to log B and log A; None for independent rows.
    `random_variance` is that of log B where it is not 1/B: rows with unequal weights, a known denominator.
    With `same_rows` the arms are one log, counted in several ways, and share all of their noise.
    """

    groups: tuple[str, ...]
    positives: Array  # arms x groups
    totals: Array  # rows of each arm's log
    random_positives: Array
    random_total: float
    scores: Array | None  # clusters x arms x groups
    random_scores: Array | None  # clusters x groups
    variance: counts.Variance = "multinomial"
    shared_random: bool = True
    random_variance: Array | None = None
    same_rows: bool = False

    @classmethod
    def from_logs(
        cls,
        logs: Sequence[LogCounts],
        random: LogCounts,
        variance: counts.Variance = "multinomial",
        shared_random: bool = True,
    ) -> Arms:
        """`logs` and `random` over the same groups, each with at least one positive in `random`."""
        clustered = random.clustered
        return cls(
            groups=random.groups,
            positives=np.array([log.positives.sum(axis=0) for log in logs], dtype=float),
            totals=np.array([log.total for log in logs], dtype=float),
            random_positives=random.weighted_positives.sum(axis=0),
            random_total=random.weighted_total,
            scores=np.stack([_scores(log) for log in logs], axis=1) if clustered else None,
            random_scores=_scores(random) if clustered else None,
            variance=variance,
            shared_random=shared_random,
            # Cov(log B_j, log B_k) = delta_jk sum w^2 / (sum w)^2 - 1/m, and the common -1/m cancels.
            random_variance=None if random.weights is None else 1 / random.effective_positives,
        )

    @cached_property
    def df(self) -> int | None:
        """Degrees of freedom of a cluster-robust variance, from the log with the fewest clusters.

        Those that hold a positive, less one: many users in one log cannot make up for few in another.
        """
        if self.scores is None or self.random_scores is None:
            return None
        logs = [*np.moveaxis(self.scores, 1, 0), self.random_scores]
        # A denominator that is known has no scores at all.
        return max(1, min(int(log.any(axis=1).sum()) for log in logs if log.any()) - 1)

    def random_of(self, arm: int) -> Array | None:
        """The same random log for all arms."""
        return self.random_positives if self.random_variance is None else None

    def utilities(self, arm: int, zero_counts: Array | None = None) -> Array:
        """U_k of an arm; `zero_counts` stands in for the counts of groups without a positive."""
        positives = self.positives[arm]
        if zero_counts is not None:
            positives = np.where(positives == 0, zero_counts, positives)
        return (positives / self.totals[arm]) / (self.random_positives / self.random_total)

    @cached_property
    def covariance(self) -> Array:
        """Covariance of log U, arms x groups flattened, with the random log common to all arms."""
        arms, groups = self.positives.shape
        if self.scores is not None and self.random_scores is not None:
            scores = self.scores - self.random_scores[:, None, :]
            joint = counts.cluster_covariance(scores.reshape(len(scores), arms * groups))
        else:
            pairs = zip(self.positives, self.totals, strict=True)
            own = [counts.share_variance(positives, total, self.variance) for positives, total in pairs]
            common = self.random_variance
            if common is None:
                common = counts.share_variance(self.random_positives, self.random_total, self.variance)
            shared = common + own[0] if self.same_rows else common
            joint = np.asarray(np.kron(np.ones((arms, arms)), np.diag(shared)), dtype=np.float64)
            if not self.same_rows:
                joint = joint + np.diag(np.concatenate(own))
        if not self.shared_random:
            joint = joint * np.kron(np.eye(arms), np.ones((groups, groups)))
        return joint

    def block(self, arm: int, other: int | None = None) -> Array:
        """Covariance of log U between two arms, or within one."""
        k = len(self.groups)
        other = arm if other is None else other
        return self.covariance[arm * k : (arm + 1) * k, other * k : (other + 1) * k]


def _scores(log: LogCounts) -> Array:
    return counts.cluster_scores(log.weighted_positives)


@dataclass(frozen=True)
class ArmInference:
    """Estimates and intervals of one arm."""

    arms: Measured
    arm: int
    seed: int

    @cached_property
    def utilities(self) -> Array:
        return self.arms.utilities(self.arm)

    @cached_property
    def covariance(self) -> Array:
        return self.arms.block(self.arm)

    @property
    def has_zero(self) -> bool:
        return bool((self.arms.positives[self.arm] == 0).any())

    def worlds(self, level: float) -> Iterator[tuple[Array, float]]:
        """The utilities to build intervals around, and the level at which to do it.

        A group without a positive has U = 0, but its rate may be anything up to its exact (Clopper-Pearson)
        limit. So half of the error goes to that limit, and intervals are the hull over a few
        counts between 0 and the limit, held fixed.
        """
        zero = self.arms.positives[self.arm] == 0
        if not zero.any():
            yield self.utilities, level
            return
        error = (1 - level) / 2
        total = self.arms.totals[self.arm]
        limit = total * (1 - (error / zero.sum()) ** (1 / total))
        for count in limit * np.linspace(0, 1, 9) ** 2:
            yield self.arms.utilities(self.arm, np.full(len(zero), count)), 1 - error

    def penalty_interval(self, level: float, method: PenaltyInterval = "hull") -> Bounds:
        worlds = [self._penalty_interval(u, at, method) for u, at in self.worlds(level)]
        low, high = inversion.hull(*worlds)
        return max(0.0, low), min(high, float(np.sqrt(len(self.utilities) - 1)))

    def reaches_zero(self, level: float) -> bool:
        """Whether the hull starts at 0, which is far quicker to say than where it ends."""
        if self.has_zero:
            return self.penalty_interval(level)[0] <= 0
        h = float(penalty(self.utilities))
        error = delta.standard_error(penalty_gradient(self.utilities), self.covariance)
        if h == 0 or delta.interval(h, error, level, self.arms.df)[0] <= 0:
            return True
        if len(self.utilities) == 2:
            by_ray = self._ray(self.utilities, level)
            return by_ray is not None and by_ray[0] <= 0
        noise = normal.draws_with_covariance(self.covariance, RAY_DRAWS, self.seed)
        return inversion.ray_reaches_zero(penalty, relative_utilities(self.utilities), noise, level)

    def _penalty_interval(self, utilities: Array, level: float, method: PenaltyInterval) -> Bounds:
        h = float(penalty(utilities))
        error = delta.standard_error(penalty_gradient(utilities), self.covariance)
        by_delta = delta.interval(h, error, level, self.arms.df)
        if method == "delta":
            return by_delta
        by_ray = self._ray(utilities, level)
        if method == "ray":
            # Surprisingly equal: no size of unfairness fits, and 0 fits best.
            return by_ray or (0.0, h)
        reach = normal.critical_value(level, self.arms.df)
        by_noise = inversion.along_noise(penalty, utilities, self.covariance, reach)
        return inversion.hull(by_delta, by_ray, by_noise)

    def _ray(self, utilities: Array, level: float) -> Bounds | None:
        d = relative_utilities(utilities)
        h = float(penalty(utilities))
        if len(d) == 2 and (utilities > 0).all():
            contrast = np.array([1.0, -1.0])
            error = delta.standard_error(contrast, self.covariance)
            sizes = inversion.folded_normal(abs(float(np.diff(np.log(utilities))[0])), error, level)
            return None if sizes is None else (float(np.tanh(sizes[0] / 2)), float(np.tanh(sizes[1] / 2)))
        if h == 0:
            return None
        noise = normal.draws_with_covariance(self.covariance, RAY_DRAWS, self.seed)
        steps = inversion.along_ray(penalty, d, noise, level)
        return None if steps is None else (steps[0] * h, steps[1] * h)

    def relative_utility_intervals(self, level: float, simultaneous: bool = True) -> list[Bounds]:
        """Intervals of d_k, made on the scale of logit(U_k / sum U).

        There the error is nearly symmetric even for a rare group, and the limits stay in (-1, K - 1). Two
        groups have one log ratio between them, so there the simultaneous interval is the pointwise one.
        """
        worlds = [self._relative_utility_intervals(u, at, simultaneous) for u, at in self.worlds(level)]
        return [inversion.hull(*intervals) for intervals in zip(*worlds, strict=True)]

    def _relative_utility_intervals(self, utilities: Array, level: float, simultaneous: bool) -> list[Bounds]:
        gradients = logit_share_gradients(utilities)
        errors = np.sqrt(np.einsum("ij,jk,ik->i", gradients, self.covariance, gradients))
        reach = normal.critical_value(level, self.arms.df)
        if simultaneous:
            reach = normal.simultaneous_critical_value(
                gradients, self.covariance, level, self.seed, self.arms.df
            )
        shares = utilities / utilities.sum()
        with np.errstate(divide="ignore"):
            logits = np.log(shares) - np.log1p(-shares)
        ends = len(shares) / (1 + np.exp(-(logits + np.outer([-reach, reach], errors)))) - 1
        return list(zip(ends[0].tolist(), ends[1].tolist(), strict=True))

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
        gaps = np.abs(np.log(utilities[first] / utilities[second]))
        v = np.diag(self.covariance)
        errors = np.sqrt(np.maximum(0, v[first] + v[second] - 2 * self.covariance[first, second]))
        if len(first) <= FEW_PAIRS:
            identity = np.eye(len(utilities))
            critical = normal.simultaneous_critical_value(
                identity[first] - identity[second], self.covariance, level, self.seed, self.arms.df
            )
        else:  # Bonferroni: the matrix of all contrasts would be large, and gain little
            critical = normal.critical_value(1 - (1 - level) / len(first), self.arms.df)
        reach = errors * critical
        return float(np.exp(-(gaps + reach).max())), float(min(1.0, np.exp(-(gaps - reach).max())))

    def equality(self) -> equality.ChiSquare | None:
        """Test of equal utilities: Wald on log U, or the score test where a group has no positive.

        None where no test keeps its level: clustered or weighted rows and a group without a positive, or
        fewer clusters than groups.
        """
        if not self.has_zero:
            return equality.wald(np.log(self.utilities), self.covariance, self.arms.df)
        counted = self.arms.random_of(self.arm)
        if self.arms.df is not None or counted is None:
            return None
        return equality.score(self.arms.positives[self.arm], counted)
