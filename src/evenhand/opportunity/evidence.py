"""What an opportunity audit needs to know about a log: counts by group, and by bucket of users.

Counts add up, so evidence of parts merges by `+`, whatever the parts: files, machines, or days in
which the same users recur, since a user stays in one bucket.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.asked.declared.logs import MOST_ROWS
from evenhand.errors import InputError
from evenhand.inputs import told_apart
from evenhand.parameters import whole
from evenhand.stats.log_ratios.counts import cluster_scores

Counts = NDArray[np.int64]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """Sums of w and of w^2 over the rows, and over the positive rows, of a log drawn with unequal chances.

    w = 1/p, where p is the probability with which a row was drawn. The shape is that of the counts.
    """

    rows: Array
    rows_squared: Array
    positives: Array
    positives_squared: Array

    def map(self, change: Callable[[Array], Array]) -> Weights:
        """The same change made to every sum."""
        return Weights(*(change(getattr(self, part.name)) for part in fields(self)))

    def __add__(self, other: Weights) -> Weights:
        return Weights(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))


@dataclass(frozen=True)
class LogCounts:
    """Rows and positive rows of one log.

    `rows` and `positives` have a row a bucket of the cluster column and a column a group; without a
    cluster column there is one bucket that holds everything. `missing` counts rows that were left out
    because their group is empty, and `missing_people` how many people these are, at least; `unseen` those
    left out because the table of attributes lacks their key. `weights` is there where rows were drawn with
    unequal probabilities. `by_item` are the positives, each with its weight, by bucket of a second cluster
    column and by group, and `by_pair` those by bucket of pairs of both columns, where logs may hold the same
    rows.
    """

    groups: tuple[str, ...]
    rows: Counts
    positives: Counts
    missing: int = 0
    weights: Weights | None = None
    by_item: Array | None = None
    missing_people: int = 0
    unseen: int = 0
    unseen_people: int = 0
    by_pair: Array | None = None

    @classmethod
    def from_totals(cls, groups: list[str], positives: list[int], rows: int) -> LogCounts:
        """Evidence from published totals; negative rows are spread evenly over the groups."""
        if len(positives) != len(groups) or not len(groups):
            raise InputError(
                f"positives has {len(positives)} counts, but there are {len(groups)} groups: give one each."
            )
        if len(set(groups)) < len(groups):
            raise InputError(f"groups names one twice: {', '.join(map(str, groups))}.")
        rows = whole("rows", rows, 1, MOST_ROWS)
        counted = [whole(f"positives[{k}]", count, 0, MOST_ROWS) for k, count in enumerate(positives)]
        totals = np.array([counted], dtype=np.int64)
        if totals.sum() > rows:
            raise InputError(f"{totals.sum():,} positives cannot come from {rows:,} rows.")
        each, rest = divmod(rows - int(totals.sum()), len(groups))
        negatives = np.full_like(totals, each)
        negatives[0, :rest] += 1
        return cls(tuple(groups), totals + negatives, totals)

    @property
    def clustered(self) -> bool:
        return len(self.rows) > 1

    @property
    def people(self) -> Counts:
        """How many people have rows of each group, at least: buckets of users that hold any, or rows.

        Two users may share a bucket, so that this errs on the side of hiding a group.
        """
        return np.asarray(self.group_clusters if self.clustered else self.rows.sum(axis=0))

    @property
    def sides(self) -> tuple[Array, ...]:
        """Positives, each with its weight, by bucket and group: of each cluster column."""
        if not self.clustered:
            return ()
        return (self.weighted_positives, *(() if self.by_item is None else (self.by_item,)))

    @property
    def used_clusters(self) -> tuple[int, ...]:
        """How many clusters of each column hold a positive row."""
        return tuple(int((side.sum(axis=1) > 0).sum()) for side in self.sides)

    @property
    def group_clusters(self) -> Counts:
        """How many clusters of the first column have rows of each group."""
        return np.asarray((self.rows > 0).sum(axis=0))

    @property
    def effective_clusters(self) -> tuple[float, ...]:
        """How many clusters of equal size would weigh as much: (sum p)^2 / sum p^2 of their positives."""
        sizes = [side.sum(axis=1) for side in self.sides]
        return tuple(float(size.sum() ** 2 / max(1.0, (size**2).sum())) for size in sizes)

    @property
    def scores(self) -> Array:
        """What each cluster adds to log A or log B."""
        return cluster_scores(self.weighted_positives, self._one)

    @property
    def item_scores(self) -> Array:
        """The same of the second cluster column."""
        if self.by_item is None:
            raise ValueError("these counts have no second cluster column")
        return cluster_scores(self.by_item, self._one)

    @property
    def pair_scores(self) -> Array | None:
        """The same of pairs of both columns; None where they are not counted."""
        return None if self.by_pair is None else cluster_scores(self.by_pair, self._one)

    @property
    def _one(self) -> Array | float:
        """The weight of a positive row, by group."""
        if self.weights is None:
            return 1.0
        sums, squares = self.weights.positives.sum(axis=0), self.weights.positives_squared.sum(axis=0)
        return np.asarray(np.divide(squares, sums, out=np.ones_like(sums), where=sums > 0))

    @property
    def total(self) -> int:
        return int(self.rows.sum())

    @property
    def weighted_positives(self) -> Array:
        """The positives, each counted with its weight; by bucket and group."""
        return self.positives.astype(float) if self.weights is None else self.weights.positives

    @property
    def weighted_total(self) -> float:
        return float(self.total if self.weights is None else self.weights.rows.sum())

    @property
    def squared_positives(self) -> Array:
        """Sums of w^2 over the positives; by bucket and group. Rows that count alike have w = 1."""
        return self.positives.astype(float) if self.weights is None else self.weights.positives_squared

    @property
    def effective_positives(self) -> Array:
        """How many positives of equal weight would be as good, a group: (sum w)^2 / sum w^2."""
        return effective(self.weighted_positives.sum(axis=0), self.squared_positives.sum(axis=0))

    @property
    def expected_positives(self) -> Array:
        """Positive rows to be expected a group, if all groups were liked alike.

        Rows of the group times the positive rate of the whole log: how much the log can tell about a group,
        without the luck of its own positives. A floor on these would keep just the groups that were lucky.
        Rows that do not count alike are worth fewer, whether they are liked or not.
        """
        rate = self.weighted_positives.sum() / self.weighted_total
        rows = self.rows.sum(axis=0)
        if self.weights is not None:
            rows = effective(self.weights.rows.sum(axis=0), self.weights.rows_squared.sum(axis=0))
        return np.asarray(rows * rate)

    @property
    def effective_rows(self) -> float:
        """How many rows of equal weight would be as good."""
        if self.weights is None:
            return float(self.total)
        return float(effective(self.weights.rows.sum(), self.weights.rows_squared.sum()))

    def over(self, groups: tuple[str, ...]) -> LogCounts:
        """The same counts with these groups, in this order; groups that are not here have zeros."""
        place = {group: i for i, group in enumerate(self.groups)}
        here = [column for column, group in enumerate(groups) if group in place]
        there = [place[groups[column]] for column in here]

        def chosen(counts: Any) -> Any:
            result = np.zeros((len(counts), len(groups)), dtype=counts.dtype)
            result[:, here] = counts[:, there]
            return result

        weights = None if self.weights is None else self.weights.map(chosen)
        by_item = None if self.by_item is None else chosen(self.by_item)
        by_pair = None if self.by_pair is None else chosen(self.by_pair)
        return LogCounts(
            groups, chosen(self.rows), chosen(self.positives), self.missing, weights, by_item,
            self.missing_people, self.unseen, self.unseen_people, by_pair,
        )  # fmt: skip

    def of(self, buckets: Counts) -> LogCounts:
        """The counts of the users in these buckets; the others are empty. Rows without a group, of which it
        is not known whose they are, are not counted."""
        if self.by_item is not None:
            raise ValueError("positives by bucket of items do not say whose they are")
        chosen = np.zeros((len(self.rows), 1), dtype=bool)
        chosen[buckets] = True
        weights = None if self.weights is None else self.weights.map(lambda sums: sums * chosen)
        return LogCounts(self.groups, self.rows * chosen, self.positives * chosen, weights=weights)

    def __add__(self, other: LogCounts) -> LogCounts:
        if len(self.rows) != len(other.rows) or (self.by_item is None) != (other.by_item is None):
            raise InputError(
                "Evidence with and without clusters cannot be merged: "
                "count both parts with the same cluster columns."
            )
        if (self.weights is None) != (other.weights is None):
            raise InputError(
                "Evidence with and without weights cannot be merged: "
                "count both parts with the same probability column."
            )
        groups = all_groups(self, other)
        mine, theirs = self.over(groups), other.over(groups)
        weights = None if mine.weights is None or theirs.weights is None else mine.weights + theirs.weights
        items = None if mine.by_item is None or theirs.by_item is None else mine.by_item + theirs.by_item
        pairs = None if mine.by_pair is None or theirs.by_pair is None else mine.by_pair + theirs.by_pair
        return LogCounts(
            groups,
            mine.rows + theirs.rows,
            mine.positives + theirs.positives,
            mine.missing + theirs.missing,
            weights,
            items,
            max(mine.missing_people, theirs.missing_people),
            mine.unseen + theirs.unseen,
            max(mine.unseen_people, theirs.unseen_people),
            pairs,
        )


def effective(sums: Any, squares: Any) -> Array:
    """How many equal weights would be as good as those with these sums, and sums of squares (Kish 1965)."""
    return np.asarray(np.divide(sums**2, squares, out=np.zeros_like(squares), where=squares > 0))


def people_of(*logs: LogCounts) -> dict[str, int]:
    """The fewest people that any of these logs, over the same groups, has of each; nobody is not few."""
    counted = np.stack([log.people for log in logs])
    most = np.iinfo(np.int64).max
    fewest = np.where(counted > 0, counted, most).min(axis=0)
    return {group: 0 if few == most else int(few) for group, few in zip(logs[0].groups, fewest, strict=True)}


def all_groups(*logs: LogCounts) -> tuple[str, ...]:
    """Every group of any log, in order of first appearance; a reader must be able to tell them apart."""
    groups = tuple(dict.fromkeys(group for log in logs for group in log.groups))
    told_apart("the group column", groups)
    return groups
