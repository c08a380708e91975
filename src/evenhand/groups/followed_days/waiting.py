"""How many days it takes until a gap of a given size is flagged, from the users of days before it.

The interval itself is asked. The group that is served worst now is changed, on days that were seen, until its
gap to the best served is the one in question: on a day as many of its users as it takes get the worst value
there is, which leaves values as different as they can be (were all a little worse, the gap would be seen
sooner); or all are moved, where there is no worst value. For all days so far, every user's mean moves as
further days come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from evenhand.arrays import Floats
from evenhand.errors import TooLittleError
from evenhand.following import SoFar
from evenhand.groups.confirmation import Confirmation, confirm
from evenhand.groups.findings import Measured
from evenhand.groups.followed_days.counting import GroupsDay
from evenhand.groups.followed_days.telling import cannot_be_pooled, labels_of, measured_of
from evenhand.groups.lists.metrics import Metric
from evenhand.groups.measuring import Question
from evenhand.stats.many_looks.looks import level_of_look
from evenhand.stats.many_looks.waiting import POWER, asked_now_and_then, at_most, least_days, looks_until_seen
from evenhand.user_days.every_look import DAILY, POOLED
from evenhand.user_days.rows import SEVERAL, UserRows

# Pairs of days whose correlation is looked at: one alone may be out of the usual.
PAIRS = 7


def days_until_flagged(
    question: Question,
    days: Sequence[GroupsDay],
    size: float,
    in_a_row: int = 1,
    so_far: SoFar | None = None,
) -> dict[str, dict[str, int | None]]:
    """By metric, of each day by itself (`daily`) and of all days so far (`pooled`): days until a flag is
    raised in 4 of 5 cases, had the gap changed to `size` now; None where it takes too long."""
    found: dict[str, dict[str, int | None]] = {}
    so_far = so_far or SoFar(len(days), len(days))
    for label, metric in labels_of(question).items():
        usable = []
        for day in days:
            try:
                usable.append((day, measured_of(question, day, label, metric)))
            except TooLittleError:
                continue
        told: dict[str, int | None] = {"daily": None, "pooled": None}
        if usable and question.asked.tolerance is not None:
            told["daily"] = _daily(question, label, usable, so_far.looks + 1, size, in_a_row)
            if not cannot_be_pooled(question, metric):
                told["pooled"] = _pooled(question, (label, metric), days, size, in_a_row, so_far)
        found[label] = told
    return found


def _ends(measured: Measured) -> tuple[int, int]:
    """The group that is served worst, and the best."""
    groups, values = measured.groups, measured.values
    members, users = groups.members()
    means = np.bincount(members, weights=values[users]) / np.bincount(members)
    worst, best = int(np.argmin(means)), int(np.argmax(means))
    return (worst, best) if measured.better == "higher" else (best, worst)


def _in(measured: Measured, group: int) -> NDArray[np.bool_]:
    return np.isin(measured.groups.of.of_user, measured.groups.cells_of(group))


def _changed(measured: Measured, size: float, *, now_and_then: bool) -> Measured:
    """With just this gap between the two ends; some users have the worst value, or all a little less, which
    is what comes of it over many days."""
    worst, best = (_in(measured, group) for group in _ends(measured))
    values = measured.values.copy()
    falls = measured.better == "higher"
    aim = float(values[best].mean()) + (-size if falls else size)
    mine = values[worst]
    end = None if measured.bounds is None else measured.bounds[0 if falls else 1]
    left = None if end is None or mine.mean() == end else float((aim - end) / (mine.mean() - end))
    if end is not None and left is not None and 0 < left < 1:
        kept = np.random.default_rng(0).permutation(len(mine)) < left * len(mine)
        mine = np.where(kept, mine, end) if now_and_then else end + left * (mine - end)
    values[worst] = mine + (aim - mine.mean())  # what is left to be moved is little, or has no end
    return replace(measured, values=values)


def _confirmed(question: Question, measured: Measured, level: float) -> Confirmation:
    rng = np.random.default_rng([question.settings.seed, 1])
    return confirm(measured.groups, measured.values, rng, level, measured.bounds)


def _error(measured: Measured) -> float:
    """Of the gap between the two ends."""
    parts = [measured.values[_in(measured, group)] for group in _ends(measured)]
    return float(np.sqrt(sum(part.var() / len(part) for part in parts)))


def _daily(
    question: Question,
    label: str,
    usable: Sequence[tuple[GroupsDay, Measured]],
    first: int,
    size: float,
    in_a_row: int,
) -> int | None:
    changed = [_changed(measured, size, now_and_then=True) for _, measured in usable]

    def reach(look: int) -> float:
        level = level_of_look(question.settings.level, look, DAILY)
        found = [_confirmed(question, day, level) for day in changed]
        return float(at_most(np.array([one.estimate - one.low for one in found])))

    tolerance = question.asked.tolerance
    assert tolerance is not None
    return looks_until_seen(
        size - tolerance, float(np.mean([_error(day) for day in changed])), asked_now_and_then(reach, first),
        first,
        correlation=_correlation([day.rows for day, _ in usable], label), in_a_row=in_a_row,
    )  # fmt: skip


def _correlation(days: Sequence[UserRows], label: str) -> float:
    """Of the errors of two days: users who return take what is their own along."""
    found = []
    for one, other in list(pairwise(days))[-PAIRS:]:
        sides = [_deviations(rows, label) for rows in (one, other)]
        shared, mine, theirs = np.intersect1d(one.users, other.users, return_indices=True)
        spread = np.sqrt((sides[0] ** 2).sum() * (sides[1] ** 2).sum())
        if len(shared) and spread > 0:
            found.append(float((sides[0][mine] * sides[1][theirs]).sum() / spread))
    return float(np.clip(np.mean(found), 0, 1)) if found else 0.0


def _deviations(rows: UserRows, label: str) -> Floats:
    """A user's part of the error of the mean of the own group; 0 for those who have none."""
    values = rows.means[:, rows.columns.index(label)]
    there = np.isfinite(values) & (rows.group != SEVERAL)
    group, known = np.where(there, rows.group, 0), np.where(there, values, 0.0)
    n = np.maximum(np.bincount(group, weights=there, minlength=len(rows.groups)), 1)
    means = np.bincount(group, weights=known, minlength=len(rows.groups)) / n
    return np.where(there, (known - means[group]) / n[group], 0.0)


def _pooled(
    question: Question,
    of: tuple[str, Metric | None],
    days: Sequence[GroupsDay],
    size: float,
    in_a_row: int,
    so_far: SoFar,
) -> int | None:
    """The first day after which all days together say so, with the users that were there on these days."""
    try:
        now = measured_of(question, reduce(add, days), *of)
    except TooLittleError:
        return None
    then, tolerance = _changed(now, size, now_and_then=False), question.asked.tolerance
    assert tolerance is not None

    def sees(more: int) -> bool:
        weight = more / (so_far.days + more)
        values = (1 - weight) * now.values + weight * then.values
        mixed = replace(now, values=values)
        level = level_of_look(question.settings.level, so_far.looks + more, POOLED)
        return _confirmed(question, mixed, level).low - norm.ppf(POWER) * _error(mixed) > tolerance

    found = least_days(sees)
    return None if found is None else found + in_a_row - 1
