"""A trained NeuMF, scored with NumPy alone, so that a saved one needs no torch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.recommenders.arrays import finite_array
from evenhand.recommenders.protocol import Embeddings, Recommender, Scores
from evenhand.recommenders.taken.ids import Codes

# The weights by the names that torch gives them in models/neumf.py.
_SHAPES = {
    "users_mf": ("users", "k"),
    "items_mf": ("items", "k"),
    "users_mlp": ("users", "k"),
    "items_mlp": ("items", "k"),
    "bias": ("items",),
    "hidden.0.weight": ("k", "2k"),
    "hidden.0.bias": ("k",),
    "hidden.2.weight": ("k/2", "k"),
    "hidden.2.bias": ("k/2",),
    "out.weight": ("1", "k+k/2"),
    "out.bias": ("1",),
}


class NeuMFScores(Recommender):
    """score = out . [p * q, relu(W2 relu(W1 [p', q'] + b1) + b2)] + bias of the item.

    The first layer acts on user and item apart, so its two halves are computed once for all users and items.
    """

    def __init__(
        self, user_ids: NDArray[Any], item_ids: NDArray[Any], weights: dict[str, NDArray[Any]]
    ) -> None:
        k = np.atleast_2d(weights["users_mf"]).shape[1]
        sizes = {"users": len(user_ids), "items": len(item_ids), "k": k, "2k": 2 * k, "k/2": k // 2, "1": 1}
        sizes["k+k/2"] = k + k // 2
        weights = {
            name: finite_array(name, weights[name], tuple(sizes[side] for side in sides))
            for name, sides in _SHAPES.items()
        }
        self.user_ids, self.item_ids, self.weights = user_ids, item_ids, weights
        first = weights["hidden.0.weight"]
        self._user_half = weights["users_mlp"] @ first[:, :k].T + weights["hidden.0.bias"]
        self._item_half = weights["items_mlp"] @ first[:, k:].T
        self._user_product = weights["users_mf"] * weights["out.weight"][0, :k]
        self._deep = weights["out.weight"][0, k:]
        self._bias = weights["bias"] + weights["out.bias"]

    def _network(self, first: NDArray[Any]) -> NDArray[Any]:
        second = np.maximum(first, 0) @ self.weights["hidden.2.weight"].T + self.weights["hidden.2.bias"]
        return np.maximum(second, 0) @ self._deep

    def score_block(self, users: Codes) -> Scores:
        scores = self._user_product[users] @ self.weights["items_mf"].T + self._bias
        for row, user in enumerate(users):  # one user at a time stays in the cache
            scores[row] += self._network(self._user_half[user] + self._item_half)
        return scores

    def score_pairs(self, user: Codes, item: Codes) -> Scores:
        scores = np.empty(len(user), dtype=np.float32)
        for start in range(0, len(user), 1 << 18):
            u, i = user[start : start + (1 << 18)], item[start : start + (1 << 18)]
            product = np.einsum("ij,ij->i", self._user_product[u], self.weights["items_mf"][i])
            deep = self._network(self._user_half[u] + self._item_half[i])
            scores[start : start + (1 << 18)] = product + deep + self._bias[i]
        return scores

    @property
    def embeddings(self) -> Embeddings:
        """The vectors of the product part; the network's are another pair of spaces."""
        return Embeddings(self.weights["users_mf"], self.weights["items_mf"], shared_space=False)
