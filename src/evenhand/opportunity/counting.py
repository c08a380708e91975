"""From a log to its counts: one aggregate query, with the checks of the data fused into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.findings import Fingerprint
from evenhand.opportunity.evidence import LogCounts, Weights
from evenhand.parameters import choice, shown

BUCKETS = 1024
MOST_GROUPS = 1_000
MISSING_GROUP = "(missing)"
NO_GROUP = "Fill it, or choose for missing: 'group' makes these rows a group, 'exclude' leaves them out."

Missing = Literal["refuse", "group", "exclude"]


@dataclass(frozen=True)
class Question:
    """What is counted in every log: positives (any of `labels`) by `group`, and by bucket of `cluster`.

    Without labels every row counts as a positive one.
    A group that is no column of the log is joined from `attributes` by the key columns `on`. `probability`
    is a column of the random log only: with which probability each of its rows was drawn.
    """

    labels: tuple[str, ...]
    group: str
    cluster: str | None = None
    attributes: Any = None
    on: tuple[str, ...] = ()
    missing: Missing = "refuse"
    probability: str | None = None

    @classmethod
    def of(
        cls,
        label: str | Sequence[str] | None,
        group: str,
        cluster: str | None,
        attributes: Any,
        on: str | Sequence[str] | None,
        missing: Missing,
        probability: str | None = None,
        *,
        labelled: bool = True,
    ) -> Question:
        labels = (label,) if isinstance(label, str) else () if label is None else label
        if not isinstance(labels, Sequence) or not all(isinstance(name, str) and name for name in labels):
            raise InputError(f"label is {shown(label)}, but must be the name of a column, or several names.")
        labels = tuple(labels)
        if labelled and not labels:
            raise InputError("label is empty: name the column, or the columns, that say what users liked.")
        choice("missing", missing, get_args(Missing))
        if (attributes is None) != (on is None):
            raise InputError(
                "attributes and on belong together: the table that holds the group, and the key column(s) of "
                "the log by which it is found."
            )
        for name, column in (("group", group), ("cluster", cluster), ("probability", probability)):
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
        if probability is not None and probability in (*labels, group, cluster):
            raise InputError(
                f"{probability!r} is both the probability and the label, group or cluster; name the column "
                "that holds the probability with which a row of the random log was drawn."
            )
        keys = (on,) if isinstance(on, str) else tuple(on or ())
        if attributes is not None:
            attributes = inputs.table(attributes, name="attributes")
        return cls(labels, group, cluster, attributes, keys, missing, probability)

    def joined(self, log: inputs.Table, weighted: bool = False) -> inputs.Table:
        """`log` with its group, all columns there; the rows are not read."""
        if weighted and self.probability:
            log.require(self.probability)
        if self.attributes is not None:
            log = inputs.join_attribute(log, self.attributes, self.on, self.group)
        log.require(self.group, *([self.cluster] if self.cluster else []), *self.labels)
        if log.expr[self.group].type().is_nested():
            raise InputError(
                f"{log.name}: column {self.group!r} holds lists, not one group a row; unnest it first."
            )
        return log

    def count(self, log: inputs.Table, weighted: bool = False) -> tuple[LogCounts, Fingerprint]:
        """Read `log` once: its counts and its fingerprint; `weighted` where its rows have probabilities."""
        log = self.joined(log, weighted)
        counted = log.run(
            log.expr.group_by(**self.keys(log))
            .aggregate(**self.counts(log, weighted))
            # One more than is accepted: a column that is really an id must not fill the memory.
            .limit(MOST_GROUPS * (BUCKETS if self.cluster else 1) + 1)
        )
        counted = self.checked(counted, log, weighted)
        return self.tabulate(counted), log.fingerprint(rows=int(counted["rows"].sum()))

    def keys(self, log: inputs.Table) -> dict[str, Any]:
        """What rows are grouped by."""
        keys: dict[str, Any] = {"group": log.expr[self.group]}
        if self.cluster:
            keys["bucket"] = inputs.bucket(log.expr[self.cluster], BUCKETS, log.integer_range(self.cluster))
        return keys

    def counts(
        self, log: inputs.Table, weighted: bool = False, also_required: Sequence[str] = ()
    ) -> dict[str, Any]:
        """What is counted, with the counter of problems."""
        # First, as a label of a wrong type cannot be counted.
        checks = self._checks(log, weighted, also_required)
        liked = inputs.positives(log, self.labels) if self.labels else log.expr.count()
        sums = {"rows": log.expr.count(), "positives": liked}
        for column in self._chances(weighted):
            sums |= inputs.weight_sums(log, column, self.labels)
        return sums | checks

    def checked(
        self,
        counted: pd.DataFrame,
        log: inputs.Table,
        weighted: bool = False,
        also_required: Sequence[str] = (),
    ) -> pd.DataFrame:
        """`counted` without its counter of problems, if there are none."""
        if counted["group"].nunique() > MOST_GROUPS:
            raise InputError(
                f"{log.name}: column {self.group!r} has more than {MOST_GROUPS:,} values: it looks like an "
                "id and not like a group; name a column with fewer values."
            )
        counted = inputs.without_problems(
            counted, log, labels=self.labels, required=[*self._required, *also_required],
            probabilities=self._chances(weighted), advice={self.group: NO_GROUP},
        )  # fmt: skip
        if len(counted) == 0:
            raise _empty(log)
        return counted

    @property
    def _required(self) -> list[str]:
        clusters = [self.cluster] if self.cluster else []
        return clusters + ([self.group] if self.missing == "refuse" else [])

    def _chances(self, weighted: bool) -> list[str]:
        return [self.probability] if weighted and self.probability else []

    def _checks(self, log: inputs.Table, weighted: bool, also_required: Sequence[str]) -> dict[str, Any]:
        try:
            return inputs.problem_counts(
                log, labels=self.labels, required=[*self._required, *also_required],
                probabilities=self._chances(weighted),
            )  # fmt: skip
        except InputError:
            # Columns of a CSV file without rows have no type, which is not what is wrong with it.
            if log.run(log.expr.limit(1)).empty:
                raise _empty(log) from None
            raise

    def tabulate(self, counted: pd.DataFrame) -> LogCounts:
        """Counts of one log from the rows of its aggregate."""
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

        def tabulated(name: str, dtype: type = float) -> Any:
            table: Any = np.zeros(shape, dtype=dtype)
            np.add.at(table, (bucket, column), counted[name].to_numpy(dtype=dtype))
            return table

        weights = None
        if inputs.WEIGHT_SUMS[0] in counted:
            weights = Weights(*(tabulated(name) for name in inputs.WEIGHT_SUMS))
        groups = tuple(str(value) for value in values)
        return LogCounts(
            groups, tabulated("rows", np.int64), tabulated("positives", np.int64), missing, weights
        )


def _empty(log: inputs.Table) -> InputError:
    return InputError(f"{log.name}: the log is empty, so there is nothing to audit.")
