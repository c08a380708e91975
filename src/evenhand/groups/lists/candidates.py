"""Candidate lists: what could be recommended to each user, in the order of the recommender."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit


class CandidateLists(NamedTuple):
    """The candidates of every user, user after user, each list from the highest score to the lowest.

    The list of user u is at `offsets[u]` to `offsets[u + 1]`; it may be empty. `item` is a code of the item,
    and `label` is 1 where the user liked it. Items of equal score are in the order of their codes, which
    means nothing but that equal lists are equal to the last digit: whoever reads a list takes them as a
    block, and the metrics take the expectation over all orders of the block.
    """

    offsets: Ints
    score: Floats
    label: NDArray[np.uint8]
    item: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        user: NDArray[np.integer],
        score: NDArray[np.floating],
        label: NDArray[np.generic],
        item: NDArray[np.integer] | None = None,
        *,
        user_count: int,
    ) -> CandidateLists:
        """Lists from one row a candidate, in any order; `user` counts from 0."""
        offsets = np.zeros(user_count + 1, dtype=np.int64)
        np.cumsum(np.bincount(user, minlength=user_count), out=offsets[1:])
        rows = np.arange(len(user)) if _ascends(user) else np.argsort(user, kind="stable")
        scores = np.asarray(score, dtype=np.float64)
        items = np.zeros(len(user), np.int32) if item is None else np.asarray(item, dtype=np.int32)
        _sort_lists(rows, offsets, scores, items)
        return cls(offsets, scores[rows], np.asarray(label)[rows].astype(np.uint8), items[rows])

    @property
    def user_count(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Ints:
        return np.diff(self.offsets)


def _ascends(values: NDArray[np.integer]) -> bool:
    return bool(np.all(values[1:] >= values[:-1]))


@njit(parallel=True)
def _sort_lists(
    rows: Ints, offsets: Ints, score: Floats, item: NDArray[np.int32]
) -> None:  # pragma: no cover - compiled
    """Order `rows` within every list by falling score, and by item where scores are equal, in place."""
    for u in prange(len(offsets) - 1):
        mine = rows[offsets[u] : offsets[u + 1]]
        mine = mine[np.argsort(-score[mine])]
        first = 0
        for place in range(1, len(mine) + 1):
            if place == len(mine) or score[mine[place]] != score[mine[first]]:
                if place - first > 1:
                    tied = mine[first:place].copy()
                    mine[first:place] = tied[np.argsort(item[tied])]
                first = place
        rows[offsets[u] : offsets[u + 1]] = mine
