"""Populations in which few users carry a number: few see an item group, like it, or get another list."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.exposure_pair_worlds import Holds
from calibration.exposure_worlds import Floats, Population, powers_of
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.pairs import pairs
from evenhand.exposure.problem.blocks import assign_blocks
from evenhand.exposure.problem.rows import dense_rows
from evenhand.exposure.problem.sides import ItemGroups
from evenhand.exposure.problem.targets import Targets, equal_exposure, relevant_pairs
from evenhand.exposure.uncertainty import served_intervals

CHANCE = 0.02  # one user in fifty


@dataclass(frozen=True)
class Cells:
    """Mean exposure and target of users over four item groups, by user group; the first item group is the one
    that few have to do with."""

    exposure: Floats
    target: Floats
    user_groups: NDArray[np.int64]

    @property
    def groups(self) -> int:
        return int(self.user_groups.max()) + 1

    @property
    def share(self) -> Floats:
        members = [self.user_groups == g for g in range(self.groups)]
        return np.array([self.exposure[own].mean(0) / self.target[own].mean(0) - 1 for own in members])

    def evidence(self, users: NDArray[np.int64], seed: int) -> Evidence:
        """As if each item group were one item, which is all that pairs know of them."""
        groups, nothing, k = self.user_groups[users], np.zeros(len(users)), self.target.shape[1]
        found = Evidence.empty(ItemGroups.of(np.arange(k)), self.groups)
        every, counted = np.tile(np.arange(k), len(users)), np.ones(len(users), dtype=bool)
        targets = Targets(
            np.arange(len(users) + 1) * k, every, self.target[users].ravel(), nothing, nothing + 0.1, counted,
            np.full(len(users), k), np.empty(0),
        )  # fmt: skip
        found.add(dense_rows(self.exposure[users], targets), groups, assign_blocks(groups, seed=seed))
        return found


def ordinary_cells(groups: int, rng: np.random.Generator, users: int = 40_000) -> Cells:
    target = rng.gamma(4, 0.025, (users, 4))
    return Cells(target * rng.uniform(0.5, 1.5, target.shape), target, rng.integers(0, groups, users))


def few_like(groups: int, share: float = 0.3, seed: int = 1) -> Cells:
    """One in fifty likes the first item group, and is shown it in proportion, give or take half."""
    rng = np.random.default_rng(seed)
    world = ordinary_cells(groups, rng)
    users = len(world.target)
    world.target[:, 0] = 0.001 + 0.3 * (rng.random(users) < CHANCE) * rng.uniform(0.5, 1.5, users)
    world.exposure[:, 0] = (1 + share) * world.target[:, 0] * rng.uniform(0.5, 1.5, users)
    return world


def few_see(groups: int, share: float = -0.3, seed: int = 1) -> Cells:
    """Everybody likes the first item group a little; one in fifty sees it on top, and others never."""
    rng = np.random.default_rng(seed)
    world = ordinary_cells(groups, rng)
    users = len(world.target)
    world.target[:, 0] = rng.gamma(4, 0.005, users)
    shown = rng.random(users) < CHANCE
    world.exposure[:, 0] = (1 + share) * 0.02 / CHANCE * shown
    return world


def few_see_far_more(
    chance: float, times: float, user_groups: int = 2, item_groups: int = 4, far: int | None = None
) -> Cells:
    """Everybody is shown all item groups in proportion to what is asked for, give or take half, and a few so
    many times as much of (the first `far` of) them; 30% less in truth."""
    rng, users = np.random.default_rng(1), 40_000
    groups, target = rng.integers(0, user_groups, users), rng.gamma(4, 0.01, (users, item_groups))
    seen_more = (rng.random(target.shape) < chance) & (np.arange(item_groups) < (far or item_groups))
    exposure = target * rng.uniform(0.5, 1.5, target.shape) * np.where(seen_more, times, 1.0)
    return Cells(0.7 * target.mean(0) / exposure.mean(0) * exposure, target, groups)


def long_tails(asked: float, shown: float, share: float = -0.3, users: int = 200_000) -> Cells:
    """Some users ask for far more than most, and some are shown far more of that: lognormal, with these
    spreads of the logarithms."""
    rng = np.random.default_rng(1)
    target = rng.lognormal(-4 - asked**2 / 2, asked, (users, 4))
    exposure = (1 + share) * target * rng.lognormal(-(shown**2) / 2, shown, target.shape)
    return Cells(exposure, target, rng.integers(0, 2, users))


def niches(chance: float = 0.05, share: float = 0.3, seed: int = 3, users: int = 40_000) -> Cells:
    """Eight item groups, each liked by few: everybody asks for a little of all of them, those who like one
    for a hundred times as much, and all are shown 130% of that, give or take half."""
    rng = np.random.default_rng(seed)
    likes = rng.random((users, 8)) < chance
    target = 0.002 + 0.2 * likes * rng.uniform(0.5, 1.5, likes.shape)
    exposure = target * rng.uniform(0.5, 1.5, target.shape)
    return Cells((1 + share) * target.mean() / exposure.mean() * exposure, target, rng.integers(0, 2, users))


def unlike(side: str, seed: int = 7, users: int = 40_000) -> Cells:
    """In one user group three of ten have a little of the first item group, in the other one in 200 has most
    of what there is, and everybody else a trace: of what is `asked for` or of what is `shown`. The other side
    is much the same for everybody, and 30% more, or less, is shown than is asked for."""
    rng = np.random.default_rng(seed)
    target, groups = rng.gamma(4, 0.02, (users, 8)), rng.integers(0, 2, users)
    exposure = target * rng.uniform(0.5, 1.5, target.shape)
    few = rng.random(users) < np.where(groups == 0, 0.3, 0.005)
    own = np.where(few, np.where(groups == 0, 0.1, 0.7), 0.005) * rng.uniform(0.8, 1.1, users)
    even = np.array([own[groups == g].mean() for g in (0, 1)])[groups] * rng.uniform(0.5, 1.5, users)
    if side == "shown":
        exposure[:, 0], target[:, 0] = own, even / 0.7
    else:
        exposure[:, 0], target[:, 0] = 1.3 * even, own
    return Cells(exposure, target, groups)


def uneven_rest(kinds: int, spread: float, seed: int = 2, users: int = 40_000) -> Cells:
    """Everybody likes one of so many kinds, by Zipf, and has one on top: seven in ten that kind. Of all kinds
    everybody is asked to be shown a little and is, give or take `spread` of that."""
    rng = np.random.default_rng(seed)
    popular = 1 / np.arange(1, kinds + 1)
    likes, other = rng.choice(kinds, (2, users), p=popular / popular.sum())
    on_top = np.where(rng.random(users) < 0.7, likes, other)
    target = np.full((users, kinds), 0.02)
    exposure = 0.02 * rng.gamma(spread**-2, spread**2, target.shape)
    target[np.arange(users), likes] += 0.3
    exposure[np.arange(users), on_top] += 0.5
    return Cells(exposure, target, rng.integers(0, 2, users))


def cells_hold(world: Cells, users: int, runs: int, seed: int = 5) -> tuple[Holds, float]:
    """How pairs hold with so many users in each group, and the percent of samples in which any pair is said
    to be nearer to the target than it is: a false pass where the truth is at the tolerance."""
    rng = np.random.default_rng(seed)
    truth, members = world.share, [np.flatnonzero(world.user_groups == g) for g in range(world.groups)]
    off = np.abs(truth)
    held = overstated = passed = 0
    widths = []
    for run in range(runs):
        found = pairs(world.evidence(np.concatenate([rng.choice(own, users) for own in members]), run))
        held += bool(((found.low <= truth) & (truth <= found.high)).all())
        overstated += bool(((found.low > off) | (found.high < -off)).any())
        passed += bool(((found.high < off) & (found.low > -off)).any())
        widths.append(np.nanmedian(found.high - found.low))
    rates = [100 * count / runs for count in (held, overstated)]
    return Holds(*rates, float(np.median(widths))), 100 * passed / runs


@dataclass(frozen=True)
class Large(Population):
    """A population with a catalogue of its own size."""

    def targets(self, users: NDArray[np.int64]) -> Targets:
        items = self.relevance.shape[1]
        return equal_exposure(*relevant_pairs(self.relevance[users]), items, 0.8 ** np.arange(items))


def cold_start(chance: float = 0.05, seed: int = 1, users: int = 6000, items: int = 200) -> Large:
    """Some users are new and get the list of what is popular; all others a noisy one of their own."""
    rng = np.random.default_rng(seed)
    taste = rng.normal(size=(users, items))
    relevance = np.zeros(taste.shape, dtype=bool)
    np.put_along_axis(relevance, np.argsort(-taste, axis=1)[:, :5], True, axis=1)
    scores, popular = taste + rng.normal(size=taste.shape), rng.normal(size=items)
    scores[rng.random(users) < chance] = popular
    exposure = np.empty(taste.shape)
    places = np.broadcast_to(0.8 ** np.arange(items), taste.shape)
    np.put_along_axis(exposure, np.argsort(-scores, axis=1), places, axis=1)
    item_group = np.argsort(np.argsort(-popular)) // (items // 4)
    return Large(exposure, relevance, rng.integers(0, 2, users), ItemGroups.of(item_group))


def nearly_right(chance: float = 0.005, seed: int = 5, users: int = 20_000, items: int = 60) -> Large:
    """Nearly everybody is shown nearly what relevance asks for, and some the list of what is popular."""
    rng = np.random.default_rng(seed)
    taste = rng.normal(size=(users, items))
    relevance = np.zeros(taste.shape, dtype=bool)
    np.put_along_axis(relevance, np.argsort(-taste, axis=1)[:, :5], True, axis=1)
    places = 0.8 ** np.arange(items)
    target = equal_exposure(*relevant_pairs(relevance), items, places).dense(items)
    exposure = 0.9 * target + 0.1 * rng.permuted(np.tile(places, (users, 1)), axis=1)
    exposure[rng.random(users) < chance] = places
    return Large(exposure, relevance, rng.integers(0, 2, users), ItemGroups.of(np.arange(items) * 4 // items))


def seldom_shown(chance: float = 0.0088, seed: int = 1, users: int = 6000, items: int = 200) -> Large:
    """The five items of a small group: one of two user groups likes them like any others and is shown them a
    little, like everything; nobody in the other likes them, and 9 in 1,000 have them on top, others never."""
    rng = np.random.default_rng(seed)
    item_group = np.where(np.arange(items) < 5, 0, 1 + np.arange(items) % 7)
    user_groups, small = rng.integers(0, 2, users), slice(0, 5)
    others = user_groups == 0
    taste = rng.normal(size=(users, items))
    taste[others, small] = -9
    relevance = np.zeros(taste.shape, dtype=bool)
    np.put_along_axis(relevance, np.argsort(-taste, axis=1)[:, :5], True, axis=1)
    exposure = np.exp(0.3 * rng.normal(size=taste.shape) + np.maximum(taste, 0))
    exposure[others, small] = 0
    places = 0.8 ** np.arange(items)
    exposure *= places.sum() / exposure.sum(axis=1, keepdims=True)
    on_top = others & (rng.random(users) < chance)
    exposure[on_top] = np.where(np.arange(items) < 5, places[:5].mean(), places[5:].mean())
    return Large(exposure, relevance, user_groups, ItemGroups.of(item_group))


def hit_or_miss(seed: int = 1, users: int = 8000, kinds: int = 20, size: int = 10) -> Large:
    """Everybody likes three items of one of 20 kinds, by Zipf, and has one kind on top: seven in ten the kind
    they like, others one by its popularity. Then comes one ranking, the same for all."""
    rng = np.random.default_rng(seed)
    item_group, popular = np.repeat(np.arange(kinds), size), 1 / np.arange(1, kinds + 1)
    likes = rng.choice(kinds, users, p=popular / popular.sum())
    relevance = np.zeros((users, kinds * size), dtype=bool)
    liked = np.argsort(rng.random((users, size)), axis=1)[:, :3] + size * likes[:, None]
    np.put_along_axis(relevance, liked, True, axis=1)
    missed = rng.choice(kinds, users, p=np.sqrt(popular) / np.sqrt(popular).sum())
    on_top = np.where(rng.random(users) < 0.7, likes, missed)
    scores = rng.random(kinds * size) + 5 * (item_group == on_top[:, None])
    exposure = np.empty(scores.shape)
    places = np.broadcast_to(0.8 ** np.arange(kinds * size), scores.shape)
    np.put_along_axis(exposure, np.argsort(-scores, axis=1), places, axis=1)
    return Large(exposure, relevance, rng.integers(0, 2, users), ItemGroups.of(item_group))


def served_hold(chance: float, users: int, groups: int, runs: int, seed: int = 5) -> float:
    """Percent of samples in which the intervals of all groups hold the exposure of what users want, if with
    this chance the one item that a user wants is at a random one of ten places, and else not shown."""
    rng = np.random.default_rng(seed)
    truth = chance * np.mean(0.8 ** np.arange(10))
    held = 0
    for _ in range(runs):
        share = (rng.random((groups, users)) < chance) * 0.8 ** rng.integers(0, 10, (groups, users))
        served = powers_of(share)
        found = served_intervals(served)
        held += all(known is not None and known[1] <= truth <= known[2] for known in found)
    return 100 * held / runs
