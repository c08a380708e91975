"""Exposure of the one ranking by score, the limit of Plackett-Luce as its temperature falls to 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import DTypeLike, NDArray

from evenhand.arrays import Floats
from evenhand.compiled import njit
from evenhand.exposure.problem.scores import checked_scores, result_type
from evenhand.exposure.rankings.browsing import Browsing, browsing_model

BLOCK = 256  # users whose order is held at a time


def static(
    scores: Any,
    patience: float = 0.8,
    discount: str | Sequence[float] | Browsing = "rbp",
    k: int | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> NDArray[np.floating]:
    """Weight of each item's position when a user's items are ranked by score, best first.

    Items of equal score take their places in random order: each gets the mean weight of the places they
    share. Parameters are those of `plackett_luce`.
    """
    model = browsing_model(discount, patience, k)
    table = checked_scores(scores)
    out = np.empty(table.shape, dtype=result_type(table, dtype))
    weights = model.weights(table.shape[1])
    for start in range(0, len(table), BLOCK):
        block = slice(start, start + BLOCK)
        _share(table[block], np.argsort(-table[block], axis=1), weights, out[block])
    return out


@njit(parallel=True)
def _share(
    scores: Any, order: NDArray[np.intp], weights: Floats, out: Any
) -> None:  # pragma: no cover - compiled
    """Runs of equal scores share the weights of their places."""
    users, items = order.shape
    for user in prange(users):
        start = 0
        while start < items:
            score = scores[user, order[user, start]]
            total = 0.0
            end = start
            while end < items and scores[user, order[user, end]] == score:
                total += weights[end]
                end += 1
            for place in range(start, end):
                out[user, order[user, place]] = total / (end - start)
            start = end
