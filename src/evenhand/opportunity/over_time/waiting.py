"""How many days it takes until a change of a given size is flagged, from the evidence of days before it.

The interval itself is asked. Days that were seen are changed so that their penalty is just the one in
question: positives of each group are multiplied, users and random traffic stay as they were. What the
intervals of such days say at later looks is how far they reach there; the correlation of two days that were
seen says how much waiting helps. All days so far move slowly: each further day is one more such day beside
those before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, cast

import numpy as np
from scipy.stats import norm

from evenhand.opportunity.evidence import LogCounts, Weights
from evenhand.opportunity.measures import Array, penalty, relative_utilities
from evenhand.opportunity.over_time import every_day
from evenhand.opportunity.over_time.timeline import Stretches, Timeline
from evenhand.stats.many_looks.waiting import POWER, asked_now_and_then, least_days, looks_until_seen

# Days that are changed, and pairs of days whose correlation is looked at: one alone may be out of the usual.
DAYS, PAIRS = 7, 7


@dataclass(frozen=True)
class Waiting:
    """Days until a flag is raised with a chance of `POWER`, by reading; None where it takes too long."""

    daily: int | None
    running: int | None

    @property
    def days(self) -> int | None:
        return min((days for days in (self.daily, self.running) if days is not None), default=None)


def days_until_flagged(
    timeline: Timeline, size: float, tolerance: float, level: float, in_a_row: int = 1
) -> Waiting:
    """From the days that were seen: how long it takes from tomorrow on, had the penalty changed to `size`.

    The change is along the differences that there are now, which of all that make this size may be any.
    """
    usable = [t for t in range(len(timeline)) if timeline.problem(timeline.day(t)) is None]
    if not usable or size <= tolerance:
        return Waiting(None, None)
    aim = _aim(timeline, size)
    if aim is None:
        return Waiting(None, None)
    changed = [day for day in (_changed(timeline, t, aim) for t in usable[-DAYS:]) if day is not None]
    return Waiting(
        _daily(timeline, changed, usable, tolerance, level, in_a_row),
        _running(timeline, _factor(timeline, aim), tolerance, level, in_a_row),
    )


def _aim(timeline: Timeline, size: float) -> Array | None:
    """Utilities of the penalty in question, with the differences that all days together have now."""
    whole = timeline.inference(timeline.until(len(timeline) - 1), 0).utilities
    d = relative_utilities(whole)
    if float(penalty(whole)) <= 0:
        d = np.where(np.arange(len(d)) == 0, -1.0, 1 / (len(d) - 1))
    aim = 1 + d * size / float(penalty(1 + d))
    return None if aim.min() <= 0 else np.asarray(aim)


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
    timeline: Timeline, changed: list[Timeline], usable: list[int], tolerance: float, level: float,
    in_a_row: int,
) -> int | None:  # fmt: skip
    if not changed:
        return None
    first, stretch = len(timeline) + 1, changed[0].day(0)
    u = changed[0].inference(stretch, 0).utilities  # of all of them
    g, size = _gradient(u), float(penalty(u))
    errors = [np.sqrt(g @ Stretches(day, (stretch,)).errors(0).covariance @ g) for day in changed]

    def reach(look: int) -> float:
        held = [every_day.on_day(day, stretch, look, level) for day in changed]
        return float(np.mean([size - one.penalty[0] for one in held if one is not None]))

    return looks_until_seen(
        size - tolerance, float(np.mean(errors)), asked_now_and_then(reach, first), first,
        correlation=_correlation(timeline, usable, g), in_a_row=in_a_row,
    )  # fmt: skip


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


def _running(timeline: Timeline, factor: Array, tolerance: float, level: float, in_a_row: int) -> int | None:
    """The first day after which all days together say so; looks that hardly differ are as good as one."""
    found = least_days(lambda days: _sees(timeline, factor, days, tolerance, level))
    return None if found is None else found + in_a_row - 1


def _sees(timeline: Timeline, factor: Array, days: int, tolerance: float, level: float) -> bool:
    """Whether so many days after the change all days so far are surely above, with a chance of `POWER`.

    The days to come are the mean of those that were seen, changed; so what is chance in these is taken for
    the users' own, which makes the promise longer and never shorter.
    """
    more = days / len(timeline)
    by_item = timeline.positives_by_item
    random = timeline.random_log(timeline.until(len(timeline) - 1))
    whole = replace(
        timeline,
        periods=timeline.periods[-1:],
        positives=timeline.positives.sum(axis=0, keepdims=True) * (1 + more * factor),
        rows=timeline.rows.sum(axis=0, keepdims=True) * (1 + more),
        people=timeline.people[-1:],
        random_parts=(_times(random, 1 + more) if timeline.window else random,),
        within=np.ones((1, 1), dtype=bool),
        positives_by_item=None
        if by_item is None
        else by_item.sum(axis=0, keepdims=True) * (1 + more * factor),
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
    held = every_day.until_day(whole, stretch, every_day.growth(timeline)[-1] * (1 + more), level)
    return held is not None and held.penalty[0] - norm.ppf(POWER) * error > tolerance


def _times(log: LogCounts, more: float) -> LogCounts:
    """As if every row of it had come so many times; counts that nobody made may be fractions."""
    weights = log.weights and Weights(*(part * more for part in vars(log.weights).values()))
    by_item = None if log.by_item is None else log.by_item * more
    rows, positives = (cast(Any, part * more) for part in (log.rows, log.positives))
    return replace(log, rows=rows, positives=positives, weights=weights, by_item=by_item)
