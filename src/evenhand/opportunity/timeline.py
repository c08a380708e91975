"""Counts of every day of a default log, and of the random traffic that each day is held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.opportunity.calendar import Calendar
from evenhand.opportunity.cautions import LEAST_CLUSTERS
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference import ArmInference
from evenhand.opportunity.measures import Array
from evenhand.opportunity.preparation import Prepared
from evenhand.stats import counts

Days = NDArray[np.bool_]
# Random traffic that a day is held against: of so many days, of its weekday, of all times, or of its own.
Window = int | Literal["weekday", "all"] | None
# Of fewer, heavy ones decide alone, and whether any of them is there is a matter of luck.
LEAST_EFFECTIVE = 5


@dataclass(frozen=True)
class Stretch:
    """Some days of the default log as one log, against some parts of the random log as one."""

    days: Days
    random: Days


@dataclass(frozen=True)
class Timeline:
    """Positives by day, bucket of users and group. `window` is None where all days share the random log.

    The random log is in parts: its days, or one part where it is shared; all over the same groups.
    `within[t, s]`: day t is held against part s.
    """

    calendar: Calendar
    prepared: Prepared
    periods: tuple[int, ...]
    positives: Array  # days x buckets x groups
    rows: NDArray[np.int64]  # days x groups
    random_parts: tuple[LogCounts, ...]
    within: Days  # days x parts
    window: int | Literal["weekday"] | None
    doubts: tuple[str, ...] = ()  # against what is said of single days

    @cached_property
    def totals(self) -> Array:
        """Positives by day and group."""
        return np.asarray(self.positives.sum(axis=1))

    @cached_property
    def random_rows(self) -> NDArray[np.int64]:
        """Rows by part of the random log and group, whatever their weights."""
        return np.stack([part.rows.sum(axis=0) for part in self.random_parts])

    @cached_property
    def random_weights(self) -> Array:
        """Rows, each with its weight, by part of the random log."""
        return np.array([part.weighted_total for part in self.random_parts])

    @cached_property
    def random_positives(self) -> Array:
        """Positives, each with its weight, by part of the random log, bucket and group."""
        return np.stack([part.weighted_positives for part in self.random_parts])

    @cached_property
    def random_totals(self) -> Array:
        """The same by part and group; 0 just where there is no positive, as every weight is above 0."""
        return np.asarray(self.random_positives.sum(axis=1))

    @cached_property
    def random_squares(self) -> Array:
        """Sums of squared weights of the positives, by part and group: what their totals vary by."""
        return np.stack([part.squared_positives.sum(axis=0) for part in self.random_parts])

    @property
    def clustered(self) -> bool:
        return self.positives.shape[1] > 1

    def __len__(self) -> int:
        return len(self.periods)

    @property
    def labels(self) -> list[str]:
        return [self.calendar.label(period) for period in self.periods]

    def day(self, t: int) -> Stretch:
        return Stretch(np.arange(len(self)) == t, np.logical_or.reduce(self.within[[t]]))

    def until(self, t: int) -> Stretch:
        """The first days up to this one together."""
        return Stretch(np.arange(len(self)) <= t, np.logical_or.reduce(self.within[: t + 1]))

    def random_log(self, stretch: Stretch) -> LogCounts:
        """The random traffic that these days are held against, as one log."""
        return reduce(
            add, (part for part, used in zip(self.random_parts, stretch.random, strict=True) if used)
        )

    def inference(self, stretch: Stretch, seed: int) -> ArmInference:
        return ArmInference(Stretches(self, (stretch,)), 0, seed)

    def problem(self, stretch: Stretch) -> str | None:
        """Why nothing can be computed for these days, if so."""
        if not self.totals[stretch.days].any():
            return "no positive row in the default log"
        totals = self.random_totals[stretch.random].sum(axis=0)
        if (totals == 0).any():
            return "a group has no positive row in the random traffic of its window"
        weighted = self.prepared.random.weights is not None
        if weighted and (totals**2 < LEAST_EFFECTIVE * self.random_squares[stretch.random].sum(axis=0)).any():
            return (
                "the positive rows of a group in the random traffic of its window are as good as fewer than "
                f"{LEAST_EFFECTIVE} of equal weight"
            )
        if self.clustered:
            logs = _together(stretch.days, self.positives), _together(stretch.random, self.random_positives)
            if min(log.any(axis=1).sum() for log in logs) < LEAST_CLUSTERS:
                return f"positive rows come from fewer than {LEAST_CLUSTERS} clusters"
        return None


@dataclass(frozen=True)
class Stretches:
    """Stretches of days in the place of the arms of an A/B test.

    Two of them may share days, parts of the random log, and users. With rows taken as independent the log
    of a count varies by 1/A, and two counts covary through the rows that both of them hold:
    Cov(log A_i, log A_j) = A_ij / (A_i A_j), likewise for the random log, where with weights w the count
    B_ij in the numerator is the sum of w^2. What is common to all groups is left out, since no contrast sees
    it. Over clusters the scores of the stretches are simply multiplied: a user who comes back on another
    day, or is in both logs, is one cluster everywhere.
    """

    timeline: Timeline
    stretches: Sequence[Stretch]

    @property
    def groups(self) -> tuple[str, ...]:
        return self.timeline.prepared.random.groups

    @cached_property
    def positives(self) -> Array:
        return np.array(
            [self.timeline.positives[s.days].sum(axis=(0, 1)) for s in self.stretches], dtype=float
        )

    @cached_property
    def totals(self) -> Array:
        return np.array([self.timeline.rows[s.days].sum() for s in self.stretches], dtype=float)

    @cached_property
    def _random_positives(self) -> Array:
        return np.array([self.timeline.random_totals[s.random].sum(axis=0) for s in self.stretches])

    @cached_property
    def _scores(self) -> tuple[list[Array], list[Array]]:
        """What each cluster adds to log A and log B of each stretch."""
        timeline = self.timeline
        own = [counts.cluster_scores(_together(s.days, timeline.positives)) for s in self.stretches]
        random = [
            counts.cluster_scores(_together(s.random, timeline.random_positives)) for s in self.stretches
        ]
        return own, random

    @property
    def df(self) -> int | None:
        """Clusters that hold a positive in the log with the fewest, less one."""
        dfs = [df for arm in range(len(self.stretches)) for df in self.dfs(arm) if df is not None]
        return min(dfs) if dfs else None

    def dfs(self, arm: int) -> tuple[int | None, int | None]:
        """The same for the default and the random log of one stretch."""
        if not self.timeline.clustered:
            return None, None
        own, random = (int(scores[arm].any(axis=1).sum()) - 1 for scores in self._scores)
        return max(1, own), max(1, random)

    def random_of(self, arm: int) -> Array | None:
        weighted = self.timeline.prepared.random.weights is not None
        return None if weighted else np.asarray(self._random_positives[arm])

    def utilities(self, arm: int, zero_counts: Array | None = None) -> Array:
        positives = self.positives[arm]
        if zero_counts is not None:
            positives = np.where(positives == 0, zero_counts, positives)
        random_total = self.timeline.random_weights[self.stretches[arm].random].sum()
        return np.asarray((positives / self.totals[arm]) / (self._random_positives[arm] / random_total))

    def ratio_bias(self, arm: int) -> Array:
        return np.diag(self.random_block(arm, arm))

    def block(self, arm: int, other: int | None = None) -> Array:
        """Covariance of log U between two stretches, or within one."""
        other = arm if other is None else other
        if self.timeline.clustered:
            first, second = (self._scores[0][i] - self._scores[1][i] for i in (arm, other))
            return np.asarray(first.T @ second)
        return self.own_block(arm, other) + self.random_block(arm, other)

    def own_block(self, arm: int, other: int) -> Array:
        """The part of it that is due to the default log alone."""
        if self.timeline.clustered:
            return np.asarray(self._scores[0][arm].T @ self._scores[0][other])
        both = self.stretches[arm].days & self.stretches[other].days
        shared = self.timeline.totals[both].sum(axis=0)
        return _diagonal(shared, self.positives[arm] * self.positives[other])

    def random_block(self, arm: int, other: int) -> Array:
        """The part of it that is due to the random log alone."""
        if self.timeline.clustered:
            return np.asarray(self._scores[1][arm].T @ self._scores[1][other])
        both = self.stretches[arm].random & self.stretches[other].random
        shared = self.timeline.random_squares[both].sum(axis=0)
        return _diagonal(shared, self._random_positives[arm] * self._random_positives[other])


def _together(chosen: Days, counted: Array) -> Array:
    """The chosen days or parts added up; a product, which is quicker than to take them out of hundreds."""
    return np.tensordot(chosen.astype(float), counted, axes=1)


def _diagonal(shared: Array, product: Array) -> Array:
    # A group without a positive is held fixed at counts that its exact limit allows.
    return np.diag(np.divide(shared, product, out=np.zeros(len(shared)), where=product > 0))
