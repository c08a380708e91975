"""Counts of all logs over common groups, with what must be said about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evenhand import inputs
from evenhand.about import About
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.findings import Exclusion, Finding
from evenhand.opportunity.evidence import LogCounts, all_groups, people_of
from evenhand.opportunity.logs.cautions import (
    LEAST_CLUSTERS,
    LEAST_EXPECTED,
    NOTHING_KNOWN,
    Known,
    cautions,
    has_enough_clusters,
    has_few_clusters,
    has_too_little,
)
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.logs.grouping import ITEM_COLUMNS, MISSING_GROUP, USER_COLUMNS
from evenhand.opportunity.logs.weighting import weight_warnings

UNIFORM = "Random traffic draws user-item pairs uniformly from all candidates."
WEIGHTED = (
    "Random traffic draws user-item pairs with the probabilities in column {}, and can draw every candidate."
)
SAME_LABEL = "A positive label means the same in all logs."
NEVER_POSITIVE = (
    "Cannot be computed: no row of the {reference} log has a positive label. Check what the label is made "
    "of, and that it is written."
)
HEAVY = ", each worth what its weight leaves of it,"
SAME_DAYS = (
    "Where traffic of several days is taken together, default and random traffic are spread over them alike, "
    "or what users like did not change from day to day."
)
KNOWN_GROUPS = (
    "Rows without {group} are no part of its groups: the numbers are about rows that have one, and about all "
    "only if whether it is known has nothing to do with what is shown."
)

LIKE_IN_ALL = (
    "How much a few users do is alike in all groups: a group that happens to have none of them while others "
    "have some, or that alone has them, is known less well than its limits say, most of all of two groups."
)
DIFFERENT_ROWS = (
    "No row of one log is a row of another: if many are, intervals over clusters of two kinds are too narrow."
)
GROUP_OF_MISSING = (
    "Rows without {group} are a group of their own, which counts in the average: the numbers of the other "
    "groups are about rows that have one, and about all only if whether it is known has nothing to do with "
    "what is shown."
)


@dataclass(frozen=True)
class Prepared:
    """Everything that the findings are made of: `logs` and `random` over the same identified groups.

    Where `comparable` is false there is nothing to compute, and the first warning says why.
    """

    group: str
    arms: tuple[str, ...]
    logs: tuple[LogCounts, ...]
    random: LogCounts
    fingerprints: dict[str, Fingerprint]
    excluded: tuple[Exclusion, ...]
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def people(self) -> dict[str, int]:
        """The fewest people that any log has of each group."""
        return people_of(*self.logs, self.random)

    @property
    def comparable(self) -> bool:
        return len(self.random.groups) >= 2 and not any(
            has_too_little(log) for log in (*self.logs, self.random)
        )


def prepare(
    tables: Mapping[str, inputs.Table],
    random: inputs.Table,
    question: Question,
    progress: Callable[[str], None],
    *,
    least: float = LEAST_EXPECTED,
) -> Prepared:
    """Count every log once and line the counts up."""
    counted, fingerprints = count_logs({**tables, "random": random}, question, progress)
    reference = counted.pop("random")
    return line_up(
        counted, reference, question.group, fingerprints, clusters=question.clusters,
        known=known_columns(random), probability=question.probability, least=least,
    )  # fmt: skip


def count_logs(
    tables: Mapping[str, inputs.Table], question: Question, progress: Callable[[str], None]
) -> tuple[dict[str, LogCounts], dict[str, Fingerprint]]:
    """The counts of every log, each read once, and its fingerprint; the one called "random" has weights."""
    inputs.same_label_definition(*tables.values())
    inputs.different_data(*tables.values())
    counted: dict[str, LogCounts] = {}
    fingerprints: dict[str, Fingerprint] = {}
    for arm, table in tables.items():
        progress(f"counting {table.name}")
        counts = question.count(table, weighted=arm == "random")
        counted[arm], fingerprints[table.name.removesuffix(" log")] = counts
    if question.attribute_table is not None:
        fingerprints[question.attribute_table.name] = question.attribute_table.fingerprint()
    same_types(list(tables.values()), question)
    return counted, fingerprints


def named_logs(argument: str, logs: Any) -> dict[str, Any]:
    """Logs by name, the names as text."""
    if not isinstance(logs, Mapping):
        raise InputError(f"{argument} is a {type(logs).__name__}, but must be logs by name: {{name: log}}.")
    named = {str(name): log for name, log in logs.items()}
    if len(named) < len(logs):
        raise InputError(f"{argument} has two logs of the same name: {', '.join(map(str, logs))}.")
    return named


def known_columns(log: inputs.Table) -> Known:
    """Columns that by their names hold users, and items or their creators."""
    names = {column.lower(): column for column in log.columns}

    def first(candidates: tuple[str, ...]) -> str | None:
        return next((names[name] for name in candidates if name in names), None)

    return Known(first(USER_COLUMNS), first(ITEM_COLUMNS))


def known_users(log: inputs.Table) -> Known:
    """The first of them alone, for audits that take one kind of cluster."""
    return Known(user=known_columns(log).user)


def same_types(tables: list[inputs.Table], question: Question) -> None:
    """Refuse logs that write a group or a user in different types: 1 and '1' would be two."""
    for column in (*question.groups, *question.clusters):
        # A group that is joined has the one type of its table.
        types = [(table.name, table.expr[column].type()) for table in tables if column in table.columns]
        for name, type_ in types[1:]:
            # Groups have the names of whole numbers also where pandas made floats of them.
            numbers = column in question.groups and type_.is_numeric() and types[0][1].is_numeric()
            if not numbers and family(type_) != family(types[0][1]):
                raise InputError(
                    f"column {column!r} is of type {types[0][1]} in {types[0][0]}, but {type_} in {name}; "
                    "write it in the same way in all logs."
                )


def family(type_: Any) -> str:
    """Types that write an id alike, so that it falls into the same bucket."""
    return "integer" if type_.is_integer() else str(type_(nullable=True))


def left_out(logs: Iterable[LogCounts], group: str) -> tuple[Exclusion, ...]:
    """Rows without a group, where they were to be excluded: it is empty, or no table has it."""
    logs = list(logs)
    found = {
        f"rows without {group}": [(log.missing, log.missing_people) for log in logs if log.missing],
        f"rows without {group}, whose key the table of attributes lacks": [
            (log.unseen, log.unseen_people) for log in logs if log.unseen
        ],
    }
    return tuple(
        Exclusion(
            what=what,
            count=sum(rows for rows, _ in parts),
            why="excluded as asked",
            people=min(people for _, people in parts),
        )
        for what, parts in found.items()
        if parts
    )


def line_up(
    logs: Mapping[str, LogCounts],
    random: LogCounts,
    group: str,
    fingerprints: dict[str, Fingerprint],
    *,
    clusters: tuple[str, ...] = (),
    known: Known = NOTHING_KNOWN,
    probability: str | None = None,
    reference: str = "random",
    least: float = LEAST_EXPECTED,
) -> Prepared:
    """Leave out the groups that random traffic cannot identify, and say what else a reader must know.

    `reference` is what the log in the place of random traffic is called, and `least` how many of its positive
    rows must be expected of a group.
    """
    groups = all_groups(*logs.values(), random)
    if not groups:
        raise InputError(f"column {group!r} is empty in all rows, so there are no groups to compare.")
    _have_groups_in_common(logs, random, group, reference)
    if len(groups) < 2:
        raise InputError(
            f"column {group!r} has only one value, {groups[0]!r}: equal opportunity compares groups, so "
            "there must be at least two."
        )
    random = random.over(groups)
    liked, enough = random.positives.sum(axis=0) > 0, random.expected_positives >= least
    heavy = HEAVY if random.weights else ""
    # A log that is of few users as a whole is said to be that.
    people = has_enough_clusters(random) | has_few_clusters(random)
    identified = tuple(g for g, kept in zip(groups, liked & enough & people, strict=True) if kept)
    excluded = [
        Exclusion(
            what=f"{group} = {g}",
            count=int(sum(log.over((g,)).total for log in logs.values())),
            why=_why_unidentified(bool(rows), bool(likes), reference, heavy, clusters),
            unidentified=True,
            people=people_of(*(log.over((g,)) for log in (*logs.values(), random)))[g],
        )
        for g, rows, likes in zip(groups, enough, liked, strict=True)
        if g not in identified
    ]
    missing = left_out((*logs.values(), random), group)
    excluded += missing
    lined_up = tuple(log.over(identified) for log in logs.values())
    # The rate of a group does not change when rows of other groups are left out: totals cancel.
    random = random.over(identified)
    return Prepared(
        group=group,
        arms=tuple(logs),
        logs=lined_up,
        random=random,
        fingerprints=fingerprints,
        excluded=tuple(excluded),
        assumptions=(
            UNIFORM if probability is None else WEIGHTED.format(repr(probability)),
            SAME_LABEL,
            SAME_DAYS,
            dependence(clusters),
            generality(clusters),
            *((LIKE_IN_ALL,) if len(clusters) == 1 else ()),
            *((DIFFERENT_ROWS,) if random.by_item is not None and random.by_pair is None else ()),
            *((KNOWN_GROUPS.format(group=group),) if missing else ()),
            *((GROUP_OF_MISSING.format(group=group),) if MISSING_GROUP in groups else ()),
        ),
        warnings=(
            *(() if liked.any() else (NEVER_POSITIVE.format(reference=reference),)),
            *cautions(logs, lined_up, random, group, excluded, clusters, known, reference),
            *weight_warnings(random, group),
        ),
    )


def _why_unidentified(rows: bool, likes: bool, reference: str, heavy: str, clusters: tuple[str, ...]) -> str:
    if not rows:
        return (
            f"so few rows in the {reference} log{heavy} that fewer than {LEAST_EXPECTED} positive ones can "
            "be expected, so its opportunity cannot be identified"
        )
    if not likes:
        return f"no positive row in the {reference} log, so its opportunity cannot be identified"
    return too_few_people(clusters, f" in the {reference} log")


def too_few_people(clusters: tuple[str, ...], where: str = "") -> str:
    """Why a group is left out whose error cannot be told."""
    return f"rows of fewer than {LEAST_CLUSTERS} {clusters[0]}{where}, too few to tell its error"


def too_few_who_like(clusters: tuple[str, ...]) -> str:
    """The same of one in which nearly nobody likes anything."""
    return (
        f"fewer than {LEAST_CLUSTERS} {clusters[0]} with a positive row to be expected, too few to tell its "
        "error"
    )


def _have_groups_in_common(
    logs: Mapping[str, LogCounts], random: LogCounts, group: str, reference: str
) -> None:
    for name, log in logs.items():
        if log.groups and random.groups and not set(log.groups) & set(random.groups):
            raise InputError(
                f"the {name} log and the {reference} log have no value of {group!r} in common (for example "
                f"{log.groups[0]!r} and {random.groups[0]!r}); write the groups in the same way in both."
            )


def dependence(clusters: tuple[str, ...]) -> str:
    if not clusters:
        return "Rows are independent of each other."
    if len(clusters) == 1:
        return (
            f"Rows of different {clusters[0]} are independent; rows of one may depend on each other in any "
            "way."
        )
    return (
        f"Rows that share neither {clusters[0]} nor {clusters[1]} are independent; rows that share one may "
        "depend on each other in any way."
    )


def generality(clusters: tuple[str, ...]) -> str:
    """About which items the numbers are: errors know only of what was drawn anew as clusters."""
    items = [name for name in clusters[1:] or clusters if len(clusters) > 1 or name.lower() in ITEM_COLUMNS]
    if items:
        return f"The numbers are about {items[0]} like these: others could have been there instead."
    return "The numbers are about these items, not about others like them."


def clustering(log: LogCounts) -> str:
    """What to add to the name of a method whose variance is taken over clusters."""
    if not log.clustered:
        return ""
    ways = " of each of two columns" if log.by_item is not None else ""
    return f", clustered in {len(log.rows):,} hash buckets{ways}"


def unidentifiable(audit: str, measure: str, about: About) -> tuple[Finding, ...]:
    """What can be said without random traffic: that nothing can, and why (Dong and others 2024, Sec. 3.1)."""
    why = (
        "Cannot be identified without random traffic: labels are known only for what was shown, and two "
        "systems with the same log can have shown all or almost none of what users would have liked. "
        "Missing labels are not negative ones. Collect a small log of uniformly random pairs."
    )
    return (Finding(audit=audit, measure=measure, about=about, estimate=None, warnings=(why,)),)
