"""Simulated logs with known truth, and how often intervals contain it."""

from dataclasses import dataclass

import numpy as np

from evenhand.opportunity.inference import (
    ArmInference,
    Arms,
    penalty_difference,
    relative_utility_differences,
)
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


def contains(bounds, truth) -> bool:
    return bounds[0] - 1e-12 <= truth <= bounds[1] + 1e-12


def coverage_of_one_arm(world: World, runs: int, seed: int = 1) -> dict[str, float]:
    """Percent of runs in which each interval holds the truth."""
    u = world.utilities[0]
    h, d, ratio = penalty(u), relative_utilities(u), u.min() / u.max()
    hits = dict.fromkeys(("hull", "delta", "source", "relative_utility", "worst_ratio"), 0)
    for a, b in world.draw(runs, seed):
        inference = ArmInference(world.arms(a, b), 0, 0)
        source = ArmInference(world.arms(a, b, variance="independent"), 0, 0)
        hits["hull"] += contains(inference.penalty_interval(0.95), h)
        hits["delta"] += contains(inference.penalty_interval(0.95, "delta"), h)
        hits["source"] += contains(source.penalty_interval(0.95, "delta"), h)
        hits["worst_ratio"] += contains(inference.worst_ratio_interval(0.95), ratio)
        groups = zip(inference.relative_utility_intervals(0.95), d, strict=True)
        hits["relative_utility"] += all(contains(bounds, truth) for bounds, truth in groups)
    return {name: 100 * count / runs for name, count in hits.items()}


def coverage_of_difference(world: World, runs: int, seed: int = 2) -> dict[str, float]:
    """Percent of runs in which each interval of (second arm minus first) holds the truth, and mean widths."""
    truth = penalty(world.utilities[1]) - penalty(world.utilities[0])
    changes = relative_utilities(world.utilities[1]) - relative_utilities(world.utilities[0])
    hits = dict.fromkeys(("ours", "mover", "source", "groups"), 0)
    widths = dict.fromkeys(("ours", "source"), 0.0)
    for a, b in world.draw(runs, seed):
        arms = world.arms(a, b)
        ours = penalty_difference(arms, 1, 0, 0.95, 0)
        mover = penalty_difference(arms, 1, 0, 0.95, 0, "mover")
        low, high = source_difference(world.arms(a, b, variance="independent", shared_random=False))
        hits["ours"] += contains((ours.low, ours.high), truth)
        hits["mover"] += contains((mover.low, mover.high), truth)
        hits["source"] += contains((low, high), truth)
        groups = zip(relative_utility_differences(arms, 1, 0, 0.95, 0), changes, strict=True)
        hits["groups"] += all(contains((change.low, change.high), value) for change, value in groups)
        widths["ours"] += ours.high - ours.low
        widths["source"] += high - low
    percents = {name: 100 * count / runs for name, count in hits.items()}
    return percents | {"width_ratio": widths["source"] / widths["ours"]}


def source_difference(arms: Arms) -> tuple[float, float]:
    """The source's Algorithm 2, written out: variances added, delta whatever the truth."""
    both = [ArmInference(arms, i, 0) for i in (1, 0)]
    estimate = penalty(both[0].utilities) - penalty(both[1].utilities)
    variance = sum(
        penalty_gradient(arm.utilities) @ arm.covariance @ penalty_gradient(arm.utilities) for arm in both
    )
    return estimate - 1.959964 * np.sqrt(variance), estimate + 1.959964 * np.sqrt(variance)
