"""Where entities lie along a direction that others made: enough for a picture, and about no single entity."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.pictures import Share, Shares

# Standard deviations from the mean; what lies beyond is counted at the ends.
EDGES = np.linspace(-4, 4, 33)


class Profile:
    """How often entities of each category were held out at which place, over all splits.

    Places are in standard deviations of all who were held out together, from their mean: the directions of
    different splits do not cut the cloud of entities at the same place, and so the distance between the means
    of two categories is their separation.
    """

    def __init__(self, categories: int) -> None:
        self.counts = np.zeros((categories, len(EDGES) - 1))

    def add(self, along: Floats, codes: Ints) -> None:
        spread = float(np.std(along))
        if spread <= 0:
            return
        places = np.clip((along - along.mean()) / spread, EDGES[0], EDGES[-1])
        for code, row in enumerate(self.counts):
            row += np.histogram(places[codes == code], EDGES)[0]

    def shares(self, names: tuple[str, ...], codes: Ints) -> Shares:
        """The share of each category in each place, beside how many entities it is about."""
        shares = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        return Shares(
            edges=tuple(EDGES.tolist()),
            groups=tuple(
                Share(group=name, users=int(users), shares=tuple(row.round(6).tolist()))
                for name, users, row in zip(names, np.bincount(codes), shares, strict=True)
            ),
        )
