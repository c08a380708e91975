"""How long the vectors of an ellipsoid can be, for many ellipsoids at once."""

from __future__ import annotations

import numpy as np

from evenhand.stats.normal import Array

# Halvings of the bracket of a root: to 1e-14 of its width.
_HALVINGS = 46
# In the place of 0 under a fraction; its square is still a number.
_TINY = 1e-150


def lengths(centre: Array, shape: Array) -> tuple[Array, Array]:
    """The least and the greatest Euclidean length in {centre + shape^(1/2) z : |z| <= 1}.

    In the axes of `shape`, with half-axes squared w_i and centre c_i, the nearest and the furthest point are
    c_i m / (m + w_i) and c_i m / (m - w_i), with the m > 0, or m > max w, that puts them on the surface. The
    last axis of `centre` and the last two of `shape` are those of the space; all others are batches.
    """
    along, squares = _in_axes(centre, shape)
    return _least(along, squares), _greatest(along, squares)


def least_length(centre: Array, shape: Array) -> Array:
    """The first of `lengths` alone."""
    return _least(*_in_axes(centre, shape))


def _in_axes(centre: Array, shape: Array) -> tuple[Array, Array]:
    squares, axes = np.linalg.eigh(shape)
    return np.abs(np.einsum("...ji,...j->...i", axes, centre)), np.clip(squares, 0.0, None)


def _least(along: Array, squares: Array) -> Array:
    reach = np.sqrt((squares * along**2).sum(axis=-1))

    def shrunk(m: Array) -> Array:
        return along / np.maximum(m[..., None] + squares, _TINY)

    low, high = np.zeros_like(reach), reach.copy()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        inside = (squares * shrunk(middle) ** 2).sum(axis=-1) > 1
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    nearest = np.where(squares > 0, high[..., None] * shrunk(high), along)
    return np.asarray(np.sqrt((nearest**2).sum(axis=-1)))


def _greatest(along: Array, squares: Array) -> Array:
    largest = squares[..., -1:]
    # With a centre exactly across the longest axis both of its ends are equally far: any of them will do.
    along = along.copy()
    along[..., -1] = np.maximum(along[..., -1], 1e-7 * np.sqrt(largest[..., 0]))

    def stretched(excess: Array) -> Array:
        return along / np.maximum(largest - squares + excess[..., None], _TINY)

    high = np.sqrt((squares * along**2).sum(axis=-1))
    low = np.zeros_like(high)
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
    s = np.sqrt(np.maximum(sizes[1], _TINY) / np.maximum(sizes[0], _TINY))[..., None, None]
    return np.asarray((1 + s) * first + (1 + 1 / s) * second)


def _centred(shape: Array) -> Array:
    """`shape` without what is common to all coordinates."""
    rows = shape - shape.mean(axis=-1, keepdims=True)
    return np.asarray(rows - rows.mean(axis=-2, keepdims=True))
