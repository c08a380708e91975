"""Small exposures of users by items, with groups, as the tests of the measures need them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.exposure.evidence import Evidence
from evenhand.exposure.problem.blocks import UserBlocks, assign_blocks
from evenhand.exposure.problem.rows import Rows, dense_rows, listed_rows
from evenhand.exposure.problem.sides import ItemGroups
from evenhand.exposure.problem.targets import Targets, equal_exposure, relevant_pairs

WEIGHTS = 0.8 ** np.arange(60)
BLOCKS = {"overall": 6, "within": 5}


@dataclass(frozen=True)
class World:
    """Top lists of some length, the relevance of some pairs, users in groups, items in overlapping ones."""

    exposure: NDArray[np.float64]
    relevance: NDArray[np.int64]
    user_groups: NDArray[np.int64]
    membership: NDArray[np.int64]

    @property
    def items(self) -> ItemGroups:
        return ItemGroups.of(self.membership)

    @property
    def item_lists(self) -> list[list[int]]:
        return [np.flatnonzero(column).tolist() for column in self.membership.T]

    @property
    def blocks(self) -> UserBlocks:
        return assign_blocks(self.user_groups, seed=3, **BLOCKS)

    def targets(self, users: slice = slice(None), **options) -> Targets:
        pairs = relevant_pairs(self.relevance[users])
        return equal_exposure(*pairs, self.exposure.shape[1], WEIGHTS, **options)

    def dense(self, users: slice = slice(None)) -> Rows:
        return dense_rows(self.exposure[users], self.targets(users))

    def listed(self, users: slice = slice(None)) -> Rows:
        offsets, items, values = relevant_pairs(self.exposure[users])
        return listed_rows(self.exposure.shape[1], offsets, items, values, self.targets(users))

    def evidence(self, kind: str = "dense", step: int | None = None, within: slice = slice(None)) -> Evidence:
        """From rows of this kind, so many users at a time."""
        found = Evidence.empty(self.items, int(self.user_groups.max()) + 1, **BLOCKS)
        chosen = range(len(self.exposure))[within]
        step = step or len(chosen)
        for first in range(chosen.start, chosen.stop, step):
            users = slice(first, min(first + step, chosen.stop))
            found.add(getattr(self, kind)(users), self.user_groups[users], self.blocks[users])
        return found


def make_world(users: int = 40, items: int = 30, length: int = 8, groups: int = 3, seed: int = 0) -> World:
    rng = np.random.default_rng(seed)
    exposure = np.zeros((users, items))
    for row in exposure:
        row[rng.choice(items, length, replace=False)] = WEIGHTS[:length]
    relevance = rng.integers(1, 4, (users, items)) * (rng.random((users, items)) < 0.15)
    relevance[np.arange(users), rng.integers(0, items, users)] = 1
    membership = (rng.random((items, 4)) < 0.3).astype(np.int64)
    membership[np.arange(items), np.arange(items) % 4] = 1
    user_groups = np.concatenate([np.arange(groups), rng.integers(0, groups, users - groups)])
    return World(exposure, relevance, user_groups, membership)
