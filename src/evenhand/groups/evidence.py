"""What a group audit needs to know: how many users are in each cell, and their metric's mean and spread.

Parts with disjoint users (files, machines) merge by `+`. Users who recur, as they do from day to day, must
be averaged first, a value for each user, or they count as several people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.groups.cells import Cells, Groups


@dataclass(frozen=True)
class Moments:
    """Number, mean and sum of squared deviations from the mean, of one value or of an array of cells."""

    n: Ints
    mean: Floats
    squares: Floats

    def __add__(self, other: Moments) -> Moments:
        """Chan, Golub and LeVeque's pairwise update, which does not cancel."""
        n = self.n + other.n
        share = np.divide(other.n, n, out=np.zeros(np.shape(n)), where=n > 0)
        step = other.mean - self.mean
        return Moments(n, self.mean + step * share, self.squares + other.squares + step**2 * self.n * share)

    @property
    def variance(self) -> Floats:
        """Of the values, unbiased; NaN for fewer than two."""
        return np.divide(self.squares, self.n - 1, out=np.full(np.shape(self.n), np.nan), where=self.n > 1)

    def select(self, chosen: NDArray[np.generic]) -> Moments:
        return Moments(self.n[chosen], self.mean[chosen], self.squares[chosen])


@dataclass(frozen=True)
class Evidence:
    """Moments of a metric by cell, a cell being a combination of the attributes' values in words."""

    attributes: tuple[str, ...]
    cells: Mapping[tuple[str, ...], Moments] = field(default_factory=dict)

    @classmethod
    def of(cls, cells: Cells, values: Floats) -> Evidence:
        found = cell_moments(cells, values)
        words = [
            tuple(names[code] for names, code in zip(cells.values, row, strict=True)) for row in cells.codes
        ]
        return cls(cells.attributes, {word: found.select(np.array(i)) for i, word in enumerate(words)})

    def __add__(self, other: Evidence) -> Evidence:
        if self.attributes != other.attributes:
            raise InputError(
                f"Evidence by {', '.join(self.attributes)} cannot be merged with evidence by "
                f"{', '.join(other.attributes)}."
            )
        merged = dict(self.cells)
        for words, moments in other.cells.items():
            merged[words] = merged[words] + moments if words in merged else moments
        return Evidence(self.attributes, merged)


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
