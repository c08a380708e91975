"""Any Python function that scores pairs, such as a client of a service, as a recommender."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.recommenders.adapters.pairwise import BATCH, Pairwise


def from_callable(
    function: Callable[[NDArray[Any], NDArray[Any]], Any],
    user_ids: Any,
    item_ids: Any,
    *,
    batch: int = BATCH,
    trial: bool = True,
) -> Pairwise:
    """A recommender whose scores are function(users, items): two arrays of original ids, one score a pair.

    It is called with at most `batch` pairs at a time, and once at the start to see that it works, unless
    `trial` is false, as where every user asked about has a price. What it returns must be finite, and must
    not depend on which other pairs are in the batch.
    """
    if not callable(function):
        raise InputError(f"a {type(function).__name__} cannot be called; pass a function of users and items.")
    users, items = np.asarray(user_ids), np.asarray(item_ids)
    name = f"the function {getattr(function, '__name__', type(function).__name__)}"
    return Pairwise(
        lambda u, i: function(users[u], items[i]), user_ids, item_ids, batch=batch, what=name, trial=trial
    )
