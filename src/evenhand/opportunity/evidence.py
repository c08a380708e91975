"""What an opportunity audit needs to know about a log: counts by group, and by bucket of users.

Counts add up, so evidence of parts merges by `+`, whatever the parts: files, machines, or days in
which the same users recur, since a user stays in one bucket.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class LogCounts:
    """Rows and positive rows of one log.

    `rows` and `positives` have a row a bucket of the cluster column and a column a group; without a
    cluster column there is one bucket that holds everything. `missing` counts rows that were left out
    because their group is not known.
    """

    groups: tuple[str, ...]
    rows: Counts
    positives: Counts
    missing: int = 0

    @classmethod
    def from_totals(cls, groups: list[str], positives: list[int], rows: int) -> LogCounts:
        """Evidence from published totals; which group the negative rows belong to does not matter."""
        totals = np.array([positives], dtype=np.int64)
        if totals.sum() > rows:
            raise InputError(f"{totals.sum():,} positives cannot come from {rows:,} rows.")
        all_rows = totals.copy()
        all_rows[0, 0] += rows - totals.sum()
        return cls(tuple(groups), all_rows, totals)

    @property
    def clustered(self) -> bool:
        return len(self.rows) > 1

    @property
    def used_clusters(self) -> int:
        """How many clusters hold a positive row."""
        return int((self.positives.sum(axis=1) > 0).sum())

    @property
    def effective_clusters(self) -> float:
        """How many clusters of equal size would weigh as much: (sum p)^2 / sum p^2 of their positives."""
        sizes = self.positives.sum(axis=1).astype(float)
        return float(sizes.sum() ** 2 / max(1.0, (sizes**2).sum()))

    @property
    def total(self) -> int:
        return int(self.rows.sum())

    def over(self, groups: tuple[str, ...]) -> LogCounts:
        """The same counts with these groups, in this order; groups that are not here have zeros."""
        place = {group: i for i, group in enumerate(self.groups)}
        rows, positives = (np.zeros((len(self.rows), len(groups)), dtype=np.int64) for _ in range(2))
        for column, group in enumerate(groups):
            if group in place:
                rows[:, column] = self.rows[:, place[group]]
                positives[:, column] = self.positives[:, place[group]]
        return LogCounts(groups, rows, positives, self.missing)

    def __add__(self, other: LogCounts) -> LogCounts:
        if len(self.rows) != len(other.rows):
            raise InputError(
                "Evidence with and without clusters cannot be merged: "
                "count both parts with the same cluster column."
            )
        groups = all_groups(self, other)
        mine, theirs = self.over(groups), other.over(groups)
        return LogCounts(
            groups, mine.rows + theirs.rows, mine.positives + theirs.positives, mine.missing + theirs.missing
        )


def all_groups(*logs: LogCounts) -> tuple[str, ...]:
    """Every group of any log, in order of first appearance."""
    return tuple(dict.fromkeys(group for log in logs for group in log.groups))
