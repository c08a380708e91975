"""What a group audit needs to know: how many users are in each cell, and their metric's mean and spread.

Users are shuffled over cells and split in halves, so values stay a row a user; only cells of one table are
ever joined, to groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.groups.cells import Cells, Groups


@dataclass(frozen=True)
class Moments:
    """Number, mean and sum of squared deviations from the mean, of one value or of an array of cells."""

    n: Ints
    mean: Floats
    squares: Floats

    @property
    def variance(self) -> Floats:
        """Of the values, unbiased; NaN for fewer than two."""
        return np.divide(self.squares, self.n - 1, out=np.full(np.shape(self.n), np.nan), where=self.n > 1)

    def select(self, chosen: NDArray[np.generic]) -> Moments:
        return Moments(self.n[chosen], self.mean[chosen], self.squares[chosen])


def cell_moments(cells: Cells, values: Floats, among: NDArray[np.generic] | None = None) -> Moments:
    """Of the users in each cell, or of some of them."""
    of_user = cells.of_user if among is None else cells.of_user[among]
    values = values if among is None else values[among]
    n = np.bincount(of_user, minlength=len(cells))
    sums = np.bincount(of_user, weights=values, minlength=len(cells))
    mean = np.divide(sums, n, out=np.zeros(len(cells)), where=n > 0)
    squares = np.bincount(of_user, weights=(values - mean[of_user]) ** 2, minlength=len(cells))
    return Moments(n, mean, squares.astype(float))


def group_moments(groups: Groups, cells: Moments) -> Moments:
    """Of groups, each a union of cells."""
    group = np.repeat(np.arange(len(groups)), np.diff(groups.offsets))
    part = cells.select(groups.cells)
    n = np.bincount(group, weights=part.n, minlength=len(groups)).astype(np.int64)
    sums = np.bincount(group, weights=part.n * part.mean, minlength=len(groups))
    mean = np.divide(sums, n, out=np.zeros(len(groups)), where=n > 0)
    between = part.n * (part.mean - mean[group]) ** 2
    squares = np.bincount(group, weights=part.squares + between, minlength=len(groups))
    return Moments(n, mean, squares.astype(float))
