"""Default logs against random traffic: their counts, and how the errors of their utilities go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.measures import Array
from evenhand.stats.log_ratios import counts
from evenhand.stats.log_ratios.clusters import Errors, over_two
from evenhand.stats.log_ratios.moderated import moderated_scores

# Degrees of freedom of users, whose activity is given, allow for the other half of what a group lacks.
_PART_OF_USERS = 0.5


class MeasuredLogs(Protocol):
    """Several default logs, each against random traffic: what the inference on one or two of them needs."""

    @property
    def groups(self) -> tuple[str, ...]: ...

    @property
    def positives(self) -> Array: ...  # arms x groups

    @property
    def totals(self) -> Array: ...

    def random_of(self, arm: int) -> Array | None:
        """Positives by group of the random traffic of this arm; None where they are no plain counts."""

    def utilities(self, arm: int, zero_counts: Array | None = None) -> Array: ...

    def ratio_bias(self, arm: int) -> Array:
        """By how much of itself U = A/B is too large on average: the variance of log B.

        For a Poisson count 1/(B + 1) is unbiased (but for B = 0), and B + 1 = B (1 + 1/B). Rows count here
        as independent, whatever the clusters: where a few users hold much, both B and its estimated
        variance are large when they are there, and a correction by it would go the wrong way; and what both
        logs owe to the same users moves A with B, and leaves the ratio where it is.
        """

    def own_noise(self, arm: int) -> Array:
        """Variances of log A with rows taken as independent; 0 without a positive."""

    def clumping(self, arm: int) -> float:
        """How many times as much as independent rows the positives of a group vary, at most."""

    def errors(self, *arms: int) -> Errors:
        """Errors of log U of one arm, or of several side by side."""


@dataclass(frozen=True)
class Arms:
    """Several default logs against one random log, over the groups that random traffic can identify.

    `random_scores` and `scores` are what each cluster adds to log B and log A; None for independent rows.
    `item_scores` and `random_item_scores` are the same for clusters of a second kind, where there are any.
    `random_variance` is that of log B where it is not 1/B: rows with unequal weights, a known denominator.
    With `same_rows` the arms are one log, counted in several ways, and share all of their noise. Groups learn
    from each other how much they vary, unless they are not `moderated`: then errors are those seen.
    `pair_scores` are what each pair of clusters of both kinds adds to log U, where logs may share rows.
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
    item_scores: Array | None = None
    random_item_scores: Array | None = None
    moderated: bool = True
    pair_scores: Array | None = None  # clusters x arms x groups

    @classmethod
    def from_logs(
        cls,
        logs: Sequence[LogCounts],
        random: LogCounts,
        variance: counts.Variance = "multinomial",
        shared_random: bool = True,
    ) -> Arms:
        """`logs` and `random` over the same groups, each with at least one positive in `random`."""
        clustered, by_item = random.clustered, random.by_item is not None
        of_pairs = [log.pair_scores for log in logs]
        known = [scores for scores in of_pairs if scores is not None]
        shared = random.pair_scores if len(known) == len(logs) else None
        return cls(
            groups=random.groups,
            positives=np.array([log.positives.sum(axis=0) for log in logs], dtype=float),
            totals=np.array([log.total for log in logs], dtype=float),
            random_positives=random.weighted_positives.sum(axis=0),
            random_total=random.weighted_total,
            scores=np.stack([log.scores for log in logs], axis=1) if clustered else None,
            random_scores=random.scores if clustered else None,
            variance=variance,
            shared_random=shared_random,
            # Cov(log B_j, log B_k) = delta_jk sum w^2 / (sum w)^2 - 1/m, and the common -1/m cancels.
            random_variance=None if random.weights is None else 1 / random.effective_positives,
            item_scores=np.stack([log.item_scores for log in logs], axis=1) if by_item else None,
            random_item_scores=random.item_scores if by_item else None,
            pair_scores=None if shared is None else np.stack(known, axis=1) - shared[:, None, :],
        )

    @cached_property
    def _sides(self) -> list[tuple[Array, Array]]:
        """Scores of log A and of log B, for each kind of cluster."""
        both = (self.scores, self.random_scores), (self.item_scores, self.random_item_scores)
        return [(own, random) for own, random in both if own is not None and random is not None]

    @cached_property
    def _most(self) -> int | None:
        """Clusters that hold a positive in the log with the fewest, less one.

        Many users in one log cannot make up for few in another.
        """
        logs = [log for own, random in self._sides for log in (*np.moveaxis(own, 1, 0), random)]
        # A denominator that is known has no scores at all.
        used = [int(log.any(axis=1).sum()) for log in logs if log.any()]
        return max(1, min(used) - 1) if used else None

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
        """None in the published formulas."""
        if self.variance == "independent":
            return np.zeros(len(self.groups))
        return self._row_variances

    def own_noise(self, arm: int) -> Array:
        """None in the published formulas, which take the error as symmetric."""
        if self.variance == "independent":
            return np.zeros(len(self.groups))
        return counts.share_variance(self.positives[arm], self.totals[arm], self.variance)

    def clumping(self, arm: int) -> float:
        return 1.0 if self.scores is None else counts.clumping(self.scores[:, arm], self.positives[arm])

    def errors(self, *arms: int) -> Errors:
        """Errors of log U, arms x groups flattened, with the random log common to all arms."""
        groups = len(self.groups)
        columns = np.concatenate([np.arange(groups) + arm * groups for arm in arms])
        apart: Array = np.asarray(np.kron(np.eye(len(arms)), np.ones((groups, groups))), dtype=np.float64)
        if not self._sides:
            covariance = self._of_rows[np.ix_(columns, columns)]
            return Errors(covariance if self.shared_random else covariance * apart)
        sides = [(own - random[:, None, :])[:, list(arms)] for own, random in self._sides]
        rows = self._of_rows[np.ix_(columns, columns)] if len(sides) > 1 else None
        kept = None if self.shared_random else apart
        return clustered_errors(sides, rows, self._most, kept, moderated=self.moderated)

    @cached_property
    def _row_variances(self) -> Array:
        """Variances of log B with rows taken as independent."""
        if self.random_variance is not None:
            return self.random_variance
        return counts.share_variance(self.random_positives, self.random_total, self.variance)

    @cached_property
    def _of_rows(self) -> Array:
        """Covariance of log U of all arms with rows taken as independent.

        A row that two logs share moves both: A of B rows, drawn from these, vary by 1/A - 1/B and not by
        1/A + 1/B. Over buckets of pairs that comes out by itself, whatever is shared.
        """
        arms = len(self.positives)
        if self.pair_scores is not None:
            flat = self.pair_scores.reshape(len(self.pair_scores), -1)
            # A row is of one group; what else buckets say of two groups is chance.
            of_one = np.kron(np.ones((arms, arms)), np.eye(len(self.groups)))
            return np.asarray(counts.cluster_covariance(flat) * of_one)
        pairs = zip(self.positives, self.totals, strict=True)
        own = [counts.share_variance(positives, total, self.variance) for positives, total in pairs]
        common = self._row_variances
        shared = common + own[0] if self.same_rows else common
        joint = np.asarray(np.kron(np.ones((arms, arms)), np.diag(shared)), dtype=np.float64)
        return joint if self.same_rows else joint + np.diag(np.concatenate(own))


def clustered_errors(
    sides: Sequence[Array],
    rows: Array | None,
    most: int | None,
    kept: Array | None = None,
    *,
    moderated: bool = True,
) -> Errors:
    """Errors from scores (clusters x arms x groups) of one kind of cluster, or of two and of single rows.

    `kept` is 1 where a covariance stands and 0 where it is taken as none. A group that happens to lack the
    few clusters which hold most has too small a count and too small a variance at once: so groups learn from
    each other how much they vary, where they are `moderated`.
    """
    groups = sides[0].shape[2]
    if rows is None:
        (users,) = sides
        # What is common to all groups moves no measure: if it counted, all would seem to vary alike.
        learnt = moderated_scores(_centred(users), _PART_OF_USERS) if moderated else users
        flat = [learnt.reshape(len(learnt), -1)]
        covariance = counts.cluster_covariance(flat[0])
    else:
        users, items = sides
        # Here it must not choose the axes.
        both = _centred(users), _centred(moderated_scores(items) if moderated else items)
        flat = [side.reshape(len(side), -1) for side in both]
        centring = np.kron(np.eye(users.shape[1]), np.eye(groups) - 1 / groups)
        first, second = (counts.cluster_covariance(scores) for scores in flat)
        covariance = over_two(first, second, centring @ rows @ centring)
    return Errors(covariance if kept is None else covariance * kept, tuple(flat), most)


def _centred(scores: Array) -> Array:
    """Scores without what is common to all groups."""
    return np.asarray(scores - scores.mean(axis=2, keepdims=True))
