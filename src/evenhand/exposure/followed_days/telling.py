"""What a day of the exposure audit, or all days so far, say of pairs of groups.

Each day is a result of its own. All days so far are one sample of users, each of whom counts once, with the
means over the user's own days.

Followed are pairs of groups and how users are served. The six measures are not: II, GI and AI are made of
every item for every user, which a compact row has not, and none of the six has a limit to be flagged by.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from evenhand.about import About, identifier, structured
from evenhand.asked.declared.exposure import AskedExposure
from evenhand.errors import TooLittleError
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.findings import served_findings
from evenhand.exposure.followed_days.kept_day import ExposureDay, OfPolicy, cells_of
from evenhand.exposure.followed_days.user_cells import PARTS, evidence_of
from evenhand.exposure.pair_findings import Told, findings_of_pairs
from evenhand.exposure.premises import Demand, of_pair
from evenhand.findings import Count, Exclusion, Finding
from evenhand.user_days.every_look import DAILY, POOLED, SO_FAR, SPENT, levels, on_every_look
from evenhand.user_days.rows import SEVERAL
from evenhand.user_days.visits import BY_VISITS, says_otherwise

EVERY_PAIR = 10_000
EACH_USER_ONCE = "Each user counts once, with the means over the days on which that user came."
ALL_DAYS: About = {"days": "all"}


def of_this_day(question: AskedExposure, day: ExposureDay, look: int) -> tuple[Finding, ...]:
    """The day as a result of its own; where nobody can be compared, that is said in its place."""
    return _findings(question, day, look, DAILY, {})


def of_all_days(
    question: AskedExposure, days: ExposureDay, look: int, refused: str = ""
) -> tuple[Finding, ...]:
    """All days so far as one sample of users; or, where they are `refused`, why."""
    if refused:
        said = f"Days are not pooled: {refused}."
        return tuple(_without(question, one, said, ALL_DAYS) for one in days.policies)
    return _findings(question, days, look, POOLED, ALL_DAYS)


def _findings(
    question: AskedExposure, day: ExposureDay, look: int, share: float, about: About
) -> tuple[Finding, ...]:
    found: list[Finding] = []
    how = SO_FAR if about else SPENT
    for place, policy in enumerate(day.policies):
        try:
            evidence, names = _evidence(day, place)
        except TooLittleError as error:
            found.append(_without(question, policy, f"Nothing can be said: {error}", about))
            continue
        said = _said(day, policy, evidence)
        together, alone = (
            _of_policy(question, day, policy, (evidence, names), said, level)
            for level in levels(question.level, look, share)
        )
        kept = on_every_look(together, alone, question.level, how)
        found += [one.amended(about=one.about | about) for one in _doubted(kept, day, place)]
    return tuple(found)


def of_these_days(question: AskedExposure, days: ExposureDay) -> tuple[Finding, ...]:
    """What the audit finds of these users, looked at once."""
    found: list[Finding] = []
    for place, policy in enumerate(days.policies):
        seen = _evidence(days, place)
        said = _said(days, policy, seen[0])
        found += _doubted(_of_policy(question, days, policy, seen, said, question.level), days, place)
    return tuple(found)


def _doubted(findings: Sequence[Finding], days: ExposureDay, policy: int) -> list[Finding]:
    """With a doubt of pairs whose verdict hangs on whether users or visits are counted."""
    rows, count = days.rows, len(days.item_names)
    if rows.days.max(initial=0) <= 1:
        return list(findings)
    users, first = cells_of(days, policy), policy * (PARTS * count + 1)
    place = np.searchsorted(rows.users, users.users)
    visits = rows.sums[place, first : first + 2 * count]
    moved = {}
    for g, user in enumerate(users.names):
        mine = users.group == g
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = [
                sums[:count] / sums[count : 2 * count]
                for sums in (visits[mine].sum(axis=0), users.cells[mine].sum(axis=0))
            ]
        for item, by in zip(days.item_names, (shares[0] - shares[1]).tolist(), strict=True):
            pair = structured(of_pair(days.policies[policy].about, item, user))
            if np.isfinite(by):  # of what nobody asks for, nothing can be said
                moved[identifier("exposure", "pair_exposure", pair)] = by
    return [
        one.amended(
            doubts=(*one.doubts, *((BY_VISITS,) if says_otherwise(one, moved[one.id]) else ())),
            details=one.details | {"moved_by_visits": moved[one.id]},
        )
        if one.id in moved
        else one
        for one in findings
    ]


def _said(day: ExposureDay, policy: OfPolicy, evidence: Evidence) -> dict[str, Any]:
    several = day.rows.days.max(initial=0) > 1
    return {
        "audit": "exposure",
        "n": Count(evidence.users, "users"),
        "excluded": _excluded(day),
        "assumptions": (*policy.assumptions, *((EACH_USER_ONCE,) if several else ())),
    }


def _of_policy(
    question: AskedExposure,
    day: ExposureDay,
    policy: OfPolicy,
    seen: tuple[Evidence, list[str]],
    said: dict[str, Any],
    level: float,
) -> list[Finding]:
    evidence, names = seen
    told = Told(names, day.item_names, policy.first, said, policy.cautions, explainable=False)
    demand = Demand(question.tolerance, level, EVERY_PAIR)
    return [
        *(served_findings(evidence, names, said, policy.about, level) if policy.served else ()),
        *findings_of_pairs(evidence, told, policy.about, demand),
    ]


def _evidence(day: ExposureDay, policy: int) -> tuple[Evidence, list[str]]:
    """Evidence about one policy, and the user groups that it has."""
    seen = cells_of(day, policy)
    if not seen.names:
        raise TooLittleError("no user has a relevant item and something to be shown.")
    wanted, nothing = day.policies[policy].wanted, [0.0] * len(day.item_names)
    # Sums over days are more than one a user, and only their share of the targets is told.
    often = day.rows.days[:, policy * (PARTS * len(day.item_names) + 1)].sum() / len(seen.users)
    kept = np.array([wanted.get(name, nothing) for name in seen.names]) / often
    return evidence_of(seen.cells, seen.group, len(seen.names), np.array(day.sizes), kept), seen.names


def _excluded(day: ExposureDay) -> tuple[Exclusion, ...]:
    moved = int((day.rows.group == SEVERAL).sum())
    if not moved:
        return day.excluded
    why = "on other days they were in another group"
    return (*day.excluded, Exclusion(what="users who changed their group", count=moved, why=why))


def _without(question: AskedExposure, policy: OfPolicy, why: str, about: About) -> Finding:
    return Finding(
        audit="exposure", measure="pair_exposure", about=policy.about | about, estimate=None,
        tolerance=question.tolerance, harm="outside", warnings=(why,), people={},
    )  # fmt: skip
