"""Populations of users whose true exposure measures are known, and how often the intervals hold them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import NAMES, corrected_measures, measures
from evenhand.exposure.pairs import pairs
from evenhand.exposure.problem.blocks import assign_blocks
from evenhand.exposure.problem.lists import Lists, observed
from evenhand.exposure.problem.rows import dense_rows, listed_rows
from evenhand.exposure.problem.sides import ItemGroups
from evenhand.exposure.problem.targets import Targets, equal_exposure, relevant_pairs
from evenhand.exposure.rankings.plackett_luce import plackett_luce
from evenhand.exposure.uncertainty import intervals, served_intervals
from evenhand.stats.normal import critical_value

Floats = NDArray[np.float64]

ITEMS, WEIGHTS = 40, 0.8 ** np.arange(40)


@dataclass(frozen=True)
class Population:
    """Users are drawn from these with replacement, so their measures are the truth."""

    exposure: Floats
    relevance: NDArray[np.bool_]
    user_groups: NDArray[np.int64]
    item_groups: ItemGroups

    def targets(self, users: NDArray[np.int64]) -> Targets:
        return equal_exposure(*relevant_pairs(self.relevance[users]), ITEMS, WEIGHTS)

    def evidence(self, users: NDArray[np.int64], seed: int = 0) -> Evidence:
        groups = self.user_groups[users]
        found = Evidence.empty(self.item_groups, int(self.user_groups.max()) + 1)
        rows = dense_rows(self.exposure[users], self.targets(users))
        found.add(rows, groups, assign_blocks(groups, seed=seed))
        return found

    @property
    def everybody(self) -> Evidence:
        return self.evidence(np.arange(len(self.exposure)))


def population(bias: float, noise: float, seed: int = 1, users: int = 3000) -> Population:
    """Three groups of users with tastes of their own, overlapping groups of items, and a system that ranks by
    taste, by its own error (`noise`) and by popularity that nobody asked for (`bias`), shuffling a little."""
    rng = np.random.default_rng(seed)
    user_groups = rng.choice(3, users, p=(0.5, 0.3, 0.2))
    taste = 0.7 * rng.normal(size=(3, ITEMS))[user_groups] + rng.normal(size=(users, ITEMS))
    relevance = taste + 0.5 * rng.normal(size=taste.shape) > 1.3
    relevance[np.arange(users), taste.argmax(axis=1)] = True
    score = taste + bias * rng.normal(size=ITEMS) + noise * rng.normal(size=taste.shape)
    exposure = np.zeros(taste.shape)
    for _ in range(6):
        order = np.argsort(-(score + 0.5 * rng.gumbel(size=taste.shape)), axis=1)
        for row, ranking in zip(exposure, order, strict=True):
            row[ranking] += WEIGHTS / 6
    membership = np.eye(4, dtype=int)[np.arange(ITEMS) % 4]
    membership[::5, 1] = 1
    return Population(exposure, relevance, user_groups, ItemGroups.of(membership))


def fair_to_groups(seed: int = 2) -> Population:
    """Every user gets what another of the same group deserves: GI, GG, AI and AG are 0, II and IG are not."""
    found = population(0, 1, seed)
    everybody = np.arange(len(found.exposure))
    target = found.targets(everybody).dense(ITEMS)
    rng = np.random.default_rng(seed)
    other = everybody.copy()
    for group in range(3):
        members = np.flatnonzero(found.user_groups == group)
        other[members] = rng.permutation(members)
    return Population(target[other], found.relevance, found.user_groups, found.item_groups)


@dataclass(frozen=True)
class Watched(Population):
    """The exposure is that of a policy, but of each user who is drawn only some lists are seen."""

    scores: Floats
    lists: int = 3
    again: float = 0.0  # the chance that a list is the one before it

    def evidence(self, users: NDArray[np.int64], seed: int = 0) -> Evidence:
        rng = np.random.default_rng(seed)
        scores = np.repeat(self.scores[users], self.lists, axis=0)
        order = np.argsort(-(scores + rng.gumbel(size=scores.shape)), axis=1)
        if self.again:
            by_user = order.reshape(len(users), self.lists, ITEMS)
            for place in range(1, self.lists):
                same = rng.random(len(users)) < self.again
                by_user[same, place] = by_user[same, place - 1]
        rows = Lists(
            np.arange(len(users) + 1) * self.lists * ITEMS,
            np.repeat(np.arange(len(order)), ITEMS),
            order.ravel(),
            np.tile(np.arange(1, ITEMS + 1), len(order)),
        )
        seen = observed(rows, WEIGHTS, self.item_groups)
        groups = self.user_groups[users]
        found = Evidence.empty(self.item_groups, int(self.user_groups.max()) + 1)
        targets = self.targets(users)
        listed = listed_rows(ITEMS, seen.offsets, seen.items, seen.exposure, targets, noise=seen.noise)
        found.add(listed, groups, assign_blocks(groups, seed=seed))
        return found

    @property
    def everybody(self) -> Evidence:
        """Of the policy itself."""
        return Population.evidence(self, np.arange(len(self.exposure)))


def watched(seed: int = 3, again: float = 0.0) -> Watched:
    world = population(0.3, 1, seed)
    scores = np.random.default_rng(seed).normal(size=world.exposure.shape) + 2 * world.relevance
    exposure = plackett_luce(scores, 1.0, accuracy=1e-9)
    return Watched(exposure, world.relevance, world.user_groups, world.item_groups, scores, again=again)


@dataclass(frozen=True)
class Calibration:
    """By measure: percent of samples whose interval holds the truth, and the bias of the corrected and of the
    published estimate in units of its Monte Carlo error; percent of samples whose whole matrix holds."""

    coverage: dict[str, float]
    corrected: dict[str, float]
    published: dict[str, float]
    matrix: float


def calibrate(world: Population, users: int, runs: int, seed: int = 5) -> Calibration:
    rng = np.random.default_rng(seed)
    truth = {name: measure.fairness for name, measure in measures(world.everybody).items()}
    true_shares = pairs(world.everybody).share
    hits = dict.fromkeys(NAMES, 0)
    whole_matrix = 0
    corrected: dict[str, list[float]] = {name: [] for name in NAMES}
    published: dict[str, list[float]] = {name: [] for name in NAMES}
    for run in range(runs):
        evidence = world.evidence(rng.integers(0, len(world.exposure), users), seed=run)
        found, own, after = intervals(evidence), measures(evidence), corrected_measures(evidence)
        for name in NAMES:
            bounds = found[name]
            assert bounds is not None
            # Rounding leaves 1e-33 of a truth of 0.
            hits[name] += bounds[0] - 1e-15 <= truth[name] <= bounds[1]
            corrected[name].append(after[name].fairness)
            published[name].append(own[name].fairness)
        found_pairs = pairs(evidence)
        whole_matrix += bool(((found_pairs.low <= true_shares) & (true_shares <= found_pairs.high)).all())
    return Calibration(
        {name: 100 * hits[name] / runs for name in NAMES},
        {name: _bias(corrected[name], truth[name]) for name in NAMES},
        {name: _bias(published[name], truth[name]) for name in NAMES},
        100 * whole_matrix / runs,
    )


def bootstrap_coverage(world: Population, users: int, runs: int, replicates: int = 200) -> dict[str, float]:
    """Percent of samples in which the 2.5 to 97.5 percentiles of the published measure hold GI and AI."""
    rng = np.random.default_rng(9)
    truth = measures(world.everybody)
    everybody = np.arange(len(world.exposure))
    difference = world.exposure - world.targets(everybody).dense(ITEMS)
    hits = {"GI": 0, "AI": 0}
    for _ in range(runs):
        sample = rng.integers(0, len(everybody), users)
        drawn = sample[rng.integers(0, users, (replicates, users))]
        ai = [(difference[again].mean(axis=0) ** 2).mean() for again in drawn]
        gi = []
        for again in drawn:
            member = np.eye(3)[world.user_groups[again]]
            means = member.T @ difference[again] / np.maximum(member.sum(axis=0), 1)[:, None]
            gi.append((means**2).mean())
        for name, values in (("AI", ai), ("GI", gi)):
            low, high = np.quantile(values, [0.025, 0.975])
            hits[name] += low <= truth[name].fairness <= high
    return {name: 100 * count / runs for name, count in hits.items()}


def jackknife_coverage(world: Population, users: int, runs: int) -> dict[str, float]:
    """Percent of samples in which estimate +- t times its leave-one-out error holds AI and AG (corrected)."""
    rng = np.random.default_rng(9)
    truth = measures(world.everybody)
    everybody = np.arange(len(world.exposure))
    items = world.exposure - world.targets(everybody).dense(ITEMS)
    hits = {"AI": 0, "AG": 0}
    for name, difference in (("AI", items), ("AG", world.item_groups.means(items))):
        for _ in range(runs):
            d = difference[rng.integers(0, len(everybody), users)] / np.sqrt(difference.shape[1])
            total, own = d.sum(axis=0), (d**2).sum(axis=1)
            estimate = (total @ total - own.sum()) / (users * (users - 1))
            without = ((total - d) ** 2).sum(axis=1) - (own.sum() - own)
            without /= (users - 1) * (users - 2)
            error = np.sqrt((users - 1) * without.var())
            hits[name] += abs(estimate - truth[name].fairness) <= critical_value(0.95, users - 1) * error
    return {name: 100 * count / runs for name, count in hits.items()}


def _bias(estimates: list[float], truth: float) -> float:
    return float((np.mean(estimates) - truth) / (np.std(estimates) / np.sqrt(len(estimates))))


def one_ranking_for_all(groups: int, seed: int = 4, users: int = 3000) -> Population:
    """Everybody is shown the same ranking, and wants one item, which may be anywhere in it."""
    rng = np.random.default_rng(seed)
    relevance = np.arange(ITEMS) == rng.integers(ITEMS, size=users)[:, None]
    exposure = np.broadcast_to(WEIGHTS, relevance.shape)
    return Population(
        exposure, relevance, rng.integers(groups, size=users), ItemGroups.of(np.arange(ITEMS) % 4)
    )


def nothing_or(chance: float, usual: float, rng: np.random.Generator, size: tuple[int, int]) -> Floats:
    """Some have nothing, and all others nearly the same."""
    return np.where(rng.random(size) < chance, 0, usual + rng.uniform(-0.05, 0.05, size))


def three_kinds(chance: float, rng: np.random.Generator, size: tuple[int, int]) -> Floats:
    """Some have nothing, a tenth a little less than all, and the others all."""
    drawn = rng.random(size)
    return np.where(drawn < chance, 0, np.where(drawn < chance + 0.1, 0.85, 1))


def powers_of(share: Floats) -> Floats:
    """Groups x users as `Sums.served` has them."""
    return np.column_stack([(share**power).sum(axis=1) for power in range(4)])


Shares = Callable[[np.random.Generator, tuple[int, int]], Floats]
# What a user gets of what relevant items could have: one item at a rank that chance decides, in lists of 40
# and of 1,000 items; nearly everybody has all; few have anything; few have nothing; ordinary values.
SHARES: dict[str, tuple[Shares, float]] = {
    "one of 40 ranks": (lambda rng, size: 0.8 ** rng.integers(40, size=size), float(WEIGHTS.mean())),
    "one of 100 ranks": (
        lambda rng, size: 0.8 ** rng.integers(100, size=size),
        float(np.mean(0.8 ** np.arange(100))),
    ),
    "97% have all": (lambda rng, size: (rng.random(size) < 0.97).astype(float), 0.97),
    "2% have all, the others nothing": (lambda rng, size: (rng.random(size) < 0.02).astype(float), 0.02),
    "2% have nothing, the others 0.9": (lambda rng, size: nothing_or(0.02, 0.9, rng, size), 0.98 * 0.9),
    "5% have nothing, the others 0.8": (lambda rng, size: nothing_or(0.05, 0.8, rng, size), 0.95 * 0.8),
    "2% have nothing, a tenth 0.85, the others all": (
        lambda rng, size: three_kinds(0.02, rng, size),
        0.88 + 0.1 * 0.85,
    ),
    "ordinary, Beta(2, 5)": (lambda rng, size: rng.beta(2, 5, size), 2 / 7),
}


def shares_of_groups(name: str, groups: int, users: int, runs: int) -> dict[str, float]:
    """How many samples have all groups' intervals hold the mean share, or any too low or too high; the
    median width; and the same of Student's."""
    draw, truth = SHARES[name]
    rng = np.random.default_rng(8)
    limits, means, errors = [], [], []
    for _ in range(runs):
        share = draw(rng, (groups, users))
        means.append(share.mean(axis=1))
        errors.append(share.std(axis=1, ddof=1) / np.sqrt(users))
        limits.append([known[1:] for known in served_intervals(powers_of(share)) if known is not None])
    low, high = np.moveaxis(np.array(limits), 2, 0)
    reach = critical_value(0.95 ** (1 / groups), users - 1) * np.array(errors)
    return {
        "held": float(((low <= truth) & (truth <= high)).all(axis=1).sum()),
        "too low": float((high < truth).any(axis=1).sum()),
        "too high": float((low > truth).any(axis=1).sum()),
        "width": float(np.median(high - low)),
        "student": float((np.abs(np.array(means) - truth) <= reach).all(axis=1).sum()),
        "student width": float(np.median(2 * reach)),
    }


def shares_hold(world: Population, users: int, runs: int) -> int:
    """In how many samples all groups' intervals hold the share of the population, from users to limits."""
    rng = np.random.default_rng(9)
    truth = [known[0] for known in served_intervals(world.everybody.sums.served) if known is not None]
    held = 0
    for run in range(runs):
        drawn = world.evidence(rng.integers(0, len(world.exposure), users), seed=run)
        found = served_intervals(drawn.sums.served)
        held += all(known and known[1] <= true <= known[2] for known, true in zip(found, truth, strict=True))
    return held
