"""Default logs against random traffic: their counts, and how the errors of their utilities go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.measures import Array
from evenhand.stats import counts


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

    def ratio_bias(self, arm: int) -> Array:
        """By how much of itself U = A/B is too large on average: the variance of log B.

        For a Poisson count 1/(B + 1) is unbiased (but for B = 0), and B + 1 = B (1 + 1/B).
        """

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

    def ratio_bias(self, arm: int) -> Array:
        """The same for all arms; none in the published formulas."""
        return self._random_variances * (self.variance != "independent")

    @cached_property
    def _random_variances(self) -> Array:
        if self.random_scores is not None:
            return np.asarray((self.random_scores**2).sum(axis=0))
        if self.random_variance is not None:
            return self.random_variance
        return counts.share_variance(self.random_positives, self.random_total, self.variance)

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
            common = self._random_variances
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
