"""Recommenders whose score is a product of vectors: the end of most training, and an adapter for arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.recommenders.ids import Codes, sorted_ids
from evenhand.recommenders.protocol import Embeddings, Recommender, Scores


class Factors(Recommender):
    """score(u, i) = user_vectors[u] . item_vectors[i] + item_bias[i]."""

    def __init__(
        self,
        user_ids: NDArray[Any],
        item_ids: NDArray[Any],
        user_vectors: NDArray[Any],
        item_vectors: NDArray[Any],
        item_bias: NDArray[Any] | None = None,
    ) -> None:
        self.user_ids, order_users = sorted_ids(user_ids, "user")
        self.item_ids, order_items = sorted_ids(item_ids, "item")
        self.user_vectors = _vectors(user_vectors, "user", len(self.user_ids))[order_users]
        self.item_vectors = _vectors(item_vectors, "item", len(self.item_ids))[order_items]
        if self.user_vectors.shape[1] != self.item_vectors.shape[1]:
            raise InputError(
                f"user vectors have {self.user_vectors.shape[1]} dimensions but item vectors have "
                f"{self.item_vectors.shape[1]}: they must share one space."
            )
        bias = np.zeros(len(self.item_ids)) if item_bias is None else np.asarray(item_bias)
        if bias.shape != self.item_ids.shape or not np.isfinite(bias).all():
            raise InputError(f"item_bias must be one finite number for each of {len(self.item_ids):,} items.")
        self.item_bias = bias.astype(np.float32)[order_items]

    def score_block(self, users: Codes) -> Scores:
        return self.user_vectors[users] @ self.item_vectors.T + self.item_bias

    def score_pairs(self, user: Codes, item: Codes) -> Scores:
        scores = np.empty(len(user), dtype=np.float32)
        for start in range(0, len(user), 1 << 20):  # a million pairs at a time
            u, i = user[start : start + (1 << 20)], item[start : start + (1 << 20)]
            products = np.einsum("ij,ij->i", self.user_vectors[u], self.item_vectors[i])
            scores[start : start + (1 << 20)] = products + self.item_bias[i]
        return scores

    @property
    def embeddings(self) -> Embeddings:
        return Embeddings(self.user_vectors, self.item_vectors, shared_space=True)


def _vectors(vectors: NDArray[Any], what: str, count: int) -> NDArray[np.float32]:
    vectors = np.asarray(vectors, dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != count:
        raise InputError(
            f"{what} vectors have the shape {vectors.shape}, but there are {count:,} {what} ids."
        )
    wrong = ~np.isfinite(vectors).all(axis=1)
    if wrong.any():
        raise InputError(
            f"{wrong.sum():,} of {count:,} {what} vectors are not finite, the first in row {wrong.argmax()}."
        )
    return vectors
