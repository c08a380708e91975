"""Is the sum of independent vectors, each with mean 0 if there is nothing to find, larger than chance?

T = |sum_c s_c|^2 of the clusters c. Turning the sign of every s_c at random keeps what each cluster is and
how its parts depend on each other, and takes away that clusters agree. That needs no variance, no law of
large numbers in any one part, and no more clusters than parts: of the pairs c, c' that T is made of, a turned
sign keeps the size and loses the sum. What a cluster agrees on with itself is the same in T and in all draws,
so that repeats within a cluster are no evidence.
"""

from __future__ import annotations

import numpy as np

from evenhand.stats.normal import Array

FLIPS = 999


def signs(clusters: int, rng: np.random.Generator, flips: int = FLIPS) -> Array:
    """A row a draw, a sign a cluster."""
    return np.asarray(rng.integers(0, 2, size=(flips, clusters)) * 2.0 - 1.0, dtype=np.float64)


def p_value(found: float | Array, drawn: Array) -> Array:
    """(1 + draws at least as large) / (1 + draws), of each column."""
    return np.asarray((1 + (drawn >= np.multiply(found, 1 - 1e-12)).sum(axis=0)) / (1 + len(drawn)))


def agreement(
    products: Array, rng: np.random.Generator, found: float | None = None, linear: Array | None = None
) -> tuple[float, float]:
    """T less what clusters agree on with themselves, and its p-value, from all products s_c s_c'.

    `found` is T where the products do not add up to it, as what they are about was estimated; `linear` is
    then what each cluster adds to T by itself, with mean 0 and the sign of its s_c.
    """
    turned = signs(len(products), rng)
    alone = float(np.trace(products))
    if found is None:
        found = float(products.sum()) - alone
    drawn = ((turned @ products) * turned).sum(axis=1)
    if linear is not None:
        drawn += turned @ linear
    return found, float(p_value(found + alone, drawn))
