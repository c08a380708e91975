"""Simulated series of days with known truth, and how often intervals contain it on every day at once."""

from dataclasses import dataclass, field
from functools import reduce
from operator import add

import numpy as np

from calibration.opportunity_worlds import contains, tilted
from evenhand.opportunity.evidence import LogCounts, Weights
from evenhand.opportunity.inference.differences import penalty_difference
from evenhand.opportunity.inference.near_fair import penalty_change
from evenhand.opportunity.inference.regions import Region
from evenhand.opportunity.logs.calendar import Calendar
from evenhand.opportunity.logs.preparation import line_up
from evenhand.opportunity.measures import penalty, relative_utilities
from evenhand.opportunity.over_time import every_day
from evenhand.opportunity.over_time.timeline import Stretches, Timeline
from evenhand.stats.log_ratios import ellipsoids
from evenhand.stats.many_looks import looks

YEAR = 365
ERROR = 0.05
LIFT = 2.0
# Runs that are drawn and measured together, so that a year of many runs fits in memory.
AT_ONCE = 50
# Random traffic whose rows are of one class, drawn uniformly.
UNIFORM = np.ones((1, 1, 1))


@dataclass(frozen=True)
class Days:
    """Shares of positives in random traffic, the same every day or days x groups, and true utilities of every
    day. `random_rows` are those of the whole random log, or with a `window` those of every day.

    Liked pairs of a group are in classes, with these `shares`; those of a class come into the random log
    `drawn` times as often as if it were uniform, and have the weight 1/drawn.
    """

    p: np.ndarray
    utilities: np.ndarray  # days x groups
    rows: int
    random_rows: int
    window: int | str | None = None
    shares: np.ndarray = field(default_factory=lambda: UNIFORM)  # parts x groups x classes
    drawn: np.ndarray = field(default_factory=lambda: UNIFORM)

    @classmethod
    def steady(cls, p, utilities, rows, random_rows, days=YEAR, window=None):
        return cls(np.asarray(p, dtype=float), np.tile(utilities, (days, 1)), rows, random_rows, window)

    @property
    def q(self) -> np.ndarray:
        return LIFT * self.p * self.utilities

    @property
    def so_far(self) -> np.ndarray:
        """True utilities of all traffic up to each day."""
        return np.cumsum(self.utilities, axis=0) / np.arange(1, len(self.utilities) + 1)[:, None]

    def draw(self, runs, rng):
        """Positives of default traffic, runs x days x groups, and of random traffic, runs x parts x groups x
        classes."""
        days = [rng.multinomial(self.rows, [*q, 1 - q.sum()], size=runs)[:, :-1] for q in self.q]
        parts = len(self.utilities) if self.window else 1
        p = np.broadcast_to(self.p, self.utilities.shape)
        # A log that all days share is spread evenly over them.
        liked = (p if self.window else p.mean(axis=0, keepdims=True))[:, :, None] * self.shares * self.drawn
        liked = np.broadcast_to(liked, (parts, *liked.shape[1:]))
        chances = liked.reshape(parts, -1)
        chances = np.column_stack([chances, 1 - chances.sum(axis=1)])
        random = rng.multinomial(self.random_rows, chances, size=(runs, parts))[..., :-1]
        return np.stack(days, axis=1).astype(float), random.reshape(runs, *liked.shape).astype(float)

    def weighted(self, random, power=1):
        """Sums of the weights, or of a power of them, over the classes of each group."""
        return (random / self.drawn**power).sum(axis=-1)

    @property
    def within(self) -> np.ndarray:
        """Which part of the random log each day is held against."""
        days = np.arange(len(self.utilities))
        if not self.window:
            return np.ones((len(days), 1), dtype=bool)
        age = np.subtract.outer(days, days)
        if self.window == "weekday":
            return (age >= 0) & (age < 28) & (age % 7 == 0)
        return (age >= 0) & (age < self.window)

    def timeline(self, positives, random) -> Timeline:
        """The evidence of one run, rows taken as independent."""
        groups = tuple(str(k) for k in range(self.p.shape[-1]))
        days = [counts_of(groups, day[None], self.rows) for day in positives]
        sums, squares = self.weighted(random), self.weighted(random, power=2)
        parts = [
            counts_of(groups, part[None], self.random_rows, weights)
            for part, *weights in zip(random.sum(axis=-1), sums[:, None], squares[:, None], strict=True)
        ]
        return timeline_of(days, parts, self.within, self.window)


def counts_of(groups, positives, total, weights=None) -> LogCounts:
    """A log of positives by bucket and group, perhaps with the sums of their weights and squared weights."""
    positives = positives.astype(np.int64)
    rows = positives.copy()
    rows[0] += (total - positives.sum()) // len(groups)
    if weights is not None:
        # Rows that nobody likes weigh 1: they only change a factor that is common to all groups.
        weights = Weights(*(part + rows - positives for part in weights), *weights)
    return LogCounts(groups, rows, positives, 0, weights)


def timeline_of(days, parts, within, window) -> Timeline:
    """A timeline of the counts of each day, and of each part of the random log."""
    return Timeline(
        calendar=Calendar(dated=False),
        prepared=line_up({"default": reduce(add, days)}, reduce(add, parts), "group", {}),
        periods=tuple(range(1, len(days) + 1)),
        positives=np.stack([day.positives for day in days]).astype(float),
        rows=np.stack([day.rows.sum(axis=0) for day in days]),
        people=np.stack([day.people for day in days]),
        random_parts=tuple(parts),
        within=within,
        window=window,
    )


FOUR, EIGHT = np.full(4, 0.03), np.full(8, 0.015)
RARE = np.array([0.04, 0.04, 0.04, 0.001])


def even(groups, size, **options) -> Days:
    """Equal groups, 5,000 rows a day, 20,000 random rows, REO penalty `size`."""
    options = {"rows": 5_000, "random_rows": 20_000} | options
    return Days.steady(np.full(groups, 0.12 / groups), tilted(groups, size), **options)


def drifting() -> Days:
    """Four groups; the penalty swings between 0 and .3 with the seasons, and the favoured group changes."""
    swing = 0.3 * np.sin(2 * np.pi * np.arange(YEAR) / YEAR)
    return Days(FOUR, np.array([tilted(4, size) for size in swing]), 5_000, 20_000)


YEARS = {
    **{f"{k} groups, h = {h:g}": even(k, h) for k in (2, 4, 8) for h in (0, 0.02, 0.1, 0.3)},
    "4 groups, h = 0, plenty of random traffic": even(4, 0, random_rows=1_000_000),
    "4 groups, h = .1, plenty of random traffic": even(4, 0.1, random_rows=1_000_000),
    "a rare group, served like the others": Days.steady(RARE, [1, 1, 1, 1], 20_000, 20_000),
    "a rare group, served .6": Days.steady(RARE, [1, 1, 1, 0.6], 20_000, 20_000),
    "a rare group among unequal ones": Days.steady(RARE, [1.3, 1, 0.7, 0.7], 20_000, 20_000),
    "4 groups, the penalty swings from 0 to .3": drifting(),
    "2 groups, h = 0, window of 7 days": even(2, 0, window=7, random_rows=3_000),
    "4 groups, h = 0, window of 7 days": even(4, 0, window=7, random_rows=3_000),
    "4 groups, h = .1, window of 7 days": even(4, 0.1, window=7, random_rows=3_000),
}


def holds_every_day(world: Days, runs: int, seed: int = 1) -> dict[str, float]:
    """Percent of runs in which intervals contain the truth on every day of the series, each day's own and
    that of all days so far; and the mean width of the fixed and the anytime interval on the last day."""
    rng = np.random.default_rng(seed)
    hits: dict[str, list[np.ndarray]] = {}
    for start in range(0, runs, AT_ONCE):
        positives, random = world.draw(min(AT_ONCE, runs - start), rng)
        days = _measured(world, positives, random, running=False)
        so_far = _measured(world, positives, random, running=True)
        for name, values in {**days, **{f"running {key}": value for key, value in so_far.items()}}.items():
            hits.setdefault(name, []).append(values)
    joined = {name: np.concatenate(values) for name, values in hits.items()}
    return {
        name: float(values[:, -1].mean()) if "width" in name else 100 * float(values.all(axis=1).mean())
        for name, values in joined.items()
    }


def regions(world: Days, positives, random, running: bool) -> Region:
    """What `opportunity.over_time.every_day` does for one run, for many: tests hold the two together."""
    a, b, squares, total, random_total = _counts(world, positives, random, running)
    days, groups = a.shape[1:]
    error = ERROR if world.window else ERROR / 2
    if running:
        steps = _growth(a.sum(axis=-1))
        if world.window:
            steps = np.maximum(steps, _growth(squares.sum(axis=-1)))
        reach = looks.every_look(error, groups - 1, np.cumprod(steps, axis=1))
    else:
        reach = looks.one_look(error * looks.spent(np.arange(1, days + 1)), groups - 1)
        reach = np.broadcast_to(reach, a.shape[:2])
    own, common = _diagonal(1 / np.maximum(a, 0.5)), _diagonal(squares / b**2)
    squared = reach[..., None, None] ** 2
    if world.window:
        shape = squared * (own + common)
    else:
        shape = ellipsoids.around_sum(looks.one_look(error, groups - 1) ** 2 * common, squared * own)
    return Region((a / total) / (b / random_total), shape)


def _measured(world: Days, positives, random, running: bool) -> dict[str, np.ndarray]:
    """Runs x days: whether each interval holds, and how wide two of them are."""
    truth = world.so_far if running else world.utilities
    region = regions(world, positives, random, running)
    estimates, h = penalty(region.utilities), penalty(truth)
    low, high = region.penalties()
    lows, highs = region.relative_utilities()
    least, most = region.worst_ratios()
    d, ratio = relative_utilities(truth), truth.min(axis=-1) / truth.max(axis=-1)
    reach = 1.959964 * _delta_errors(world, positives, random, running)
    return {
        "penalty": _inside(low, h, high),
        "groups": _inside(lows, d, highs).all(axis=-1),
        "ratio": _inside(least, ratio, most),
        "fixed": _inside(estimates - reach, h, estimates + reach),
        "width": high - low,
        "fixed width": 2 * reach,
    }


def _inside(low, truth, high):
    return (low - 1e-12 <= truth) & (truth <= high + 1e-12)


def _delta_errors(world: Days, positives, random, running: bool):
    """Standard errors of the penalty by the delta method: what a fixed interval has on each side is 1.96."""
    a, b, squares, total, random_total = _counts(world, positives, random, running)
    utilities = (a / total) / (b / random_total)
    d, h = relative_utilities(utilities), penalty(utilities)[..., None]
    gradient = (1 + d) * (d - h**2) / (d.shape[-1] * np.maximum(h, 1e-300))
    return np.sqrt((gradient**2 * (1 / np.maximum(a, 0.5) + squares / b**2)).sum(axis=-1))


def _counts(world: Days, positives, random, running: bool):
    """Positives of default and random traffic behind each day (or all days so far), the latter with their
    weights and squared weights, and the rows of both."""
    days = np.arange(1, positives.shape[1] + 1)[:, None]
    within = world.within
    if running:
        positives, total = positives.cumsum(axis=1), world.rows * days
        within = np.logical_or.accumulate(within, axis=0)
    else:
        total = world.rows
    b, squares = (within.astype(float) @ world.weighted(random, power) for power in (1, 2))
    return positives, b, squares, total, world.random_rows * within.sum(axis=1)[:, None]


def _growth(evidence):
    return np.concatenate([np.ones_like(evidence[:, :1]), evidence[:, 1:] / evidence[:, :-1]], axis=1)


def _diagonal(values):
    return values[..., None] * np.eye(values.shape[-1])


CHANGES = {
    "2 groups, one random log": Days(
        np.array([0.02, 0.10]), np.array([[1.5, 0.9], [1.6, 0.88], [1.4, 0.92], [1.5, 0.9]]), 20_000, 10_000
    ),
    "4 groups, one random log": Days(
        FOUR, np.array([tilted(4, h) for h in (0.25, 0.3, 0.2, 0.25)]), 20_000, 20_000
    ),
    "4 groups, they lean the other way": Days(
        FOUR, np.array([tilted(4, h) for h in (0.25, -0.25, 0.2, -0.3)]), 20_000, 20_000
    ),
    "8 groups, one random log": Days(
        EIGHT, np.array([tilted(8, h) for h in (0.3, 0.35, 0.25, 0.3)]), 40_000, 40_000
    ),
    "4 groups, windows of 3 days": Days(
        FOUR, np.array([tilted(4, h) for h in (0.3, 0.35, 0.25, 0.3, 0.3)]), 20_000, 7_000, window=3
    ),
    "2 groups, windows of 2 days": Days(
        np.array([0.02, 0.10]),
        np.array([[1.5, 0.9], [1.6, 0.88], [1.4, 0.92], [1.5, 0.9]]),
        20_000,
        10_000,
        2,
    ),
}


def coverage_of_changes(world: Days, runs: int, seed: int = 2) -> dict[str, float]:
    """Percent of changes whose fixed interval holds the truth: against the day before, against the first two
    days together, and against the day before as if every day had a random log of its own."""
    rng = np.random.default_rng(seed)
    hits: dict[str, list[bool]] = {"day before": [], "first two": [], "separate": []}
    h, first = penalty(world.utilities), penalty(world.so_far)[1]
    for _ in range(runs):
        positives, random = (log[0] for log in world.draw(1, rng))
        timeline = world.timeline(positives, random)
        days = [timeline.day(t) for t in range(len(timeline))]
        hulls = [timeline.inference(day, 0).penalty_interval(0.95) for day in days]
        together = timeline.until(1)
        hull = timeline.inference(together, 0).penalty_interval(0.95)
        for t in range(1, len(days)):
            arms = Stretches(timeline, (days[t], days[t - 1]))
            change = penalty_difference(arms, 0, 1, 0.95, 0, hulls=(hulls[t], hulls[t - 1]))
            hits["day before"].append(contains((change.low, change.high), h[t] - h[t - 1]))
            reach = 1.959964 * np.hypot(*(_error(timeline, day) for day in (days[t], days[t - 1])))
            interval = change.estimate - reach, change.estimate + reach
            hits["separate"].append(contains(interval, h[t] - h[t - 1]))
        for t in range(2, len(days)):
            arms = Stretches(timeline, (days[t], together))
            change = penalty_difference(arms, 0, 1, 0.95, 0, hulls=(hulls[t], hull))
            hits["first two"].append(contains((change.low, change.high), h[t] - first))
    return {name: 100 * float(np.mean(values)) for name, values in hits.items()}


def _error(timeline: Timeline, day) -> float:
    low, high = timeline.inference(day, 0).penalty_interval(0.95, "delta")
    return (high - low) / 2 / 1.959964


def switching(groups, *sizes, days=8, **options) -> Days:
    """A penalty that goes from one size to the next and back, every day; the rest as in `even`."""
    options = {"rows": 5_000, "random_rows": 20_000} | options
    utilities = np.array([tilted(groups, sizes[day % len(sizes)]) for day in range(days)])
    return Days(np.full(groups, 0.12 / groups), utilities, **options)


JUMPS = {
    "2 groups, between 0 and .2": switching(2, 0, 0.2),
    "4 groups, between 0 and .2": switching(4, 0, 0.2),
    "4 groups, between .03 and .2": switching(4, 0.03, 0.2),
    "4 groups, between .05 and .12": switching(4, 0.05, 0.12),
    "8 groups, between 0 and .2": switching(8, 0, 0.2),
    "4 groups, between 0 and .2, scarce random traffic": switching(4, 0, 0.2, random_rows=3_000),
    "4 groups, between 0 and .3, windows of 2 days": switching(4, 0, 0.3, random_rows=7_000, window=2),
}


def changes_at_once(world: Days, runs: int, seed: int = 5, single: bool = False) -> dict[str, float]:
    """Percent of runs in which the intervals of all changes from day to day hold at once; percent of runs in
    which any change is said to be clear, by these and, with `single`, by intervals of single changes; and
    percent of rises and of falls that the first find clear."""
    rng = np.random.default_rng(seed)
    h = penalty(world.utilities)
    found = {"hold": 0, "alarm": 0, "alarm alone": 0}
    clear: dict[str, list[bool]] = {"rises": [], "falls": []}
    for _ in range(runs):
        positives, random = (log[0] for log in world.draw(1, rng))
        timeline = world.timeline(positives, random)
        held = every_day.on_each_day(timeline, 1 - ERROR)
        hold, alarm, alone = True, False, False
        for t in range(1, len(h)):
            arms = Stretches(timeline, (timeline.day(t), timeline.day(t - 1)))
            level = 1 - ERROR * float(looks.spent(t))
            change = penalty_change(arms, 0, 1, level, 0, (held[t].penalty, held[t - 1].penalty))
            hold &= contains((change.low, change.high), h[t] - h[t - 1])
            alarm |= change.low > 0 or change.high < 0
            if single:
                change_alone = penalty_difference(arms, 0, 1, 1 - ERROR, 0)
                alone |= change_alone.low > 0 or change_alone.high < 0
            clear["rises" if h[t] > h[t - 1] else "falls"].append(
                change.low > 0 if h[t] > h[t - 1] else change.high < 0
            )
        for name, value in (("hold", hold), ("alarm", alarm), ("alarm alone", alone)):
            found[name] += value
    shares = {name: 100 * float(np.mean(values)) for name, values in clear.items() if values}
    return {name: 100 * count / runs for name, count in found.items()} | shares
