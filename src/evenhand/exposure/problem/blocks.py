"""Blocks of users, whose differences show how much an estimate would vary with other users.

Every user is in two blocks: one of all users, for what averages over everybody, and one of the user's own
group, for what averages over a group. They differ, since blocks that share out each group evenly would hide
that the mix of groups is chance too. Users are shuffled first: their order may mean something. Blocks belong
to users, so a part of the users has the same blocks as in the whole, and evidence of parts adds up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Ints
from evenhand.parameters import whole

Codes = NDArray[np.int16]


@dataclass(frozen=True)
class UserBlocks:
    """The block of each user, of `overall` among everybody and of `within` in the user's group."""

    of_all: Codes
    of_group: Codes
    overall: int
    within: int

    def __getitem__(self, users: slice | NDArray[np.generic]) -> UserBlocks:
        return UserBlocks(self.of_all[users], self.of_group[users], self.overall, self.within)


def assign_blocks(user_groups: Ints, overall: int = 50, within: int = 20, seed: int = 0) -> UserBlocks:
    """At most this many blocks, of equal sizes: 70 users make 35 blocks of 2, not 50 of 1 or 2."""
    whole("overall", overall, 4, 1000)
    whole("within", within, 4, 1000)
    order = np.random.default_rng(seed).permutation(len(user_groups))
    by_group = order[np.argsort(np.asarray(user_groups)[order], kind="stable")]
    of_all, of_group = np.empty(len(order), dtype=np.int16), np.empty(len(order), dtype=np.int16)
    of_all[order] = _even(len(order), overall)
    of_group[by_group] = np.concatenate(
        [_even(int(size), within) for size in np.bincount(user_groups)] or [np.empty(0, dtype=np.int16)]
    )
    return UserBlocks(of_all, of_group, overall, within)


def _even(user_count: int, most: int) -> Codes:
    size = max(1, -(-user_count // most))
    return (np.arange(user_count) % max(1, -(-user_count // size))).astype(np.int16)
