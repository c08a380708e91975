"""Simulated logs with known truth, and how often intervals contain it."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from evenhand.errors import InputError
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.bootstrap_differences import bootstrap_differences, welch_differences
from evenhand.opportunity.inference.differences import (
    delta_difference,
    penalty_difference,
    relative_utility_differences,
)
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.measures import penalty, penalty_gradient, relative_utilities


def tilted(groups: int, size: float) -> np.ndarray:
    """Utilities with mean 1 and REO penalty `size`, evenly spread."""
    d = np.linspace(-1, 1, groups)
    return 1 + size * d / np.sqrt((d**2).mean())


@dataclass(frozen=True)
class World:
    """True shares of positives by group: p in random traffic, q in each arm's default traffic."""

    p: np.ndarray
    q: np.ndarray  # arms x groups
    rows: int
    random_rows: int

    @classmethod
    def of(cls, p, utilities, rows, random_rows, lift=2.0):
        p = np.asarray(p, dtype=float)
        return cls(p, np.atleast_2d(lift * p * np.asarray(utilities)), rows, random_rows)

    @classmethod
    def of_arms(cls, p, control, treatment, rows, random_rows):
        return cls.of(p, [control, treatment], rows, random_rows)

    @property
    def utilities(self) -> np.ndarray:
        return self.q / self.p

    def draw(self, runs: int, seed: int):
        """`runs` sets of logs as Arms; sets in which random traffic misses a group are drawn again."""
        rng = np.random.default_rng(seed)
        made = 0
        while made < runs:
            b = rng.multinomial(self.random_rows, [*self.p, 1 - self.p.sum()])[:-1]
            a = np.array([rng.multinomial(self.rows, [*q, 1 - q.sum()])[:-1] for q in self.q])
            if (b > 0).all():
                made += 1
                yield a.astype(float), b.astype(float)

    def arms(self, a, b, **options) -> Arms:
        names = tuple(str(k) for k in range(len(self.p)))
        totals = np.full(len(a), float(self.rows))
        return Arms(names, a, totals, b, float(self.random_rows), None, None, **options)


COMMON_POSITIVES = World(np.array([0.20, 0.25]), np.array([[0.35, 0.30]]), 150_000, 150_000)


def evenly_spread(groups: int, size: float) -> World:
    """Equal groups, REO penalty `size`, 20,000 rows in each log."""
    return World.of(np.full(groups, 0.12 / groups), tilted(groups, size), 20_000, 20_000)


def one_rare(others: int, served: float) -> World:
    """One group with about 20 random positives, which gets `served` of what the others get."""
    p = np.append(np.full(others, 0.12 / others), 0.001)
    return World.of(p, np.append(np.ones(others), served), 200_000, 20_000)


def rare_among_unequal(served: float) -> World:
    return World.of([0.04, 0.04, 0.04, 0.001], [1.3, 1.0, 0.7, served], 200_000, 20_000)


TWO, FOUR, EIGHT = [0.01, 0.05], np.full(4, 0.03), np.full(8, 0.015)

# Random shares, utilities of control, of treatment, rows, random rows.
BOTH_UNFAIR = {
    "two groups, scarce random traffic": World.of_arms(TWO, [1.8, 0.84], [1.6, 0.88], 200_000, 10_000),
    "two groups, opposite ways": World.of_arms(TWO, [0.6, 1.08], [1.5, 0.9], 200_000, 20_000),
    "two groups, plenty": World.of_arms(TWO, [1.4, 0.92], [1.5, 0.9], 50_000, 50_000),
    "four groups, scarce": World.of_arms(FOUR, tilted(4, 0.15), tilted(4, 0.2), 50_000, 10_000),
    "four groups, opposite ways": World.of_arms(FOUR, tilted(4, 0.2)[::-1], tilted(4, 0.3), 50_000, 10_000),
    "eight groups": World.of_arms(EIGHT, tilted(8, 0.15), tilted(8, 0.25), 50_000, 50_000),
}


AN_ARM_AT_ZERO = {
    "both, two groups": World.of_arms(TWO, [1, 1], [1, 1], 50_000, 10_000),
    "both, four groups": World.of_arms(FOUR, tilted(4, 0), tilted(4, 0), 50_000, 10_000),
    "both, eight groups": World.of_arms(EIGHT, tilted(8, 0), tilted(8, 0), 50_000, 10_000),
    "treatment, two groups": World.of_arms(TWO, [1.5, 0.9], [1, 1], 50_000, 10_000),
    "treatment, four groups": World.of_arms(FOUR, tilted(4, 0.2), tilted(4, 0), 50_000, 10_000),
    "treatment, four groups, plenty": World.of_arms(FOUR, tilted(4, 0.2), tilted(4, 0), 50_000, 100_000),
    "control, four groups, mild": World.of_arms(FOUR, tilted(4, 0), tilted(4, 0.05), 50_000, 10_000),
    "control, eight groups": World.of_arms(EIGHT, tilted(8, 0), tilted(8, 0.1), 50_000, 10_000),
    "control, eight groups, plenty": World.of_arms(EIGHT, tilted(8, 0), tilted(8, 0.3), 50_000, 200_000),
    "nearly, four groups, opposite": World.of_arms(
        FOUR, tilted(4, 0.05)[::-1], tilted(4, 0.05), 50_000, 10_000
    ),
    "nearly, a rare group": World.of_arms(
        [0.05, 0.04, 0.03, 0.001], [1, 1, 1, 1.4], [1, 1, 1, 0.6], 200_000, 20_000
    ),
}


def contains(bounds, truth) -> bool:
    return bounds[0] - 1e-12 <= truth <= bounds[1] + 1e-12


def coverage_of_one_arm(world: World, runs: int, seed: int = 1) -> dict[str, float]:
    """Percent of runs in which each interval holds the truth."""
    u = world.utilities[0]
    h, d, ratio = penalty(u), relative_utilities(u), u.min() / u.max()
    hits = dict.fromkeys(("hull", "delta", "published", "relative_utility", "worst_ratio"), 0)
    for a, b in world.draw(runs, seed):
        inference = ArmInference(world.arms(a, b), 0, 0)
        source = ArmInference(world.arms(a, b, variance="independent"), 0, 0)
        hits["hull"] += contains(inference.penalty_interval(0.95), h)
        hits["delta"] += contains(inference.penalty_interval(0.95, "delta"), h)
        hits["published"] += contains(source.penalty_interval(0.95, "delta"), h)
        hits["worst_ratio"] += contains(inference.worst_ratio_interval(0.95), ratio)
        groups = zip(inference.relative_utility_intervals(0.95), d, strict=True)
        hits["relative_utility"] += all(contains(bounds, truth) for bounds, truth in groups)
    return {name: 100 * count / runs for name, count in hits.items()}


def coverage_of_difference(world: World, runs: int, seed: int = 2) -> dict[str, float]:
    """Percent of runs in which each interval of (second arm minus first) holds the truth, and mean widths."""
    truth = penalty(world.utilities[1]) - penalty(world.utilities[0])
    changes = relative_utilities(world.utilities[1]) - relative_utilities(world.utilities[0])
    hits = dict.fromkeys(("ours", "mover", "published", "groups"), 0)
    widths = dict.fromkeys(("ours", "published"), 0.0)
    for a, b in world.draw(runs, seed):
        arms = world.arms(a, b)
        ours = penalty_difference(arms, 1, 0, 0.95, 0)
        mover = penalty_difference(arms, 1, 0, 0.95, 0, "mover")
        low, high = published_difference(world.arms(a, b, variance="independent", shared_random=False))
        hits["ours"] += contains((ours.low, ours.high), truth)
        hits["mover"] += contains((mover.low, mover.high), truth)
        hits["published"] += contains((low, high), truth)
        groups = zip(relative_utility_differences(arms, 1, 0, 0.95, 0), changes, strict=True)
        hits["groups"] += all(contains((change.low, change.high), value) for change, value in groups)
        widths["ours"] += ours.high - ours.low
        widths["published"] += high - low
    percents = {name: 100 * count / runs for name, count in hits.items()}
    return percents | {"width_ratio": widths["published"] / widths["ours"]}


def published_difference(arms: Arms) -> tuple[float, float]:
    """Dong and others' Algorithm 2, written out: variances added, delta whatever the truth."""
    both = [ArmInference(arms, i, 0) for i in (1, 0)]
    estimate = penalty(both[0].utilities) - penalty(both[1].utilities)
    variance = sum(
        penalty_gradient(arm.utilities) @ arm.covariance @ penalty_gradient(arm.utilities) for arm in both
    )
    return estimate - 1.959964 * np.sqrt(variance), estimate + 1.959964 * np.sqrt(variance)


# Random shares of Dong and others' Sec. 4.1, where default traffic shows the first group twice as readily.
COMMON, SCARCE = [0.01, 0.05], [0.001, 0.005]
OTHER_INTERVALS = {
    "near fair: two groups": World.of_arms(COMMON, [1, 1], [1.05, 0.99], 50_000, 50_000),
    "near fair: two groups, random scarce": World.of_arms(SCARCE, [1, 1], [1.05, 0.99], 200_000, 100_000),
    "near fair: four groups": World.of_arms(FOUR, tilted(4, 0.02), tilted(4, 0.04), 50_000, 20_000),
    "fair against mild: four groups": World.of_arms(FOUR, tilted(4, 0), tilted(4, 0.1), 50_000, 20_000),
    "mild: two groups": World.of_arms(COMMON, [1.25, 0.95], [1.35, 0.93], 50_000, 50_000),
    "mild: four groups": World.of_arms(FOUR, tilted(4, 0.1), tilted(4, 0.15), 50_000, 20_000),
    "mild, opposite ways: four groups": World.of_arms(
        FOUR, tilted(4, 0.12)[::-1], tilted(4, 0.15), 50_000, 20_000
    ),
    "strong: two groups": World.of(COMMON, [[2, 1], [1.8, 1]], 50_000, 50_000, lift=5),
    "strong: two groups, random scarce": World.of(SCARCE, [[2, 1], [1.8, 1]], 200_000, 100_000, lift=5),
    "strong: four groups, random scarce": World.of_arms(FOUR, tilted(4, 0.3), tilted(4, 0.35), 50_000, 5_000),
}
KINDS = ("ours", "delta", "algorithm 2", "algorithm 3", "algorithm 4", "percentile", "bca")


def coverage_by_kind(world: World, runs: int, seed: int = 3) -> dict[str, dict[str, float]]:
    """By kind of interval: percent that hold the truth, mean width, and percent of runs without an answer.

    Coverage and width are of the runs that have one.
    """
    truth = penalty(world.utilities[1]) - penalty(world.utilities[0])
    made = {kind: [] for kind in KINDS}
    for run, (a, b) in enumerate(world.draw(runs, seed)):
        for kind, change in _by_kind(world, a, b, run).items():
            made[kind].append((contains((change.low, change.high), truth), change.high - change.low))
    measured = {}
    for kind, results in made.items():
        hits, widths = zip(*results, strict=True) if results else ((0,), (np.nan,))
        measured[kind] = {
            "covered": 100 * float(np.mean(hits)),
            "width": float(np.mean(widths)),
            "unanswered": 100 * (1 - len(results) / runs),
        }
    return measured


def _by_kind(world: World, a, b, seed: int):
    arms = world.arms(a, b)
    names = [str(k) for k in range(len(world.p))]
    control, treatment, random = (
        LogCounts.from_totals(names, counts.astype(int).tolist(), rows)
        for counts, rows in ((a[0], world.rows), (a[1], world.rows), (b, world.random_rows))
    )
    published = world.arms(a, b, variance="independent", shared_random=False)
    found = {
        "ours": penalty_difference(arms, 1, 0, 0.95, 0),
        "delta": delta_difference(arms, 1, 0, 0.95),
        "algorithm 2": delta_difference(published, 1, 0, 0.95),
    }
    with suppress(InputError):  # a part without a positive row of a group
        (found["algorithm 3"],) = welch_differences(treatment, control, random, [0.95], seed, folds=20)
    for kind, method in (("algorithm 4", "normal"), ("percentile", "percentile"), ("bca", "bca")):
        (found[kind],) = bootstrap_differences(
            treatment, control, random, method, [0.95], seed, replicates=1_000
        )
    return found
