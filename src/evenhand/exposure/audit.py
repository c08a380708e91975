"""The exposure audit: who is shown to whom, beside what relevance asks for?

Joint multisided exposure fairness (Wu and others 2022): the system's exposure of every item to every user
against equal expected exposure, averaged over individuals or groups on either side, for policies of any
randomness. Exposure of Plackett-Luce policies is exact, so nothing here is noise of sampled rankings; what is
uncertain is which users were seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from evenhand.about import About, Parts
from evenhand.arrays import Progress
from evenhand.asked.declared.exposure import AskedComparedExposure, AskedExposure
from evenhand.errors import InputError
from evenhand.exposure.asked_policies import betas_of, in_units, in_words, rules_of
from evenhand.exposure.curve_findings import FEWEST_POINTS, Point, least_random_last, trade_offs
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.findings import findings_of, nobody_missing, six_measures
from evenhand.exposure.policy import Beta, gather
from evenhand.exposure.premises import Demand
from evenhand.exposure.problem.lists import Lists
from evenhand.exposure.problem.numbered import Problem
from evenhand.exposure.problem.reading import read
from evenhand.exposure.problem.sources import Sources
from evenhand.exposure.rankings.browsing import Browsing
from evenhand.findings import Finding
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of

BETAS: tuple[Beta, ...] = (8, 4, 3, 2, 1, 0.5, 0.25, 0.125, "static")


def audit(
    scores: Any,
    relevance: Any,
    user_groups: Any,
    item_groups: Any,
    beta: Beta | Sequence[Beta] = (8, 1, "static"),
    patience: float | Sequence[float] = 0.8,
    *,
    discount: str | Sequence[float] | Browsing = "rbp",
    k: int | None = None,
    target: str = "equal",
    relative: bool = False,
    user_group: str | Sequence[str] | None = None,
    item_group: str | None = None,
    user_weights: Mapping[str, float] | None = None,
    item_weights: Mapping[str, float] | None = None,
    propensity: Any = None,
    exclude: Any = None,
    tolerance: float | None = None,
    level: float = 0.95,
    top: int = 100,
    tradeoff: Sequence[Beta] | None = None,
    rng: int | np.random.Generator = 0,
    engine: Any = None,
    progress: Progress = lambda message: None,
) -> AuditResult:
    """Audit the exposure of items to users.

    Arrays: `scores` and `relevance` are users x items (relevance 0/1 or grades, which may be sparse),
    `user_groups` a label for each user, `item_groups` a label for each item (a list of labels for an item in
    several groups), or a 0/1 table with a row an item and a column a group (an array, a sparse one, or a
    frame whose columns name the groups). A frame of scores has user ids for an index and item ids for
    columns; frames and Series beside it are taken by these ids. `exclude` has a 1 for each pair, users x
    items, that is not shown (such as what a user took already). Tables: `scores` has
    user_id, item_id and score, a row for each candidate (what is not listed is not shown), or is a
    recommender or the folder of a trained one, which scores everything but what a user took already, or has
    user_id, item_id and rank (from 1) of lists that users were really shown, with list_id where a user was
    shown several; `relevance` has user_id and item_id of relevant pairs (and relevance, for grades);
    `user_groups` and `item_groups` have user_id and item_id with the attributes that `user_group` and
    `item_group` name.

    `beta` is the temperature of a Plackett-Luce policy over the scores, or "static" for the ranking by score,
    or several of them; with `relative` it is in units of the standard deviation of a user's scores (the mean
    over users). Lists that were shown have none. `patience` may be several too. `target` is "equal"
    expected exposure, or "published", that of the code published with the measures. `user_weights` and
    `item_weights` say how much each group counts (alike by default). `propensity` is the chance that a
    relevant pair is in `relevance`, where that is known: the name of a column of the relevance table, or an
    array (one for each item, or users x items); targets are weighted by its inverse. `tolerance` is how far,
    as a share of what relevance asks for (0.3 is 30%), the exposure of an item group to a user group may be
    off.

    Findings a beta: `relevant_exposure` of each user group, `pair_exposure` for the `top` pairs of groups
    that are surely furthest off, and `II`, `IG`, `GI`, `GG`, `AI`, `AG`. `tradeoff` are the betas (three or
    more; `beta` by default) between which relevance and disparity are traded: `tradeoff` of each measure, and
    with five betas `measure_agreement`.
    """
    asked = AskedExposure.checked(
        tolerance=tolerance, level=level, top=top, target=target, relative=relative, user_group=user_group,
        item_group=item_group, beta=beta, patience=patience, discount=in_words(discount), k=k,
        user_weights=user_weights, item_weights=item_weights, tradeoff=tradeoff,
    )  # fmt: skip
    rules = rules_of(discount, patience, k, target, propensity)
    betas = betas_of(beta)
    between = _between(betas, tradeoff)
    demand = Demand(asked.tolerance, asked.level, asked.top)
    if tradeoff is not None and len(rules) > 1:
        raise InputError("a trade-off is at one patience; leave tradeoff out, or give one patience.")
    seed = seed_of(rng)
    progress("reading")
    sources = Sources(
        relevance=relevance, user_groups=user_groups, item_groups=item_groups, user_group=user_group,
        item_group=item_group, user_weights=user_weights, item_weights=item_weights, propensity=propensity,
        exclude=exclude, engine=engine,
    )  # fmt: skip
    problem, by, fingerprints = read(scores, sources)
    if isinstance(problem.scores, Lists):
        if tradeoff is not None or relative:
            what = "relative" if tradeoff is None else "tradeoff"
            raise InputError(f"lists that were shown have no temperature; leave {what} out.")
        betas, between = ["observed"], []
    rules = {gamma: in_units(rule, problem, relative) for gamma, rule in rules.items()}
    found: list[Finding] = []
    curve: dict[Beta, Point] = {}
    for one in betas:
        for gamma, rule in rules.items():
            policy: About = {"by": by, "beta": one}
            if len(rules) > 1:
                policy["patience"] = gamma
            said = ", ".join(f"{key} {value}" for key, value in policy.items() if key != "by")
            seen = gather(problem, one, rule, seed, _counted(progress, f"exposure at {said}", problem))
            nobody_missing(problem, seen.evidence)
            found += findings_of(problem, seen, rule, policy, demand)
            curve[one] = Point.of(one, problem, seen.evidence)
    if len(rules) == 1 and between:
        for one in between:
            if one not in curve:
                told = _counted(progress, f"exposure at beta {one}", problem)
                curve[one] = Point.of(one, problem, gather(problem, one, rule, seed, told).evidence)
        found += trade_offs(by, {"": [curve[one] for one in between]})
    return AuditResult(tuple(found), fingerprints, seed)


def compare(
    systems: Mapping[str, Any],
    relevance: Any,
    user_groups: Any,
    item_groups: Any,
    beta: Beta | Sequence[Beta] = "static",
    patience: float = 0.8,
    *,
    discount: str | Sequence[float] | Browsing = "rbp",
    k: int | None = None,
    target: str = "equal",
    relative: bool = False,
    user_group: str | Sequence[str] | None = None,
    item_group: str | None = None,
    user_weights: Mapping[str, float] | None = None,
    item_weights: Mapping[str, float] | None = None,
    propensity: Any = None,
    exclude: Any = None,
    level: float = 0.95,
    tradeoff: Sequence[Beta] = BETAS,
    rng: int | np.random.Generator = 0,
    engine: Any = None,
    progress: Progress = lambda message: None,
) -> AuditResult:
    """Compare systems: their measures, and what relevance they give for their disparity over temperatures.

    `systems` are scores by name, each as in `audit`; the rest is as there. Findings: the six measures of each
    system (`about.system`) at each `beta`; `tradeoff` of each measure and system, the mean relevance over the
    disparities that all systems reach between the betas of `tradeoff`, with the curve and the areas under it
    in the details; and `measure_agreement`, Kendall's correlations over systems and betas. A temperature
    means the same for two systems only if their scores are of the same size, or if it is `relative`.
    """
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise InputError('systems must be two or more, by name: {"bpr": scores, "knn": other_scores}.')
    names = [str(name) for name in systems]
    if len(set(names)) < len(names) or "" in names:
        raise InputError(f"systems must have names that differ, and none that is empty: {', '.join(names)}.")
    level = AskedComparedExposure.checked(
        level=level, target=target, relative=relative, user_group=user_group, item_group=item_group,
        beta=beta, patience=patience, discount=in_words(discount), k=k, user_weights=user_weights,
        item_weights=item_weights, tradeoff=tradeoff,
    ).level  # fmt: skip
    rules = rules_of(discount, patience, k, target, propensity)
    if len(rules) > 1:
        raise InputError(f"systems are compared at one patience; there are {len(rules)}.")
    (asked,) = rules.values()
    betas, between = betas_of(beta), _between([], () if tradeoff is None else tradeoff)
    who: Evidence | None = None
    seed = seed_of(rng)
    curves: dict[str, list[Point]] = {}
    found: dict[Beta, list[Finding]] = {one: [] for one in betas}
    fingerprints: dict[str, Any] = {}
    by: Parts = {}
    sources = Sources(
        relevance=relevance, user_groups=user_groups, item_groups=item_groups, user_group=user_group,
        item_group=item_group, user_weights=user_weights, item_weights=item_weights, propensity=propensity,
        exclude=exclude, engine=engine,
    )  # fmt: skip
    for name, scores in systems.items():
        progress(f"reading {name}")
        problem, by, prints = read(scores, sources)
        if isinstance(problem.scores, Lists):
            raise InputError(f"{name} are lists that were shown, which have no temperature; audit them.")
        rule = in_units(asked, problem, relative)
        fingerprints |= {f"{name}: {key}" if key == "scores" else key: value for key, value in prints.items()}
        points: dict[Beta, Point] = {}
        for one in dict.fromkeys([*betas, *between]):
            told = _counted(progress, f"exposure of {name} at beta {one}", problem)
            seen = gather(problem, one, rule, seed, told)
            nobody_missing(problem, seen.evidence)
            who = who or seen.evidence
            if not _same_users(who, seen.evidence):
                raise InputError(
                    f"{name} is about {seen.evidence.users:,} users with relevant items and something to be "
                    f"shown, {names[0]} about {who.users:,}, and they are not the same users; compare "
                    "systems on the same ones."
                )
            points[one] = Point.of(one, problem, seen.evidence)
            if one in found:
                about: About = {"by": by, "beta": one, "system": str(name)}
                found[one] += six_measures(problem, seen, rule, about, level)
        curves[str(name)] = [points[one] for one in between]
    measured = [finding for findings in found.values() for finding in findings]
    return AuditResult((*measured, *trade_offs(by, curves)), fingerprints, seed)


def _same_users(one: Evidence, other: Evidence) -> bool:
    """As far as their numbers in all blocks say, to which users belong whatever the system."""
    return np.array_equal(one.sums.group_users, other.sums.group_users) and np.array_equal(
        one.sums.all_users, other.sums.all_users
    )


def _between(betas: list[Beta], tradeoff: Any) -> list[Beta]:
    """The temperatures of a trade-off, the most random first; none if nobody asked and there are too few."""
    if tradeoff is None:
        return least_random_last(betas) if len(betas) >= FEWEST_POINTS else []
    asked = betas_of(tradeoff)
    if len(asked) < FEWEST_POINTS:
        raise InputError(f"a trade-off needs three betas or more; there are {len(asked)}.")
    return least_random_last(asked)


def _counted(progress: Progress, doing: str, problem: Problem) -> Callable[[int], None]:
    progress(doing)
    return lambda seen: progress(f"{doing}, {seen:,} of {problem.user_count:,} users")
