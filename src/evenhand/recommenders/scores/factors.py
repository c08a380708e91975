"""Recommenders whose score is a product of vectors: the end of most training, and an adapter for arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.recommenders.arrays import finite_array, numbers
from evenhand.recommenders.protocol import Embeddings, Recommender, Scores
from evenhand.recommenders.taken.ids import Codes, sorted_ids


class Factors(Recommender):
    """score(u, i) = user_vectors[u] . item_vectors[i] + item_bias[i] + user_bias[u].

    The last changes no ranking, but it does change scores that are read as logits.
    """

    def __init__(
        self,
        user_ids: NDArray[Any],
        item_ids: NDArray[Any],
        user_vectors: NDArray[Any],
        item_vectors: NDArray[Any],
        item_bias: NDArray[Any] | None = None,
        user_bias: NDArray[Any] | None = None,
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
        self.item_bias = _bias(item_bias, "item", len(self.item_ids))[order_items]
        self.user_bias = _bias(user_bias, "user", len(self.user_ids))[order_users]

    def score_block(self, users: Codes) -> Scores:
        scores = self.user_vectors[users] @ self.item_vectors.T
        scores += self.item_bias
        scores += self.user_bias[users][:, None]
        return scores

    def score_pairs(self, user: Codes, item: Codes) -> Scores:
        scores = np.empty(len(user), dtype=np.float32)
        for start in range(0, len(user), 1 << 20):  # a million pairs at a time
            u, i = user[start : start + (1 << 20)], item[start : start + (1 << 20)]
            products = np.einsum("ij,ij->i", self.user_vectors[u], self.item_vectors[i])
            scores[start : start + (1 << 20)] = products + self.item_bias[i] + self.user_bias[u]
        return scores

    @property
    def embeddings(self) -> Embeddings:
        return Embeddings(self.user_vectors, self.item_vectors, shared_space=True)


def _vectors(vectors: NDArray[Any], what: str, count: int) -> NDArray[np.float32]:
    vectors = numbers(f"{what} vectors", vectors)
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


def _bias(bias: NDArray[Any] | None, what: str, count: int) -> NDArray[np.float32]:
    if bias is None:
        return np.zeros(count, dtype=np.float32)
    return finite_array(f"{what}_bias", bias, (count,))
