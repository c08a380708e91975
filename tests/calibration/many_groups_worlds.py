"""Many groups, some of them tiny: do the numbers about those that are identified hold?"""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from calibration.opportunity_worlds import contains, tilted
from evenhand.opportunity.evidence import LogCounts, Weights
from evenhand.opportunity.inference.differences import penalty_difference, relative_utility_differences
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.preparation import line_up
from evenhand.opportunity.measures import penalty, relative_utilities

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


def sides_held(positives: int, random_positives: int, groups: int, runs: int, seed: int = 8) -> Counter:
    """Equal groups with so many expected positives each: runs in which all relative utilities hold, and
    groups that are above their interval, or below it."""
    rng, held = np.random.default_rng(seed), Counter()
    names = tuple(str(k) for k in range(groups))
    for _ in range(runs):
        own, random = (rng.poisson(mean, groups).astype(float) for mean in (positives, random_positives))
        arms = Arms(names, own[None], 20 * own.sum()[None], random, 20 * random.sum(), None, None)
        ends = np.array(ArmInference(arms, 0, 0).relative_utility_intervals(0.95))
        above, below = int((ends[:, 1] < 0).sum()), int((ends[:, 0] > 0).sum())
        held += Counter({"all": above + below == 0, "above": above, "below": below})
    return held


def unserved_held(positives, random_positives, runs: int, seed: int = 9) -> Counter:
    """Groups with so many expected positives in the two logs, of which some have none in the default log."""
    rng, held = np.random.default_rng(seed), Counter()
    means = [np.asarray(mean, dtype=float) for mean in (positives, random_positives)]
    truth = means[0] / means[1]
    names = tuple(str(k) for k in range(len(truth)))
    for _ in range(runs):
        own, random = (rng.poisson(mean).astype(float) for mean in means)
        inference = ArmInference(Arms(names, own[None], 20 * own.sum()[None], random, 1e6, None, None), 0, 0)
        each = zip(inference.relative_utility_intervals(0.95), relative_utilities(truth), strict=True)
        held["groups"] += all(contains(interval, value) for interval, value in each)
        held["penalty"] += contains(inference.penalty_interval(0.95), penalty(truth))
        held["worst_ratio"] += contains(inference.worst_ratio_interval(0.95), truth.min() / truth.max())
        held["zero"] += inference.has_zero
    return held


def small_arm_held(positives: int, runs: int, seed: int = 10) -> Counter:
    """40 equal groups, of each so many expected positives in one arm, 2,500 in the other and 250 at random:
    runs in which all changes hold, or in which Holm's test finds one; groups beyond either limit."""
    rng, held = np.random.default_rng(seed), Counter()
    names = tuple(str(k) for k in range(40))
    for _ in range(runs):
        both = rng.poisson([[2_500] * 40, [positives] * 40]).astype(float)
        random = rng.poisson(250, 40).astype(float)
        arms = Arms(names, both, 20 * both.sum(axis=1), random, 20 * random.sum(), None, None)
        changes = relative_utility_differences(arms, 1, 0, 0.95, 0)
        above, below = sum(c.high < 0 for c in changes), sum(c.low > 0 for c in changes)
        alarm = all(c.p_value is not None for c in changes) and 40 * min(c.p_value for c in changes) <= 0.05
        held += Counter({"all": above + below == 0, "above": above, "below": below, "alarm": alarm})
    return held


@dataclass(frozen=True)
class ManyChanges:
    """An A/B test of equal groups with so many expected positives each in the random log of both arms."""

    control: np.ndarray
    treatment: np.ndarray
    random_positives: int | np.ndarray = 25
    positives: int | np.ndarray = 100_000  # in all, or of each group that is served like the average


def _one_rare(control: float, treatment: float, random_positives: int = 25) -> ManyChanges:
    """One group of so many expected random positives beside two of forty times as many, which are served
    alike; a hundred times as many in each arm."""
    sizes = random_positives * np.array([1, 40, 40])
    return ManyChanges(*(np.array([u, 1.0, 1.0]) for u in (control, treatment)), sizes, 100 * sizes)


def _many(groups: int, control: float, treatment: float, **sizes) -> ManyChanges:
    return ManyChanges(tilted(groups, control), tilted(groups, treatment), **sizes)


MANY_CHANGES = {
    "10 groups of 25, .2 to .5": _many(10, 0.2, 0.5),
    "10 groups of 25, they change places": _many(10, 0.3, -0.3),
    "40 groups of 25, .3 to .35": _many(40, 0.3, 0.35),
    "40 groups of 25, .2 to .5": _many(40, 0.2, 0.5),
    "40 groups of 25, they change places": _many(40, 0.3, -0.3),
    "40 groups of 25, 0 to .3": _many(40, 0.0, 0.3),
    "40 groups of 100, .2 to .5": _many(40, 0.2, 0.5, random_positives=100),
    "40 groups of 100, .2 to .5, 3,000 default positives": _many(
        40, 0.2, 0.5, random_positives=100, positives=3_000
    ),
    "a rare group, served 2 to 4 times as often": _one_rare(2, 4),
    "a rare group, served 3 to 2 times as often": _one_rare(3, 2),
    "a group of 400, served 2 to 4 times as often": _one_rare(2, 4, 400),
}


def changes_held(world: ManyChanges, runs: int, seed: int = 11) -> dict[str, float]:
    """How many runs hold the change of the penalty, and those of all groups; and their median widths."""
    rng = np.random.default_rng(seed)
    both = np.stack([world.control, world.treatment])
    names = tuple(str(k) for k in range(both.shape[1]))
    change = penalty(both[1]) - penalty(both[0])
    changes = relative_utilities(both[1]) - relative_utilities(both[0])
    counts, widths = {"penalty": 0, "groups": 0}, {"penalty": [], "groups": []}
    for _ in range(runs):
        random = rng.poisson(world.random_positives, len(names)).astype(float)
        each = world.positives if np.ndim(world.positives) else world.positives / len(names)
        positives = rng.poisson(each * both).astype(float)
        arms = Arms(names, positives, 5 * positives.sum(axis=1), random, 20 * random.sum(), None, None)
        found = penalty_difference(arms, 1, 0, 0.95, 0)
        counts["penalty"] += contains((found.low, found.high), change)
        widths["penalty"].append(found.high - found.low)
        groups = relative_utility_differences(arms, 1, 0, 0.95, 0)
        counts["groups"] += all(contains((g.low, g.high), v) for g, v in zip(groups, changes, strict=True))
        widths["groups"].append(np.mean([g.high - g.low for g in groups]))
    return counts | {f"{name} width": float(np.median(values)) for name, values in widths.items()}


def weighted_held(spread: float, runs: int, seed: int = 12) -> dict[str, float]:
    """Weights of a lognormal law; three groups with plenty of random rows, and three of 500 of which 5% are
    liked: 25 positive rows, which are worth 25 exp(-spread^2). All utilities are equal."""
    rng = np.random.default_rng(seed)
    rows, names = np.array([12_000] * 3 + [500] * 3), tuple("012345")
    counts = dict.fromkeys(("penalty", "relative_utility", "worst_ratio", "false_violation", "groups"), 0.0)
    for _ in range(runs):
        sums = np.zeros((4, len(rows)))
        liked = np.zeros(len(rows), dtype=np.int64)
        for k, n in enumerate(rows):
            w, is_liked = np.exp(rng.normal(0, spread, n)), rng.random(n) < 0.05
            liked[k] = is_liked.sum()
            sums[:, k] = w.sum(), (w**2).sum(), w[is_liked].sum(), (w[is_liked] ** 2).sum()
        random = LogCounts(names, rows[None], liked[None], 0, Weights(*sums[:, None]))
        default = rng.poisson(20_000 * rows / rows.sum())
        prepared = line_up({"default": LogCounts(names, default[None] * 5, default[None])}, random, "g", {})
        kept = len(prepared.random.groups)
        inference = ArmInference(Arms.from_logs(prepared.logs, prepared.random), 0, 0)
        bounds, groups = inference.penalty_interval(0.95), inference.relative_utility_intervals(0.95)
        counts["penalty"] += contains(bounds, 0.0)
        counts["relative_utility"] += all(contains(interval, 0.0) for interval in groups)
        counts["worst_ratio"] += contains(inference.worst_ratio_interval(0.95), 1.0)
        violated = bounds[0] > TOLERANCE or any(low > TOLERANCE or high < -TOLERANCE for low, high in groups)
        counts["false_violation"] += violated
        counts["groups"] += kept
    return counts
