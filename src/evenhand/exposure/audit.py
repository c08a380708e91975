"""The exposure audit: who is shown to whom, beside what relevance asks for?

Joint multisided exposure fairness (Wu and others 2022): the system's exposure of every item to every user
against equal expected exposure, averaged over individuals or groups on either side, for policies of any
randomness. Exposure of Plackett-Luce policies is exact, so nothing here is noise of sampled rankings; what is
uncertain is which users were seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.exposure.blocks import assign_blocks
from evenhand.exposure.browsing import Browsing, browsing_model
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import NAMES, corrected_measures, group_matrix, measures
from evenhand.exposure.plackett_luce import plackett_luce
from evenhand.exposure.reading import Block, Problem, read
from evenhand.exposure.rows import Rows, dense_rows, listed_rows
from evenhand.exposure.static import static
from evenhand.exposure.targets import equal_exposure
from evenhand.exposure.uncertainty import intervals, matrix_intervals
from evenhand.findings import Exclusion, Finding, Interval
from evenhand.parameters import number, whole
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of

Beta = float | Literal["static"]
Floats = NDArray[np.float64]
ACCURACY = 1e-7
SAMPLE = "Users are a sample of those the system serves, each drawn without regard to the others."
EXACT = "Exposure is exact: no ranking is sampled."


def audit(
    scores: Any,
    relevance: Any,
    user_groups: Any,
    item_groups: Any,
    beta: Beta | Sequence[Beta] = (8, 1, "static"),
    patience: float = 0.8,
    *,
    discount: str | Sequence[float] | Browsing = "rbp",
    k: int | None = None,
    user_group: str | Sequence[str] | None = None,
    item_group: str | None = None,
    tolerance: float | None = None,
    level: float = 0.95,
    top: int = 10,
    rng: int | np.random.Generator = 0,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Audit the exposure of items to users.

    Arrays: `scores` and `relevance` are users x items (relevance 0/1 or grades), `user_groups` and
    `item_groups` a label for each (a list of labels for an item in several groups). Tables: `scores` has
    user_id, item_id and score, a row for each candidate (what is not listed is not shown), or is a
    recommender or the folder of a trained one, which scores everything but what a user took already;
    `relevance` has user_id and item_id of relevant pairs (and relevance, for grades); `user_groups` and
    `item_groups` have user_id and item_id with the attributes that `user_group` and `item_group` name.

    `beta` is the temperature of a Plackett-Luce policy over the scores, or "static" for the ranking by score,
    or several of them. `tolerance` is how far, as a share of what relevance asks for, the exposure of an item
    group to a user group may be off.

    Findings a beta: `II`, `IG`, `GI`, `GG`, `AI`, `AG`, and `pair_exposure` for the `top` pairs of groups
    that are furthest off.
    """
    model = browsing_model(discount, patience, k)
    betas = _betas(beta)
    limit = None if tolerance is None else number("tolerance", tolerance, above=True)
    level = number("level", level, 0.5, 0.9999)
    top = whole("top", top, 1, 1000)
    seed = seed_of(rng)
    progress("reading")
    problem, by, fingerprints = read(
        scores, relevance, user_groups, item_groups, user_group, item_group, engine
    )
    found: list[Finding] = []
    for chosen in betas:
        progress(f"exposure at beta {chosen}")
        evidence = _evidence(problem, chosen, model, seed)
        found += _findings(problem, evidence, by, chosen, limit, level, top)
    return AuditResult(tuple(found), fingerprints, seed)


def _betas(beta: Any) -> list[Beta]:
    given = list(beta) if isinstance(beta, Sequence) and not isinstance(beta, str) else [beta]
    if not given:
        raise InputError('beta is empty: give a temperature, such as 1.0, or "static".')
    return ["static" if one == "static" else _temperature(one) for one in given]


def _temperature(beta: Any) -> float:
    """A whole number stays one, so that a finding says beta 8 and not 8.0."""
    found = number("beta", beta, 0, above=True)
    return int(found) if found.is_integer() else found


def _evidence(problem: Problem, beta: Beta, model: Browsing, seed: int) -> Evidence:
    """One pass over users; memory depends on items and groups, not on users."""
    catalogue = problem.item_groups.items
    evidence = Evidence.empty(problem.item_groups, len(problem.user_names))
    weights = model.weights(catalogue)
    blocks = assign_blocks(problem.user_group, seed=seed)
    for block in problem.scores.blocks():
        rows = _rows(problem, block, beta, model, weights)
        evidence.add(rows, problem.user_group[block.users], blocks[block.users])
    return evidence


def _rows(problem: Problem, block: Block, beta: Beta, model: Browsing, weights: Floats) -> Rows:
    scores = block.scores if block.known is None else _last(block.scores, block.known, beta)
    if beta == "static":
        exposure = static(scores, discount=model)
    else:
        exposure = plackett_luce(scores, beta, discount=model, accuracy=ACCURACY)
    offsets, items, grades = problem.relevant(block.users)
    if block.known is not None:
        exposure[block.known] = 0
        shown = problem.item_groups.items - block.known.sum(axis=1)
        targets = equal_exposure(offsets, items, grades, shown, weights)
        return dense_rows(exposure.astype(float), targets, ~block.known)
    targets = equal_exposure(offsets, items, grades, problem.item_groups.items, weights)
    users, length = exposure.shape
    listed = np.tile(np.arange(length), users) if block.items is None else block.items.ravel()
    at = np.arange(users + 1, dtype=np.int64) * length
    return listed_rows(problem.item_groups.items, at, listed, exposure.ravel().astype(float), targets)


def _last(scores: NDArray[np.floating], known: NDArray[np.bool_], beta: Beta) -> NDArray[np.floating]:
    """What cannot be shown comes after everything else for certain, and so moves nothing that can."""
    spread = np.ptp(scores, axis=1, keepdims=True)
    below = scores.min(axis=1, keepdims=True) - spread - 1e3 * (1.0 if beta == "static" else beta)
    return np.where(known, below, scores)


def _findings(
    problem: Problem, evidence: Evidence, by: str, beta: Beta, tolerance: float | None, level: float, top: int
) -> list[Finding]:
    subject: dict[str, str | int | float] = {"by": by, "beta": beta}
    excluded = []
    if left_out := int(evidence.excluded[0]):
        why = "nothing is relevant to them, so nothing is asked for"
        excluded.append(Exclusion(what="users without relevant items", count=left_out, why=why))
    common: dict[str, Any] = {
        "audit": "exposure",
        "n": evidence.users,
        "excluded": tuple(excluded),
        "assumptions": (EXACT, SAMPLE),
    }
    if evidence.users == 0:
        raise InputError("no user has a relevant item, so there is nothing to hold exposure against.")
    plain, corrected, bounds = measures(evidence), corrected_measures(evidence), intervals(evidence, level)
    found = []
    for name in NAMES:
        limits = bounds[name]
        interval = None
        if limits is not None:
            method = "blocks of users, of the population's measure"
            interval = Interval(low=limits[0], high=limits[1], level=level, method=method)
        details: dict[str, Any] = {
            "disparity": plain[name].disparity,
            "relevance": plain[name].relevance,
            "constant": plain[name].constant,
        }
        if np.isfinite(corrected[name].fairness):
            details["corrected"] = corrected[name].fairness
        found.append(
            Finding(
                measure=name,
                subject=subject,
                estimate=plain[name].fairness,
                interval=interval,
                details=details,
                **common,
            )
        )
    return found + _pairs(problem, evidence, subject, common, tolerance, level, top)


def _pairs(
    problem: Problem,
    evidence: Evidence,
    subject: dict[str, str | int | float],
    common: dict[str, Any],
    tolerance: float | None,
    level: float,
    top: int,
) -> list[Finding]:
    """Pairs of groups whose exposure is furthest from what relevance asks for, as a share of that."""
    matrix, limits = group_matrix(evidence), matrix_intervals(evidence, level)
    share = matrix.difference / matrix.target
    sizes = evidence.group_users.sum(axis=1)
    order = np.argsort(-np.abs(share), axis=None, kind="stable")[:top]
    found = []
    for g, item in zip(*np.unravel_index(order, share.shape), strict=True):
        low, high = (side[g, item] / matrix.target[g, item] for side in (limits.low, limits.high))
        interval = None
        if np.isfinite(low) and np.isfinite(high):
            method = f"simultaneous over {share.size:,} pairs"
            interval = Interval(low=float(low), high=float(high), level=level, method=method)
        found.append(
            Finding(
                measure="pair_exposure",
                subject=subject | {"group": f"{problem.item_names[item]} to {problem.user_names[g]}"},
                estimate=float(share[g, item]),
                interval=interval,
                tolerance=tolerance,
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
