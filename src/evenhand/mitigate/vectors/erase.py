"""Take an attribute out of the vectors of a model, linearly: one projection, many, or in closed form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints, Vectors
from evenhand.association import (
    Attribute,
    Classifying,
    Space,
    attribute_of,
    contrasts,
    enough,
    fit_of,
    space,
)
from evenhand.errors import InputError
from evenhand.mitigate.vectors.linear_maps import LinearMap, extended, leace, no_basis, projection
from evenhand.mitigate.vectors.mitigated import Mitigated
from evenhand.mitigate.vectors.nullspace import NullspaceRound, nullspace
from evenhand.parameters import choice, number, whole
from evenhand.recommenders import Embeddings, Factors, as_recommender
from evenhand.stats.randomness import seed_of

METHODS = ("leace", "projection", "nullspace")
DIRECTIONS = ("svc", "centroid")
# Of the users that make an erasure by rounds, the share that only says when to stop.
STOPPING = 0.25
# A vector that keeps less of its length than this lay wholly in what was removed.
VANISHED = 1e-9


@dataclass(frozen=True, eq=False)
class Erasure(Mitigated):
    """Vectors without the attribute, a row for each of `user_ids` and `item_ids`, and the map that made them.

    `rank` is how many dimensions were removed; `history` has a row for each round of a nullspace projection.
    """

    user_ids: NDArray[Any]
    item_ids: NDArray[Any]
    users: Floats
    items: Floats
    map: LinearMap
    rounds: tuple[NullspaceRound, ...]

    @property
    def rank(self) -> int:
        return self.map.rank

    @property
    def history(self) -> pd.DataFrame:
        columns = list(NullspaceRound.__dataclass_fields__)
        return pd.DataFrame([asdict(one) for one in self.rounds], columns=columns)


def erase(
    items: Any,
    users: Any,
    attribute: Any,
    method: str = "leace",
    *,
    direction: str = "svc",
    rounds: int | None = None,
    stop_at_chance: bool = True,
    held_out: float = 0.25,
    missing: str = "refuse",
    class_weight: str | None = None,
    cost: float | None = None,
    rng: int | np.random.Generator = 0,
    user_ids: Any = None,
    item_ids: Any = None,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> Erasure:
    """Take `attribute` out of the vectors of `users` and `items`, which are given as to `association.audit`.

    `leace`: the least change after which no linear classifier does better than a constant. `projection`:
    remove one `direction`, that of the classifier (`svc`) or between the means (`centroid`); of more than two
    values, those of each against the rest. `nullspace`: remove what a classifier uses, fit another, and so
    on, for `rounds` (by default as many as can be) or until one does no better than chance on users that had
    no part in it; with `stop_at_chance=False`, all rounds.

    The map is made by the users that are not held out, and applied to all: only held-out users can tell what
    it does to a user whose value it never saw. A quarter (`held_out`) is drawn with equal shares of each
    value; the same seed draws the same users for every method. `held_out=0` uses all, and leaves nobody to
    judge it. Users without a value are mapped too. `class_weight` and `cost` are those of the classifier of
    `projection`; rounds always weigh the values alike.
    """
    choice("method", method, METHODS)
    choice("direction", direction, DIRECTIONS)
    share = number("held_out", held_out, 0, 0.9)
    most = None if rounds is None else whole("rounds", rounds)
    how = Classifying(class_weight, cost)
    seed = seed_of(rng)

    progress("reading vectors")
    given = space(items, users, whole=True, user_ids=user_ids, item_ids=item_ids, engine=engine)
    given.refuse_apart("{}, and taking it out of one side leaves it in the other.")
    rows = given.users.vectors
    people = attribute_of(attribute, given.users, "user_id", missing=missing)
    makers, held = split_users(people.codes, share, seed)
    enough(len(makers), rows.shape[1])

    progress(f"taking {people.name} out")
    done: tuple[NullspaceRound, ...] = ()
    if method == "leace":
        made = leace(rows[makers], people.codes[makers])
    elif method == "projection":
        fit = fit_of(direction, how=how)
        made = projection(_directions(rows[makers], people, people.codes[makers], fit, seed))
    else:
        learners, others = split_users(people.codes[makers], STOPPING, seed + 1)
        basis, done = nullspace(
            rows[makers], people.codes[makers], learners, others,
            rounds=rows.shape[1] - 1 if most is None else most, stop_at_chance=stop_at_chance, cost=cost,
            progress=progress,
        )  # fmt: skip
        made = projection(basis)
    settings = {
        "method": method, "direction": direction, "rounds": most, "stop_at_chance": stop_at_chance,
        "held_out": share, "seed": seed, "rank": made.rank,
    }  # fmt: skip
    new_users, new_items = made.users(rows), made.items(given.items.vectors)
    _refuse_vanished(given.users.name, rows, new_users)
    _refuse_vanished(given.items.name, given.items.vectors, new_items)
    return Erasure(
        recommender=_recommender(given, made, new_users, new_items),
        attribute=people.name,
        method=method,
        held_out=given.users.ids[held],
        same_space=True,
        settings=settings,
        user_ids=given.users.ids,
        item_ids=given.items.ids,
        users=new_users,
        items=new_items,
        map=made,
        rounds=done,
    )


def split_users(codes: Ints, share: float, seed: int) -> tuple[Ints, Ints]:
    """Places of those who take part and of those held out, with this share of each value among the latter.

    Entities without a value (-1) are in neither.
    """
    rng = np.random.default_rng([seed, 41])
    out = np.zeros(len(codes), dtype=bool)
    for code in range(codes.max() + 1):
        members = rng.permutation(np.flatnonzero(codes == code))
        out[members[: round(share * len(members))]] = True
        if len(members) - out[members].sum() < 2:
            raise InputError(
                f"a value of the attribute has {len(members)} users, of whom {out[members].sum()} would be "
                "held out: too few are left to learn from; hold out fewer, or join values."
            )
    return np.flatnonzero((codes >= 0) & ~out), np.flatnonzero(out)


def _directions(rows: Vectors, people: Attribute, codes: Ints, fit: Any, seed: int) -> Floats:
    """The basis of the directions of an attribute: one of two values, else each against the rest."""
    listed = [one for one in contrasts(codes, people.words, fit) if one.is_binary]
    found = [one.direction(rows, np.random.default_rng([seed, 1])) for one in listed]
    return extended(no_basis(rows.shape[1]), np.stack(found), most=rows.shape[1])


def _recommender(given: Space, made: LinearMap, new_users: Floats, new_items: Floats) -> Factors:
    """Scores of erased users with the items as they were; biases and history are those of the model."""
    bias, user_bias, history = made.item_terms(given.items.vectors), None, None
    if given.model is not None and not isinstance(given.model, Embeddings):
        model = as_recommender(given.model, user_ids=given.users.ids, item_ids=given.items.ids)
        history = model.history
        if isinstance(model, Factors):
            bias, user_bias = bias + model.item_bias, model.user_bias
    erased = Factors(given.users.ids, given.items.ids, new_users, new_items, bias, user_bias)
    erased.history = history
    return erased


def _refuse_vanished(name: str, before: Vectors, after: Floats) -> None:
    lengths = np.linalg.norm(before, axis=1)
    lost = (np.linalg.norm(after, axis=1) <= VANISHED * lengths) & (lengths > 0)
    if lost.any():
        raise InputError(
            f"{name}: {lost.sum():,} of {len(lost):,} vectors lie wholly in what would be removed, the first "
            f"in row {lost.argmax()}; leave them out, or remove fewer directions."
        )
