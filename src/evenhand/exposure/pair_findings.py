"""Findings about pairs of groups: who is shown to whom, as a share of what relevance asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.about import About
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import group_matrix
from evenhand.exposure.missingness import has_bound, least_factor
from evenhand.exposure.pairs import pairs
from evenhand.exposure.policy import ExposureRule, Seen
from evenhand.exposure.premises import (
    FEW_ARE_HERE,
    Demand,
    common,
    few_users,
    from_relevance,
    lists_end,
    little_relevance,
    nobody_likes,
    of_pair,
)
from evenhand.exposure.problem.numbered import Problem
from evenhand.findings import Count, Finding, Interval, Verdict, decide
from evenhand.more_data import shrinking, with_more_data
from evenhand.pictures import Cell, Map


def matrix(problem: Problem, evidence: Evidence, rule: ExposureRule, level: float) -> Map:
    """Who is shown to whom, as a share above or below what relevance asks for; `sure` where that is beyond
    chance for all cells at once."""
    found, sizes = pairs(evidence, level, first_weight(rule)), evidence.sums.group_users.sum(axis=1)
    share, sure = found.share, found.over_exposed | found.under_exposed
    cells = [
        Cell(row=user, column=item, users=int(sizes[g]), value=float(share[g, k]), sure=bool(sure[g, k]))
        for g, user in enumerate(problem.user_names)
        for k, item in enumerate(problem.item_names)
        if np.isfinite(share[g, k])
    ]
    return Map(of="exposure", cells=tuple(cells))


@dataclass(frozen=True)
class Told:
    """What is said beside the pairs: names of groups, what all findings have in common, and cautions; `first`
    is the weight of the first place, and `explainable` whether missing relevance could explain a finding."""

    user_names: Sequence[str]
    item_names: Sequence[str]
    first: float
    common: Mapping[str, Any]
    cautions: tuple[str, ...]
    explainable: bool


def pair_findings(
    problem: Problem, seen: Seen, rule: ExposureRule, about: About, demand: Demand
) -> list[Finding]:
    """Pairs of groups by how far, as a share of what relevance asks for, they are surely off: what is beyond
    a tolerance comes first, so that a limit on the number hides nothing of it."""
    cautions = cautions_of(problem, seen.evidence, rule)
    told = Told(
        problem.user_names, problem.item_names, first_weight(rule), common(problem, seen, rule, about),
        cautions, problem.propensities is None and has_bound(rule),
    )  # fmt: skip
    return findings_of_pairs(seen.evidence, told, about, demand)


def cautions_of(problem: Problem, evidence: Evidence, rule: ExposureRule) -> tuple[str, ...]:
    """Where to take care with all pairs."""
    return (
        *lists_end(problem, evidence, rule),
        *little_relevance(from_relevance(evidence, group_matrix(evidence))),
    )


def findings_of_pairs(evidence: Evidence, told: Told, about: About, demand: Demand) -> list[Finding]:
    """The same from evidence alone."""
    off, sizes = pairs(evidence, demand.level, told.first), evidence.sums.group_users.sum(axis=1)
    said = dict(told.common)
    said["assumptions"] = (*said["assumptions"], FEW_ARE_HERE)
    surely = np.maximum(off.low, -off.high)
    order = np.argsort(-np.nan_to_num(surely, nan=-np.inf), axis=None, kind="stable")
    found = []
    for g, item in zip(*np.unravel_index(order[: demand.top], surely.shape), strict=True):
        share, low, high = (float(part[g, item]) for part in (off.share, off.low, off.high))
        if not np.isfinite(share):
            continue
        interval = None
        if np.isfinite(low) and np.isfinite(high):
            method = f"ratio of means over users, simultaneous over {surely.size:,} pairs"
            interval = Interval(low=low, high=high, level=demand.level, method=method)
        target = float(off.matrix.target[g, item])
        details = {
            "exposure": float(off.matrix.system[g, item]),
            "target": target,
            "random": float(off.matrix.random[g, item]),
            "from_relevance": float(evidence.sums.wanted[g, item] / sizes[g] / target),
        }
        if told.explainable and decide(interval, demand.tolerance, "outside") is Verdict.VIOLATION:
            assert demand.tolerance is not None
            factor = least_factor(evidence, off, (g, item), demand.tolerance, demand.level)
            details |= {} if factor is None else {"unseen_factor": factor}
        finding = Finding(
            measure="pair_exposure",
            about=of_pair(about, told.item_names[item], told.user_names[g]),
            estimate=share,
            interval=interval,
            tolerance=demand.tolerance,
            harm="outside",
            details=details,
            people={told.user_names[g]: int(sizes[g])},
            warnings=(
                *few_users(int(sizes[g]), f"in group {told.user_names[g]}"),
                *nobody_likes(evidence, item),
                *told.cautions,
            ),
            **(said | {"n": Count(int(sizes[g]), "users")}),
        )
        found.append(with_more_data(finding, shrinking(finding), of="users"))
    return found


def first_weight(rule: ExposureRule) -> float:
    return float(rule.browsing.weights(1)[0])
