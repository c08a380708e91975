"""The exposure that each item deserves: equal expected exposure for items of equal relevance.

An ideal policy ranks items by grade and shuffles those of one grade (Diaz et al. 2020). Items of one grade
then share the slots of that grade: with position weights p_1, p_2, ..., and h items of higher grades, each of
the c items of a grade gets (p_{h+1} + ... + p_{h+c}) / c. With RBP and m relevant of n items that is
(1 - gamma^m) / (m (1 - gamma)) for the relevant ones and (gamma^m - gamma^n) / ((n - m) (1 - gamma)) for the
others. Only relevant items differ from the rest, so a user's target is a few numbers and a constant.

A user without relevant items says nothing about what should be shown. The rule would ask for a uniformly
random list, which counts against every system that chooses; such users are left out and counted, unless the
caller asks for `"uniform"`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.parameters import choice, number


class Targets(NamedTuple):
    """Target and random exposure of a block of users.

    User u's relevant items are `items[offsets[u]:offsets[u + 1]]`, with `values` as targets; any other item
    that can be shown to u has the target `rest[u]`, and every item that can be shown the random exposure
    `random[u]`. Users with `counted` false are left out of every measure. `slots` are the sums of the first
    position weights, if targets are the shares of items in slots, and empty otherwise.
    """

    offsets: Ints
    items: Ints
    values: Floats
    rest: Floats
    random: Floats
    counted: NDArray[np.bool_]
    shown: Ints  # how many items can be shown to each user
    slots: Floats

    @property
    def users(self) -> int:
        return len(self.rest)

    def dense(self, items: int) -> Floats:
        """A row a user and a column an item, where everything can be shown to everybody."""
        out = np.repeat(self.rest[:, None], items, axis=1)
        out[np.repeat(np.arange(self.users), np.diff(self.offsets)), self.items] = self.values
        return out


def not_negative(grades: NDArray[np.generic]) -> Floats:
    """Grades of relevance, as numbers."""
    grade = grades.astype(float)
    bad = ~(np.isfinite(grade) & (grade >= 0))
    if bad.any():
        raise InputError(
            f"{bad.sum():,} grades are negative or not finite (such as {float(grade[bad][0])}); "
            "relevance must be 0 or more."
        )
    return grade


def relevant_pairs(relevance: ArrayLike) -> tuple[Ints, Ints, Floats]:
    """Offsets, items and grades of the pairs above 0 in a matrix of users by items."""
    matrix = np.asarray(relevance)
    if matrix.ndim != 2:
        raise InputError(f"relevance has {matrix.ndim} dimensions, but must be a table of users by items.")
    users, items = np.nonzero(matrix)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(users, minlength=len(matrix)))])
    return offsets.astype(np.int64), items.astype(np.int64), matrix[users, items].astype(float)


def equal_exposure(
    offsets: Ints,
    items: Ints,
    grades: ArrayLike,
    candidates: int | Ints,
    weights: Floats,
    without_relevant: Literal["exclude", "uniform"] = "exclude",
) -> Targets:
    """Equal expected exposure.

    `grades` are the relevance of the pairs that `offsets` and `items` list by user, any numbers of at least
    0 (0 is as good as not listed); `candidates` is how many items can be shown to each user, the relevant
    ones among them; `weights` are the position weights, as many as there are candidates.
    """
    choice("without_relevant", without_relevant, ("exclude", "uniform"))
    users = len(offsets) - 1
    grade = _grades(grades, offsets, items)
    owner = np.repeat(np.arange(users), np.diff(offsets))
    _no_repeats(owner, np.asarray(items))
    relevant = np.bincount(owner[grade > 0], minlength=users)
    shown = _candidates(candidates, relevant, np.asarray(weights))
    total = np.concatenate([[0.0], np.cumsum(weights)])
    rest = (total[shown] - total[relevant]) / np.maximum(shown - relevant, 1)
    order = np.lexsort((-grade, owner))
    value = np.empty(len(grade))
    value[order] = _shared_slots(owner[order], grade[order], offsets, total)
    value = np.where(grade > 0, value, rest[owner])
    counted = relevant > 0 if without_relevant == "exclude" else np.ones(users, dtype=bool)
    random = total[shown] / shown
    return Targets(np.asarray(offsets), np.asarray(items), value, rest, random, counted, shown, total)


def published_targets(
    offsets: Ints, items: Ints, catalogue: int, patience: float = 0.8, random: float | None = None
) -> Targets:
    """The targets of the published code, for reproduction only.

    Ranks start at gamma^1 (so must the exposure that is compared: gamma times RBP's), the m relevant items
    get gamma (1 - gamma^m) / (m (1 - gamma)) and the others 0, users without relevant items count with a
    target of 0, and the random exposure is the mean target over all users and items. Pass that mean as
    `random` where these users are only some of all.
    """
    gamma = number("patience", patience, 0, 1, above=True)
    if gamma == 1:
        raise InputError("patience is 1, but must be below 1: with it no rank would matter.")
    relevant = np.diff(offsets)
    _no_repeats(np.repeat(np.arange(len(relevant)), relevant), np.asarray(items))
    value = gamma * (1 - gamma**relevant) / (np.maximum(relevant, 1) * (1 - gamma))
    mean = mean_published_target(relevant, catalogue, gamma) if random is None else random
    nobody = np.zeros(len(relevant))
    values = np.repeat(value, relevant)
    every = np.ones(len(relevant), dtype=bool)
    shown = np.full(len(relevant), catalogue)
    return Targets(
        np.asarray(offsets), np.asarray(items), values, nobody, nobody + mean, every, shown, np.empty(0)
    )


def mean_published_target(relevant: Ints, catalogue: int, gamma: float) -> float:
    """Over all users, with these numbers of relevant items, and all items."""
    return float((gamma * (1 - gamma**relevant) / (1 - gamma)).mean() / catalogue)


def _shared_slots(owner: Ints, grade: Floats, offsets: Ints, total: Floats) -> Floats:
    """The mean weight of the slots of each pair's grade; pairs are sorted by user, best grades first."""
    if not len(owner):
        return np.empty(0)
    starts_tie = np.r_[True, (owner[1:] != owner[:-1]) | (grade[1:] != grade[:-1])]
    first = np.flatnonzero(starts_tie)
    size = np.diff(np.r_[first, len(owner)])
    higher = first - np.asarray(offsets)[owner[first]]
    return np.repeat((total[higher + size] - total[higher]) / size, size)


def _grades(grades: ArrayLike, offsets: Ints, items: Ints) -> Floats:
    grade = np.asarray(grades, dtype=float)
    if not len(grade) == len(items) == offsets[-1]:
        raise InputError(
            f"There are {len(items):,} relevant items and {len(grade):,} grades, "
            f"but the offsets of the users end at {offsets[-1]:,}."
        )
    return not_negative(grade)


def _candidates(candidates: int | Ints, relevant: Ints, weights: Floats) -> Ints:
    shown = np.broadcast_to(np.asarray(candidates, dtype=np.int64), relevant.shape).copy()
    short = shown < np.maximum(relevant, 1)
    if short.any():
        user = int(np.flatnonzero(short)[0])
        raise InputError(
            f"User {user} has {shown[user]:,} items that can be shown and {relevant[user]:,} relevant ones; "
            "relevant items must be among those that can be shown, and there must be at least one."
        )
    if len(shown) and len(weights) < shown.max():
        raise InputError(
            f"There are {len(weights):,} position weights for up to {shown.max():,} items that can be shown."
        )
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise InputError("Position weights must be finite and 0 or more.")
    return shown


def _no_repeats(owner: Ints, items: Ints) -> None:
    order = np.lexsort((items, owner))
    same = (np.diff(owner[order]) == 0) & (np.diff(items[order]) == 0)
    if same.any():
        first = order[np.flatnonzero(same)[0]]
        raise InputError(
            f"{same.sum():,} relevant pairs are listed more than once, such as item {items[first]} of user "
            f"{owner[first]}; give each pair one grade."
        )
