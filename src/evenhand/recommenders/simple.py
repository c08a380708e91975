"""Recommenders without vectors: the same list for all, chance, and sums over what a user took."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.recommenders.ids import Codes
from evenhand.recommenders.protocol import Recommender, Scores


class ItemScores(Recommender):
    """score(u, i) = item_scores[i], whoever asks."""

    def __init__(self, user_ids: NDArray[Any], item_ids: NDArray[Any], item_scores: NDArray[Any]) -> None:
        self.user_ids, self.item_ids = user_ids, item_ids
        self.item_scores = np.asarray(item_scores, dtype=np.float32)

    def score_block(self, users: Codes) -> Scores:
        return np.broadcast_to(self.item_scores, (len(users), len(self.item_scores)))


class RandomScores(Recommender):
    """Uniform scores, the same for a pair whenever it is asked for."""

    def __init__(self, user_ids: NDArray[Any], item_ids: NDArray[Any], seed: int) -> None:
        self.user_ids, self.item_ids, self.seed = user_ids, item_ids, int(seed)

    def score_block(self, users: Codes) -> Scores:
        items = len(self.item_ids)
        return np.stack([np.random.default_rng([self.seed, int(u)]).random(items) for u in users])


class ItemWeights(Recommender):
    """score(u, i) = sum over the items j that u took of weights[j, i]."""

    def __init__(
        self,
        user_ids: NDArray[Any],
        item_ids: NDArray[Any],
        taken: sparse.csr_array,
        weights: NDArray[Any] | sparse.csr_array,
    ) -> None:
        self.user_ids, self.item_ids, self.taken, self.weights = user_ids, item_ids, taken, weights

    def score_block(self, users: Codes) -> Scores:
        scores = self.taken[users] @ self.weights
        return np.asarray(scores.todense() if sparse.issparse(scores) else scores)
