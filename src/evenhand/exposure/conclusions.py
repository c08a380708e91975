"""What the evidence about one policy says, as findings: the six measures, and pairs of groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.errors import InputError
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import NAMES, GroupMatrix, corrected_measures, group_matrix, measures
from evenhand.exposure.policy import Seen
from evenhand.exposure.problem import Problem
from evenhand.exposure.uncertainty import MatrixIntervals, intervals, matrix_intervals
from evenhand.findings import Exclusion, Finding, Interval

SAMPLE = "Users are a sample of those the system serves, each drawn without regard to the others."
EXACT = "Exposure is exact: no ranking is sampled."
# As a share of random exposure: a target below it is nothing, or what rounding left of larger numbers.
LEAST_TARGET = 1e-9
SHOWN = "Exposure is the mean over the lists that each user was shown."


@dataclass(frozen=True)
class Demand:
    """What the caller wants to know about every policy."""

    tolerance: float | None
    level: float
    top: int


def conclude(
    problem: Problem, seen: Seen, subject: dict[str, str | int | float], demand: Demand
) -> list[Finding]:
    """The findings about one policy; `subject` says which."""
    evidence = seen.evidence
    nobody_missing(problem, evidence)
    common: dict[str, Any] = {
        "audit": "exposure",
        "n": evidence.users,
        "excluded": _left_out(seen),
        "assumptions": (SHOWN if subject["beta"] == "observed" else EXACT, SAMPLE),
    }
    plain, corrected = measures(evidence), corrected_measures(evidence)
    bounds = intervals(evidence, demand.level)
    matrix, limits = group_matrix(evidence), matrix_intervals(evidence, demand.level)
    found = []
    for name in NAMES:
        details: dict[str, Any] = {
            "disparity": plain[name].disparity,
            "relevance": plain[name].relevance,
            "constant": plain[name].constant,
        }
        if np.isfinite(corrected[name].fairness):
            details["corrected"] = corrected[name].fairness
        if name == "GG":
            details["matrix"] = _matrix(problem, evidence, matrix, limits)
        found.append(
            Finding(
                measure=name,
                subject=subject,
                estimate=plain[name].fairness,
                interval=_interval(bounds[name], demand.level),
                warnings=_warnings(name, seen, bounds[name] is None),
                details=details,
                **common,
            )
        )
    return found + _pairs(problem, evidence, matrix, limits, subject, common, demand)


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
            f"{seen.shown_once:,} users were shown one list only: if lists are drawn at random, their part "
            "of this is too large by an unknown amount."
        )
    if no_interval:
        said.append("There is no interval: a group has fewer than four users. Merge small groups.")
    return tuple(said)


def _interval(limits: tuple[float, float] | None, level: float) -> Interval | None:
    if limits is None:
        return None
    method = "blocks of users, of the population's measure"
    return Interval(low=limits[0], high=limits[1], level=level, method=method)


def _matrix(
    problem: Problem, evidence: Evidence, matrix: GroupMatrix, limits: MatrixIntervals
) -> dict[str, Any]:
    """Who is shown to whom, as a share above or below what relevance asks for; `sure` where that is beyond
    chance for all cells at once."""
    share, sizes = relative(matrix), evidence.group_users.sum(axis=1)
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
    subject: dict[str, str | int | float],
    common: dict[str, Any],
    demand: Demand,
) -> list[Finding]:
    """Pairs of groups whose exposure is furthest from what relevance asks for, as a share of that."""
    share, sizes = relative(matrix), evidence.group_users.sum(axis=1)
    order = np.argsort(-np.abs(share), axis=None, kind="stable")  # NaN last
    found = []
    for g, item in zip(*np.unravel_index(order[: demand.top], share.shape), strict=True):
        if not np.isfinite(share[g, item]):
            continue
        low, high = (side[g, item] / matrix.target[g, item] for side in (limits.low, limits.high))
        interval = None
        if np.isfinite(low) and np.isfinite(high):
            method = f"simultaneous over {share.size:,} pairs"
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
                    "exposure": float(matrix.system[g, item]),
                    "target": float(matrix.target[g, item]),
                    "random": float(matrix.random[g, item]),
                },
                **(common | {"n": int(sizes[g])}),
            )
        )
    return found
