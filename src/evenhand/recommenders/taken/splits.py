"""Splits of interactions into what a model learns from and what it is judged by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.parameters import number, shown, whole
from evenhand.recommenders.taken.ids import Codes
from evenhand.recommenders.taken.interactions import Interactions

# With fewer, every held-out item would be among the first 5, where it is judged.
LEAST_NEGATIVES = 5


@dataclass(frozen=True)
class Split:
    """Three parts with the same ids; `notes` says in words what was done where it was not as asked.

    `candidates` (leave-one-out only) holds a row of item codes for each row of `test`: the held-out item
    first, then negatives that the user never took.
    """

    train: Interactions
    valid: Interactions
    test: Interactions
    notes: tuple[str, ...] = ()
    candidates: Codes | None = None


def random_split(
    interactions: Interactions, rng: np.random.Generator, shares: tuple[float, float, float] = (0.8, 0.1, 0.1)
) -> Split:
    """Each user's interactions at random into parts of these shares.

    A user with at least three has one in each part at least; those with fewer stay in training, which the
    notes say.
    """
    return _by_position(interactions, _positions(interactions, rng.random(len(interactions))), shares, ())


def time_split(
    interactions: Interactions, rng: np.random.Generator, shares: tuple[float, float, float] = (0.8, 0.1, 0.1)
) -> Split:
    """Each user's interactions in order of time; users without times at random, which the notes say."""
    order, notes = _in_time(interactions, rng)
    return _by_position(interactions, _positions(interactions, order), shares, notes)


def leave_one_out(interactions: Interactions, rng: np.random.Generator, negatives: int = 49) -> Split:
    """Each user's last interaction for testing, the one before for validation, the rest for training.

    Users with fewer than three interactions stay in training. Times that are missing fall back to chance,
    which the notes say. Every test item comes with `negatives` items that the user never took.
    """
    negatives = whole("negatives", negatives)
    order, notes = _in_time(interactions, rng)
    position, count = _positions(interactions, order)
    left, enough = count - position, count >= 3
    masks = (~enough | (left > 2), enough & (left == 2), enough & (left == 1))
    train, valid, test = (interactions.rows(mask) for mask in masks)
    _refuse_empty({"training": train, "validation": valid, "test": test}, 3)
    notes += _unjudged(interactions, test)
    drawn = _negatives(interactions, test.user, negatives, rng)
    return Split(train, valid, test, notes, np.column_stack([test.item, drawn]))


def _in_time(
    interactions: Interactions, rng: np.random.Generator
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Keys that order each user's rows by time, or at random for users without complete times."""
    users = len(interactions.user_ids)
    unknown = np.bincount(interactions.user[np.isnan(interactions.time)], minlength=users) > 0
    chance = rng.random(len(interactions))
    # Equal times are common (a session of ratings): chance decides among them.
    by_time = np.lexsort((chance, np.nan_to_num(interactions.time)))
    order = np.empty(len(interactions))
    order[by_time] = np.arange(len(interactions))
    order = np.where(unknown[interactions.user], chance, order)
    if not unknown.any():
        return order, ()
    note = f"{unknown.sum():,} of {users:,} users have no complete timestamps; theirs were split at random."
    return order, (note,)


def _positions(interactions: Interactions, key: NDArray[np.float64]) -> tuple[Codes, Codes]:
    """For each row, its place among its user's rows in order of `key`, and how many that user has."""
    counts = np.bincount(interactions.user, minlength=len(interactions.user_ids))
    order = np.lexsort((key, interactions.user))
    first = np.cumsum(counts) - counts
    position = np.empty(len(interactions), dtype=np.int64)
    position[order] = np.arange(len(interactions)) - first[interactions.user[order]]
    return position, counts[interactions.user]


def _by_position(
    interactions: Interactions,
    positions: tuple[Codes, Codes],
    shares: tuple[float, float, float],
    notes: tuple[str, ...],
) -> Split:
    for share in shares:
        number("a share", share, 0, 1)
    if len(shares) != 3 or abs(sum(shares) - 1) > 1e-9:
        raise InputError(f"shares are {shares}, but must be three numbers from 0 that add up to 1.")
    position, count = positions
    first, second = np.rint(shares[0] * count), np.rint((shares[0] + shares[1]) * count)
    # Rounding alone would leave users with few interactions without a part that was asked for.
    least = [int(share > 0) for share in shares]
    enough = count >= sum(least)
    first = np.where(enough, first.clip(least[0], count - least[1] - least[2]), first)
    second = np.where(enough, second.clip(first + least[1], count - least[2]), second)
    masks = (position < first, (position >= first) & (position < second), position >= second)
    train, valid, test = (interactions.rows(mask) for mask in masks)
    asked = zip({"training": train, "validation": valid, "test": test}.items(), shares, strict=True)
    _refuse_empty(dict(part for part, share in asked if share > 0), sum(least))
    return Split(train, valid, test, notes + (_unjudged(interactions, test) if least[2] else ()))


def _unjudged(interactions: Interactions, held_out: Interactions) -> tuple[str, ...]:
    """A note on users from whom nothing could be held out."""
    users = len(np.unique(interactions.user))
    without = users - len(np.unique(held_out.user))
    if without == 0:
        return ()
    return (
        f"{without:,} of {users:,} users have too few interactions to hold one out for testing, so that "
        f"the model is judged on the other {users - without:,}.",
    )


def _refuse_empty(parts: dict[str, Interactions], needed: int) -> None:
    for name, part in parts.items():
        if len(part) == 0:
            raise InputError(
                f"the {name} part of the split is empty: no user has {needed} interactions, one for each "
                "part; bring data with more interactions a user."
            )


def _negatives(interactions: Interactions, users: Codes, count: int, rng: np.random.Generator) -> Codes:
    """(users, count) distinct items that each user never took, uniformly."""
    taken = interactions.matrix()
    everything = np.arange(len(interactions.item_ids))
    free = len(everything) - np.diff(taken.indptr)[users]
    if (free < count).any():
        user = interactions.user_ids[users[free.argmin()]]
        fewer = f"ask for at most {free.min()} (--negatives), "
        if free.min() < LEAST_NEGATIVES:
            fewer = f"the data are too small for this split, which needs at least {LEAST_NEGATIVES}: "
        raise InputError(
            f"user {shown(user)} has taken all but {free.min()} of {len(everything):,} items, so {count} "
            f"negatives cannot be drawn, nor can they for {(free < count).sum() - 1:,} other users; {fewer}"
            "leave such users out, or use another split."
        )
    drawn = np.empty((len(users), count), dtype=np.int64)
    for row, user in enumerate(users):
        left = np.setdiff1d(everything, taken[[user]].indices, assume_unique=True)
        drawn[row] = rng.choice(left, size=count, replace=False)
    return drawn
