"""The boosting simulation: what showing some groups more often would do to equal opportunity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from evenhand import inputs
from evenhand.about import About, group_of
from evenhand.asked.declared.opportunity import AskedBoost
from evenhand.errors import InputError
from evenhand.findings import Count, Finding, Interval
from evenhand.opportunity.boosting import best_weights, boosted, halves, weights_of
from evenhand.opportunity.inference.more_rows import penalty_with_more_rows
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.inference.same_rows import penalty_change_of_same_rows
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.asked_rows import rows_asked_for, told
from evenhand.opportunity.logs.cautions import LEAST_CLUSTERS, Known, cautions
from evenhand.opportunity.logs.counting import Bins, Clusters, Missing, Question
from evenhand.opportunity.logs.grouping import GroupColumns
from evenhand.opportunity.logs.preparation import (
    Prepared,
    clustering,
    known_columns,
    prepare,
)
from evenhand.opportunity.logs.weighting import weight_warnings
from evenhand.opportunity.measures import penalty, relative_utilities
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of

AS_IS, BOOSTED = "no boost", "boost"
SHOWN_MORE = "A boosted group is shown more often to users like those who see it now, and is liked as often."
HELD_OUT = "Weights were chosen on one half of the data; the numbers here come from the other half."
NOT_FITTED = (
    "The weights were not chosen by these logs, be it by an audit or by a search: weights that were make "
    "groups more equal here than elsewhere, and intervals do not know it."
)
# Weights that have nothing to do with the logs make groups so equal in one log of a hundred, at most.
TOO_EQUAL = 0.99
FITTED = (
    "With these weights groups are more equal in these logs than chance lets even equally served groups be: "
    "the weights look as if they were chosen by these very logs, and would do less elsewhere. Let weights be "
    "searched for, which keeps one half to judge them by, or try them on other logs."
)
FITTED_DOUBT = "the weights look as if they were chosen by these very logs"


def boost(
    default: Any,
    random: Any,
    label: str | Sequence[str],
    group: GroupColumns,
    weights: Mapping[str, float] | Literal["search"],
    cluster: Clusters = None,
    level: float = 0.95,
    tolerance: float | None = 1 / 9,
    rng: int | np.random.Generator = 0,
    *,
    limit: float = 2.0,
    attributes: Any = None,
    on: str | Sequence[str] | None = None,
    missing: Missing = "refuse",
    bins: Bins | None = None,
    where: inputs.Where | None = None,
    probability: str | None = None,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """What the penalty would be if rows of group k came `weights[k]` times as often; the rest as in `audit`.

    `weights` are those to try, {group: 1.25}, or "search" for those with the least penalty, of which the
    largest is at most `limit` times the smallest. A search looks at one half of the users (or rows, without a
    cluster), and the findings rest on the other half, so that its luck is not counted.

    Findings: `reo_penalty` of the log as it is (without a verdict) and boosted, `reo_difference`, and a
    `boost_weight` a group.
    """
    AskedBoost.checked(
        group=group, cluster=cluster, on=on, missing=missing, bins=bins, where=where, level=level,
        label=label, probability=probability, limit=limit, tolerance=tolerance,
        weights={str(name): weight for name, weight in weights.items()}
        if isinstance(weights, Mapping)
        else weights,
    )  # fmt: skip
    seed = seed_of(rng)
    question = Question.of(
        label, group, cluster, attributes, on, missing, probability, bins=bins, where=where
    )
    default = inputs.table(default, name="default log", engine=engine)
    random = inputs.table(random, name="random log", engine=engine)
    question, logs = rows_asked_for(question, default, random)
    prepared = prepare({"default": logs[0]}, logs[1], question, progress)
    if not prepared.comparable:
        raise InputError(f"No boosting can be simulated. {prepared.warnings[0]}")
    known = known_columns(random)
    findings = _findings(prepared, weights, limit, level, tolerance, seed, question.clusters, known)
    return AuditResult(told(findings, question, logs), prepared.fingerprints, seed)


def _findings(
    prepared: Prepared,
    weights: Mapping[str, float] | Literal["search"],
    limit: float,
    level: float,
    tolerance: float | None,
    seed: int,
    clusters: tuple[str, ...],
    known: Known,
) -> tuple[Finding, ...]:
    assumptions = (SHOWN_MORE, *prepared.assumptions)
    if isinstance(weights, str):
        train, prepared = _halves(prepared, clusters, known, seed)
        trained = ArmInference(Arms.from_logs(train.logs, train.random), 0, seed)
        chosen = best_weights(trained.utilities, limit)
        assumptions = (HELD_OUT, *assumptions)
    else:
        chosen = weights_of(prepared.random.groups, weights)
        assumptions = (NOT_FITTED, *assumptions)
    log, random = prepared.logs[0], prepared.random
    common: dict[str, Any] = {
        "audit": "boost", "excluded": prepared.excluded, "assumptions": assumptions,
        "warnings": prepared.warnings, "people": prepared.people,
    }  # fmt: skip
    arms = boosted(log, random, chosen)
    doubts: tuple[str, ...] = ()
    if not isinstance(weights, str) and _too_equal(arms, seed):
        common["warnings"], doubts = (FITTED, *prepared.warnings), (FITTED_DOUBT,)
    n = Count(log.total + random.total, "rows")
    by: About = {"by": {"creators": prepared.group}}
    made = clustering(log)
    # What is asked is what the new weights would do; the present ones are the audit's matter.
    findings = [
        _penalty(
            arms, arm, by | {"arm": name}, level, judged, seed, made, common | {"n": n, "doubts": against}
        )
        for arm, (name, judged, against) in enumerate(((AS_IS, None, ()), (BOOSTED, tolerance, doubts)))
    ]
    change = penalty_change_of_same_rows(arms, 1, 0, level, seed)
    findings.append(
        Finding(
            measure="reo_difference",
            about=by | {"arm": BOOSTED, "baseline": AS_IS},
            estimate=change.estimate,
            interval=Interval(low=change.low, high=change.high, level=level, method=change.method + made),
            p_value=change.p_value,
            n=n,
            details={"searched": isinstance(weights, str)},
            doubts=doubts,
            **common,
        )
    )
    rows = log.rows.sum(axis=0) + random.rows.sum(axis=0)
    of_groups = [relative_utilities(ArmInference(arms, arm, seed).utilities) for arm in (0, 1)]
    findings += [
        Finding(
            measure="boost_weight",
            about={"creators": group_of(prepared.group, name)},
            estimate=float(weight),
            n=Count(int(count), "rows"),
            details={"relative_utility_now": float(now), "relative_utility_boosted": float(then)},
            **(common | {"people": {name: common["people"][name]}}),
        )
        for name, weight, count, now, then in zip(random.groups, chosen, rows, *of_groups, strict=True)
    ]
    return tuple(findings)


def _too_equal(arms: Arms, seed: int) -> bool:
    """Of the errors that are seen: with those that groups learn from each other every log looks too equal."""
    test = ArmInference(replace(arms, moderated=False), 1, seed).equality()
    return test is not None and test.p_value >= TOO_EQUAL


def _halves(
    prepared: Prepared, clusters: tuple[str, ...], known: Known, seed: int
) -> tuple[Prepared, Prepared]:
    """One half to choose weights by, and one to judge them by, with what must be said about it."""
    rng = np.random.default_rng(seed)
    logs, randoms = halves(prepared.logs[0], rng), halves(prepared.random, rng)
    for name, both in (("default", logs), ("random", randoms)):
        used = min((min(half.used_clusters) for half in both if half.clustered), default=LEAST_CLUSTERS)
        if used < LEAST_CLUSTERS:
            raise InputError(
                f"the positive rows of one half of the {name} log come from only {used} {clusters[0]}, and "
                f"their error cannot be estimated from fewer than {LEAST_CLUSTERS}: there is too little data "
                "to search for weights; give some instead."
            )
        if any((half.positives.sum(axis=0) == 0).any() for half in both):
            raise InputError(
                f"a group has no positive row in one half of the {name} log: there is too little data to "
                "search for weights; give some instead."
            )
    train, test = (
        replace(prepared, logs=(log,), random=random) for log, random in zip(logs, randoms, strict=True)
    )
    log, random = test.logs[0], test.random
    said = cautions(
        {"held-out default": log}, (log,), random, prepared.group, list(prepared.excluded), clusters, known,
        "held-out random",
    )  # fmt: skip
    return train, replace(test, warnings=(*said, *weight_warnings(random, prepared.group)))


def _penalty(
    arms: Arms,
    arm: int,
    about: About,
    level: float,
    tolerance: float | None,
    seed: int,
    clustered: str,
    common: dict[str, Any],
) -> Finding:
    inference = ArmInference(arms, arm, seed)
    low, high = inference.penalty_interval(level)
    found = Finding(
        measure="reo_penalty",
        about=about,
        estimate=float(penalty(inference.utilities)),
        interval=Interval(low=low, high=high, level=level, method="hull" + clustered),
        tolerance=tolerance,
        details={"groups": len(arms.groups)},
        **common,
    )
    return penalty_with_more_rows(found, inference, level)
