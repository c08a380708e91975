"""Findings about pairs of groups: who is shown to whom, as a share of what relevance asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.exposure.evidence import Evidence
from evenhand.exposure.missingness import has_bound, least_factor
from evenhand.exposure.pairs import pairs
from evenhand.exposure.policy import Rule, Seen
from evenhand.exposure.premises import (
    FEW_ARE_HERE,
    Demand,
    Subject,
    common,
    few_users,
    from_relevance,
    in_words,
    lists_end,
    little_relevance,
    nobody_likes,
)
from evenhand.exposure.problem.numbered import Problem
from evenhand.findings import Finding, Interval, Verdict, decide, shrinking, with_more_data


def matrix(problem: Problem, evidence: Evidence, rule: Rule, level: float) -> dict[str, Any]:
    """Who is shown to whom, as a share above or below what relevance asks for; `sure` where that is beyond
    chance for all cells at once."""
    found, sizes = pairs(evidence, level, _first(rule)), evidence.group_users.sum(axis=1)
    share, sure = found.share, found.over_exposed | found.under_exposed
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


def pair_findings(
    problem: Problem, seen: Seen, rule: Rule, subject: Subject, demand: Demand
) -> list[Finding]:
    """Pairs of groups by how far, as a share of what relevance asks for, they are surely off: what is beyond
    a tolerance comes first, so that a limit on the number hides nothing of it."""
    evidence = seen.evidence
    off, sizes = pairs(evidence, demand.level, _first(rule)), evidence.group_users.sum(axis=1)
    said = common(problem, seen, rule, subject)
    said["assumptions"] = (*said["assumptions"], FEW_ARE_HERE)
    caution = (
        *lists_end(problem, evidence, rule),
        *little_relevance(from_relevance(evidence, off.matrix)),
    )
    explainable = problem.propensities is None and has_bound(rule)
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
            "policy": in_words(subject["beta"]),
            "exposure": float(off.matrix.system[g, item]),
            "target": target,
            "random": float(off.matrix.random[g, item]),
            "from_relevance": float(evidence.wanted[g, item] / sizes[g] / target),
        }
        if explainable and decide(interval, demand.tolerance, "outside") is Verdict.VIOLATION:
            assert demand.tolerance is not None
            factor = least_factor(evidence, off, (g, item), demand.tolerance, demand.level)
            details |= {} if factor is None else {"unseen_factor": factor}
        finding = Finding(
            measure="pair_exposure",
            subject=subject | {"group": f"{problem.item_names[item]} to {problem.user_names[g]}"},
            estimate=share,
            interval=interval,
            tolerance=demand.tolerance,
            harm="outside",
            details=details,
            people={problem.user_names[g]: int(sizes[g])},
            warnings=(
                *few_users(int(sizes[g]), f"in group {problem.user_names[g]}"),
                *nobody_likes(evidence, item),
                *caution,
            ),
            **(said | {"n": int(sizes[g])}),
        )
        found.append(with_more_data(finding, shrinking(finding), of="users"))
    return found


def _first(rule: Rule) -> float:
    return float(rule.browsing.weights(1)[0])
