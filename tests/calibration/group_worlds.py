"""Simulated users in groups whose true means are known, and how often the group audit is right about them."""

from collections.abc import Callable
from dataclasses import astuple, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.groups.cells import Cells, Groups, every_cell, every_combination
from evenhand.groups.confirmation import confirm
from evenhand.groups.equality import compare_means
from evenhand.groups.findings import GapSettings, Measured, findings_of
from evenhand.groups.measures import simultaneous_intervals
from evenhand.stats.means.permutation import SPREAD, STUDENTISED

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], Floats]


@dataclass(frozen=True)
class GroupWorld:
    """`draw(rng, group, size)` gives the values of a group's users, whose true mean is `means[group]`."""

    sizes: tuple[int, ...]
    means: tuple[float, ...]
    draw: Draw
    bounds: tuple[float, float] | None = (0.0, 1.0)

    @property
    def gap(self) -> float:
        return max(self.means) - min(self.means)

    def means_of(self, groups: Groups) -> Floats:
        return np.array(self.means)

    def measured(self, rng: np.random.Generator) -> Measured:
        values = [self.draw(rng, group, size) for group, size in enumerate(self.sizes)]
        code = np.repeat(np.arange(len(self.sizes)), self.sizes)
        # Four digits, so that the order of names is that of the groups.
        cells = Cells.of(["group"], [[f"{group:04d}" for group in range(len(self.sizes))]], [code])
        return Measured("value", "higher", self.bounds, np.concatenate(values), every_cell(cells, 2))


class Overlapping(GroupWorld):
    """With a second attribute that means nothing, and groups by one of both or by both; all of one mean."""

    def means_of(self, groups: Groups) -> Floats:
        return np.full(len(groups), self.means[0])

    def measured(self, rng: np.random.Generator) -> Measured:
        found = super().measured(rng)
        of_user = found.groups.of.of_user
        codes = [of_user, rng.integers(0, 2, len(of_user))]
        cells = Cells.of(["group", "other"], [found.groups.of.values[0], ["a", "b"]], codes)
        return replace(found, groups=every_combination(cells, 5, 2))


MIXED = (20,) * 30 + (60,) * 20 + (200,) * 8 + (500,) * 2
"""Many small groups and few large ones, as combinations of attributes make them."""


def reciprocal_ranks(sizes: tuple[int, ...], chances: Floats) -> GroupWorld:
    """MRR@5 of a target that stands at place r with chance p (1 - p)^(r - 1), p by group."""
    places = np.arange(1, 6)

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        rank = rng.geometric(chances[group], size)
        return np.where(rank <= 5, 1 / rank, 0.0)

    means = tuple(float((p * (1 - p) ** (places - 1) / places).sum()) for p in chances)
    return GroupWorld(sizes, means, draw)


def no_effect(sizes: tuple[int, ...] = MIXED) -> GroupWorld:
    return reciprocal_ranks(sizes, np.full(len(sizes), 0.2))


def all_differ(sizes: tuple[int, ...], by: float, seed: int = 1) -> GroupWorld:
    """True means all over the place."""
    spread = np.random.default_rng(seed).normal(0, by, len(sizes))
    return reciprocal_ranks(sizes, np.clip(0.25 + spread, 0.03, 0.9))


def small_vary_more(times: float, small: int = 30) -> GroupWorld:
    """Equal means of .5; groups of `small` users have `times` the variance of those of 150 and 400."""
    sizes = (small,) * 30 + (150,) * 10 + (400,) * 5

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        variance = times / 64 if size == small else 1 / 64
        shape = (0.25 / variance - 1) / 2
        return rng.beta(shape, shape, size)

    return GroupWorld(sizes, (0.5,) * len(sizes), draw)


def one_below(gap: float, sizes: tuple[int, ...]) -> GroupWorld:
    """The mean of one group of median size (or the next above) is `gap` below .6, that of all others.

    The standard deviation is about .2.
    """
    planted = int(np.flatnonzero(np.array(sizes) >= np.median(sizes))[0])

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        mean = 0.6 - gap if group == planted else 0.6
        return rng.beta(5 * mean, 5 * (1 - mean), size)

    means = tuple(0.6 - gap if group == planted else 0.6 for group in range(len(sizes)))
    return GroupWorld(sizes, means, draw)


def one_above(gap: float, sizes: tuple[int, ...]) -> GroupWorld:
    """Hits of 5% of users; `gap` more in one group of median size (or the next above)."""
    planted = int(np.flatnonzero(np.array(sizes) >= np.median(sizes))[0])
    means = tuple(0.05 + gap if group == planted else 0.05 for group in range(len(sizes)))
    return GroupWorld(sizes, means, lambda rng, group, size: (rng.random(size) < means[group]).astype(float))


def _of_one_mean(
    sizes: tuple[int, ...], mean: float, draw: Draw, bounds: tuple[float, float] | None = (0.0, 1.0)
) -> GroupWorld:
    return GroupWorld(sizes, (mean,) * len(sizes), draw, bounds)


def mostly_nothing(sizes: tuple[int, ...], chance: float) -> GroupWorld:
    """Nobody differs; a user has a hit with this chance, at any of five places alike."""

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        return np.where(rng.random(size) < chance, 1 / rng.integers(1, 6, size), 0.0)

    return _of_one_mean(sizes, chance * float(np.mean(1 / np.arange(1, 6))), draw)


def rare_in_small(small: int, groups: int, large: int, rates: tuple[float, float]) -> GroupWorld:
    """Values of 0 and 1; a large group with the first rate, and small ones with the second, a lower one."""
    means = (rates[0],) + (rates[1],) * groups
    sizes = (large,) + (small,) * groups
    return GroupWorld(sizes, means, lambda rng, group, size: (rng.random(size) < means[group]).astype(float))


def smooth_and_rare(small: int, large: int) -> GroupWorld:
    """A large group with scores around .15, and a small one where a tenth of users have 1, the others 0."""

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        if group == 0:
            return rng.beta(7.5, 42.5, size)
        return (rng.random(size) < 0.1).astype(float)

    return GroupWorld((large, small), (0.15, 0.1), draw)


def spending(sizes: tuple[int, ...], chance: float) -> GroupWorld:
    """Nobody differs; a user spends with this chance, an exponential amount, and no bounds are known."""

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        return np.where(rng.random(size) < chance, rng.exponential(1.0, size), 0.0)

    return _of_one_mean(sizes, chance, draw, bounds=None)


def amounts(sizes: tuple[int, ...], spread: float) -> GroupWorld:
    """Nobody differs; lognormal amounts with a mean of 1, as of money or time, and no bounds are known."""

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        return rng.lognormal(-(spread**2) / 2, spread, size)

    return _of_one_mean(sizes, 1.0, draw, bounds=None)


def ranks_of_one_mean(size: int, groups: int = 20, mean: float = 0.04) -> GroupWorld:
    """Every other group has hits at the first place alone, the others at the fifth, five times as many."""

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        value = 1.0 if group % 2 else 0.2
        return np.where(rng.random(size) < mean / value, value, 0.0)

    return _of_one_mean((size,) * groups, mean, draw)


def shapes_of_one_mean(size: int, groups: int = 20, mean: float = 0.05) -> GroupWorld:
    """Every other group has values of 0 and 1, the others smooth ones with a standard deviation of .02."""
    count = mean * (1 - mean) / 0.02**2 - 1

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        if group % 2:
            return (rng.random(size) < mean).astype(float)
        return rng.beta(mean * count, (1 - mean) * count, size)

    return _of_one_mean((size,) * groups, mean, draw)


def opposite_tails(size: int, groups: int = 20) -> GroupWorld:
    """Values without bounds and with a mean of 0; the long tail is above in one half of the groups."""

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        return (rng.exponential(1.0, size) - 1.0) * (1 if group % 2 else -1)

    return _of_one_mean((size,) * groups + (200,) * 3, 0.0, draw, bounds=None)


def one_larger_group_below(rates: tuple[float, float]) -> GroupWorld:
    """One group of 200 has the second rate of hits, and all others, of 20 to 2,000 users, the first."""
    sizes = (200,) + (20,) * 30 + (200,) * 4 + (2_000,)
    means = (rates[1],) + (rates[0],) * 35
    return GroupWorld(sizes, means, lambda rng, group, size: (rng.random(size) < means[group]).astype(float))


def rare_in_one(small: int, large: int, chance: float) -> GroupWorld:
    """Scores around .1 and a little above; in the small group they are lower, and now and then 1."""
    mean = 0.1 + 0.9 * chance

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        centre = mean if group == 0 else 0.1
        count = centre * (1 - centre) / 0.02**2 - 1
        smooth = rng.beta(centre * count, (1 - centre) * count, size)
        return smooth if group == 0 else np.where(rng.random(size) < chance, 1.0, smooth)

    return _of_one_mean((large, small), mean, draw)


def _scores(rng: np.random.Generator, mean: float, spread: float, size: int) -> Floats:
    count = mean * (1 - mean) / spread**2 - 1
    return rng.beta(mean * count, (1 - mean) * count, size)


def rare_in_tight(
    small: int, large: int, chance: float, spread: float, *, mean: float, end: float
) -> GroupWorld:
    """Scores around a mean; in the small group a few users are at an end, and the others as far beyond."""

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        if group == 0:
            return _scores(rng, mean, spread, size)
        others = _scores(rng, (mean - chance * end) / (1 - chance), spread, size)
        return np.where(rng.random(size) < chance, end, others)

    return _of_one_mean((large, small), mean, draw)


def rare_beside_two(small: int, large: int, chance: float, gap: float) -> GroupWorld:
    """Two large groups that differ by `gap`; a small one has the mean of the higher, and now and then a 1."""
    higher = 0.1 + 0.9 * chance
    centres = (higher, higher - gap, 0.1)

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        scores = _scores(rng, centres[group], 0.02, size)
        return np.where(rng.random(size) < chance, 1.0, scores) if group == 2 else scores

    return GroupWorld((large, large, small), (higher, higher - gap, higher), draw)


def hits_at_other_places(small: int, large: int, mean: float) -> GroupWorld:
    """A large group with hits at the fifth place, and a small one with hits at the first, of one mean: as
    long as the small one has none, there are only two values."""

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        value = 0.2 if group == 0 else 1.0
        return np.where(rng.random(size) < mean / value, value, 0.0)

    return _of_one_mean((large, small), mean, draw)


HALVES = (20,) * 10 + (100,) * 5 + (1_000,) * 2 + (10_000,)
RARE = {
    "hits of 5%": mostly_nothing(HALVES, 0.05),
    "hits of 10%": mostly_nothing(HALVES, 0.1),
    "at the tolerance, 20 users": rare_in_small(20, 10, 5_000, (0.2, 0.1)),
    "at the tolerance, 30 users": rare_in_small(30, 20, 5_000, (0.1, 0.05)),
    "smooth beside rare": smooth_and_rare(20, 5_000),
    "no bounds": spending(HALVES[:-1], 0.1),
}


def rare_at_both_ends(
    small: int, chance: float, spread: float, others: int = 1, mean: float = 0.5
) -> GroupWorld:
    """Scores close together, and two groups of which a few users have 1 in the one and 0 in the other; all
    means are the same."""

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        tight = spread * rng.normal(size=size)
        if group < others:
            return mean + tight
        end = 1.0 if group == others else 0.0
        return np.where(rng.random(size) < chance, end, (mean - chance * end) / (1 - chance) + tight)

    sizes = (small,) * (others + 2)
    return GroupWorld(sizes, (mean,) * len(sizes), draw)


def rare_at_one_end(
    sizes: tuple[int, ...], with_rare: int, chance: float, mean: float, spread: float = 0.01
) -> GroupWorld:
    """Scores close together, and groups (the first ones) of which a few users have 1; all means are equal."""

    def draw(rng: np.random.Generator, group: int, size: int) -> Floats:
        tight = spread * rng.normal(size=size)
        if group >= with_rare:
            return mean + tight
        return np.where(rng.random(size) < chance, 1.0, (mean - chance) / (1 - chance) + tight)

    return GroupWorld(sizes, (mean,) * len(sizes), draw)


RARE_AT_ONE_END = {
    "two of five, 1 in 100": rare_at_one_end((100,) * 5, 2, 0.01, 0.1),
    "two beside 60, 60 and 600, 1 in 67": rare_at_one_end((60, 60, 60, 60, 600), 2, 0.015, 0.3),
}
RARE_AT_BOTH_ENDS = {
    "1 in 33, 40 users beside as many": rare_at_both_ends(40, 0.03, 0.02),
    "1 in 67, 80 users beside as many": rare_at_both_ends(80, 0.015, 0.01),
    "1 in 20, 30 users beside four times as many": rare_at_both_ends(30, 0.05, 0.01, 4),
}
RARE_IN_ONE = {
    "scores of .1, a 1 in 100, 100 users": rare_in_one(100, 5_000, 0.01),
    "scores of .1, a 1 in 10, 20 users": rare_in_one(20, 2_000, 0.1),
    "around .91, a 0 in 100, 100 users": rare_in_tight(100, 5_000, 0.01, 0.03, mean=0.9, end=0.0),
    "around .3, a 1 in 100, 100 users": rare_in_tight(100, 5_000, 0.01, 0.04, mean=0.3, end=1.0),
    "around .3, a 1 in 50, 50 users": rare_in_tight(50, 5_000, 0.02, 0.05, mean=0.3, end=1.0),
    "around .3, a 1 in 400, 400 users": rare_in_tight(400, 5_000, 0.0025, 0.02, mean=0.3, end=1.0),
    "around .3, a 1 in 25, 30 users": rare_in_tight(30, 5_000, 0.04, 0.08, mean=0.3, end=1.0),
    "around .3, a 1 in 60, 100 users beside as many": rare_in_tight(
        100, 100, 0.016, 0.005, mean=0.3, end=1.0
    ),
    "around .3, a 1 in 25, 40 users beside as many": rare_in_tight(40, 40, 0.04, 0.02, mean=0.3, end=1.0),
}
BESIDE_OTHERS = {
    "100 users beside two groups that differ": rare_beside_two(100, 5_000, 0.01, 0.002),
    "40 users beside two groups that differ": rare_beside_two(40, 2_000, 0.03, 0.004),
    "100 users, groups overlap": Overlapping(*astuple(rare_in_one(100, 5_000, 0.01))),
    "20 users, groups overlap": Overlapping(*astuple(rare_in_one(20, 2_000, 0.1))),
}

SHAPES = {
    "ranks, 20 users": ranks_of_one_mean(20),
    "ranks, 50 users": ranks_of_one_mean(50),
    "ranks, 100 users": ranks_of_one_mean(100),
    "smooth and 0/1, 20 users": shapes_of_one_mean(20),
    "smooth and 0/1, 50 users": shapes_of_one_mean(50),
    "opposite tails, 20 users": opposite_tails(20),
}

UNBOUNDED = {
    "amounts, 30 groups of 50": amounts((50,) * 30, 1.0),
    "heavy-tailed amounts, 30 groups of 50": amounts((50,) * 30, 1.5),
    "heavy-tailed amounts, 10 groups of 500": amounts((500,) * 10, 1.5),
    "mostly nothing, 12 groups": spending((20,) * 10 + (100,) * 2, 0.1),
    "opposite tails, 23 groups": opposite_tails(20),
}

SETTINGS = GapSettings(level=0.95, tolerance=None, permutations=20, top=10_000, seed=0)


def p_values(world: GroupWorld, runs: int, permutations: int = 200) -> dict[str, Floats]:
    """Of the studentised gap (as reported, and by shuffles alone) and of the raw one, for each data set."""
    rng = np.random.default_rng(7)
    found: dict[str, list[float]] = {"studentised": [], "shuffled": [], "raw": []}
    for run in range(runs):
        settings = replace(SETTINGS, permutations=permutations, seed=run)
        uf = findings_of(world.measured(rng), settings)[1]
        assert uf.p_value is not None
        found["studentised"].append(uf.p_value)
        found["shuffled"].append(uf.details["shuffled_p_value"])
        found["raw"].append(uf.details["raw_p_value"])
    return {name: np.array(values) for name, values in found.items()}


def confirmations(world: GroupWorld, runs: int) -> dict[str, float]:
    """Of the split halves alone, how often: their interval holds the gap of the groups that they chose
    (`covered`), is above the largest true gap (`false_violations`, if that is the tolerance), or above 0
    (`confirmed`); and its median width.
    """
    rng = np.random.default_rng(17)
    hits = {"covered": 0, "false_violations": 0, "confirmed": 0}
    widths = []
    for run in range(runs):
        measured = world.measured(rng)
        found = confirm(measured.groups, measured.values, np.random.default_rng(run), 0.95, measured.bounds)
        means = world.means_of(measured.groups)
        chosen = np.mean([means[half.highest] - means[half.lowest] for half in found.halves])
        hits["covered"] += bool(found.low <= chosen <= found.high)
        hits["false_violations"] += bool(found.low > world.gap)
        hits["confirmed"] += bool(found.low > 0)
        widths.append(found.high - found.low)
    return hits | {"width": float(np.median(widths))}


def all_groups_held(world: GroupWorld, runs: int) -> int:
    """In how many of the data sets the intervals of all groups hold at once."""
    rng, hits, truth = np.random.default_rng(23), 0, np.array(world.means)
    for run in range(runs):
        found = world.measured(rng)
        low, high = simultaneous_intervals(
            found.groups, found.values, 0.95, world.bounds, np.random.default_rng(run)
        )
        hits += bool(((low <= truth) & (truth <= high)).all())
    return hits


def alarms_about_means(world: GroupWorld, runs: int, permutations: int = 100) -> dict[str, int]:
    """How often each test alarms at 5%: by shuffles alone, and the one that is reported, of `uf` and
    `spread`."""
    rng = np.random.default_rng(19)
    hits = {"shuffles": 0, "uf": 0, "spread": 0}
    for run in range(runs):
        measured = world.measured(rng)
        test = compare_means(
            measured.groups, measured.values, measured.bounds, most=permutations, seed=run,
            progress=lambda done, most: None,
        )  # fmt: skip
        hits["shuffles"] += test.shuffles.p_value(STUDENTISED) <= 0.05
        hits["uf"] += test.p_value(STUDENTISED) <= 0.05
        hits["spread"] += test.p_value(SPREAD) <= 0.05
    return hits


def alarms(world: GroupWorld, runs: int) -> dict[str, float]:
    """In how many percent of data sets without a difference each test alarms at 5%."""
    return {name: 100 * float((p <= 0.05).mean()) for name, p in p_values(world, runs).items()}


def coverage(world: GroupWorld, runs: int) -> dict[str, float]:
    """Percent of data sets in which all groups' intervals hold (`simultaneous`), the split-half interval
    holds the true gap of the groups it chose (`confirmed`), that of the largest gap holds it (`largest_gap`),
    and the interval of tau holds the spread of the true means (`spread`); and the width of a group's.
    """
    rng = np.random.default_rng(11)
    means = np.array(world.means)
    hits = {"simultaneous": 0, "confirmed": 0, "largest_gap": 0, "spread": 0}
    width = 0.0
    for run in range(runs):
        found = findings_of(world.measured(rng), replace(SETTINGS, seed=run, permutations=100))
        confirmed, uf, spread, *groups = found
        truth = [means[int(f.subject["group"])] for f in groups]
        inside = [f.interval.low <= mu <= f.interval.high for f, mu in zip(groups, truth, strict=True)]
        hits["simultaneous"] += all(inside)
        width += float(np.mean([f.interval.high - f.interval.low for f in groups])) / runs
        halves = confirmed.details["halves"]
        chosen = np.mean([means[int(half["highest"])] - means[int(half["lowest"])] for half in halves])
        split = confirmed.details["split_half"]["interval"]
        hits["confirmed"] += split["low"] <= chosen <= split["high"]
        hits["largest_gap"] += uf.interval.low <= world.gap <= uf.interval.high
        # Equal means have a standard deviation of 0 but for rounding.
        hits["spread"] += spread.interval.low <= round(float(means.std()), 12) <= spread.interval.high
    return {name: 100 * count / runs for name, count in hits.items()} | {"width": width}


def power(
    sizes: tuple[int, ...],
    runs: int,
    permutations: int = 200,
    plant: Callable[[float, tuple[int, ...]], GroupWorld] = one_below,
) -> dict[str, float]:
    """Plants the gap that the audit itself calls detectable with 90% power; percent found and confirmed.

    Found: the test alarms and the planted group has the lowest (highest) mean. Confirmed: the split-half
    interval is above 0, and the planted group was at that end in both halves.
    """
    rng = np.random.default_rng(13)
    calm = findings_of(plant(0.0, sizes).measured(rng), replace(SETTINGS, permutations=permutations))[1]
    gap = calm.details["detectable_gap"]["gap"]
    world, hits = plant(gap, sizes), {"found": 0, "confirmed": 0, "both": 0}
    end = "lowest" if plant is one_below else "highest"
    planted = f"{(np.argmin if end == 'lowest' else np.argmax)(world.means):04d}"
    for run in range(runs):
        settings = replace(SETTINGS, permutations=permutations, seed=run)
        confirmed, uf, *_ = findings_of(world.measured(rng), settings)
        found = uf.p_value <= 0.05 and uf.details[end] == planted
        sure = confirmed.details["split_half"]["interval"]["low"] > 0
        sure = sure and all(half[end] == planted for half in confirmed.details["halves"])
        hits["found"] += found
        hits["confirmed"] += sure
        hits["both"] += found and sure
    return {name: 100 * count / runs for name, count in hits.items()} | {"gap": gap}
