"""How many days it takes until a change of a given size is flagged, from the evidence of days before it.

The interval itself is asked. Days that were seen are changed so that their penalty is just the one in
question: positives of each group are multiplied, users and random traffic stay as they were. Many differences
make the same penalty, and which will come is not known: a promise is for the one, of those in which one group
is ahead of the others or behind them, that takes longest to be seen. What the intervals of such days say at
later looks is how far they reach there; the correlation of two days that were seen says how much waiting
helps. All days so far move slowly: each further day is one more such day beside those before, with the
differences that there are now.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, cast

import numpy as np
from scipy.stats import norm

from evenhand.following import SoFar
from evenhand.opportunity.evidence import LogCounts, Weights
from evenhand.opportunity.measures import Array, penalty, relative_utilities
from evenhand.opportunity.over_time import every_day
from evenhand.opportunity.over_time.timeline import Stretches, Timeline
from evenhand.stats.many_looks.waiting import POWER, asked_now_and_then, at_most, least_days, looks_until_seen

# Pairs of days whose correlation is looked at, and days by which it is told what takes longest to be seen.
PAIRS, DAYS = 7, 5


@dataclass(frozen=True)
class Waiting:
    """Days until a flag is raised with a chance of `POWER`, by reading; None where it takes too long."""

    daily: int | None
    running: int | None

    @property
    def days(self) -> int | None:
        return min((days for days in (self.daily, self.running) if days is not None), default=None)


def days_until_flagged(
    timeline: Timeline,
    size: float,
    tolerance: float,
    level: float,
    in_a_row: int = 1,
    so_far: SoFar | None = None,
) -> Waiting:
    """From these days: how long it takes from tomorrow on, had the penalty changed to `size`."""
    so_far = so_far or SoFar(len(timeline), len(timeline))
    usable = [t for t in range(len(timeline)) if timeline.problem(timeline.day(t)) is None]
    if not usable or size <= tolerance:
        return Waiting(None, None)
    aim = _aim(timeline, size)
    if aim is None:
        return Waiting(None, None)
    return Waiting(
        _daily(timeline, [aim, *_one_apart(len(aim), size)], usable, tolerance, level, in_a_row, so_far),
        _running(timeline, _factor(timeline, aim), tolerance, level, in_a_row, so_far),
    )


def _aim(timeline: Timeline, size: float) -> Array | None:
    """Utilities of the penalty in question, with the differences that all days together have now."""
    whole = timeline.inference(timeline.until(len(timeline) - 1), 0).utilities
    d = relative_utilities(whole)
    if float(penalty(whole)) <= 0:
        d = np.where(np.arange(len(d)) == 0, -1.0, 1 / (len(d) - 1))
    aim = 1 + d * size / float(penalty(1 + d))
    return None if aim.min() <= 0 else np.asarray(aim)


def _one_apart(groups: int, size: float) -> Iterator[Array]:
    """Utilities of this penalty in which one group is ahead of the others, or behind them."""
    others = 1 / (groups - 1)
    for group in range(groups):
        for side in (1.0, -1.0):
            d = np.where(np.arange(groups) == group, side, -side * others)
            aim = 1 + d * size / d.std()
            if aim.min() > 0:
                yield aim


def _factor(timeline: Timeline, aim: Array) -> Array:
    """By which positives of the groups are multiplied, to have what is aimed at in the mean over all days."""
    now = timeline.inference(timeline.until(len(timeline) - 1), 0).utilities
    return np.asarray(aim / aim.mean() * now.mean() / now)


def _changed(timeline: Timeline, day: int, aim: Array) -> Timeline | None:
    """That day alone, with just the utilities that are aimed at."""
    now = timeline.inference(timeline.day(day), 0).utilities
    if now.min() <= 0:
        return None
    factor = aim / aim.mean() * now.mean() / now
    own = np.array([day])
    within = timeline.within[own]
    # A log that all days share stays whole; of one in days, those that the day is held against are left.
    parts = tuple(part for part, used in zip(timeline.random_parts, within[0], strict=True) if used)
    by_item = timeline.positives_by_item
    return replace(
        timeline,
        periods=(timeline.periods[day],),
        positives=timeline.positives[own] * factor,
        rows=timeline.rows[own],
        people=timeline.people[own],
        random_parts=parts,
        within=np.ones((1, len(parts)), dtype=bool),
        positives_by_item=None if by_item is None else by_item[own] * factor,
    )


def _gradient(utilities: Array) -> Array:
    """Of the penalty, by log U."""
    d, h = relative_utilities(utilities), float(penalty(utilities))
    return np.asarray((1 + d) * (d - h**2) / (len(d) * h))


def _daily(
    timeline: Timeline,
    aims: list[Array],
    usable: list[int],
    tolerance: float,
    level: float,
    in_a_row: int,
    so_far: SoFar,
) -> int | None:
    first = so_far.looks + 1
    seen_by = [one for one in (_Changed.of(timeline, usable[-DAYS:], aim) for aim in aims) if one is not None]
    if not seen_by or any(np.isinf(one.arms(first, level)).any() for one in seen_by):
        return None
    slowest = min(seen_by, key=lambda one: (one.size - one.arms(first, level).mean() - tolerance) / one.error)
    changed = _Changed.of(timeline, usable, slowest.aim)
    assert changed is not None  # some of its days could be changed

    def reach(look: int) -> float:
        return float(at_most(changed.arms(look, level)))

    return looks_until_seen(
        changed.size - tolerance, changed.error, asked_now_and_then(reach, first), first,
        correlation=_correlation(timeline, usable, changed.gradient), in_a_row=in_a_row,
    )  # fmt: skip


@dataclass(frozen=True)
class _Changed:
    """Days of one penalty, by itself each, with the utilities that are aimed at."""

    aim: Array
    days: tuple[Timeline, ...]
    size: float
    gradient: Array
    error: float

    @classmethod
    def of(cls, timeline: Timeline, days: list[int], aim: Array) -> _Changed | None:
        """None where no day can be changed so."""
        changed = [day for day in (_changed(timeline, t, aim) for t in days) if day is not None]
        if not changed:
            return None
        stretch = changed[0].day(0)
        u = changed[0].inference(stretch, 0).utilities  # of all of them
        g = _gradient(u)
        errors = [np.sqrt(g @ Stretches(day, (stretch,)).errors(0).covariance @ g) for day in changed]
        return cls(aim, tuple(changed), float(penalty(u)), g, float(np.mean(errors)))

    def arms(self, look: int, level: float) -> Array:
        """How far the intervals of the days reach at a look; infinite where one reaches 0, below which no
        penalty is: it would reach further, and nobody knows how far."""
        held = [every_day.on_day(day, day.day(0), look, level) for day in self.days]
        lows = np.array([one.penalty[0] for one in held if one is not None])
        return np.where(lows > 0, self.size - lows, np.inf)


def _correlation(timeline: Timeline, usable: list[int], g: Array) -> float:
    """Of the errors of two days' penalties: of users who return, and of random traffic that days share."""
    found, k = [], len(g)
    for one, other in list(pairwise(usable))[-PAIRS:]:
        both = Stretches(timeline, (timeline.day(one), timeline.day(other)))
        covariance = both.errors(0, 1).covariance
        of_one, of_other = g @ covariance[:k, :k] @ g, g @ covariance[k:, k:] @ g
        if of_one > 0 and of_other > 0:
            found.append(float(g @ covariance[:k, k:] @ g / np.sqrt(of_one * of_other)))
    return float(np.clip(np.mean(found), 0, 1)) if found else 1.0


def _running(
    timeline: Timeline, factor: Array, tolerance: float, level: float, in_a_row: int, so_far: SoFar
) -> int | None:
    """The first day after which all days together say so; looks that hardly differ are as good as one."""
    found = least_days(lambda days: _sees(timeline, factor, days, tolerance, level, so_far))
    return None if found is None else found + in_a_row - 1


def _sees(
    timeline: Timeline, factor: Array, days: int, tolerance: float, level: float, so_far: SoFar
) -> bool:
    """Whether so many days after the change all days so far are surely above, with a chance of `POWER`.

    The other days before it are the mean of those in the timeline, and the days to come are that, changed; so
    what is chance in these is taken for the users' own, which makes the promise longer and never shorter.
    """
    before, more = so_far.days / len(timeline), days / len(timeline)
    by_item = timeline.positives_by_item
    random = timeline.random_log(timeline.until(len(timeline) - 1))
    whole = replace(
        timeline,
        periods=timeline.periods[-1:],
        positives=timeline.positives.sum(axis=0, keepdims=True) * (before + more * factor),
        rows=timeline.rows.sum(axis=0, keepdims=True) * (before + more),
        people=timeline.people[-1:],
        random_parts=(_times(random, before + more) if timeline.window else random,),
        within=np.ones((1, 1), dtype=bool),
        positives_by_item=None
        if by_item is None
        else by_item.sum(axis=0, keepdims=True) * (before + more * factor),
    )
    stretch = whole.day(0)
    if whole.problem(stretch) is not None:
        return False
    u = whole.inference(stretch, 0).utilities
    size = float(penalty(u))
    if size <= tolerance:
        return False
    g = _gradient(u)
    error = float(np.sqrt(g @ Stretches(whole, (stretch,)).errors(0).covariance @ g))
    grown = every_day.growth(timeline)[-1] * (before + more)
    again = so_far.looks - so_far.days
    held = every_day.until_day(whole, stretch, grown, level, so_far.looks + days, again)
    return held is not None and held.penalty[0] - norm.ppf(POWER) * error > tolerance


def _times(log: LogCounts, more: float) -> LogCounts:
    """As if every row of it had come so many times; counts that nobody made may be fractions."""
    weights = log.weights and Weights(*(part * more for part in vars(log.weights).values()))
    by_item = None if log.by_item is None else log.by_item * more
    rows, positives = (cast(Any, part * more) for part in (log.rows, log.positives))
    return replace(log, rows=rows, positives=positives, weights=weights, by_item=by_item)
