"""Linear maps that take an attribute out of vectors, and what they do to the two sides of a score.

Users become A u + c and items A' v. A score is a product of the two sides, so an item is a weighing of the
coordinates of users: what a map of users leaves of it is A' v, and then

    (A u + c) . A' v = A u . v        since A A = A, and c lies in what A takes away

so the score of an erased pair is that of the erased user with the item as it was, and it does not matter
whether one side was erased or both. A v on the side of items would weigh the coordinates a second time. Of an
orthogonal projection A' = A, and the question does not arise.

c keeps users where they lie on average; its product with an item is the same for all users, and says nothing
about any of them. A' v loses it, so it goes into the bias of the item (`item_terms`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Floats, Ints, Vectors
from evenhand.errors import InputError

# Directions whose share is below this, beside the largest, are rounding and not directions.
ROUNDING = 1e-8
# The same for variances, which are squares.
VARIANCE_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class LinearMap:
    """Users become A u + c, items A' v; `rank` is how many dimensions A takes away."""

    linear: Floats
    offset: Floats
    rank: int

    def users(self, vectors: Vectors) -> Floats:
        return np.asarray(vectors @ self.linear.T + self.offset)

    def items(self, vectors: Vectors) -> Floats:
        return np.asarray(vectors @ self.linear)

    def item_terms(self, vectors: Vectors) -> Floats:
        """What each item is for all users alike, by where users lie on average along what was taken away."""
        return np.asarray(vectors @ self.offset)


def projection(basis: Floats) -> LinearMap:
    """I - B B' of an orthonormal basis B (a column each) of what is removed."""
    dimensions, rank = basis.shape
    refuse_nothing_left(rank, dimensions)
    return LinearMap(np.eye(dimensions) - basis @ basis.T, np.zeros(dimensions), rank)


def leace(vectors: Vectors, codes: Ints) -> LinearMap:
    """The affine map after which no linear classifier of the attribute does better than a constant.

    Of all maps that do so on these vectors, it changes them least in the mean square, whatever the inner
    product (Belrose and others 2023, Theorem 4.3):

        A = I - W+ P W      c = (I - A) mean      W = Cov(X)^(-1/2)

    where P projects onto the columns of W Cov(X, Z), and Z is a column of 0 and 1 for each value.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    mean = rows.mean(axis=0)
    centred = rows - mean
    marks = (codes[:, None] == np.arange(codes.max() + 1)).astype(np.float64)
    values, axes = np.linalg.eigh(centred.T @ centred / len(rows))
    kept = values > VARIANCE_ROUNDING * max(values.max(), np.finfo(float).tiny)
    root = np.sqrt(values[kept])
    whiten, colour = axes[:, kept] / root, axes[:, kept] * root  # W = whiten axes', W+ = colour axes'
    shared = whiten.T @ (centred.T @ (marks - marks.mean(axis=0)) / len(rows))
    left, sizes, _ = np.linalg.svd(shared, full_matrices=False)
    found = left[:, sizes > ROUNDING]
    rank = found.shape[1]
    refuse_nothing_left(rank, rows.shape[1])
    taken = (colour @ found) @ (whiten @ found).T
    return LinearMap(np.eye(rows.shape[1]) - taken, taken @ mean, rank)


def extended(basis: Floats, directions: Floats, most: int) -> Floats:
    """The orthonormal basis with what `directions` (a row each) add to it, at most `most` columns more.

    Directions are made orthogonal to the basis twice, since once is not enough in finite precision, and no
    projection is ever multiplied with another: errors do not pile up over rounds.
    """
    rows = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), np.finfo(float).tiny)
    for _ in range(2):
        rows = rows - (rows @ basis) @ basis.T
    _, sizes, axes = np.linalg.svd(rows, full_matrices=False)
    new = axes[sizes > ROUNDING][:most].T
    new = new - basis @ (basis.T @ new)
    return np.concatenate([basis, new / np.linalg.norm(new, axis=0)], axis=1)


def no_basis(dimensions: int) -> Floats:
    return np.zeros((dimensions, 0))


def refuse_nothing_left(rank: int, dimensions: int) -> None:
    if rank >= dimensions:
        raise InputError(
            f"taking the attribute out would remove {rank} of {dimensions} dimensions, and leave nothing; "
            "use vectors of more dimensions, or join values of the attribute."
        )
