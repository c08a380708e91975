"""Vectors of users and items, as arrays or .npy files, as a recommender."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.recommenders.scores.factors import Factors
from evenhand.recommenders.taken.ids import id_list, sorted_ids


def from_vectors(
    users: Any, items: Any, *, user_ids: Any = None, item_ids: Any = None, item_bias: Any = None
) -> Factors:
    """score(u, i) = users[u] . items[i] + item_bias[i], from arrays or .npy files with one row an id.

    Without ids, the ids are the numbers of the rows, from 0.
    """
    user_vectors, item_vectors = _opened(users, "user"), _opened(items, "item")
    users = _checked_ids(user_ids, len(user_vectors), "user")
    items = _checked_ids(item_ids, len(item_vectors), "item")
    bias = None if item_bias is None else _opened(item_bias, "item bias")
    if bias is not None and bias.shape != (len(item_vectors),):
        raise InputError(f"item_bias has the shape {bias.shape}, but there are {len(item_vectors):,} items.")
    return Factors(users, items, user_vectors, item_vectors, bias)


def _checked_ids(ids: Any, count: int, what: str) -> NDArray[Any]:
    """The ids in the order of the rows, after the checks that all adapters make."""
    ids = np.arange(count) if ids is None else id_list(ids, what)
    sorted_ids(ids, what)
    return ids


def _opened(source: Any, what: str) -> NDArray[Any]:
    if isinstance(source, np.ma.MaskedArray):
        raise InputError(f"{what} vectors must be a plain array, but a masked one was given.")
    try:
        array = np.load(source, allow_pickle=False) if isinstance(source, str | Path) else np.asarray(source)
        if not isinstance(array, np.ndarray):
            raise ValueError("it is an archive of several arrays; pass one of them")
        return array.astype(np.float32)
    except FileNotFoundError as error:
        raise InputError(f"{what} vectors: there is no file {source}.") from error
    except (ValueError, TypeError, OSError, EOFError) as error:
        shown = source if isinstance(source, str | Path) else f"the {type(source).__name__}"
        raise InputError(f"{what} vectors: {shown} is not an array of numbers ({error}).") from error
