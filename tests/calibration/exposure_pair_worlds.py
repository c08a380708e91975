"""Populations for pairs of groups: rare relevance, and relevance that is not observed alike for all items."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.exposure_worlds import ITEMS, WEIGHTS, Population
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import group_sizes
from evenhand.exposure.missingness import least_factor
from evenhand.exposure.pairs import Pairs, critical, pairs
from evenhand.exposure.premises import from_relevance
from evenhand.exposure.problem.blocks import assign_blocks
from evenhand.exposure.problem.propensities import weighted_exposure
from evenhand.exposure.problem.rows import dense_rows
from evenhand.exposure.problem.sides import ItemGroups
from evenhand.exposure.problem.targets import equal_exposure, relevant_pairs

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SEEN = np.array([0.8, 0.4, 0.2])  # how often what is relevant is observed, by item group


def static(scores: Floats) -> Floats:
    """The exposure of a ranking."""
    out = np.empty(scores.shape)
    np.put_along_axis(out, np.argsort(-scores, axis=1), np.broadcast_to(WEIGHTS, scores.shape), axis=1)
    return out


def liked_by_a_tenth(groups: int = 2, personal: float = 0.0, seed: int = 1, users: int = 6000) -> Population:
    """Items of the first of four groups are relevant to a tenth of the users only, one or two each, and shown
    to all: everybody has the same ranking, but for what `personal` adds to the scores of relevant items."""
    rng = np.random.default_rng(seed)
    item_group = np.arange(ITEMS) % 4
    relevance = rng.random((users, ITEMS)) < np.array([0, 0.08, 0.1, 0.12])[item_group]
    fans = np.flatnonzero(rng.random(users) < 0.1)
    for user in fans:
        relevance[user, rng.choice(np.flatnonzero(item_group == 0), rng.integers(1, 3), replace=False)] = True
    nothing = np.flatnonzero(~relevance.any(axis=1))
    relevance[nothing, rng.choice(np.flatnonzero(item_group > 0), len(nothing))] = True
    scores = rng.normal(size=ITEMS) + 1.5 * (item_group == 0) + personal * relevance
    if personal:
        scores = scores + rng.normal(size=scores.shape)
    return Population(
        static(np.broadcast_to(scores, relevance.shape)),
        relevance,
        rng.integers(0, groups, users),
        ItemGroups.of(item_group),
    )


def in_proportion(groups: int = 10, seed: int = 1) -> Population:
    """As `liked_by_a_tenth`, but everybody is shown 130% of the target, give or take half of it: exposure is
    as rare as relevance."""
    world = liked_by_a_tenth(groups, seed=seed)
    rng = np.random.default_rng(seed)
    target = world.targets(np.arange(len(world.exposure))).dense(ITEMS)
    noise = rng.uniform(0.5, 1.5, (len(target), 4))[:, np.arange(ITEMS) % 4]
    return replace(world, exposure=1.3 * target * noise)


def rarely_relevant(seed: int = 1, users: int = 6000) -> Population:
    """Everybody wants one item, a tenth eight more of a group that nobody is shown."""
    rng = np.random.default_rng(seed)
    item_group = np.arange(ITEMS) % 4
    relevance = np.zeros((users, ITEMS), dtype=bool)
    relevance[np.arange(users), rng.choice(np.flatnonzero(item_group > 0), users)] = True
    for user in np.flatnonzero(rng.random(users) < 0.1):
        relevance[user, rng.choice(np.flatnonzero(item_group == 0), 8, replace=False)] = True
    scores = rng.normal(size=ITEMS) + 3 * relevance - 6 * (item_group == 0)
    exposure = static(scores + 0.3 * rng.normal(size=relevance.shape))
    return Population(exposure, relevance, rng.integers(0, 2, users), ItemGroups.of(item_group))


@dataclass(frozen=True)
class Holds:
    """Percent of samples in which the limits of all pairs hold the truth, and in which any pair is said to be
    further off than it is: a false violation where the truth is at the tolerance. And the median width."""

    together: float
    overstated: float
    width: float


def of_a_known_target(evidence: Evidence) -> Pairs:
    """Limits of a difference divided by the target of the sample, as if that were known."""
    found, n = pairs(evidence), group_sizes(evidence)[:, None]
    variance = evidence.sums.cell_squares / n - found.matrix.difference**2
    reach = (
        critical(evidence, found.share, 0.95)
        * np.sqrt(np.maximum(variance, 0) / (n - 1))
        / found.matrix.target
    )
    return Pairs(found.matrix, found.share, np.maximum(found.share - reach, -1), found.share + reach)


def pairs_hold(
    world: Population,
    users: int,
    runs: int,
    seed: int = 5,
    limits: Callable[[Evidence], Pairs] = pairs,
) -> Holds:
    rng = np.random.default_rng(seed)
    truth = pairs(world.everybody).share
    held = overstated = 0
    widths = []
    for run in range(runs):
        found = limits(world.evidence(rng.integers(0, len(world.exposure), users), seed=run))
        held += bool(((found.low <= truth) & (truth <= found.high)).all())
        beyond = np.where(truth > 0, found.low > truth, found.high < truth)
        overstated += bool(beyond.any())
        widths.append(np.nanmedian(found.high - found.low))
    return Holds(100 * held / runs, 100 * overstated / runs, float(np.median(widths)))


@dataclass(frozen=True)
class PartlySeen:
    """Everybody is shown exactly what the truth asks for, but what is relevant is observed as SEEN says."""

    relevance: Bools
    user_groups: NDArray[np.int64]
    item_group: NDArray[np.int64]

    def draw(
        self, users: int, seed: int, *, weighted: bool, given: Floats = SEEN, varies: float = 0.0
    ) -> Evidence:
        """The evidence of so many users with what was observed of them. `given` are the chances by which
        targets are weighted, and `varies` is how far, as a share, a user's own are above or below SEEN."""
        rng = np.random.default_rng(seed)
        chosen = rng.integers(0, len(self.relevance), users)
        truth, groups = self.relevance[chosen], self.user_groups[chosen]
        exposure = equal_exposure(*relevant_pairs(truth), ITEMS, WEIGHTS).dense(ITEMS)
        seen = SEEN[self.item_group]
        if varies:
            seen = seen * (1 + varies * rng.choice([-1, 1], (users, 1)))
        offsets, items, grades = relevant_pairs(truth & (rng.random(truth.shape) < seen))
        if weighted:
            chances = given[self.item_group][items]
            targets = weighted_exposure(offsets, items, grades, chances, ITEMS, 0.8)
        else:
            targets = equal_exposure(offsets, items, grades, ITEMS, WEIGHTS)
        evidence = Evidence.empty(ItemGroups.of(self.item_group), int(self.user_groups.max()) + 1)
        evidence.add(dense_rows(exposure, targets), groups, assign_blocks(groups, seed=seed))
        return evidence


def partly_seen(liked: float = 0.2, seed: int = 1, users: int = 6000) -> PartlySeen:
    """Users of two groups like items of three groups, some more than others; everybody likes something."""
    rng = np.random.default_rng(seed)
    item_group, user_groups = np.arange(ITEMS) % 3, rng.integers(0, 2, users)
    chance = liked * np.array([[0.8, 1.0, 1.2], [1.2, 1.0, 0.8]])[user_groups][:, item_group]
    relevance = rng.random((users, ITEMS)) < chance
    nothing = np.flatnonzero(~relevance.any(axis=1))
    relevance[nothing, rng.integers(0, ITEMS, len(nothing))] = True
    return PartlySeen(relevance, user_groups, item_group)


def violations(found: Pairs, tolerance: float) -> list[tuple[int, int]]:
    outside = (found.low > tolerance) | (found.high < -tolerance)
    return [(int(g), int(k)) for g, k in zip(*np.nonzero(outside), strict=True)]


def factors(evidence: Evidence, tolerance: float) -> list[float | None]:
    """How strong missingness would have to be to explain each violation."""
    found = pairs(evidence)
    return [least_factor(evidence, found, pair, tolerance, 0.95) for pair in violations(found, tolerance)]


@dataclass(frozen=True)
class Placebo:
    """Shares of pairs as relevance says, and with relevance replaced by items at random: how much of the
    target comes from relevance, the correlation of the two, and the violations of a tolerance of 30%."""

    from_relevance: float
    correlation: float
    violations: int
    at_random: int


def placebo(relevant: int, users: int = 6000, seed: int = 1) -> Placebo:
    """So many relevant items a user, by the taste of four user groups for five item groups, and a system that
    ranks by noisy taste and by popularity that nobody asked for."""
    rng = np.random.default_rng(seed)
    item_group, user_groups = np.arange(ITEMS) % 5, rng.integers(0, 4, users)
    taste = 1.5 * rng.normal(size=(4, 5))[user_groups][:, item_group] + rng.normal(size=(users, ITEMS))
    wanted = np.argsort(-taste, axis=1)[:, :relevant]
    any_item = np.argsort(rng.random((users, ITEMS)), axis=1)[:, :relevant]
    exposure = static(taste + rng.normal(size=taste.shape) + rng.normal(size=ITEMS))
    found, asked = [], 0.0
    for items in (wanted, any_item):
        relevance = np.zeros((users, ITEMS), dtype=bool)
        np.put_along_axis(relevance, items, True, axis=1)
        evidence = Population(exposure, relevance, user_groups, ItemGroups.of(item_group)).everybody
        found.append(pairs(evidence))
        asked = asked or from_relevance(evidence, found[0].matrix)
    shares = [one.share.ravel() for one in found]
    return Placebo(
        asked,
        float(np.corrcoef(shares)[0, 1]),
        len(violations(found[0], 0.3)),
        len(violations(found[1], 0.3)),
    )
