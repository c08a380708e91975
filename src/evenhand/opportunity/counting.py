"""From a log to its counts: one aggregate query, with the checks of the data fused into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import ibis.expr.types as ir
import numpy as np
import pandas as pd

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.findings import Fingerprint
from evenhand.opportunity.evidence import LogCounts

BUCKETS = 1024
MOST_GROUPS = 1_000
# Days x groups x buckets: what fits in memory and comes back in seconds.
MOST_CELLS = 10_000_000
MISSING_GROUP = "(missing)"
NO_GROUP = "Fill it, or choose for missing: 'group' makes these rows a group, 'exclude' leaves them out."

Missing = Literal["refuse", "group", "exclude"]


@dataclass(frozen=True)
class Question:
    """What is counted in every log: positives (any of `labels`) by `group`, and by bucket of `cluster`.

    A group that is no column of the log is joined from `attributes` by the key columns `on`.
    """

    labels: tuple[str, ...]
    group: str
    cluster: str | None = None
    attributes: Any = None
    on: tuple[str, ...] = ()
    missing: Missing = "refuse"

    @classmethod
    def of(
        cls,
        label: str | Sequence[str],
        group: str,
        cluster: str | None,
        attributes: Any,
        on: str | Sequence[str] | None,
        missing: Missing,
    ) -> Question:
        labels = (label,) if isinstance(label, str) else tuple(label or ())
        if not labels:
            raise InputError("label is empty: name the column, or the columns, that say what users liked.")
        if missing not in ("refuse", "group", "exclude"):
            raise InputError(f"missing is {missing!r}, but must be 'refuse', 'group' or 'exclude'.")
        if (attributes is None) != (on is None):
            raise InputError(
                "attributes and on belong together: the table that holds the group, and the key column(s) of "
                "the log by which it is found."
            )
        for name, column in (("group", group), ("cluster", cluster)):
            if column is not None and not (isinstance(column, str) and column):
                raise InputError(f"{name} is {column!r}, but must be the name of a column.")
        if cluster in labels:
            raise InputError(
                f"{cluster!r} is both the label and the cluster; name the user column as the cluster."
            )
        if group in labels:
            raise InputError(f"{group!r} is both the label and the group; they must be different columns.")
        if cluster == group:
            raise InputError(
                f"{group!r} is both the cluster and the group: a group that is one cluster has no measurable "
                "error. Name the user column as the cluster."
            )
        keys = (on,) if isinstance(on, str) else tuple(on or ())
        if attributes is not None:
            attributes = inputs.table(attributes, name="attributes")
        return cls(labels, group, cluster, attributes, keys, missing)

    def joined(self, log: inputs.Table) -> inputs.Table:
        """`log` with its group, all columns there; the rows are not read."""
        if self.attributes is not None:
            log = inputs.join_attribute(log, self.attributes, self.on, self.group)
        log.require(self.group, *([self.cluster] if self.cluster else []), *self.labels)
        if log.expr[self.group].type().is_nested():
            raise InputError(
                f"{log.name}: column {self.group!r} holds lists, not one group a row; unnest it first."
            )
        return log

    def count(self, log: inputs.Table) -> tuple[LogCounts, Fingerprint]:
        """Read `log` once: its counts and its fingerprint."""
        # One more than is accepted: a column that is really an id must not fill the memory.
        most = MOST_GROUPS * (BUCKETS if self.cluster else 1) + 1
        log = self.joined(log)
        counted = self._counted(log, most)
        return self._tabulate(counted), log.fingerprint(rows=int(counted["rows"].sum()))

    def count_days(
        self, log: inputs.Table, day: str, key_of: Callable[[ir.Column], ir.Value]
    ) -> tuple[dict[Any, LogCounts], Fingerprint]:
        """Read `log` once: its counts by the value of `key_of(day)`, and its fingerprint."""
        log = self.joined(log)
        log.require(day)
        counted = self._counted(log, MOST_CELLS + 1, day, key_of)
        if len(counted) > MOST_CELLS:
            raise InputError(
                f"{log.name}: {day!r}, {self.group!r} and the buckets of users make more than "
                f"{MOST_CELLS:,} cells; a series counts whole days of a few groups, so name a column of "
                "days, or one of fewer groups."
            )
        days = {value: self._tabulate(part) for value, part in counted.groupby("day", sort=True)}
        return days, log.fingerprint(rows=int(counted["rows"].sum()))

    def _counted(
        self,
        log: inputs.Table,
        most: int,
        day: str | None = None,
        key_of: Callable[[ir.Column], ir.Value] = lambda column: column,
    ) -> pd.DataFrame:
        """Rows and positives by group, bucket and day, at most so many cells; what is wrong is raised."""
        clusters = [self.cluster] if self.cluster else []
        required = clusters + ([self.group] if self.missing == "refuse" else []) + ([day] if day else [])
        t = log.expr
        keys = {"group": t[self.group]}
        if day:
            keys["day"] = key_of(t[day])
        if self.cluster:
            keys["bucket"] = inputs.bucket(t[self.cluster], BUCKETS, log.integer_range(self.cluster))
        checks = self._checks(log, required)
        counted = log.run(
            t.group_by(**keys)
            .aggregate(rows=t.count(), positives=inputs.positives(log, self.labels), **checks)
            .limit(most)
        )
        if counted["group"].nunique() > MOST_GROUPS:
            raise InputError(
                f"{log.name}: column {self.group!r} has more than {MOST_GROUPS:,} values: it looks like an "
                "id and not like a group; name a column with fewer values."
            )
        counted = inputs.without_problems(
            counted, log, labels=self.labels, required=required, advice={self.group: NO_GROUP}
        )
        if len(counted) == 0:
            raise _empty(log)
        return counted

    def _checks(self, log: inputs.Table, required: list[str]) -> dict[str, Any]:
        try:
            return inputs.problem_counts(log, labels=self.labels, required=required)
        except InputError:
            # Columns of a CSV file without rows have no type, which is not what is wrong with it.
            if log.run(log.expr.limit(1)).empty:
                raise _empty(log) from None
            raise

    def _tabulate(self, counted: pd.DataFrame) -> LogCounts:
        unknown = counted["group"].isna()
        if self.missing == "refuse" and unknown.any():  # NaN, which is no null and so passed the checks
            empty = int(counted.loc[unknown, "rows"].sum())
            raise InputError(f"column {self.group!r} is not a number in {empty:,} rows. {NO_GROUP}")
        missing = 0
        if self.missing == "exclude":
            missing = int(counted.loc[unknown, "rows"].sum())
            counted = counted[~unknown]
        values = sorted(counted["group"].dropna().unique().tolist())
        if unknown.any() and self.missing == "group" and MISSING_GROUP not in values:
            values.append(MISSING_GROUP)
        place = {value: i for i, value in enumerate(values)}
        known = (
            counted["group"].where(~unknown, MISSING_GROUP) if self.missing == "group" else counted["group"]
        )
        column = known.map(place).to_numpy(dtype=np.int64)
        bucket = counted["bucket"].to_numpy(dtype=np.int64) if self.cluster else np.zeros_like(column)
        shape = (BUCKETS if self.cluster else 1, len(values))
        rows, positives = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        np.add.at(rows, (bucket, column), counted["rows"])
        np.add.at(positives, (bucket, column), counted["positives"])
        return LogCounts(tuple(str(value) for value in values), rows, positives, missing)


def _empty(log: inputs.Table) -> InputError:
    return InputError(f"{log.name}: the log is empty, so there is nothing to audit.")
