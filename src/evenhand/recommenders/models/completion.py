"""Completing a table of what users took, with exact alternating least squares (Hu and others 2008).

    minimise  sum_{m, i} w_mi (t_mi - x_m . y_i)^2 + regularisation (sum_m |x_m|^2 + sum_i |y_i|^2)

with t = 1 and w = `weight` where the user took the item, and t = 0 and w = 1 elsewhere. With `popularity` the
first coordinate of every user is 1, so that the first factor is how popular an item is, and a model of one
factor recommends the same to all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from evenhand.arrays import Floats
from evenhand.parameters import LARGEST_SEED, number, whole


class Completed(NamedTuple):
    """The completed table is users @ items.T."""

    users: Floats
    items: Floats


def complete(
    taken: Any,
    factors: int,
    *,
    weight: float = 1.0,
    regularisation: float = 0.1,
    popularity: bool = False,
    iterations: int = 10,
    seed: int = 0,
) -> Completed:
    """Vectors of users and items; `taken` is users x items, sparse, anything but 0 counts as taken."""
    table = sparse.csr_array(taken, copy=True, dtype=float)
    table.data = (table.data != 0).astype(float)
    table.eliminate_zeros()
    k, free = whole("factors", factors), whole("factors", factors) - popularity
    weight = number("weight", weight, 1)
    regularisation = number("regularisation", regularisation, above=True)
    rng = np.random.default_rng(whole("seed", seed, 0, LARGEST_SEED))
    users = np.ones((table.shape[0], k))
    users[:, k - free :] = rng.normal(scale=0.1, size=(len(users), free))
    by_item = table.T.tocsr()
    no_offset = np.zeros(len(users))
    for _ in range(whole("iterations", iterations) if free else 1):
        items = _side(by_item, users, no_offset, weight, regularisation)
        if free:
            offset = items[:, 0] if popularity else np.zeros(len(items))
            users[:, k - free :] = _side(table, items[:, k - free :], offset, weight, regularisation)
    return Completed(users, items)


def _side(
    taken: sparse.csr_array, other: Floats, offset: Floats, weight: float, regularisation: float
) -> Floats:
    """One side's vectors, best for those of the other side, which already explain `offset` of the table."""
    gram = other.T @ other + regularisation * np.eye(other.shape[1])
    # Right sides: weight times what is left to explain where an item was taken, minus the offset elsewhere.
    left_over = sparse.diags_array(weight + (1 - weight) * offset)
    right = np.asarray(taken @ (left_over @ other)) - other.T @ offset
    if weight == 1:
        return np.asarray(np.linalg.solve(gram, right.T).T, dtype=float)
    out = np.empty_like(right)
    for row in range(len(out)):
        vectors = other[taken.indices[taken.indptr[row] : taken.indptr[row + 1]]]
        out[row] = np.linalg.solve(gram + (weight - 1) * (vectors.T @ vectors), right[row])
    return out
