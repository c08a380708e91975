"""What the evidence about one policy says, as findings: the six measures, and pairs of groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.errors import InputError
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import NAMES, GroupMatrix, corrected_measures, group_matrix, measures
from evenhand.exposure.policy import Rule, Seen
from evenhand.exposure.problem import Problem
from evenhand.exposure.uncertainty import MatrixIntervals, intervals, matrix_intervals, served_intervals
from evenhand.findings import Exclusion, Finding, Interval

SAMPLE = "Users are a sample of those the system serves, each drawn without regard to the others."
SHOWN = "The lists in the log are those that users saw; what is not in a list was not seen."
RELEVANT = "Items are relevant to users as the relevance table says, and what it does not list is not."
# As a share of random exposure: a target below it is nothing, or what rounding left of larger numbers.
LEAST_TARGET = 1e-9

Subject = dict[str, str | int | float]


def in_words(beta: str | int | float) -> str:
    return {"static": "the static ranking", "observed": "the lists as shown"}.get(str(beta), f"beta {beta}")


@dataclass(frozen=True)
class Demand:
    """What the caller wants to know about every policy."""

    tolerance: float | None
    level: float
    top: int


def conclude(problem: Problem, seen: Seen, rule: Rule, subject: Subject, demand: Demand) -> list[Finding]:
    """The findings about one policy; `subject` says which."""
    matrix, limits = group_matrix(seen.evidence), matrix_intervals(seen.evidence, demand.level)
    common = _common(seen, rule, subject)
    return [
        *(_served(problem, seen.evidence, subject, common, demand) if rule.target == "equal" else []),
        *_pairs(problem, seen.evidence, matrix, limits, subject, common, demand),
        *six_measures(problem, seen, rule, subject, demand.level),
    ]


def _common(seen: Seen, rule: Rule, subject: Subject) -> dict[str, Any]:
    shown = (SHOWN,) if subject["beta"] == "observed" else ()
    return {
        "audit": "exposure",
        "n": seen.evidence.users,
        "excluded": _left_out(seen),
        "assumptions": (rule.browsing.in_words, RELEVANT, *shown, SAMPLE),
    }


def six_measures(problem: Problem, seen: Seen, rule: Rule, subject: Subject, level: float) -> list[Finding]:
    evidence = seen.evidence
    plain, corrected = measures(evidence), corrected_measures(evidence)
    bounds = intervals(evidence, level)
    found = []
    for name in NAMES:
        details: dict[str, Any] = {
            "disparity": plain[name].disparity,
            "relevance": plain[name].relevance,
            "constant": plain[name].constant,
        }
        # Nobody knows how much of a single list is chance, so there is nothing to correct by.
        unknown = name in ("II", "IG") and seen.shown_once > 0
        if np.isfinite(corrected[name].fairness) and not unknown:
            details["corrected"] = corrected[name].fairness
        if name == "GG":
            details["matrix"] = _matrix(problem, evidence, level)
        found.append(
            Finding(
                measure=name,
                subject=subject,
                estimate=plain[name].fairness,
                interval=None if unknown else _interval(bounds[name], level),
                warnings=_warnings(name, seen, bounds[name] is None),
                details=details,
                **_common(seen, rule, subject),
            )
        )
    return found


def _served(
    problem: Problem, evidence: Evidence, subject: Subject, common: dict[str, Any], demand: Demand
) -> list[Finding]:
    """How much of the exposure that their relevant items could have each user group gets."""
    found = []
    for g, known in enumerate(served_intervals(evidence, demand.level)):
        n = int(evidence.served[g, 0])
        interval = None
        if known is not None:
            method = f"t, simultaneous over {len(problem.user_names):,} user groups"
            interval = Interval(low=known[1], high=known[2], level=demand.level, method=method)
        found.append(
            Finding(
                measure="relevant_exposure",
                subject=subject | {"group": problem.user_names[g]},
                estimate=float(evidence.served[g, 1] / n) if n else None,
                interval=interval,
                warnings=() if n else ("all positions weigh the same, so nothing can be shown better",),
                **(common | {"n": n}),
            )
        )
    return found


def nobody_missing(problem: Problem, evidence: Evidence) -> None:
    if evidence.users == 0:
        raise InputError(
            "no user has a relevant item and something to be shown, so there is nothing to compare."
        )
    empty = [
        name
        for name, users in zip(problem.user_names, evidence.group_users.sum(axis=1), strict=True)
        if not users
    ]
    if empty:
        raise InputError(
            f"{len(empty):,} of {len(problem.user_names):,} user groups have no user with scores and "
            f"relevant items, for example {empty[0]!r}; leave the users of such groups out, or merge groups."
        )


def _left_out(seen: Seen) -> tuple[Exclusion, ...]:
    left = []
    if without := int(seen.evidence.excluded[0]):
        why = "nothing is relevant to them, so nothing is asked for"
        left.append(Exclusion(what="users without relevant items", count=without, why=why))
    if seen.without_lists:
        why = "there is nothing that they could be shown"
        left.append(Exclusion(what="users without scores or lists", count=seen.without_lists, why=why))
    return tuple(left)


def _warnings(name: str, seen: Seen, no_interval: bool) -> tuple[str, ...]:
    said = []
    if name in ("II", "IG") and seen.shown_once:
        said.append(
            f"{seen.shown_once:,} users were shown one list only: if lists are drawn at random, this is too "
            "large by an unknown amount, and has no interval. Leave them out for a corrected one."
        )
    if no_interval:
        said.append("There is no interval: a group has fewer than four users. Merge small groups.")
    return tuple(said)


def _interval(limits: tuple[float, float] | None, level: float) -> Interval | None:
    if limits is None:
        return None
    method = "blocks of users, of the population's measure"
    return Interval(low=limits[0], high=limits[1], level=level, method=method)


def _matrix(problem: Problem, evidence: Evidence, level: float) -> dict[str, Any]:
    """Who is shown to whom, as a share above or below what relevance asks for; `sure` where that is beyond
    chance for all cells at once."""
    limits = matrix_intervals(evidence, level)
    share, sizes = relative(group_matrix(evidence)), evidence.group_users.sum(axis=1)
    sure = limits.over_exposed | limits.under_exposed
    return {
        "cells": [
            {
                "row": user,
                "column": item,
                "users": int(sizes[g]),
                "share": float(share[g, k]),
                "sure": bool(sure[g, k]),
            }
            for g, user in enumerate(problem.user_names)
            for k, item in enumerate(problem.item_names)
            if np.isfinite(share[g, k])
        ]
    }


def relative(matrix: GroupMatrix) -> np.ndarray:
    """Exposure over target minus 1; NaN where nothing is asked for, or no more than rounding leaves."""
    asked = matrix.target > LEAST_TARGET * matrix.random
    return np.divide(matrix.difference, matrix.target, out=np.full(matrix.target.shape, np.nan), where=asked)


def _pairs(
    problem: Problem,
    evidence: Evidence,
    matrix: GroupMatrix,
    limits: MatrixIntervals,
    subject: Subject,
    common: dict[str, Any],
    demand: Demand,
) -> list[Finding]:
    """Pairs of groups by how far, as a share of what relevance asks for, they are surely off: what is beyond
    a tolerance comes first, so that a limit on the number hides nothing of it."""
    share, sizes = relative(matrix), evidence.group_users.sum(axis=1)
    surely = np.maximum(limits.low, -limits.high) / np.where(np.isfinite(share), matrix.target, np.nan)
    order = np.argsort(-np.nan_to_num(surely, nan=-np.inf), axis=None, kind="stable")
    found = []
    for g, item in zip(*np.unravel_index(order[: demand.top], share.shape), strict=True):
        if not np.isfinite(share[g, item]):
            continue
        low, high = (side[g, item] / matrix.target[g, item] for side in (limits.low, limits.high))
        interval = None
        if np.isfinite(low) and np.isfinite(high):
            method = f"simultaneous over {share.size:,} pairs"
            low = max(low, -1.0)  # nothing is shown less than never
            interval = Interval(low=float(low), high=float(high), level=demand.level, method=method)
        found.append(
            Finding(
                measure="pair_exposure",
                subject=subject | {"group": f"{problem.item_names[item]} to {problem.user_names[g]}"},
                estimate=float(share[g, item]),
                interval=interval,
                tolerance=demand.tolerance,
                harm="outside",
                details={
                    "policy": in_words(subject["beta"]),
                    "exposure": float(matrix.system[g, item]),
                    "target": float(matrix.target[g, item]),
                    "random": float(matrix.random[g, item]),
                },
                **(common | {"n": int(sizes[g])}),
            )
        )
    return found
