"""Many groups, some of them tiny: do the numbers about those that are identified hold?"""

from dataclasses import dataclass, replace

import numpy as np

from calibration.opportunity_worlds import contains
from evenhand.opportunity.arms import Arms
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference import ArmInference
from evenhand.opportunity.measures import penalty, relative_utilities
from evenhand.opportunity.preparation import line_up

TOLERANCE = 1 / 9


@dataclass(frozen=True)
class Crowd:
    """Groups by their share of all rows, how often they are liked, and their true utilities."""

    shares: np.ndarray
    liked: np.ndarray
    utilities: np.ndarray
    rows: int = 1_000_000
    random_rows: int = 10_000
    lift: float = 2.0

    @classmethod
    def fair(cls, shares, liked, **rows):
        shares = np.asarray(shares, dtype=float)
        return cls(shares / shares.sum(), np.broadcast_to(liked, shares.shape), np.ones(len(shares)), **rows)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(str(k) for k in range(len(self.shares)))

    def log(self, rng, rows: int, chance: np.ndarray) -> LogCounts:
        """Groups of all rows as their shares say, positives as `chance` says: rows are independent."""
        drawn = rng.multinomial(rows, self.shares)
        return LogCounts(self.names, drawn[None], rng.binomial(drawn, chance)[None])


def zipf(groups: int, liked=0.05, **rows) -> Crowd:
    """Shares 1, 1/2, 1/3, ...: the last groups have a handful of random positives, or none."""
    return Crowd.fair(1 / np.arange(1, groups + 1), liked, **rows)


def liked_unequally(groups: int, spread: float, seed: int = 0) -> Crowd:
    """Zipf's shares, and like-rates that differ by a factor of exp(`spread`) either way."""
    rates = 0.1 * np.exp(np.random.default_rng(seed).normal(0, spread, groups))
    return zipf(groups, np.minimum(rates, 0.45))


def above_the_floor(groups: int, spread: float = 0.0) -> Crowd:
    """Equal groups with 25 expected positives each: the mean of their ratios is biased upwards by 4%."""
    fair = Crowd.fair([1] * groups, 0.05, random_rows=25 * groups * 20)
    return replace(fair, utilities=1 + spread * np.linspace(-1, 1, groups))


# Three groups of 500 expected positives, forty of 15; a floor on observed ones would keep the lucky.
BELOW_THE_FLOOR = Crowd.fair([500] * 3 + [15] * 40, 0.05, random_rows=2_100 * 20)

MANY = {
    "20 groups, Zipf's shares, 500 random positives": zipf(20),
    "50 groups, the same": zipf(50),
    "100 groups, the same": zipf(100),
    "50 groups, Zipf's shares, like-rates differ by e^.5": liked_unequally(50, 0.5),
    "50 groups, Zipf's shares, like-rates differ by e": liked_unequally(50, 1.0),
    "3 groups of 500 expected positives, 40 of 15": BELOW_THE_FLOOR,
    "10 groups of 25": above_the_floor(10),
    "40 groups of 25": above_the_floor(40),
    "10 groups of 25, served .7 to 1.3": above_the_floor(10, 0.3),
    "40 groups of 25, served .7 to 1.3": above_the_floor(40, 0.3),
}


def percent_held(world: Crowd, runs: int) -> dict[str, float]:
    """The same in percent of the runs, and the mean number of groups that are identified."""
    counted = held(world, runs)
    return {name: (1 if name == "groups" else 100) * count / runs for name, count in counted.items()}


def held(world: Crowd, runs: int, seed: int = 7) -> dict[str, float]:
    """How many runs hold the truth about the groups that are identified, or find what is not there."""
    rng = np.random.default_rng(seed)
    counts = dict.fromkeys(("penalty", "relative_utility", "worst_ratio", "false_violation", "groups"), 0.0)
    for _ in range(runs):
        random = world.log(rng, world.random_rows, world.liked)
        default = world.log(rng, world.rows, np.minimum(1, world.lift * world.liked * world.utilities))
        prepared = line_up({"default": default}, random, "group", {})
        truth = world.utilities[[int(name) for name in prepared.random.groups]]
        inference = ArmInference(Arms.from_logs(prepared.logs, prepared.random), 0, 0)
        bounds = inference.penalty_interval(0.95)
        counts["penalty"] += contains(bounds, penalty(truth))
        counts["false_violation"] += bounds[0] > TOLERANCE >= penalty(truth)
        each = zip(inference.relative_utility_intervals(0.95), relative_utilities(truth), strict=True)
        counts["relative_utility"] += all(contains(interval, value) for interval, value in each)
        counts["worst_ratio"] += contains(inference.worst_ratio_interval(0.95), truth.min() / truth.max())
        counts["groups"] += len(truth)
    return counts
