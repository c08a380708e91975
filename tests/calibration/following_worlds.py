"""Simulated years in which the same users come again and again, and how often a look raises a flag.

A flag is raised where an interval lies wholly beyond the tolerance. In a year without a change whose truth is
just at the tolerance, every flag is false, and no truth makes more of them. Users keep their tastes for the
whole year; a few are very active; every day others come, some leave for good and new ones take their places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from calibration.opportunity_worlds import tilted
from calibration.series_worlds import counts_of
from evenhand.exposure.followed_days.user_cells import evidence_of
from evenhand.exposure.pairs import pairs
from evenhand.groups.cells import Cells, every_cell
from evenhand.groups.confirmation import confirm
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.logs.calendar import Calendar
from evenhand.opportunity.logs.preparation import line_up
from evenhand.opportunity.measures import penalty, relative_utilities
from evenhand.opportunity.over_time import every_day
from evenhand.opportunity.over_time.timeline import Timeline
from evenhand.stats.many_looks.looks import level_of_look
from evenhand.user_days.every_look import DAILY, POOLED

YEAR, LEVEL = 365, 0.95
TOLERANCE = 1 / 9
GROUPS = ("a", "b", "c", "d")


@dataclass(frozen=True)
class People:
    """Who comes: `users` at a time, each with an activity of heavy tails (the share of days, and rows on such
    a day); of every day's users a share of `leaving` never comes again, and somebody new takes the place."""

    users: int = 1000
    heavy: float = 1.5  # of Pareto's distribution: the smaller, the more a few users do
    leaving: float = 0.005

    def activity(self, rng: np.random.Generator, size: int) -> np.ndarray:
        return np.minimum(1 + rng.pareto(self.heavy, size), 50.0)

    def comes(self, activity: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return rng.random(len(activity)) < np.minimum(0.2 * activity, 0.95)


@dataclass(frozen=True)
class OpportunityYear:
    """Default and random traffic of every day. `swing` makes tastes move with the day, the same in both logs;
    `size` is how many times the usual traffic a day has; `utilities` are those of each day."""

    utilities: Callable[[int], np.ndarray]
    people: People = field(default_factory=People)
    rows: float = 6.0  # positive rows a user and day, at an activity of 1
    random_rows: float = 0.6
    taste: float = 1.0  # spread of users' leanings to groups
    swing: Callable[[int], np.ndarray] = lambda day: np.ones(len(GROUPS))
    size: Callable[[int], float] = lambda day: 1.0
    random_size: Callable[[int], float] | None = None  # as `size`, where it is not the same
    days: int = YEAR

    def draw(self, rng: np.random.Generator) -> Iterator[tuple[LogCounts, LogCounts]]:
        people, groups = self.people, len(GROUPS)
        activity = people.activity(rng, people.users)
        leaning = self._leanings(rng, people.users)
        for day in range(self.days):
            new = np.flatnonzero(rng.random(people.users) < people.leaving)
            activity[new], leaning[new] = people.activity(rng, len(new)), self._leanings(rng, len(new))
            here = people.comes(activity, rng)
            likes = leaning * self.swing(day) / groups * (here * np.minimum(activity, 10))[:, None]
            shown = self.utilities(day) / self.utilities(day).mean()
            random_size = (self.random_size or self.size)(day)
            default = rng.poisson(self.rows * self.size(day) * likes * shown)
            random = rng.poisson(self.random_rows * random_size * likes)
            yield (
                counts_of(GROUPS, default, 20 * max(1, default.sum())),
                counts_of(GROUPS, random, 20 * max(1, random.sum())),
            )

    def _leanings(self, rng: np.random.Generator, size: int) -> np.ndarray:
        """With mean 1, whatever their spread: a user likes some groups far more than others, all year."""
        shape = 1 / self.taste
        return rng.gamma(shape, self.taste, (size, len(GROUPS)))


def at_tolerance(day: int) -> np.ndarray:
    """Four groups whose penalty is just the tolerance."""
    return tilted(4, TOLERANCE)


def flags_of_opportunity(
    days: Iterable[tuple[LogCounts, LogCounts]], tolerance: float = TOLERANCE
) -> dict[str, list[int]]:
    """The looks, from 0, at which the daily and the running penalty are surely above the tolerance."""
    found: dict[str, list[int]] = {"daily": [], "running": []}
    so_far: tuple[LogCounts, LogCounts] | None = None
    grown, before = 1.0, np.ones(2)
    for day, today in enumerate(days):
        so_far = today if so_far is None else (so_far[0] + today[0], so_far[1] + today[1])
        now = np.array([log.positives.sum() for log in so_far], dtype=float)
        grown *= float(np.max(now / np.maximum(before, 1))) if day else 1.0
        before = now
        for name, logs in (("daily", today), ("running", so_far)):
            if not _worth_an_interval(*(log.positives for log in logs), tolerance):
                continue
            timeline = _as_one(*logs)
            # Which groups can be told of at all is known from all days so far, as a monitor has it.
            prepared = _as_one(*so_far).prepared
            if prepared.random.groups != GROUPS:
                continue
            timeline = replace(timeline, prepared=prepared)
            stretch = timeline.day(0)
            if name == "daily":
                held = every_day.on_day(timeline, stretch, day + 1, LEVEL)
            else:
                held = every_day.until_day(timeline, stretch, grown, LEVEL)
            if held is not None and held.penalty[0] > tolerance:
                found[name].append(day)
    return found


def flagged_while_forgetting(keep: int, rng: np.random.Generator, users: int = 200) -> bool:
    """Whether all days so far raise a flag in a year in which only the last `keep` days are ever kept: two
    groups whose penalty is just the tolerance, and users who come every day."""
    shown = tilted(2, TOLERANCE)
    default = rng.poisson(10 * shown, (YEAR, users, 2))
    random = rng.poisson(10, (YEAR, users, 2))
    for day in range(YEAR):
        first = max(0, day + 1 - keep)
        logs = [log[first : day + 1].sum(axis=0) for log in (default, random)]
        if not _worth_an_interval(*logs, TOLERANCE):
            continue
        timeline = _as_one(*(counts_of(("a", "b"), log, 20 * log.sum()) for log in logs))
        grown = every_day.growth_of(
            *(log[first : day + 1].sum(axis=(1, 2)).cumsum() for log in (default, random))
        )
        held = every_day.until_day(timeline, timeline.day(0), float(grown[-1]), LEVEL, day + 1, first)
        if held is not None and held.penalty[0] > TOLERANCE:
            return True
    return False


def _as_one(default: LogCounts, random: LogCounts) -> Timeline:
    """One day, or all so far as one."""
    return Timeline(
        calendar=Calendar(dated=False),
        prepared=line_up({"default": default}, random, "group", {}, clusters=("user_id",)),
        periods=(1,),
        positives=default.positives[None].astype(float),
        rows=default.rows.sum(axis=0)[None],
        people=default.people[None],
        random_parts=(random,),
        within=np.ones((1, 1), dtype=bool),
        window=1,
    )


def _worth_an_interval(default: np.ndarray, random: np.ndarray, tolerance: float) -> bool:
    """Whether the penalty is above the tolerance by 1.5 of the least errors that it can have: intervals of
    many looks reach over three errors or more, so that no other can lie wholly above."""
    a, b = default.sum(axis=0), random.sum(axis=0)
    if not (a.all() and b.all()):
        return bool(a.any() and b.any())
    u = a / b
    d, h = relative_utilities(u), float(penalty(u))
    gradient = (1 + d) * (d - h**2) / (len(d) * max(h, 1e-9))
    error = np.sqrt((((default / a - random / b) @ gradient) ** 2).sum())
    return bool(h - 1.5 * error > tolerance)


# Who came (a number for each person there ever was), their groups, and their values or rows.
Day = tuple[np.ndarray, np.ndarray, np.ndarray]


class Pool:
    """Sums of all days so far, a row a person."""

    def __init__(self) -> None:
        self.sums, self.days, self.group = np.zeros((0, 0)), np.zeros(0), np.zeros(0, dtype=np.int64)

    def add(self, person: np.ndarray, group: np.ndarray, values: np.ndarray) -> None:
        more = int(person.max(initial=-1)) + 1 - len(self.days)
        if more > 0:
            width = values.shape[1]
            self.sums = np.concatenate([self.sums.reshape(-1, width), np.zeros((more, width))])
            self.days = np.append(self.days, np.zeros(more))
            self.group = np.append(self.group, np.zeros(more, dtype=np.int64))
        self.sums[person] += values
        self.days[person] += 1
        self.group[person] = group

    def users(self) -> tuple[np.ndarray, np.ndarray]:
        """Groups and means of all who ever came."""
        came = self.days > 0
        return self.group[came], self.sums[came] / self.days[came, None]


@dataclass(frozen=True)
class GroupsYear:
    """Users of four groups, each with a quality of its own that it keeps: `values(rng, quality)` are those of
    one day, whose mean is the quality, and `quality(rng, mean, size)` draws users of a group."""

    means: tuple[float, ...]
    shares: tuple[float, ...]
    quality: Callable[[np.random.Generator, float, int], np.ndarray]
    values: Callable[[np.random.Generator, np.ndarray], np.ndarray]
    people: People = field(default_factory=People)
    size: Callable[[int], float] = lambda day: 1.0
    there: Callable[[int, int], bool] = lambda group, day: True
    served: Callable[[int], np.ndarray] = lambda day: np.ones(4)  # quality of a day, as a share of the usual
    days: int = YEAR

    def draw(self, rng: np.random.Generator) -> Iterator[Day]:
        people = self.people
        activity = people.activity(rng, people.users)
        group = rng.choice(len(self.means), people.users, p=self.shares)
        quality = self._qualities(rng, group)
        person = np.arange(people.users)
        for day in range(self.days):
            new = np.flatnonzero(rng.random(people.users) < people.leaving)
            activity[new], quality[new] = people.activity(rng, len(new)), self._qualities(rng, group[new])
            person[new] = person.max() + 1 + np.arange(len(new))
            here = people.comes(activity, rng) & (rng.random(people.users) < self.size(day))
            for g in range(len(self.means)):
                if not self.there(g, day):
                    here &= group != g
            mine = np.flatnonzero(here)
            yield person[mine], group[mine], self.values(rng, quality[mine] * self.served(day)[group[mine]])

    def _qualities(self, rng: np.random.Generator, group: np.ndarray) -> np.ndarray:
        found = np.empty(len(group))
        for g, mean in enumerate(self.means):
            mine = group == g
            found[mine] = self.quality(rng, mean, int(mine.sum()))
        return found


def reciprocal_ranks(rng: np.random.Generator, quality: np.ndarray) -> np.ndarray:
    """0 for most users, and 1, 1/2, ... 1/5 for others: the values of a metric such as MRR@5."""
    hit = rng.random(len(quality)) < quality / np.mean(1 / np.arange(1, 6))
    return np.where(hit, 1 / rng.integers(1, 6, len(quality)), 0.0)


def around(rng: np.random.Generator, mean: float, size: int) -> np.ndarray:
    """Qualities of users: some are served far better than others, all year."""
    return 0.45 * rng.beta(2 * mean / 0.45, 2 * (1 - mean / 0.45), size)


GAP = 0.05


def gap_at_tolerance(**options) -> GroupsYear:
    return GroupsYear((0.2, 0.2, 0.2, 0.2 - GAP), (0.4, 0.3, 0.2, 0.1), around, reciprocal_ranks, **options)


def flags_of_groups(days: Iterable[Day], tolerance: float = GAP, least: int = 20) -> dict[str, list[int]]:
    """The looks at which halves confirm a gap that is surely above the tolerance: each day's, and that of all
    days so far. That users of equal means may give as much is asked besides, and makes flags no more."""
    found: dict[str, list[int]] = {"daily": [], "pooled": []}
    pool = Pool()
    for day, (person, group, values) in enumerate(days):
        pool.add(person, group, values[:, None])
        groups, means = pool.users()
        samples = {"daily": (group, values, DAILY), "pooled": (groups, means[:, 0], POOLED)}
        for name, (of, mine, share) in samples.items():
            level = level_of_look(LEVEL, day + 1, share)
            if _confirmed(of, mine, level, day, tolerance, least):
                found[name].append(day)
    return found


def _confirmed(
    group: np.ndarray, values: np.ndarray, level: float, seed: int, tolerance: float, least: int
) -> bool:
    sizes = np.bincount(group, minlength=4)
    kept = np.flatnonzero(sizes >= least)
    if len(kept) < 2:
        return False
    # No interval lies wholly above what no two groups are above by 1.5 of their errors; it reaches further.
    means, squares = (
        np.bincount(group, weights=values**power, minlength=4)[kept] / sizes[kept] for power in (1, 2)
    )
    variance = np.maximum(squares - means**2, 0) / sizes[kept]
    gaps = means[:, None] - means - tolerance
    if (gaps <= 1.5 * np.sqrt(variance[:, None] + variance)).all():
        return False
    used = np.isin(group, kept)
    cells = Cells.of(["group"], [[str(g) for g in range(len(sizes))]], [group[used]])
    found = confirm(every_cell(cells, 2), values[used], np.random.default_rng(seed), level, (0.0, 1.0))
    return found.low > tolerance


@dataclass(frozen=True)
class ExposureYear:
    """Users of two groups and items of three. A user asks for kinds of items by own weights, all year, and is
    shown them with the `shares` of what the user group asks for, other users' tastes and chance mixed in."""

    shares: Callable[[int], np.ndarray]  # of a day, user groups x item groups: exposure over target
    people: People = field(default_factory=People)
    sizes: tuple[int, ...] = (40, 40, 20)
    liking: float = 0.6  # the smaller, the fewer kinds a user likes
    size: Callable[[int], float] = lambda day: 1.0
    days: int = YEAR

    def draw(self, rng: np.random.Generator) -> Iterator[Day]:
        """Rows are as `user_cells` makes them."""
        people, k = self.people, len(self.sizes)
        activity = people.activity(rng, people.users)
        group = (rng.random(people.users) < 0.3).astype(np.int64)
        taste = rng.dirichlet(np.full(k, self.liking), people.users)
        person = np.arange(people.users)
        places, sizes = 5.0, np.array(self.sizes)
        for day in range(self.days):
            new = np.flatnonzero(rng.random(people.users) < people.leaving)
            activity[new], taste[new] = (
                people.activity(rng, len(new)),
                rng.dirichlet(np.full(k, self.liking), len(new)),
            )
            person[new] = person.max() + 1 + np.arange(len(new))
            here = people.comes(activity, rng) & (rng.random(people.users) < self.size(day))
            mine = np.flatnonzero(here)
            asked = rng.dirichlet(np.ones(k), len(mine)) * 0.3 + 0.7 * taste[mine]
            target = places * asked / sizes
            shown = target * self.shares(day)[group[mine]] * rng.gamma(4.0, 0.25, target.shape)
            random = np.broadcast_to(places / sizes.sum(), target.shape)
            served = np.clip((shown * sizes).sum(axis=1) / places / 2, 0, 1)
            yield person[mine], group[mine], np.column_stack([shown, target, random, served])


EXPOSED = 0.3


def pair_at_tolerance(**options) -> ExposureYear:
    """One pair is shown just as much too often, and one too seldom, as is tolerated."""
    shares = np.array([[1.0, 1.0, 1 + EXPOSED], [1 - EXPOSED, 1.0, 1.0]])
    return ExposureYear(lambda day: shares, **options)


def flags_of_exposure(
    days: Iterable[Day], sizes: tuple[int, ...] = (40, 40, 20), tolerance: float = EXPOSED
) -> dict[str, list[int]]:
    """The looks at which a pair of groups is surely off by more than the tolerance."""
    found: dict[str, list[int]] = {"daily": [], "pooled": []}
    k, pool = len(sizes), Pool()
    for day, (person, group, cells) in enumerate(days):
        pool.add(person, group, cells)
        samples = {"daily": (group, cells, DAILY), "pooled": (*pool.users(), POOLED)}
        for name, (of, mine, share) in samples.items():
            if np.bincount(of, minlength=2).min() < 2 or not _may_be_off(mine, of, k, tolerance):
                continue
            evidence = evidence_of(mine, of, 2, np.array(sizes), np.ones((2, k)))
            off = pairs(evidence, level_of_look(LEVEL, day + 1, share))
            if ((off.low > tolerance) | (off.high < -tolerance)).any():
                found[name].append(day)
    return found


def _may_be_off(cells: np.ndarray, group: np.ndarray, k: int, tolerance: float) -> bool:
    """Whether a pair is off by 1.5 of its errors more than is tolerated; its interval reaches further."""
    for g in range(2):
        shown, target = cells[group == g, :k], cells[group == g, k : 2 * k]
        mean = target.mean(axis=0)
        share = shown.mean(axis=0) / mean - 1
        error = (shown - (1 + share) * target).std(axis=0) / np.sqrt(len(shown)) / mean
        if (np.abs(share) - 1.5 * error > tolerance).any():
            return True
    return False


WEEKEND = np.array([1.3, 1.0, 1.0, 0.7])


def weekdays(day: int) -> np.ndarray:
    """Tastes of weekends, the same in both logs."""
    return WEEKEND if day % 7 >= 5 else np.ones(4)


def seasons(day: int) -> np.ndarray:
    """Tastes that drift from one group to another over the year."""
    return 1 + 0.5 * np.sin(2 * np.pi * day / YEAR) * np.array([1, -1, 0, 0])


def unequal(day: int) -> float:
    """Every tenth day has almost nothing, the first one too, and every seventh three times as much."""
    return 0.02 if day % 10 == 0 else 3.0 if day % 7 == 3 else 1.0


def sparse(day: int) -> float:
    return 0.02 if day % 10 == 0 else 0.3 if day % 7 == 3 else 1.0


def comes_and_goes(group: int, day: int) -> bool:
    """The last group appears on day 50 and is away for a week of every two months."""
    return group < 3 or (day >= 50 and day % 60 >= 7)


FEW_HEAVY = People(users=300, heavy=1.1)
RARE = GroupsYear((0.04, 0.04, 0.04, 0.02), (0.4, 0.3, 0.2, 0.1), around, reciprocal_ranks, People(users=600))


def _years_of_opportunity(year: OpportunityYear, rng: np.random.Generator) -> dict[str, list[int]]:
    return flags_of_opportunity(year.draw(rng))


def _years_of_groups(year: GroupsYear, tolerance: float, rng: np.random.Generator) -> dict[str, list[int]]:
    return flags_of_groups(year.draw(rng), tolerance)


def _years_of_exposure(year: ExposureYear, rng: np.random.Generator) -> dict[str, list[int]]:
    return flags_of_exposure(year.draw(rng))


# By room and name: how flags are counted in one year.
Flagged = Callable[[np.random.Generator], dict[str, list[int]]]
YEARS: dict[str, Flagged] = {
    **{
        f"opportunity: {name}": partial(_years_of_opportunity, year)
        for name, year in {
            "at the tolerance": OpportunityYear(at_tolerance),
            "few users, a few do most": OpportunityYear(at_tolerance, FEW_HEAVY),
            "tastes of weekends": OpportunityYear(at_tolerance, swing=weekdays),
            "tastes drift": OpportunityYear(at_tolerance, swing=seasons),
            "days of unequal size": OpportunityYear(at_tolerance, size=unequal),
        }.items()
    },
    **{
        f"groups: {name}": partial(_years_of_groups, year, tolerance)
        for name, year, tolerance in (
            ("at the tolerance", gap_at_tolerance(), GAP),
            ("few users, a few come always", gap_at_tolerance(people=FEW_HEAVY), GAP),
            ("hits are rare", RARE, 0.02),
            ("days of unequal size", gap_at_tolerance(size=sparse), GAP),
            ("one comes and goes", gap_at_tolerance(there=comes_and_goes), GAP),
        )
    },
    **{
        f"exposure: {name}": partial(_years_of_exposure, year)
        for name, year in {
            "at the tolerance": pair_at_tolerance(),
            "few users, a few come always": pair_at_tolerance(people=FEW_HEAVY),
            "few like a kind": pair_at_tolerance(liking=0.1),
            "days of unequal size": pair_at_tolerance(size=sparse),
        }.items()
    },
}


def in_a_row(looks: list[int], count: int) -> bool:
    """Whether flags that wait for so many looks in a row would have been raised."""
    there = set(looks)
    return any(all(look + more in there for more in range(count)) for look in looks)


def years_with_flags(name: str, years: int, first: int = 0) -> dict[str, int]:
    """In how many simulated years each reading raises a flag, at once and after two looks in a row."""
    hits: dict[str, int] = {}
    for year in range(first, first + years):
        found = YEARS[name](np.random.default_rng([7, year]))
        found["any"] = sorted({look for looks in found.values() for look in looks})
        for reading, looks in found.items():
            for waiting in (1, 2):
                key = reading if waiting == 1 else f"{reading}, two in a row"
                hits[key] = hits.get(key, 0) + in_a_row(looks, waiting)
    return hits
