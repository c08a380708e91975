"""What the evidence about one policy says, as findings: the six measures, and how users are served."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evenhand.about import About
from evenhand.errors import TooLittleError
from evenhand.exposure.evidence import GROUPS, ITEMS, Evidence
from evenhand.exposure.measures import NAMES, corrected_measures, group_matrix, measures
from evenhand.exposure.pair_findings import matrix, pair_findings
from evenhand.exposure.policy import ExposureRule, Seen
from evenhand.exposure.premises import (
    DRAWN,
    Demand,
    common,
    few_make_it,
    few_users,
    from_relevance,
    lists_end,
    little_relevance,
    of_users,
    people_of,
)
from evenhand.exposure.problem.numbered import Problem
from evenhand.exposure.uncertainty import intervals, served_intervals
from evenhand.findings import Count, Finding, Interval


def findings_of(
    problem: Problem, seen: Seen, rule: ExposureRule, about: About, demand: Demand
) -> list[Finding]:
    """The findings about one policy; `about` says which."""
    known = knows_relevance(problem, rule)
    said = common(problem, seen, rule, about)
    return [
        *(served_findings(seen.evidence, problem.user_names, said, about, demand.level) if known else []),
        *pair_findings(problem, seen, rule, about, demand),
        *six_measures(problem, seen, rule, about, demand.level),
    ]


def six_measures(
    problem: Problem, seen: Seen, rule: ExposureRule, about: About, level: float
) -> list[Finding]:
    evidence = seen.evidence
    plain, corrected = measures(evidence), corrected_measures(evidence)
    bounds = intervals(evidence, level)
    share = from_relevance(evidence, group_matrix(evidence))
    ends = lists_end(problem, evidence, rule)
    said = common(problem, seen, rule, about)
    found = []
    for name in NAMES:
        details: dict[str, Any] = {
            "disparity": plain[name].disparity,
            "relevance": plain[name].relevance,
            "constant": plain[name].constant,
            "from_relevance": share,
        }
        # Nobody knows how much of a single list, or of a user's weighted target, is chance, so there is
        # nothing to correct by.
        unknown = name in ("II", "IG") and (seen.shown_once > 0 or problem.propensities is not None)
        if np.isfinite(corrected[name].fairness) and not unknown:
            details["corrected"] = corrected[name].fairness
        found.append(
            Finding(
                measure=name,
                about=about,
                estimate=plain[name].fairness,
                interval=None if unknown else _interval(bounds[name], level),
                warnings=(*_warnings(name, problem, seen, share, bounds[name] is None), *ends),
                details=details,
                pictures=(matrix(problem, evidence, rule, level),) if name == "GG" else (),
                # Measures of single users, or of all together, are not made of groups.
                people=people_of(problem, evidence) if name[0] == "G" else {},
                **(said | {"assumptions": (*said["assumptions"], *_drawn(name, about))}),
            )
        )
    return found


def knows_relevance(problem: Problem, rule: ExposureRule) -> bool:
    """A user's share of what relevant items could get is about relevance that is known."""
    return rule.target == "equal" and problem.propensities is None


def served_findings(
    evidence: Evidence, user_names: Sequence[str], said: dict[str, Any], about: About, level: float
) -> list[Finding]:
    """How much of the exposure that their relevant items could have each user group gets."""
    found = []
    for g, known in enumerate(served_intervals(evidence.sums.served, level)):
        n = int(evidence.sums.served[g, 0])
        interval = None
        if known is not None:
            method = f"t and score, simultaneous over {len(user_names):,} user groups"
            interval = Interval(low=known[1], high=known[2], level=level, method=method)
        found.append(
            Finding(
                measure="relevant_exposure",
                about=of_users(about, user_names[g]),
                estimate=float(evidence.sums.served[g, 1] / n) if n else None,
                interval=interval,
                warnings=few_users(n, f"in group {user_names[g]}")
                if n
                else ("all positions weigh the same, so nothing can be shown better",),
                people={user_names[g]: n},
                **(said | {"n": Count(n, "users")}),
            )
        )
    return found


def nobody_missing(problem: Problem, evidence: Evidence) -> None:
    if evidence.users == 0:
        raise TooLittleError(
            "no user has a relevant item and something to be shown, so there is nothing to compare."
        )
    empty = [
        name
        for name, users in zip(problem.user_names, evidence.sums.group_users.sum(axis=1), strict=True)
        if not users
    ]
    if empty:
        raise TooLittleError(
            f"{len(empty):,} of {len(problem.user_names):,} user groups have no user with scores and "
            f"relevant items, for example {empty[0]!r}; leave the users of such groups out, or merge groups."
        )


def _warnings(name: str, problem: Problem, seen: Seen, share: float, no_interval: bool) -> tuple[str, ...]:
    said = []
    if name in ("II", "IG") and problem.propensities is not None:
        said.append(
            "Targets of single users that are weighted by propensities are noisy: this is too large by an "
            "unknown amount, and has no interval."
        )
    if name in ("II", "IG") and seen.shown_once:
        everybody = seen.shown_once >= int(seen.evidence.sums.group_users.sum())
        who, instead = (
            ("Every user was", "Take several lists of each user")
            if everybody
            else ("Some users were", "Leave them out")
        )
        said.append(
            f"{who} shown one list only: if lists are drawn at random, this is too large by an unknown "
            f"amount, and has no interval. {instead} for a corrected one."
        )
    if no_interval:
        said.append("There is no interval: a group has fewer than four users. Merge small groups.")
    users = seen.evidence.sums.group_users.sum(axis=1)
    few = few_users(int(users.min()), "in a group") if name[0] == "G" else ()
    made = few_make_it(seen.evidence, ITEMS if name[1] == "I" else GROUPS)
    return (*said, *(few or few_users(int(users.sum()), "")), *made, *little_relevance(share))


def _drawn(name: str, about: About) -> tuple[str, ...]:
    """II and IG are without the chance of which lists were drawn, as far as a user's lists differ by it."""
    return (DRAWN,) if name in ("II", "IG") and about["beta"] == "observed" else ()


def _interval(limits: tuple[float, float] | None, level: float) -> Interval | None:
    if limits is None:
        return None
    method = "blocks of users, of the population's measure"
    return Interval(low=limits[0], high=limits[1], level=level, method=method)
