"""Counts of all logs over common groups, with what must be said about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.findings import Exclusion, Finding, Fingerprint
from evenhand.opportunity.counting import Question
from evenhand.opportunity.evidence import LogCounts, all_groups

# Below these an approximation by a normal law is worth a warning.
FEW_POSITIVES = 10
FEW_CLUSTERS = 50
# Below this a variance over clusters is none: nothing is computed.
LEAST_CLUSTERS = 10

USER_COLUMNS = ("user_id", "user", "userid", "uid", "member_id", "viewer_id", "customer_id", "account_id")

UNIFORM = "Random traffic draws user-item pairs uniformly from all candidates."
SAME_LABEL = "A positive label means the same in all logs."


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
    def comparable(self) -> bool:
        return (
            len(self.random.groups) >= 2
            and all(log.positives.any() for log in self.logs)
            and all(log.used_clusters >= LEAST_CLUSTERS for log in (*self.logs, self.random) if log.clustered)
        )


def prepare(
    tables: Mapping[str, inputs.Table],
    random: inputs.Table,
    question: Question,
    progress: Callable[[str], None],
) -> Prepared:
    """Count every log once and line the counts up."""
    inputs.same_label_definition(*tables.values(), random)
    inputs.different_data(*tables.values(), random)
    counted: dict[str, LogCounts] = {}
    fingerprints: dict[str, Fingerprint] = {}
    for arm, table in {**tables, "random": random}.items():
        progress(f"counting {table.name}")
        counted[arm], fingerprints[table.name.removesuffix(" log")] = question.count(table)
    if question.attributes is not None:
        fingerprints[question.attributes.name] = question.attributes.fingerprint()
    same_types([*tables.values(), random], question)
    reference = counted.pop("random")
    return line_up(
        counted,
        reference,
        question.group,
        fingerprints,
        cluster=question.cluster,
        user_column=user_column(random),
    )


def user_column(log: inputs.Table) -> str | None:
    """A column that looks like the user, if there is one."""
    return next((column for column in log.columns if column.lower() in USER_COLUMNS), None)


def same_types(tables: list[inputs.Table], question: Question) -> None:
    """Refuse logs that write a group or a user in different types: 1, 1.0 and '1' would be three."""
    for column in (question.group, question.cluster):
        # A group that is joined has the one type of its table.
        types = [(table.name, table.expr[column].type()) for table in tables if column in table.columns]
        for name, type_ in types[1:]:
            if _family(type_) != _family(types[0][1]):
                raise InputError(
                    f"column {column!r} is of type {types[0][1]} in {types[0][0]}, but {type_} in {name}; "
                    "write it in the same way in all logs."
                )


def _family(type_: Any) -> str:
    return "integer" if type_.is_integer() else str(type_(nullable=True))


def line_up(
    logs: Mapping[str, LogCounts],
    random: LogCounts,
    group: str,
    fingerprints: dict[str, Fingerprint],
    *,
    cluster: str | None = None,
    user_column: str | None = None,
) -> Prepared:
    """Leave out the groups that random traffic cannot identify, and say what else a reader must know."""
    groups = all_groups(*logs.values(), random)
    if not groups:
        raise InputError(f"column {group!r} is empty in all rows, so there are no groups to compare.")
    _have_groups_in_common(logs, random, group)
    if len(groups) < 2:
        raise InputError(
            f"column {group!r} has only one value, {groups[0]!r}: equal opportunity compares groups, so "
            "there must be at least two."
        )
    random = random.over(groups)
    identified = tuple(g for g, b in zip(groups, random.positives.sum(axis=0), strict=True) if b > 0)
    excluded = [
        Exclusion(
            what=f"{group} = {g}",
            count=int(sum(log.over((g,)).total for log in logs.values())),
            why="no positive row in the random log, so its opportunity cannot be identified",
            unidentified=True,
        )
        for g in groups
        if g not in identified
    ]
    missing = sum(log.missing for log in logs.values()) + random.missing
    if missing:
        excluded.append(Exclusion(what=f"rows without {group}", count=missing, why="excluded as asked"))
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
        assumptions=(UNIFORM, SAME_LABEL, _dependence(cluster)),
        warnings=tuple(_warnings(logs, lined_up, random, group, excluded, cluster, user_column)),
    )


def _have_groups_in_common(logs: Mapping[str, LogCounts], random: LogCounts, group: str) -> None:
    for name, log in logs.items():
        if log.groups and random.groups and not set(log.groups) & set(random.groups):
            raise InputError(
                f"the {name} log and the random log have no value of {group!r} in common (for example "
                f"{log.groups[0]!r} and {random.groups[0]!r}); write the groups in the same way in both."
            )


def _dependence(cluster: str | None) -> str:
    if cluster is None:
        return "Rows are independent of each other."
    return f"Rows of different {cluster} are independent; rows of one may depend on each other in any way."


def _warnings(
    logs: Mapping[str, LogCounts],
    lined_up: tuple[LogCounts, ...],
    random: LogCounts,
    group: str,
    excluded: list[Exclusion],
    cluster: str | None,
    user_column: str | None,
) -> list[str]:
    said = []
    unidentified = [exclusion.what for exclusion in excluded if exclusion.unidentified]
    few_clusters = [
        name
        for name, log in [*zip(logs, lined_up, strict=True), ("random", random)]
        if log.clustered and log.used_clusters < LEAST_CLUSTERS
    ]
    unserved = [name for name, log in zip(logs, lined_up, strict=True) if not log.positives.any()]
    if len(random.groups) < 2:
        said.append(
            f"Cannot be computed: only {len(random.groups)} of the groups of {group} has a positive row in "
            "the random log, and a comparison needs two. Collect more random traffic."
        )
    elif unserved:
        said.append(
            f"Cannot be computed: the {unserved[0]} log has no positive row of any group that random traffic "
            "identifies, so there is no opportunity to compare."
        )
    elif few_clusters:
        said.append(
            f"Cannot be computed: the positive rows of the {few_clusters[0]} log come from fewer than "
            f"{LEAST_CLUSTERS} {cluster}, and their error cannot be estimated from so few. Collect traffic "
            "of more users."
        )
    elif unidentified:
        said.append(
            f"Left out, as the random log has no positive row of it: {', '.join(unidentified)}. "
            "The result says nothing about it, and cannot be a pass."
        )
    for name, log in zip(logs, lined_up, strict=True):
        zero = [g for g, a in zip(random.groups, log.positives.sum(axis=0), strict=True) if a == 0]
        if zero:
            said.append(
                f"No positive row of {group} = {', '.join(zero)} in the {name} log although users like such "
                "items when shown at random: its utility is 0, with an exact upper limit that takes "
                "rows as independent."
            )
    few = [
        g
        for g, *counts in zip(
            random.groups,
            random.positives.sum(axis=0).tolist(),
            *(log.positives.sum(axis=0).tolist() for log in lined_up),
            strict=True,
        )
        if 0 < min(counts) < FEW_POSITIVES
    ]
    if few:
        said.append(
            f"Fewer than {FEW_POSITIVES} positive rows in a log for {group} = {', '.join(few)}: intervals "
            "are approximate. All groups count alike in the average, so its noise moves every number here; "
            "merge it with another group if that makes sense."
        )
    if cluster is None and user_column is not None:
        said.append(
            f"There is a column {user_column!r} but no cluster was named: rows of one user are taken as "
            f"independent, which makes intervals too narrow. Name cluster={user_column!r}."
        )
    for name, log in [*zip(logs, lined_up, strict=True), ("random", random)]:
        if (
            cluster is not None
            and log.used_clusters >= LEAST_CLUSTERS
            and log.effective_clusters < FEW_CLUSTERS
        ):
            said.append(
                f"The positive rows of the {name} log come from few {cluster}, or mostly from a few of them "
                f"(as good as {log.effective_clusters:.0f} equal ones): intervals may be too narrow."
            )
    return said


def clustering(log: LogCounts) -> str:
    """What to add to the name of a method whose variance is taken over clusters."""
    return f", clustered in {len(log.rows):,} hash buckets" if log.clustered else ""


def unidentifiable(audit: str, measure: str, subject: dict[str, str | int | float]) -> tuple[Finding, ...]:
    """What can be said without random traffic: that nothing can, and why (Dong and others 2024, Sec. 3.1)."""
    why = (
        "Cannot be identified without random traffic: labels are known only for what was shown, and two "
        "systems with the same log can have shown all or almost none of what users would have liked. "
        "Missing labels are not negative ones. Collect a small log of uniformly random pairs."
    )
    return (Finding(audit=audit, measure=measure, subject=subject, estimate=None, warnings=(why,)),)


def check_variance(variance: str) -> None:
    if variance not in ("multinomial", "independent"):
        raise InputError(f"variance is {variance!r}, but must be 'multinomial' or 'independent'.")


def check_level(level: float) -> None:
    if not isinstance(level, int | float) or not 0.5 <= level < 1:
        raise InputError(
            f"level is {level}, but must be a confidence level from 0.5 to below 1, such as 0.95."
        )


def check_tolerance(tolerance: float | None) -> None:
    if tolerance is not None and not (isinstance(tolerance, int | float) and 0 < tolerance < 1):
        raise InputError(f"tolerance is {tolerance}, but must be between 0 and 1, such as 1/9, or None.")
