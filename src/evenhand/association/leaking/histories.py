"""Who took what, beside the vectors of users and items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from evenhand import inputs
from evenhand.arrays import Ints
from evenhand.association.vectors.sources import Entities, Space
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.findings import Exclusion
from evenhand.recommenders.taken.interactions import Interactions

USER, ITEM = "user_id", "item_id"


@dataclass(frozen=True, eq=False)
class Histories:
    """Users x items, 1 where the user took the item, in the order of the vectors; a pair counts once."""

    taken: sparse.csr_array
    excluded: tuple[Exclusion, ...]
    fingerprint: Fingerprint


def histories(given: Any, space: Space, engine: Any = None) -> Histories:
    """From a table with user_id and item_id, or Interactions; rows of unknown users or items are counted."""
    source = given.frame() if isinstance(given, Interactions) else given
    table = inputs.table(source, name="interactions", engine=engine)
    table.require(USER, ITEM)
    rows = inputs.usable_rows(table, required=[USER, ITEM])
    pairs = table.run(table.expr.select(USER, ITEM).distinct())
    if not len(pairs):
        raise InputError("interactions: there are no rows, so nobody has a history.")
    user, item = _places(pairs[USER], space.users), _places(pairs[ITEM], space.items)
    known = (user >= 0) & (item >= 0)
    shape = len(space.users.ids), len(space.items.ids)
    ones = np.ones(int(known.sum()))
    taken = sparse.csr_array((ones, (user[known], item[known])), shape=shape)
    return Histories(taken, _left_out(user, item), table.fingerprint(rows))


def _places(ids: pd.Series, known: Entities) -> Ints:
    """The row of each id's vector, -1 where there is none."""
    places = np.asarray(pd.Index(known.ids).get_indexer(pd.Index(ids)), dtype=np.int64)
    if (places < 0).all():
        raise InputError(
            f"interactions: none of the ids in {ids.name} (such as {ids.tolist()[0]!r}) is one of "
            f"{known.name} (such as {known.ids.tolist()[0]!r}); the ids must be of the same kind."
        )
    return places


def _left_out(user: Ints, item: Ints) -> tuple[Exclusion, ...]:
    counts = {"users": int((user < 0).sum()), "items": int((item < 0).sum())}
    return tuple(
        Exclusion(what=f"interactions of {what} without a vector", count=count, why="there is no vector")
        for what, count in counts.items()
        if count
    )
