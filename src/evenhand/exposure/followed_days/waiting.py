"""How many days it takes until a pair of groups that is off by a given size is flagged.

The interval itself is asked: on days that were seen, what the users of each group are shown of each group of
items is multiplied until the pair is off by just so much, and limits are made for later looks. For all days
so far, every user's mean moves as further days come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from operator import add

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from evenhand.arrays import Floats, Ints
from evenhand.asked.declared.exposure import AskedExposure
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.followed_days.kept_day import ExposureDay, cells_of
from evenhand.exposure.followed_days.user_cells import evidence_of
from evenhand.exposure.pairs import pairs
from evenhand.following import SoFar
from evenhand.stats.many_looks.looks import level_of_look
from evenhand.stats.many_looks.waiting import POWER, asked_now_and_then, at_most, least_days, looks_until_seen
from evenhand.user_days.every_look import DAILY, POOLED

# Pairs of days whose correlation is looked at: one alone may be out of the usual.
PAIRS = 7


def days_until_flagged(
    question: AskedExposure,
    days: Sequence[ExposureDay],
    size: float,
    in_a_row: int = 1,
    policy: int = 0,
    so_far: SoFar | None = None,
) -> dict[tuple[str, str], dict[str, int | None]]:
    """By user group and item group, of each day by itself (`daily`) and of all days so far (`pooled`): days
    until a flag is raised in 4 of 5 cases, had the pair's share changed to `size` now."""
    tolerance = question.tolerance
    usable = [day for day in days if len(day.rows)]
    if not usable or tolerance is None:
        return {}
    alike = [day for day in usable if not usable[-1].unlike(day)]
    names, items = cells_of(reduce(add, alike), policy).names, usable[-1].item_names
    so_far = so_far or SoFar(len(days), len(days))
    first = so_far.looks + 1
    changed = [_OfDay.of(day, policy, size, names) for day in alike]
    limits: dict[int, Floats] = {}

    def arm(g: int, item: int, look: int) -> float:
        if look not in limits:
            level = level_of_look(question.level, look, DAILY)
            limits[look] = at_most(np.stack([day.arms(level) for day in changed]))
        return float(limits[look][g, item])

    errors = np.nanmean([day.errors for day in changed], axis=0)
    correlations = _correlations(alike, policy, names)
    pooled = _pooled(question, alike, so_far, size, in_a_row, policy)
    found: dict[tuple[str, str], dict[str, int | None]] = {}
    for g, user in enumerate(names):
        for item, name in enumerate(items):
            if not np.isfinite(errors[g, item]) or np.isnan(arm(g, item, first)):
                continue
            reach = asked_now_and_then(partial(arm, g, item), first)
            daily = looks_until_seen(
                size - tolerance, float(errors[g, item]), reach, first,
                correlation=float(correlations[g, item]), in_a_row=in_a_row,
            )  # fmt: skip
            found[user, name] = {"daily": daily, "pooled": pooled.get((user, name))}
    return found


@dataclass(frozen=True)
class _OfDay:
    """One day, changed: its evidence, the places of its user groups among all, and errors of the shares."""

    evidence: Evidence
    place: list[int]
    groups: int
    first: float
    errors: Floats

    @classmethod
    def of(cls, day: ExposureDay, policy: int, size: float, names: list[str]) -> _OfDay:
        seen, k = cells_of(day, policy), len(day.item_names)
        changed = _moved(seen.cells, seen.group, k, size)
        evidence = _evidence(day, changed, seen.group)
        place = [names.index(name) for name in seen.names if name in names]
        errors = _spread_out(_errors(changed, seen.group, k), place, len(names))
        return cls(evidence, place, len(names), day.policies[policy].first, errors)

    def arms(self, level: float) -> Floats:
        off = pairs(self.evidence, level, self.first)
        return _spread_out(off.share - off.low, self.place, self.groups)


def _spread_out(values: Floats, place: list[int], groups: int) -> Floats:
    """Rows of some groups in their places among all; NaN for the others."""
    found = np.full((groups, values.shape[1]), np.nan)
    found[place] = values
    return found


def _evidence(day: ExposureDay, cells: Floats, group: Ints) -> Evidence:
    groups, k = int(group.max()) + 1, len(day.item_names)
    return evidence_of(cells, group, groups, np.array(day.sizes), np.zeros((groups, k)))


def _by_group(values: Floats, group: Ints) -> Floats:
    return np.stack([values[group == g].mean(axis=0) for g in range(int(group.max()) + 1)])


def _moved(cells: Floats, group: Ints, k: int, size: float) -> Floats:
    """Rows in which every pair of groups is off by just this share."""
    found = cells.copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        shown, asked = _by_group(cells[:, :k], group), _by_group(cells[:, k : 2 * k], group)
        factor = np.where(shown > 0, (1 + size) * asked / shown, np.nan)
    found[:, :k] *= np.nan_to_num(factor[group], nan=1.0)
    # What nobody is shown now would be shown to all as they ask for it.
    nobody = np.isnan(factor[group])
    found[:, :k] = np.where(nobody, (1 + size) * cells[:, k : 2 * k], found[:, :k])
    return found


def _residuals(cells: Floats, group: Ints, k: int) -> Floats:
    """A user's part of the error of each share of the own group."""
    shown, asked = cells[:, :k], cells[:, k : 2 * k]
    target = _by_group(asked, group)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = _by_group(shown, group) / target
        sizes = np.bincount(group)[group, None]
        return np.asarray((shown - ratio[group] * asked) / target[group] / sizes)


def _errors(cells: Floats, group: Ints, k: int) -> Floats:
    squares = _residuals(cells, group, k) ** 2
    return np.sqrt(np.stack([squares[group == g].sum(axis=0) for g in range(int(group.max()) + 1)]))


def _correlations(days: Sequence[ExposureDay], policy: int, names: Sequence[str]) -> Floats:
    """Of the errors of two days, by pair of groups: users who return take what is their own along."""
    k = len(days[0].item_names)
    found: dict[str, list[Floats]] = {name: [] for name in names}
    for one, other in list(pairwise(days))[-PAIRS:]:
        if one.unlike(other):
            continue
        sides = [cells_of(day, policy) for day in (one, other)]
        parts = [_residuals(cells, group, k) for cells, group, _, _ in sides]
        _, mine, theirs = np.intersect1d(sides[0][3], sides[1][3], return_indices=True)
        for name in names:
            if name not in sides[0][2] or name not in sides[1][2]:
                continue
            inside = [side[1] == side[2].index(name) for side in sides]
            both = inside[0][mine] & inside[1][theirs]
            with np.errstate(divide="ignore", invalid="ignore"):
                spread = np.sqrt(
                    np.prod(
                        [(part[i] ** 2).sum(axis=0) for part, i in zip(parts, inside, strict=True)], axis=0
                    )
                )
                found[name].append((parts[0][mine][both] * parts[1][theirs][both]).sum(axis=0) / spread)
    rows = [np.mean(found[name], axis=0) if found[name] else np.zeros(k) for name in names]
    return np.clip(np.nan_to_num(np.stack(rows)), 0, 1)


def _pooled(
    question: AskedExposure,
    days: Sequence[ExposureDay],
    so_far: SoFar,
    size: float,
    in_a_row: int,
    policy: int,
) -> dict[tuple[str, str], int | None]:
    """The first day after which all days together say so, with the users that were there on these days."""
    whole = reduce(add, days)
    now, group, names, _ = cells_of(whole, policy)
    k, tolerance = len(whole.item_names), question.tolerance
    then = _moved(now, group, k, size)
    assert tolerance is not None
    seen: dict[int, NDArray[np.bool_]] = {}

    def sees(g: int, item: int, more: int) -> bool:
        if more not in seen:
            weight = more / (so_far.days + more)
            mixed = (1 - weight) * now + weight * then
            off = pairs(
                _evidence(whole, mixed, group),
                level_of_look(question.level, so_far.looks + more, POOLED),
                whole.policies[policy].first,
            )
            seen[more] = off.low - norm.ppf(POWER) * _errors(mixed, group, k) > tolerance
        return bool(seen[more][g, item])

    found: dict[tuple[str, str], int | None] = {}
    for g, user in enumerate(names):
        for item, name in enumerate(whole.item_names):
            least = least_days(partial(sees, g, item))
            found[user, name] = None if least is None else least + in_a_row - 1
    return found
