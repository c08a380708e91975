"""Recommenders without vectors: the same for all, chance, sums over what a user, or neighbours, took."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.parameters import LARGEST_SEED, whole
from evenhand.recommenders.arrays import finite_array
from evenhand.recommenders.protocol import Recommender, Scores
from evenhand.recommenders.taken.ids import Codes


class ItemScores(Recommender):
    """score(u, i) = item_scores[i], whoever asks."""

    def __init__(self, user_ids: NDArray[Any], item_ids: NDArray[Any], item_scores: NDArray[Any]) -> None:
        self.user_ids, self.item_ids = user_ids, item_ids
        self.item_scores = finite_array("item_scores", item_scores, (len(item_ids),))

    def score_block(self, users: Codes) -> Scores:
        return np.broadcast_to(self.item_scores, (len(users), len(self.item_scores)))


class RandomScores(Recommender):
    """Uniform scores, the same for a pair whenever it is asked for."""

    def __init__(self, user_ids: NDArray[Any], item_ids: NDArray[Any], seed: int) -> None:
        self.user_ids, self.item_ids = user_ids, item_ids
        self.seed = whole("seed", seed, 0, LARGEST_SEED)

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
        users, items = len(user_ids), len(item_ids)
        _refuse_odd("taken", taken, (users, items))
        _refuse_odd("weights", weights, (items, items))

    def score_block(self, users: Codes) -> Scores:
        scores = self.taken[users] @ self.weights
        return np.asarray(scores.todense() if sparse.issparse(scores) else scores)


class UserWeights(Recommender):
    """score(u, i) = sum over the users v who took i of weights[u, v]."""

    def __init__(
        self,
        user_ids: NDArray[Any],
        item_ids: NDArray[Any],
        taken: sparse.csr_array,
        weights: sparse.csr_array,
    ) -> None:
        self.user_ids, self.item_ids, self.taken, self.weights = user_ids, item_ids, taken, weights
        users, items = len(user_ids), len(item_ids)
        _refuse_odd("taken", taken, (users, items))
        _refuse_odd("weights", weights, (users, users))

    def score_block(self, users: Codes) -> Scores:
        return (self.weights[users] @ self.taken).toarray()


def _refuse_odd(name: str, part: NDArray[Any] | sparse.csr_array, shape: tuple[int, int]) -> None:
    if part.shape != shape:
        raise InputError(f"{name} has the shape {part.shape}, but must have {shape}.")
    values = part.data if sparse.issparse(part) else part
    finite_array(name, values, values.shape)
