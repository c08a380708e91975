"""One pass over users: the exposure that a policy gives them, beside what relevance asks for, as evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.problem.blocks import assign_blocks
from evenhand.exposure.problem.lists import Lists, observed
from evenhand.exposure.problem.numbered import Problem, ScoreBlock
from evenhand.exposure.problem.propensities import weighted_exposure
from evenhand.exposure.problem.rows import Rows, dense_rows, listed_rows
from evenhand.exposure.problem.targets import (
    Targets,
    equal_exposure,
    mean_published_target,
    published_targets,
)
from evenhand.exposure.rankings.browsing import RBP, Browsing
from evenhand.exposure.rankings.plackett_luce import plackett_luce
from evenhand.exposure.rankings.static import static

Beta = float | Literal["static", "observed"]
ACCURACY = 1e-7
# Sums of D by group and block are the largest part of the evidence; with many groups there are fewer blocks.
MOST_SUMS = 100_000_000
BLOCKS_WITHIN, FEWEST_WITHIN = 20, 4


@dataclass(frozen=True)
class ExposureRule:
    """What is held against what: how positions count, and what exposure each item should have."""

    browsing: Browsing
    target: Literal["equal", "published"]
    beta_unit: float = 1.0  # one unit of beta

    @property
    def can_be_weighted(self) -> bool:
        """Whether targets can be weighted by propensities."""
        return self.target == "equal" and isinstance(self.browsing, RBP) and self.browsing.k is None

    def __post_init__(self) -> None:
        if self.target == "published" and not (isinstance(self.browsing, RBP) and self.browsing.k is None):
            raise InputError(
                'target="published" is that of the published code, which knows discount="rbp" without k only.'
            )

    @property
    def first_weight(self) -> float:
        """The published code has the first rank at gamma^1."""
        if self.target == "published" and isinstance(self.browsing, RBP):
            return self.browsing.patience
        return 1.0


@dataclass(frozen=True)
class Seen:
    """The evidence about one policy, and whom it could not speak about."""

    evidence: Evidence
    without_lists: int
    shown_once: int


def gather(
    problem: Problem,
    beta: Beta,
    rule: ExposureRule,
    seed: int,
    progress: Callable[[int], None],
    each: Callable[[Ints, Rows], None] = lambda users, rows: None,
) -> Seen:
    """Memory depends on items and groups, not on users; `progress` is told how many users were seen, and
    `each` is given the rows of every block of users."""
    within = blocks_within(len(problem.user_names), problem.item_groups.items)
    evidence = Evidence.empty(
        problem.item_groups, len(problem.user_names), problem.user_weights, within=within
    )
    blocks = assign_blocks(problem.user_group, within=within, seed=seed)
    once = seen = 0
    if isinstance(problem.scores, Lists):
        weights = rule.browsing.weights(int(max(problem.scores.ranks.max(), problem.item_groups.items)))
        for users, lists in problem.scores.blocks():
            found = observed(lists, weights * rule.first_weight, problem.item_groups)
            targets = _targets(problem, users, problem.item_groups.items, rule, weights)
            rows = listed_rows(
                problem.item_groups.items, found.offsets, found.items, found.exposure, targets,
                noise=found.noise,
            )  # fmt: skip
            evidence.add(rows, problem.user_group[users], blocks[users])
            each(users, rows)
            once += int((found.shown[targets.counted] == 1).sum())
            seen += len(users)
            progress(seen)
    else:
        weights = rule.browsing.weights(problem.item_groups.items)
        for block in problem.scores.blocks():
            rows = _rows(problem, block, beta, rule, weights)
            evidence.add(rows, problem.user_group[block.users], blocks[block.users])
            each(block.users, rows)
            seen += len(block.users)
            progress(seen)
    return Seen(evidence, problem.user_count - seen, once)


def blocks_within(groups: int, items: int) -> int:
    """How many blocks of users each group is cut into."""
    most = MOST_SUMS // max(1, groups * items)
    if most < FEWEST_WITHIN:
        raise InputError(
            f"{groups:,} user groups x {items:,} items are too many to tell chance from difference in "
            f"memory; use fewer attributes or merge small groups (at most "
            f"{MOST_SUMS // (FEWEST_WITHIN * items):,} groups with so many items)."
        )
    return min(BLOCKS_WITHIN, most)


def _rows(problem: Problem, block: ScoreBlock, beta: Beta, rule: ExposureRule, weights: Floats) -> Rows:
    if not isinstance(beta, str):
        beta *= rule.beta_unit
    scores = block.scores if block.known is None else _last(block.scores, block.known, beta)
    if isinstance(beta, str):
        exposure = static(scores, discount=rule.browsing)
    else:
        exposure = plackett_luce(scores, beta, discount=rule.browsing, accuracy=ACCURACY)
    exposure = exposure.astype(float) * rule.first_weight
    catalogue = problem.item_groups.items
    if block.known is not None:
        exposure[block.known] = 0
        shown = catalogue - block.known.sum(axis=1)
        _nothing_known(problem, block.users, block.known)
        return dense_rows(exposure, _targets(problem, block.users, shown, rule, weights), ~block.known)
    targets = _targets(problem, block.users, catalogue, rule, weights)
    users, length = exposure.shape
    listed = np.tile(np.arange(length), users) if block.items is None else block.items.ravel()
    at = np.arange(users + 1, dtype=np.int64) * length
    return listed_rows(catalogue, at, listed, exposure.ravel(), targets)


def _targets(
    problem: Problem, users: Ints, shown: int | Ints, rule: ExposureRule, weights: Floats
) -> Targets:
    offsets, rows = problem.relevant(users)
    items, grades = problem.relevant_items[rows], problem.grades[rows]
    if problem.propensities is not None and isinstance(rule.browsing, RBP):
        chances = problem.propensities[rows]
        return weighted_exposure(offsets, items, grades, chances, shown, rule.browsing.patience)
    if rule.target == "equal":
        return equal_exposure(offsets, items, grades, shown, weights)
    catalogue = problem.item_groups.items
    mean = mean_published_target(np.diff(problem.relevant_offsets), catalogue, rule.first_weight)
    return published_targets(offsets, items, catalogue, rule.first_weight, mean)


def _nothing_known(problem: Problem, users: Ints, known: NDArray[np.bool_]) -> None:
    offsets, rows = problem.relevant(users)
    owner = np.repeat(np.arange(len(users)), np.diff(offsets))
    taken = known[owner, problem.relevant_items[rows]] & (problem.grades[rows] > 0)
    if taken.any():
        raise InputError(
            f"relevance: {taken.sum():,} of {len(taken):,} relevant pairs of the first {len(users):,} "
            "users are items that the user took already, or that are excluded, and so not shown; leave them "
            "out."
        )


def _last(scores: NDArray[np.floating], known: NDArray[np.bool_], beta: Beta) -> NDArray[np.floating]:
    """What cannot be shown comes after everything else for certain, and so moves nothing that can."""
    spread = np.ptp(scores, axis=1, keepdims=True)
    # Far by any beta, and by more than what rounding takes from large scores.
    step = np.spacing(np.abs(scores).max(axis=1, keepdims=True))
    far = np.maximum(1e3 * (1.0 if isinstance(beta, str) else beta), 4 * step)
    return np.where(known, scores.min(axis=1, keepdims=True) - spread - far, scores)
