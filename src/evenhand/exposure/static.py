"""Exposure of the one ranking by score, the limit of Plackett-Luce as its temperature falls to 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit, prange
from numpy.typing import DTypeLike, NDArray

from evenhand.exposure.browsing import Browsing, browsing_model
from evenhand.exposure.scores import checked_scores, result_type

Floats = NDArray[np.float64]


def static(
    scores: Any,
    patience: float = 0.8,
    discount: str | Sequence[float] | Browsing = "rbp",
    k: int | None = None,
    *,
    dtype: DTypeLike = None,
) -> NDArray[np.floating]:
    """Weight of each item's position when a user's items are ranked by score, best first.

    Items of equal score take their places in random order: each gets the mean weight of the places they share.
    Parameters are those of `plackett_luce`.
    """
    model = browsing_model(discount, patience, k)
    table = checked_scores(scores)
    out = np.empty(table.shape, dtype=result_type(table, dtype))
    _static(table, model.weights(table.shape[1]), out)
    return out


@njit(cache=True, parallel=True)
def _static(scores: Any, weights: Floats, out: Any) -> None:  # pragma: no cover - compiled
    items = len(weights)
    for user in prange(len(scores)):
        row = scores[user]
        order = np.argsort(-row)
        start = 0
        while start < items:
            end = start
            total = 0.0
            while end < items and row[order[end]] == row[order[start]]:
                total += weights[end]
                end += 1
            for place in range(start, end):
                out[user, order[place]] = total / (end - start)
            start = end
