"""Are users of all groups shown what they like? Precision of what was shown, which needs no random traffic.

    U_k = liked rows of users of group k / their rows            (Dong and others 2024, Eq. 27)

A list of N_show items holds at most N_show that a user likes, and there are nearly always more than that: so
the rate of liked rows is the user's share of what the list could have held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evenhand import inputs
from evenhand.about import group_of
from evenhand.asked.declared.opportunity import AskedUserPrecision
from evenhand.errors import InputError
from evenhand.findings import Count, Exclusion, Finding, Interval
from evenhand.opportunity.evidence import LogCounts, people_of
from evenhand.opportunity.inference.more_rows import penalty_with_more_rows
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.asked_rows import rows_asked_for, told
from evenhand.opportunity.logs.cautions import (
    FEW_POSITIVES,
    LEAST_CLUSTERS,
    expected_users_who_like,
    few_in_groups,
    few_who_like,
    has_enough_clusters,
    has_few_clusters,
    unused_clusters,
)
from evenhand.opportunity.logs.counting import Bins, Missing, Question, one_cluster
from evenhand.opportunity.logs.grouping import GroupColumns
from evenhand.opportunity.logs.preparation import (
    LIKE_IN_ALL,
    clustering,
    dependence,
    known_users,
    left_out,
    too_few_people,
    too_few_who_like,
)
from evenhand.opportunity.measures import Array, penalty
from evenhand.results import AuditResult
from evenhand.stats import normal
from evenhand.stats.log_ratios import counts
from evenhand.stats.log_ratios.clusters import Errors
from evenhand.stats.log_ratios.moderated import moderated_scores
from evenhand.stats.means.proportions import score_limits
from evenhand.stats.randomness import seed_of

# As in comparisons of groups: degrees of freedom allow for the other half of what a group lacks.
_PART = 0.5
FULL_LISTS = "Every request shows a full list, and users could have liked more items than it holds."


def user_precision(
    default: Any,
    label: str | Sequence[str],
    group: GroupColumns,
    cluster: str | None = None,
    level: float = 0.95,
    tolerance: float | None = 1 / 9,
    rng: int | np.random.Generator = 0,
    *,
    attributes: Any = None,
    on: str | Sequence[str] | None = None,
    missing: Missing = "refuse",
    bins: Bins | None = None,
    where: inputs.Where | None = None,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Compare the precision of what users of different groups are shown; arguments as in `audit`.

    `group` is a group of users; one with rows of fewer than ten of them, or of which fewer than ten can be
    expected to like anything, is left out, since no error can be
    told from so few. Findings: `precision_penalty`, the spread of the groups over their mean, and
    `precision` a group.
    """
    AskedUserPrecision.checked(
        group=group, cluster=cluster, on=on, missing=missing, bins=bins, where=where, level=level,
        label=label, tolerance=tolerance,
    )  # fmt: skip
    seed = seed_of(rng)
    cluster = one_cluster(cluster, "user_precision")
    question = Question.of(label, group, cluster, attributes, on, missing, bins=bins, where=where)
    progress("counting default log")
    table = inputs.table(default, name="default log", engine=engine)
    question, rows = rows_asked_for(question, table)
    log, fingerprint = question.count(rows[0])
    said = tuple(unused_clusters(question.clusters, known_users(table)))
    findings = findings_of_precision(log, question, level, tolerance, seed, said)
    return AuditResult(told(findings, question, rows, random=False), {"default": fingerprint}, seed)


def findings_of_precision(
    log: LogCounts, question: Question, level: float, tolerance: float | None, seed: int,
    said: tuple[str, ...] = (),
) -> tuple[Finding, ...]:  # fmt: skip
    """The findings of one log, from counts alone."""
    by, cluster = question.group, question.cluster
    if len(log.groups) < 2:
        raise InputError(f"column {by!r} has fewer than two groups, and a comparison needs two.")
    if not log.positives.any():
        raise InputError("the default log has no positive row, so there is no precision to compare.")
    if has_few_clusters(log):
        raise InputError(
            f"the positive rows come from fewer than {LEAST_CLUSTERS} {cluster}: too few to tell the error."
        )
    log, excluded = _told(log, by, question.clusters)
    never = [g for g, a in zip(log.groups, log.positives.sum(axis=0), strict=True) if a == 0]
    if never:
        raise InputError(
            f"no row of {by} = {', '.join(never)} is positive: its error cannot be estimated; merge it "
            "with another group, or take a longer log."
        )
    counted = zip(log.groups, log.positives.sum(axis=0), log.rows.sum(axis=0), strict=True)
    always = [g for g, liked, rows in counted if liked == rows]
    if always:
        raise InputError(
            f"every row of {by} = {', '.join(always)} is positive: its error cannot be estimated; merge "
            "it with another group, or take a longer log."
        )
    return _findings(log, by, question.clusters, level, tolerance, seed, said, excluded)


def _told(log: LogCounts, by: str, clusters: tuple[str, ...]) -> tuple[LogCounts, tuple[Exclusion, ...]]:
    """The groups with enough users to tell their errors, and what is left out."""
    people = has_enough_clusters(log)
    # A few who like much, of many who like nothing, tell no error either.
    enough = people & (not log.clustered or expected_users_who_like(log) >= LEAST_CLUSTERS)
    if enough.all():
        return log, ()
    kept = tuple(g for g, told in zip(log.groups, enough, strict=True) if told)
    if len(kept) < 2:
        rows = "rows" if people.sum() < 2 else "so many rows that positive ones can be expected"
        raise InputError(
            f"fewer than two groups of {by} have {rows} of {LEAST_CLUSTERS} {clusters[0]} or more, and of "
            "fewer no error can be told: merge groups, or take a longer log."
        )
    excluded = tuple(
        Exclusion(
            what=f"{by} = {g}",
            count=int(rows),
            why=too_few_people(clusters) if few else too_few_who_like(clusters),
            unidentified=True,
            people=int(number),
        )
        for g, rows, number, few, told in zip(
            log.groups, log.rows.sum(axis=0), log.people, ~people, enough, strict=True
        )
        if not told
    )
    return log.over(kept), excluded


def _arms(log: LogCounts) -> Arms:
    rows = log.rows.sum(axis=0).astype(float)
    return Arms(
        groups=log.groups,
        positives=log.positives.sum(axis=0).astype(float)[None],
        totals=np.array([float(log.total)]),
        random_positives=rows,
        random_total=float(log.total),
        scores=log.scores[:, None, :] if log.clustered else None,
        random_scores=counts.cluster_scores(log.rows.astype(float)) if log.clustered else None,
        # Liked rows are a part of all rows: Var(log(A/N)) = 1/A - 1/N.
        random_variance=-1 / rows,
    )


def _errors(arms: Arms) -> Errors:
    """Errors of the rates themselves: what is common to all groups counts, as no other group is compared."""
    if arms.scores is None or arms.random_scores is None:
        return arms.errors(0)
    scores = moderated_scores(arms.scores - arms.random_scores[:, None, :], _PART)[:, 0]
    return Errors(counts.cluster_covariance(scores), (scores,), arms.errors(0).most)


def _left_out_people(untold: tuple[Exclusion, ...], clusters: tuple[str, ...]) -> tuple[str, ...]:
    few = [each.what for each in untold if each.why == too_few_people(clusters)] if untold else []
    silent = [each.what for each in untold if each.what not in few]
    reasons = (
        (few, f"as its rows come from fewer than {LEAST_CLUSTERS} {', '.join(clusters)}"),
        (silent, f"as fewer than {LEAST_CLUSTERS} of its users can be expected to have a positive row"),
    )
    return tuple(
        f"Left out, {why}: {', '.join(names)}. The result says nothing about it, and cannot be a pass."
        for names, why in reasons
        if names
    )


def _limits(rates: Array, squares: Array) -> tuple[Array, Array]:
    """Limits of precisions, `squares` being those of how far each reaches on the logarithmic scale.

    That scale is right where few rows are liked. Where most are, those that are not decide, and a group that
    happens to have few of them seems surer than it is: with 20 groups of 20 such rows any was missed in 20%.
    So the error is also taken at the limit, as Wilson (1927) does, with as many cases as have this error.
    """
    reach = np.exp(np.sqrt(squares))
    low, high = score_limits(rates, squares * rates / (1 - rates))
    return np.minimum(rates / reach, low), np.maximum(np.minimum(1.0, rates * reach), high)


def _findings(
    log: LogCounts, by: str, clusters: tuple[str, ...], level: float, tolerance: float | None, seed: int,
    said: tuple[str, ...] = (), untold: tuple[Exclusion, ...] = (),
) -> tuple[Finding, ...]:  # fmt: skip
    arms = _arms(log)
    inference = ArmInference(arms, 0, seed)
    rates = arms.positives[0] / arms.random_positives
    each, errors = np.eye(len(rates)), _errors(arms)
    variances = errors.variances(each)
    critical = normal.simultaneous_critical_value(each, errors.covariance, level, seed, errors.degrees(each))
    low_of, high_of = _limits(rates, variances * critical**2)
    rarer = np.minimum(arms.positives[0], arms.random_positives - arms.positives[0])
    few = [name for name, count in zip(log.groups, rarer, strict=True) if count < FEW_POSITIVES]
    warning = (
        f"Fewer than {FEW_POSITIVES} positive rows, or fewer than {FEW_POSITIVES} others, for {by} = "
        f"{', '.join(few)}: intervals are approximate."
    )
    common: dict[str, Any] = {
        "audit": "user_precision",
        "assumptions": (FULL_LISTS, dependence(clusters), *((LIKE_IN_ALL,) if clusters else ())),
        "warnings": (
            *_left_out_people(untold, clusters),
            *((warning,) if few else ()),
            *few_in_groups(log, by, clusters),
            *few_who_like(log, by, clusters),
            *said,
        ),
        "excluded": (*untold, *left_out([log], by)),
        "people": people_of(log),
    }
    low, high = inference.penalty_interval(level)
    made = clustering(log)
    whole = Finding(
        measure="precision_penalty",
        about={"by": {"users": by}},
        estimate=float(penalty(rates)),
        interval=Interval(low=low, high=high, level=level, method="hull" + made),
        tolerance=tolerance,
        n=Count(log.total, "rows"),
        details={"groups": len(rates)},
        **common,
    )
    return (
        penalty_with_more_rows(whole, inference, level, of="rows"),
        *(
            Finding(
                measure="precision",
                about={"users": group_of(by, name)},
                estimate=float(rates[k]),
                interval=Interval(
                    low=float(low_of[k]),
                    high=float(high_of[k]),
                    level=level,
                    method="log scale and score, simultaneous over groups" + made,
                ),
                n=Count(int(log.rows[:, k].sum()), "rows"),
                details={"positives": int(log.positives[:, k].sum())},
                **(common | {"people": {name: common["people"][name]}}),
            )
            for k, name in enumerate(log.groups)
        ),
    )
