"""Resample what a model learns from, so that each value of an attribute has as many interactions.

As in Beattie (2023), sections 5.2.1 and 9.1, interactions are balanced and not users: `over` repeats
interactions of users with the rarer values, `under` leaves out some of the others. Users keep their ids, and
repeated rows belong to the user that has them, which for a model trained on pairs is the same as weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Ints
from evenhand.association import attribute_of
from evenhand.errors import InputError
from evenhand.parameters import choice
from evenhand.recommenders.taken.interactions import Interactions, as_interactions
from evenhand.stats.randomness import seed_of

WAYS = ("over", "under")


@dataclass(frozen=True, eq=False)
class NamedUsers:
    """Users without vectors, as labels want them."""

    ids: NDArray[Any]
    name: str = "users"


def resample(
    interactions: Any,
    attribute: Any,
    how: str = "over",
    *,
    missing: str = "refuse",
    rng: int | np.random.Generator = 0,
) -> Interactions:
    """Interactions with the same number of rows for each value of `attribute`, for `recommenders.fit`.

    `over`: every row of a rarer value as often as it goes, and a random part of them once more, until there
    are as many as of the most common one. `under`: a random part of the rows of a more common one, as many as
    the rarest has; a user always keeps one. `attribute` has a value for each user, as in `association.audit`.
    Rows of users without a value stay as they are.

    Resample the training part of a split alone: a pair that is repeated before the split would be in training
    and in the test.
    """
    choice("how", how, WAYS)
    given = as_interactions("interactions", interactions)
    people = attribute_of(attribute, NamedUsers(given.user_ids), "user_id", missing=missing)
    rng_ = np.random.default_rng([seed_of(rng), 51])
    code = people.codes[given.user]
    counts = np.bincount(code[code >= 0], minlength=len(people.words))
    if (counts == 0).any():
        without = people.words[int(counts.argmin())]
        raise InputError(f"{people.name}: users with the value {without!r} have no interactions to resample.")
    target = int(counts.max() if how == "over" else counts.min())
    chosen = [np.flatnonzero(code < 0)]
    for value in range(len(people.words)):
        rows = np.flatnonzero(code == value)
        chosen.append(_repeated(rows, target, rng_) if how == "over" else _kept(given, rows, target, rng_))
    return given.rows(np.sort(np.concatenate(chosen)))


def _repeated(rows: Ints, target: int, rng: np.random.Generator) -> Ints:
    whole, rest = divmod(target, len(rows))
    return np.concatenate([np.tile(rows, whole), rng.permutation(rows)[:rest]])


def _kept(given: Interactions, rows: Ints, target: int, rng: np.random.Generator) -> Ints:
    """At random, but the first of each user is always among them: a user without any could not be learnt."""
    shuffled = rng.permutation(rows)
    _, first = np.unique(given.user[shuffled], return_index=True)
    if len(first) > target:
        raise InputError(
            f"under-sampling would leave {target:,} interactions to {len(first):,} users with one value of "
            "the attribute, fewer than one each; over-sample instead."
        )
    rest = np.delete(shuffled, first)
    return np.concatenate([shuffled[first], rest[: target - len(first)]])
