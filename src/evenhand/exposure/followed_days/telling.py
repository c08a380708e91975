"""Exposure followed from day to day: what is kept of a day, and what a day, or all days so far, say of pairs.

A day is kept as a row a user (`user_cells`). Each day is a result of its own. All days so far are one sample
of users, each of whom counts once, with the means over the user's own days.

Followed are pairs of groups and how users are served. The six measures are not: II, GI and AI are made of
every item for every user, which a compact row has not, and none of the six has a limit to be flagged by.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.about import About, structured
from evenhand.arrays import Floats, Ints, Progress
from evenhand.asked.declared.exposure import AskedExposure
from evenhand.errors import InputError, TooLittleError
from evenhand.exposure.asked_policies import betas_of, in_units, in_words, rules_of
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.findings import knows_relevance, served_findings
from evenhand.exposure.followed_days.user_cells import PARTS, evidence_of, user_cells
from evenhand.exposure.pair_findings import Told, cautions_of, findings_of_pairs, first_weight
from evenhand.exposure.policy import Beta, gather
from evenhand.exposure.premises import Demand, common
from evenhand.exposure.problem.lists import Lists
from evenhand.exposure.problem.reading import read
from evenhand.exposure.problem.sources import Sources
from evenhand.findings import Count, Exclusion, Finding
from evenhand.user_days.every_look import DAILY, POOLED, SO_FAR, SPENT, levels, on_every_look
from evenhand.user_days.rows import SEVERAL, UserRows

EVERY_PAIR = 10_000
DEFAULT_BETAS = (8, 1, "static")  # those of `audit`
EACH_USER_ONCE = "Each user counts once, with the means over the days on which that user came."
ALL_DAYS: About = {"days": "all"}


@dataclass(frozen=True)
class OfPolicy:
    """One policy: what findings about it are about, what is said beside them, and sums that users do not
    have: how much of the targets comes from relevance, user groups by name."""

    about: About
    first: float
    assumptions: tuple[str, ...]
    cautions: tuple[str, ...]
    served: bool
    wanted: dict[str, list[float]]


@dataclass(frozen=True)
class ExposureDay:
    """One day, or several added up: rows, whose columns are policy after policy those of `user_cells`."""

    rows: UserRows
    item_names: tuple[str, ...]
    sizes: tuple[int, ...]
    policies: tuple[OfPolicy, ...]
    excluded: tuple[Exclusion, ...] = ()

    def evidence(self) -> dict[str, bytes]:
        told = {
            "items": self.item_names,
            "sizes": self.sizes,
            "policies": [vars(one) for one in self.policies],
            "excluded": [one.model_dump(mode="json") for one in self.excluded],
        }
        return {"users": self.rows.content(), "told": json.dumps(told, ensure_ascii=False).encode()}

    @classmethod
    def read(cls, evidence: Mapping[str, bytes]) -> ExposureDay:
        told = json.loads(evidence["told"])
        policies = tuple(
            OfPolicy(
                **(one | {key: tuple(one[key]) for key in ("assumptions", "cautions")})
                | {"about": structured(one["about"])}
            )
            for one in told["policies"]
        )
        excluded = tuple(Exclusion.model_validate(one) for one in told["excluded"])
        rows = UserRows.read(evidence["users"])
        return cls(rows, tuple(told["items"]), tuple(told["sizes"]), policies, excluded)

    def unlike(self, other: ExposureDay) -> str:
        """Why the two cannot be added up; empty where they can."""
        if self.item_names == other.item_names:
            return ""
        new, gone = (
            sorted(set(one.item_names) - set(two.item_names)) for one, two in ((other, self), (self, other))
        )
        said = [f"{', '.join(names)} {verb}" for names, verb in ((new, "came"), (gone, "went")) if names]
        return f"groups of items changed ({'; '.join(said)}), and a user's means are over other groups"

    def __add__(self, other: ExposureDay) -> ExposureDay:
        policies = tuple(
            replace(theirs, wanted=_summed(ours.wanted, theirs.wanted))
            for ours, theirs in zip(self.policies, other.policies, strict=True)
        )
        # Sizes are those of the latest day: they only bound what a group of items could have at most.
        return ExposureDay(self.rows + other.rows, other.item_names, other.sizes, policies)


def _summed(one: dict[str, list[float]], other: dict[str, list[float]]) -> dict[str, list[float]]:
    nothing = [0.0] * len(next(iter((one or other).values()), []))
    return {
        name: [a + b for a, b in zip(one.get(name, nothing), other.get(name, nothing), strict=True)]
        for name in dict.fromkeys((*one, *other))
    }


def count(asked: Mapping[str, Any], key: bytes, progress: Progress) -> tuple[ExposureDay, dict[str, Any]]:
    """Read one day, and the fingerprints of its tables."""
    question = question_of(asked)
    rules = rules_of(
        asked.get("discount", "rbp"), question.patience, question.k, question.target, asked.get("propensity")
    )
    sources = Sources(
        relevance=asked["relevance"], user_groups=asked["user_groups"], item_groups=asked["item_groups"],
        user_group=question.user_group, item_group=question.item_group, user_weights=question.user_weights,
        item_weights=question.item_weights, propensity=asked.get("propensity"), exclude=None,
        engine=asked.get("engine"),
    )  # fmt: skip
    problem, by, fingerprints = read(asked["scores"], sources)
    if problem.user_ids is None:
        raise InputError("days of exposure are followed from tables, which say who a user is; give tables.")
    betas: list[Beta] = ["observed"]
    if not isinstance(problem.scores, Lists):
        betas = betas_of(asked.get("beta", DEFAULT_BETAS))
    blocks, policies, left = [], [], ()
    for beta in betas:
        for gamma, rule in rules.items():
            rule = in_units(rule, problem, question.relative)
            about: About = {"by": by, "beta": beta}
            if len(rules) > 1:
                about["patience"] = gamma
            cells = np.full((problem.user_count, PARTS * len(problem.item_names) + 1), np.nan)

            def each(users: Any, rows: Any, cells: Floats = cells) -> None:
                cells[users] = user_cells(rows, problem.item_groups)

            seen = gather(problem, beta, rule, 0, lambda users: None, each)
            said = common(problem, seen, rule, about)
            sizes = seen.evidence.sums.group_users.sum(axis=1)
            there = zip(problem.user_names, seen.evidence.sums.wanted.tolist(), sizes, strict=True)
            wanted = {name: sums for name, sums, users in there if users}
            cautions = cautions_of(problem, seen.evidence, rule) if (sizes > 0).all() else ()
            policies.append(
                OfPolicy(
                    about, first_weight(rule), said["assumptions"], cautions,
                    knows_relevance(problem, rule), wanted,
                )
            )  # fmt: skip
            blocks.append(cells)
            left = said["excluded"]
    table = np.concatenate(blocks, axis=1)
    there = np.isfinite(table[:, 0])
    columns = {str(place): table[there, place] for place in range(table.shape[1])}
    names = tuple((name,) for name in problem.user_names)
    rows = UserRows.of(problem.user_ids[there], key, names, problem.user_group[there], columns)
    sizes = tuple(int(size) for size in problem.item_groups.sizes)
    return ExposureDay(rows, problem.item_names, sizes, tuple(policies), left), fingerprints


def question_of(asked: Mapping[str, Any]) -> AskedExposure:
    """From the arguments of the audit, of which some are tables."""
    own = {key: value for key, value in asked.items() if key in AskedExposure.model_fields}
    if "discount" in own:
        own["discount"] = in_words(own["discount"])
    return AskedExposure.checked(**({"beta": DEFAULT_BETAS} | own))


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
        found += [one.amended(about=one.about | about) for one in kept]
    return tuple(found)


def of_these_days(question: AskedExposure, days: ExposureDay) -> tuple[Finding, ...]:
    """What the audit finds of these users, looked at once."""
    found: list[Finding] = []
    for place, policy in enumerate(days.policies):
        seen = _evidence(days, place)
        found += _of_policy(question, days, policy, seen, _said(days, policy, seen[0]), question.level)
    return tuple(found)


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


class Cells(NamedTuple):
    """Rows of the users who count, their group among `names`, and who they are."""

    cells: Floats
    group: Ints
    names: list[str]
    users: NDArray[np.uint64]


def cells_of(day: ExposureDay, policy: int) -> Cells:
    """What the day, or several, say of users under one policy; of users of one group only."""
    rows, width = day.rows, PARTS * len(day.item_names) + 1
    cells = rows.means[:, policy * width : (policy + 1) * width]
    stay = (rows.group != SEVERAL) & np.isfinite(cells[:, 0])
    there = np.unique(rows.group[stay])
    names = [rows.groups[g][0] for g in there]
    return Cells(cells[stay], np.searchsorted(there, rows.group[stay]), names, rows.users[stay])


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
