"""From a log to its counts: one aggregate query, with the checks of the data fused into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, get_args

import ibis.expr.types as ir
import numpy as np
import pandas as pd

from evenhand import inputs
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.opportunity.evidence import LogCounts, Weights
from evenhand.opportunity.logs.grouping import MISSING_GROUP, GroupColumns, Grouping, group_columns
from evenhand.parameters import choice, shown

BUCKETS = 1024
MOST_GROUPS = 1_000
# Groups x buckets, and x days or arms: what fits in memory and comes back in seconds.
MOST_COUNTS = 10_000_000
CHOOSE = "choose for missing: 'group' makes these rows a group, 'exclude' leaves them out"
NO_GROUP = f"Fill it, or {CHOOSE}."

Missing = Literal["refuse", "group", "exclude"]
Clusters = str | Sequence[str] | None
Bins = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Question:
    """What is counted in every log: positives (any of `labels`) by `groups`, and by bucket of `clusters`.

    Several columns of groups make a group of each combination; those in `bands` are cut. There may be two
    columns of clusters, that of users first. Without labels every row counts as a positive one.
    A column that the log has not is joined from `attribute_table` by the key columns `on`. `probability`
    is a column of the random log only: with which probability each of its rows was drawn. Rows are those that
    `where` asks for: see `rows_asked_for`. With `pairs` positives are also counted by bucket of pairs of both
    clusters, where logs may hold the same rows.
    """

    labels: tuple[str, ...]
    groups: tuple[str, ...]
    clusters: tuple[str, ...] = ()
    attribute_table: Any = None
    on: tuple[str, ...] = ()
    missing: Missing = "refuse"
    probability: str | None = None
    bands: Mapping[str, inputs.Bands] = field(default_factory=dict)
    where: Mapping[str, Sequence[str | int | bool]] = field(default_factory=dict)
    pairs: bool = False

    @classmethod
    def of(
        cls,
        label: str | Sequence[str] | None,
        group: GroupColumns,
        cluster: Clusters,
        attribute_table: Any,
        on: str | Sequence[str] | None,
        missing: Missing,
        probability: str | None = None,
        *,
        bins: Bins | None = None,
        where: inputs.Where | None = None,
        labelled: bool = True,
    ) -> Question:
        labels = (label,) if isinstance(label, str) else () if label is None else label
        if not isinstance(labels, Sequence) or not all(isinstance(name, str) and name for name in labels):
            raise InputError(f"label is {shown(label)}, but must be the name of a column, or several names.")
        labels = tuple(labels)
        if labelled and not labels:
            raise InputError("label is empty: name the column, or the columns, that say what users liked.")
        choice("missing", missing, get_args(Missing))
        if (attribute_table is None) != (on is None):
            raise InputError(
                "attributes and on belong together: the table that holds the group, and the key column(s) of "
                "the log by which it is found."
            )
        groups = group_columns(group)
        if probability is not None and not (isinstance(probability, str) and probability):
            raise InputError(f"probability is {probability!r}, but must be the name of a column.")
        clusters = cluster_columns(cluster)
        for column in clusters:
            if column in labels:
                raise InputError(
                    f"{column!r} is both the label and the cluster; name the user column as the cluster."
                )
        for column in groups:
            if column in labels:
                raise InputError(
                    f"{column!r} is both the label and the group; they must be different columns."
                )
            if column in clusters:
                raise InputError(
                    f"{column!r} is both the cluster and the group: a group that is one cluster has no "
                    "measurable error. Name the user column as the cluster."
                )
        if probability is not None and probability in (*labels, *groups, *clusters):
            raise InputError(
                f"{probability!r} is both the probability and the label, group or cluster; name the column "
                "that holds the probability with which a row of the random log was drawn."
            )
        keys = (on,) if isinstance(on, str) else tuple(on or ())
        bands, chosen = inputs.bands_of(bins, groups), inputs.conditions(where)
        for column in labels:
            if column in chosen:
                raise InputError(
                    f"where chooses rows by {column!r}, which is the label: what users liked is what is "
                    "counted, so choose by another column."
                )
        if attribute_table is not None:
            attribute_table = inputs.table(attribute_table, name="attributes")
        return cls(labels, groups, clusters, attribute_table, keys, missing, probability, bands, chosen)

    @property
    def group(self) -> str:
        """What the groups are called by: the column, or all of them."""
        return self._grouping.name

    @property
    def _grouping(self) -> Grouping:
        return Grouping(self.groups, self.bands, self.missing == "group")

    @property
    def cluster(self) -> str | None:
        """The column of users, or whatever was named first."""
        return self.clusters[0] if self.clusters else None

    @property
    def item(self) -> str | None:
        """The second column of clusters."""
        return self.clusters[1] if len(self.clusters) > 1 else None

    def joined(self, log: inputs.Table, weighted: bool = False) -> inputs.Table:
        """`log` with its group, all columns there; the rows are not read."""
        if weighted and self.probability:
            log.require(self.probability)
        log = self.with_attributes(log)
        self._require_groups(log)
        log.require(*self.clusters, *self.labels)
        inputs.typed(log, self.where)
        for column in self.groups:
            if log.expr[column].type().is_nested():
                raise InputError(
                    f"{log.name}: column {column!r} holds lists, not one group a row; unnest it first."
                )
        inputs.refuse_no_numbers(log, self.bands)
        log = inputs.as_groups(
            log,
            *(column for column in self.groups if column not in self.bands),
            advice="cut them into bands (bins)",
        )
        bands = {column: bands.of(log.expr[column]) for column, bands in self.bands.items()}
        return replace(log, expr=log.expr.mutate(**bands)) if bands else log

    def _require_groups(self, log: inputs.Table) -> None:
        try:
            log.require(*self.groups)
        except InputError as error:
            if self.attribute_table is not None:
                raise
            raise InputError(
                f"{error} If another table has it, name that with attributes, and the column that both have "
                "with on (--attributes, --on)."
            ) from None

    def with_attributes(self, log: inputs.Table) -> inputs.Table:
        """`log` with those columns of the groups, and of `where`, that only `attribute_table` has; once."""
        if self.attribute_table is None:
            return log
        known = self.attribute_table.columns
        theirs = [column for column in self.groups if column in known or column not in log.columns]
        theirs = theirs or list(self.groups)
        theirs += [column for column in self.where if column in known and column not in log.columns]
        joined = {
            column
            for each in log.joined
            if (each.table, each.on) == (self.attribute_table.name, self.on)
            for column in each.columns
        }
        theirs = [column for column in dict.fromkeys(theirs) if column not in joined]
        if not theirs:
            return log
        # A key that the table lacks is one more value that is missing, where somebody said what to do then.
        may_lack = self.missing != "refuse"
        return inputs.join_attribute(log, self.attribute_table, self.on, theirs, may_lack=may_lack)

    def count(self, log: inputs.Table, weighted: bool = False) -> tuple[LogCounts, Fingerprint]:
        """Read `log` once: its counts and its fingerprint; `weighted` where its rows have probabilities."""
        log = self.joined(log, weighted)
        made = self.by_group(log.expr.group_by(**self.keys(log)).aggregate(**self.counts(log, weighted)))
        # One more than is accepted: a column that is really an id must not fill the memory.
        counted = log.run(made.limit(MOST_GROUPS * (BUCKETS if self.cluster else 1) + 1))
        counted = self.checked(counted, log, weighted)
        by_item = self.count_by_item(log, weighted)
        by_pair = self.count_by_item(log, weighted, pairs=True) if self.pairs else None
        return self.tabulate(counted, by_item, by_pair), log.fingerprint(rows=int(counted["rows"].sum()))

    def count_by_item(
        self,
        log: inputs.Table,
        weighted: bool = False,
        also_by: Callable[[ir.Table], dict[str, Any]] = lambda table: {},
        *,
        pairs: bool = False,
    ) -> pd.DataFrame | None:
        """Positives by group and bucket of the second cluster column, and by `also_by`; None without one.
        With `pairs` by bucket of both columns together.

        A query of its own, over the positive rows only. With DuckDB 2.0 it takes .65 to .8 of the processor
        time of the first (one label, 5 to 15% positive), or .85 (six labels, 30%). One pass for both
        saves a sixth at best, and then keeps all rows in memory (figures: docs/evidence/decisions/0016).
        """
        if self.item is None or self.cluster is None:
            return None
        liked = log.expr.filter(inputs.any_label(log, self.labels).cast("int32") == 1)
        bucket = inputs.bucket(liked[self.item], BUCKETS, log.integer_range(self.item))
        if pairs:
            # Two rows of a user, or of an item, are as seldom in one bucket as any two.
            user = inputs.bucket(liked[self.cluster], BUCKETS, log.integer_range(self.cluster))
            bucket = (user + bucket) % BUCKETS
        sums = {"positives": liked.count(), "empty": liked.count() - liked[self.item].count()}
        for column in self._chances(weighted):
            sums["positives"] = inputs.weight_sum(liked[column])
        keys = also_by(liked) | self._grouping.keys(liked) | {"bucket": bucket}
        made = self.by_group(liked.group_by(**keys).aggregate(**sums))
        return self._of_known_items(log.run(made.limit(MOST_COUNTS + 1)), log)

    def _of_known_items(self, counted: pd.DataFrame, log: inputs.Table) -> pd.DataFrame:
        if len(counted) > MOST_COUNTS:
            raise InputError(
                f"{log.name}: {self.group!r} and the buckets of {self.item!r} make more than {MOST_COUNTS:,} "
                "cells; name a column of fewer groups."
            )
        if counted["empty"].any():
            inputs.explain_problems(log, required=[str(self.item)])
        return counted

    def keys(self, log: inputs.Table) -> dict[str, Any]:
        """What rows are grouped by; `by_group` makes one column of those of the group."""
        keys = self._grouping.keys(log.expr)
        if self.cluster:
            keys["bucket"] = inputs.bucket(log.expr[self.cluster], BUCKETS, log.integer_range(self.cluster))
        return keys

    def by_group(self, counted: ir.Table) -> ir.Table:
        """Sums by `keys`, with one column for the group."""
        return self._grouping.in_one_column(counted)

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
        if len(self.groups) > 1 and counted["group"].nunique() > MOST_GROUPS:
            raise InputError(
                f"{log.name}: {self.group} make more than {MOST_GROUPS:,} combinations; name fewer columns, "
                "or cut numbers into bands (bins)."
            )
        if counted["group"].nunique() > MOST_GROUPS:
            raise InputError(
                f"{log.name}: column {self.group!r} has more than {MOST_GROUPS:,} values: it looks like an "
                "id and not like a group; name a column with fewer values."
            )
        counted = inputs.without_problems(
            counted, log, labels=self.labels, required=[*self._required, *also_required],
            probabilities=self._chances(weighted), advice=dict.fromkeys(self.groups, NO_GROUP),
            or_else=CHOOSE,
        )  # fmt: skip
        if inputs.UNSEEN in counted:
            inputs.refuse_unseen(log, int(counted["rows"].sum()), int(counted[inputs.UNSEEN].sum()))
        if len(counted) == 0:
            raise _empty(log)
        return counted

    @property
    def _required(self) -> list[str]:
        # An empty item is looked for where positives are counted by item.
        clusters = list(self.clusters[:1])
        return clusters + (list(self.groups) if self.missing == "refuse" else [])

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

    def tabulate(
        self,
        counted: pd.DataFrame,
        by_item: pd.DataFrame | None = None,
        by_pair: pd.DataFrame | None = None,
    ) -> LogCounts:
        """Counts of one log from the rows of its aggregates."""
        unknown = counted["group"].isna()
        missing, unseen = (0, 0), (0, 0)
        if self.missing == "exclude":
            left = counted[unknown]
            lacking = left[inputs.UNSEEN] if inputs.UNSEEN in left else left["rows"] * 0
            missing, unseen = self._of_whom(left, left["rows"] - lacking), self._of_whom(left, lacking)
            counted = counted[~unknown]
        values = self._grouping.in_order(counted["group"].dropna().unique().tolist())
        if unknown.any() and self.missing == "group":
            values.append(MISSING_GROUP)
        place = {value: i for i, value in enumerate(values)}

        def tabulated(rows: pd.DataFrame, name: str, dtype: type = float, bucketed: bool = True) -> Any:
            known = rows["group"]
            if self.missing == "group":
                known = known.where(known.notna(), MISSING_GROUP)
            rows, known = rows[known.notna()], known.dropna()
            table: Any = np.zeros((BUCKETS if bucketed else 1, len(values)), dtype=dtype)
            bucket = (
                rows["bucket"].to_numpy(dtype=np.int64) if bucketed else np.zeros(len(rows), dtype=np.int64)
            )
            column = known.map(place).to_numpy(dtype=np.int64)
            np.add.at(table, (bucket, column), rows[name].to_numpy(dtype=dtype))
            return table

        by_user = partial(tabulated, counted, bucketed=bool(self.clusters))
        weights = None
        if inputs.WEIGHT_SUMS[0] in counted:
            weights = Weights(*(by_user(name) for name in inputs.WEIGHT_SUMS))
        return LogCounts(
            tuple(self._grouping.word(value) for value in values),
            by_user("rows", np.int64),
            by_user("positives", np.int64),
            missing[0],
            weights,
            None if by_item is None else tabulated(by_item, "positives"),
            missing[1],
            *unseen,
            None if by_pair is None else tabulated(by_pair, "positives"),
        )

    def _of_whom(self, counted: pd.DataFrame, rows: pd.Series) -> tuple[int, int]:
        """How many rows these are, and of how many people, at least."""
        count = int(rows.sum())
        return count, int(counted.loc[rows > 0, "bucket"].nunique()) if self.clusters else count


def cluster_columns(cluster: Clusters) -> tuple[str, ...]:
    """One column of clusters, two, or none."""
    columns = (cluster,) if isinstance(cluster, str) else () if cluster is None else cluster
    if not isinstance(columns, Sequence) or not all(isinstance(name, str) and name for name in columns):
        raise InputError(f"cluster is {shown(cluster)}, but must be the name of a column, or two names.")
    if len(columns) > 2 or len(set(columns)) < len(columns):
        raise InputError(
            f"cluster names {', '.join(columns)}: name the user column, or that and the column of items or "
            "creators."
        )
    return tuple(columns)


def one_cluster(cluster: Clusters, what: str) -> str | None:
    """The one column of clusters, where two cannot be used."""
    columns = cluster_columns(cluster)
    if len(columns) > 1:
        raise InputError(
            f"cluster names {' and '.join(columns)}, but {what} takes one column: name that of the users."
        )
    return columns[0] if columns else None


def _empty(log: inputs.Table) -> InputError:
    return InputError(f"{log.name}: the log is empty, so there is nothing to audit.")
