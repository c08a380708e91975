"""What must be said about the counts of logs: too few rows, too few users, groups that cannot be told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.findings import Exclusion
from evenhand.opportunity.evidence import LogCounts

# Below these an approximation by a normal law is worth a warning.
FEW_POSITIVES = 10
FEW_CLUSTERS = 50
# Of a group's items: where fewer count, another group may happen to have none of the kind that counts.
FEW_ITEMS = 20
# Below this many positive rows to be expected in random traffic, a group is not identified.
LEAST_EXPECTED = 20
# Below this a variance over clusters is none: nothing is computed, of a log or of a group in it.
LEAST_CLUSTERS = 10


@dataclass(frozen=True)
class Known:
    """Columns of a log that by their names hold users, and items or creators."""

    user: str | None = None
    item: str | None = None


NOTHING_KNOWN = Known()
# Of creators besides users: 20 groups that are unlike held at once in 93%.
STILL_NARROW = " With many groups that are unlike they hold less often than they say."
TOO_LITTLE = "hardly any positive rows, or users with them"


def has_few_clusters(log: LogCounts) -> bool:
    """Whether positive rows come from so few clusters that their error cannot be told."""
    return log.clustered and min(log.used_clusters) < LEAST_CLUSTERS


def has_enough_clusters(log: LogCounts) -> NDArray[np.bool_]:
    """By group: whether its rows come from so many clusters that its error can be told; without clusters yes.

    Of three users each interval is too narrow, however many users other groups have.
    """
    if not log.clustered:
        return np.ones(len(log.groups), dtype=bool)
    return np.asarray(log.group_clusters >= LEAST_CLUSTERS)


def few_in_groups(log: LogCounts, group: str, clusters: tuple[str, ...], where: str = "") -> list[str]:
    """A warning of groups whose rows come from few clusters, but enough to tell an error; `where` is the log.

    Their number is not said, since a group may be very small.
    """
    if not log.clustered:
        return []
    counted = zip(log.groups, log.group_clusters.tolist(), strict=True)
    few = [name for name, number in counted if LEAST_CLUSTERS <= number < FEW_CLUSTERS]
    if not few:
        return []
    return [
        f"There are fewer than {FEW_CLUSTERS} {clusters[0]} in {group} = {', '.join(few)}{where}: "
        "intervals are rough, and where a few of them have most rows they hold less often than they say. Use "
        "a longer log, or merge groups."
    ]


def expected_users_who_like(log: LogCounts) -> NDArray[np.float64]:
    """By group: users with a positive row to be expected, if they were as frequent as in the whole log.

    Without the luck of the group itself: a floor on what it has would hide groups that are served badly.
    """
    liked = (log.positives > 0).sum(axis=0)
    return np.asarray(log.group_clusters * (liked.sum() / max(1, log.group_clusters.sum())))


def few_who_like(log: LogCounts, group: str, clusters: tuple[str, ...]) -> list[str]:
    """A warning of groups in which a few clusters of the first column hold most positive rows."""
    if not log.clustered:
        return []
    few = np.array(log.groups)[_of_few(log.positives)].tolist()
    if not few:
        return []
    return [
        f"Few {clusters[0]} hold most positive rows of {group} = {', '.join(few)} (as good as fewer than "
        f"{FEW_ITEMS} equal ones): what such a group lacks by chance its own rows cannot tell, and is taken "
        "from the other groups. Intervals are rough."
    ]


def _of_few(held: NDArray[Any]) -> NDArray[np.bool_]:
    """By group: whether a few clusters hold most rows.

    Rows that are few are not meant: of pairs of rows, more than one in twenty is of the same cluster.
    """
    rows, same = held.sum(axis=0), (held * (held - 1)).sum(axis=0)
    return np.asarray(FEW_ITEMS * same > rows * (rows - 1))


def few_hits(logs: Iterable[LogCounts], group: str, clusters: tuple[str, ...]) -> list[str]:
    """A warning of groups in which a few clusters of the second column hold most positive rows."""
    if len(clusters) < 2:
        return []
    few: dict[str, None] = {}
    for log in logs:
        held = np.zeros((1, len(log.groups))) if log.by_item is None else log.by_item
        few |= dict.fromkeys(np.array(log.groups)[_of_few(held)].tolist())
    if not few:
        return []
    return [
        f"Few {clusters[1]} hold most positive rows of {group} = {', '.join(few)} (as good as fewer than "
        f"{FEW_ITEMS} equal ones). That a group has none of that kind may be chance, which its own rows "
        "cannot tell: intervals hold less often than they say."
    ]


def rests_on_few(log: LogCounts, clusters: tuple[str, ...], rows: str) -> list[str]:
    """A warning of each column of which a few clusters hold most of these `rows`."""
    counted = zip(clusters, log.used_clusters, log.effective_clusters, strict=False)
    return [
        f"The {rows} come from few {column}, or mostly from a few of them (as good as {effective:.0f} equal "
        "ones): their error is known only roughly, and intervals are wider for it."
        f"{STILL_NARROW if place else ''}"
        for place, (column, used, effective) in enumerate(counted)
        if used >= LEAST_CLUSTERS and effective < FEW_CLUSTERS
    ]


def has_too_little(log: LogCounts) -> bool:
    """Whether there is nothing to compare in a log, or no error to tell."""
    return not log.positives.any() or has_few_clusters(log)


def cautions(
    logs: Mapping[str, LogCounts],
    lined_up: tuple[LogCounts, ...],
    random: LogCounts,
    group: str,
    excluded: list[Exclusion],
    clusters: tuple[str, ...],
    known: Known,
    reference: str,
) -> list[str]:
    """Warnings about `logs` and, over the groups that `random` identifies, about `lined_up`."""
    said = []
    unidentified = [exclusion.what for exclusion in excluded if exclusion.unidentified]
    few_clusters = [
        (name, column)
        for name, log in [*zip(logs, lined_up, strict=True), (reference, random)]
        for column, used in zip(clusters, log.used_clusters, strict=False)
        if used < LEAST_CLUSTERS
    ]
    unserved = [name for name, log in zip(logs, lined_up, strict=True) if not log.positives.any()]
    if len(random.groups) < 2:
        said.append(
            f"Cannot be computed: only {len(random.groups)} of the groups of {group} can be told from the "
            f"{reference} log, and a comparison needs two. A group needs so many rows there that "
            f"{LEAST_EXPECTED} positive ones can be expected. Collect more {reference} traffic."
        )
    elif unserved:
        said.append(
            f"Cannot be computed: the {unserved[0]} log has no positive row of any group that {reference} "
            "traffic identifies, so there is no opportunity to compare."
        )
    elif few_clusters:
        said.append(
            f"Cannot be computed: the positive rows of the {few_clusters[0][0]} log come from fewer than "
            f"{LEAST_CLUSTERS} {few_clusters[0][1]}, and their error cannot be estimated from so few. "
            "Collect traffic of more."
        )
    elif unidentified:
        said.append(
            f"Left out, as the {reference} log says too little about it: {', '.join(unidentified)}. A group "
            f"needs a positive row there, and so many rows that {LEAST_EXPECTED} of them can be expected"
            + (f", of at least {LEAST_CLUSTERS} {clusters[0]}. " if clusters else ". ")
            + "The result says nothing about it, and cannot be a pass."
        )
    for name, log in zip(logs, lined_up, strict=True):
        zero = [g for g, a in zip(random.groups, log.positives.sum(axis=0), strict=True) if a == 0]
        if zero:
            said.append(
                f"No positive row of {group} = {', '.join(zero)} in the {name} log although users like such "
                f"items in {reference} traffic: its utility is 0, with an upper limit that "
                + (
                    f"takes its rows to go together by {clusters[0]} as those of other groups do at most."
                    if clusters
                    else "takes rows as independent."
                )
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
    said += unused_clusters(clusters, known)
    for name, log in [*zip(logs, lined_up, strict=True), (reference, random)]:
        said += few_in_groups(log, group, clusters, f" of the {name} log")
    said += few_hits(lined_up, group, clusters)
    for name, log in [*zip(logs, lined_up, strict=True), (reference, random)]:
        said += rests_on_few(log, clusters, f"positive rows of the {name} log")
    return said


def roughly(share: float) -> str:
    """A share of rows, not so finely that it would tell how many: warnings are always published."""
    return "Less than 1%" if share < 0.01 else f"About {share:.0%}"


def unused_clusters(clusters: tuple[str, ...], known: Known) -> list[str]:
    """Warnings where users, or items, are known but were not named as clusters."""
    said = []
    if not clusters and known.user is not None:
        said.append(
            f"There is a column {known.user!r} but no cluster was named: rows of one user are taken as "
            "independent, which makes intervals too narrow, and small groups are counted in rows and not in "
            f'people. Name it as the cluster (--cluster {known.user}, or cluster = "{known.user}" in a plan).'
        )
    if len(clusters) == 1 and known.item is not None and known.item not in clusters:
        said.append(
            f"The intervals allow for other values of {clusters[0]} than these, but not of {known.item}: to "
            f"speak of others like these, too, cluster by both (--cluster {clusters[0]} "
            f'--cluster {known.item}, or cluster = ["{clusters[0]}", "{known.item}"] in a plan).'
        )
    return said
