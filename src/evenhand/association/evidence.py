"""What association measures need of a set of entities: the sum of their unit vectors, and how many they are.

Both add up over parts with different entities, so that a catalogue may be read in pieces, and
`whole == part + part`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Vectors
from evenhand.association.vectors import devices
from evenhand.association.vectors.checks import unit_blocks


@dataclass(frozen=True, eq=False)
class UnitSums:
    """A row for each set of entities: the sum of the members' vectors, each brought to length 1 first."""

    sums: Floats
    counts: Floats

    @classmethod
    def of(cls, vectors: Vectors, membership: NDArray[np.bool_] | None = None) -> UnitSums:
        """Sums over the sets that are the columns of `membership`; over all entities without it."""
        member = np.ones((len(vectors), 1), dtype=bool) if membership is None else membership
        return cls(_sums(vectors, member), member.sum(axis=0).astype(np.float64))

    @staticmethod
    def weighted(vectors: Vectors, weights: Floats) -> Floats:
        """The sum of the unit vectors, each times its weight."""
        return np.asarray(_sums(vectors, weights[:, None])[0])

    def __add__(self, other: UnitSums) -> UnitSums:
        return UnitSums(self.sums + other.sums, self.counts + other.counts)

    @property
    def means(self) -> Floats:
        return self.sums / self.counts[:, None]


def _sums(vectors: Vectors, weights: NDArray[Any]) -> Floats:
    """A row for each column of weights: the sum of the unit vectors, each times its weight."""
    device = devices.current()
    if device is not None:
        return np.asarray(devices.unit_sums(vectors, weights, device))
    total = np.zeros((weights.shape[1], vectors.shape[1]))
    for block, rows in unit_blocks(vectors):
        total += weights[block].T.astype(np.float64) @ rows
    return total
