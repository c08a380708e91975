"""Counts of every day of a default log, and of the random traffic that each day is held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import clustered_errors
from evenhand.opportunity.logs.calendar import Calendar
from evenhand.opportunity.logs.cautions import LEAST_CLUSTERS
from evenhand.opportunity.logs.preparation import Prepared
from evenhand.opportunity.measures import Array
from evenhand.stats.log_ratios import counts
from evenhand.stats.log_ratios.clusters import Errors

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
    `within[t, s]`: day t is held against part s. `own[t, s]`: part s is of that day; None where the random
    log has no days.
    """

    calendar: Calendar
    prepared: Prepared
    periods: tuple[int, ...]
    positives: Array  # days x buckets x groups
    rows: NDArray[np.int64]  # days x groups
    people: NDArray[np.int64]  # days x groups, at least
    random_parts: tuple[LogCounts, ...]
    within: Days  # days x parts
    window: int | Literal["weekday"] | None
    positives_by_item: Array | None = None  # days x buckets of a second cluster column x groups
    doubts: tuple[str, ...] = ()  # against what is said of single days
    own: Days | None = None  # days x parts

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
    def by_cluster(self) -> list[tuple[Array, Array]]:
        """Positives of the two logs by day or part, bucket and group, for each kind of cluster."""
        kinds = [(self.positives, self.random_positives)]
        if self.positives_by_item is not None:
            parts = [part.by_item for part in self.random_parts if part.by_item is not None]
            kinds.append((self.positives_by_item, np.stack(parts)))
        return kinds

    @cached_property
    def random_totals(self) -> Array:
        """The same by part and group; 0 just where there is no positive, as every weight is above 0."""
        return np.asarray(self.random_positives.sum(axis=1))

    @cached_property
    def random_squares(self) -> Array:
        """Sums of squared weights of the positives, by part and group: what their totals vary by."""
        return np.stack([part.squared_positives.sum(axis=0) for part in self.random_parts])

    @cached_property
    def _random_buckets(self) -> NDArray[np.int64] | Days:
        """Parts of the random log x buckets of users x groups: if there are rows; without users, rows."""
        rows = np.stack([part.rows for part in self.random_parts])
        return rows > 0 if self.clustered else rows

    @property
    def clustered(self) -> bool:
        return self.positives.shape[1] > 1

    def __len__(self) -> int:
        return len(self.periods)

    @property
    def labels(self) -> list[str]:
        return [self.calendar.label(period) for period in self.periods]

    def fewest(self, stretch: Stretch) -> int:
        """The fewest people, at least, that a group has in either log in this time; nobody is not few."""
        own = self.people[stretch.days].max(axis=0)  # the same people may come again every day
        buckets = self._random_buckets[stretch.random]
        random = buckets.any(axis=0).sum(axis=0) if self.clustered else buckets.sum(axis=(0, 1))
        counted = np.concatenate([own, random])
        return int(counted[counted > 0].min(initial=np.iinfo(np.int64).max))

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
            chosen = stretch.days, stretch.random
            logs = [zip(chosen, both, strict=True) for both in self.by_cluster]
            if min(_together(*each).any(axis=1).sum() for both in logs for each in both) < LEAST_CLUSTERS:
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
    def _scores(self) -> list[tuple[Array, Array]]:
        """What each cluster adds to log A and log B of the stretches, for each kind of cluster."""
        if not self.timeline.clustered:
            return []
        made = []
        for counted, random in self.timeline.by_cluster:
            own = [counts.cluster_scores(_together(s.days, counted)) for s in self.stretches]
            of_random = [
                counts.cluster_scores(_together(s.random, random), one)
                for s, one in zip(self.stretches, self._ones, strict=True)
            ]
            made.append((np.stack(own, axis=1), np.stack(of_random, axis=1)))
        return made

    @cached_property
    def _ones(self) -> Array:
        """The weight of a positive row of the random log of each stretch, by group."""
        squares = np.stack([self.timeline.random_squares[s.random].sum(axis=0) for s in self.stretches])
        sums = self._random_positives
        return np.divide(squares, sums, out=np.ones_like(sums), where=sums > 0)

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
        return np.diag(self._of_rows_between(arm, arm, np.array([False, True])))

    def own_noise(self, arm: int) -> Array:
        return np.diag(self._of_rows_between(arm, arm, np.array([True, False])))

    def clumping(self, arm: int) -> float:
        if not self._scores:
            return 1.0
        return counts.clumping(self._scores[0][0][:, arm], self.positives[arm])

    def errors(self, *arms: int, own: bool = True, random: bool = True) -> Errors:
        """Errors of log U of stretches side by side; or the part due to the default or the random log."""
        chosen, there = list(arms), np.array([own, random])
        if not self._scores:
            return Errors(self._of_rows(chosen, there))
        logs = [[log[:, chosen] for log in both] for both in self._scores]
        used = [
            log[:, i].any(axis=1).sum()
            for both in logs
            for log, t in zip(both, there, strict=True)
            if t
            for i in range(len(chosen))
        ]
        sides = [there[0] * of_default - there[1] * of_random for of_default, of_random in logs]
        rows = self._of_rows(chosen, there) if len(sides) > 1 else None
        return clustered_errors(sides, rows, max(1, int(min(used)) - 1))

    def _of_rows(self, arms: Sequence[int], there: Days) -> Array:
        """Covariance of log U with rows taken as independent, as far as it is due to these logs."""
        return np.block([[self._of_rows_between(i, j, there) for j in arms] for i in arms])

    def _of_rows_between(self, arm: int, other: int, there: Days) -> Array:
        one, two, timeline = self.stretches[arm], self.stretches[other], self.timeline
        own = _ratio(
            timeline.totals[one.days & two.days].sum(axis=0), self.positives[arm] * self.positives[other]
        )
        random = _ratio(
            timeline.random_squares[one.random & two.random].sum(axis=0),
            self._random_positives[arm] * self._random_positives[other],
        )
        return np.diag(there[0] * own + there[1] * random)


def _together(chosen: Days, counted: Array) -> Array:
    """The chosen days or parts added up; a product, which is quicker than to take them out of hundreds."""
    return np.tensordot(chosen.astype(float), counted, axes=1)


def _ratio(shared: Array, product: Array) -> Array:
    # A group without a positive is held fixed at counts that its exact limit allows.
    return np.divide(shared, product, out=np.zeros(len(shared)), where=product > 0)
