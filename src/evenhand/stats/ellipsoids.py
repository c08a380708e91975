"""How long the vectors of an ellipsoid can be, for many ellipsoids at once."""

from __future__ import annotations

import numpy as np

from evenhand.stats.normal import Array

# Halvings of the bracket of a root: beyond double precision.
_HALVINGS = 60


def lengths(centre: Array, shape: Array) -> tuple[Array, Array]:
    """The least and the greatest Euclidean length in {centre + shape^(1/2) z : |z| <= 1}.

    In the axes of `shape`, with half-axes squared w_i and centre c_i, the nearest and the furthest point are
    c_i m / (m + w_i) and c_i m / (m - w_i), with the m > 0, or m > max w, that puts them on the surface. The
    last axis of `centre` and the last two of `shape` are those of the space; all others are batches.
    """
    squares, axes = np.linalg.eigh(shape)
    squares = np.clip(squares, 0.0, None)
    along = np.abs(np.einsum("...ji,...j->...i", axes, centre))
    reach = np.sqrt((squares * along**2).sum(axis=-1))
    return _least(along, squares, reach), _greatest(along, squares, reach)


def _least(along: Array, squares: Array, reach: Array) -> Array:
    def shrunk(m: Array) -> Array:
        return along / (m[..., None] + squares + 1e-300)

    low, high = np.zeros_like(reach), reach.copy()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        inside = (squares * shrunk(middle) ** 2).sum(axis=-1) > 1
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.asarray(np.sqrt(((high[..., None] * shrunk(high)) ** 2).sum(axis=-1)))


def _greatest(along: Array, squares: Array, reach: Array) -> Array:
    largest = squares[..., -1:]
    # With a centre exactly across the longest axis both of its ends are equally far: any of them will do.
    along = along.copy()
    along[..., -1] = np.maximum(along[..., -1], 1e-9 * np.sqrt(largest[..., 0]))

    def stretched(excess: Array) -> Array:
        return along / np.maximum(largest - squares + excess[..., None], 1e-300)

    # With the centre moved a little the bracket moves as little.
    low, high = np.zeros_like(reach), reach + 1e-8 * largest[..., 0]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        outside = (squares * stretched(middle) ** 2).sum(axis=-1) > 1
        low, high = np.where(outside, middle, low), np.where(outside, high, middle)
    ends = (largest + high[..., None]) * stretched(high)
    flat = largest[..., 0] == 0  # a single point
    return np.asarray(np.where(flat, np.sqrt((along**2).sum(axis=-1)), np.sqrt((ends**2).sum(axis=-1))))


def around_sum(first: Array, second: Array) -> Array:
    """The shape of an ellipsoid around every sum of a point of `first` and one of `second`.

    (1 + s) first + (1 + 1/s) second contains all sums for every s > 0; this s gives the least trace.
    """
    sizes = [np.trace(_centred(shape), axis1=-2, axis2=-1) for shape in (first, second)]
    s = np.sqrt(np.maximum(sizes[1], 1e-300) / np.maximum(sizes[0], 1e-300))[..., None, None]
    return np.asarray((1 + s) * first + (1 + 1 / s) * second)


def _centred(shape: Array) -> Array:
    """`shape` without what is common to all coordinates."""
    rows = shape - shape.mean(axis=-1, keepdims=True)
    return np.asarray(rows - rows.mean(axis=-2, keepdims=True))
