"""What can be audited: anything that scores pairs of users and items.

A recommender knows its users and items by their original ids and scores blocks of users against all items.
Everything else follows from that: scores of pairs, rankings, and draws from a stochastic policy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.parameters import number, whole
from evenhand.recommenders.taken.ids import Codes, codes_of, id_list

Scores = NDArray[np.floating[Any]]

# Users scored at a time: small enough for the cache and the memory, large enough for the matrix product.
BLOCK = 512


@dataclass(frozen=True)
class Embeddings:
    """Vectors of users and items, row by row as the recommender's ids.

    `shared_space`: users and items live in one space, and the score is their product (up to terms of the
    user alone and of the item alone). Only then can a direction among users be looked for among items.
    """

    users: NDArray[np.float32]
    items: NDArray[np.float32]
    shared_space: bool


class Recommender(ABC):
    """The base of all recommenders; a subclass gives ids and `score_block`."""

    user_ids: NDArray[Any]
    item_ids: NDArray[Any]
    # What the recommender learnt from (users x items), where that is known; a list usually leaves it out.
    history: sparse.csr_array | None = None

    @abstractmethod
    def score_block(self, users: Codes) -> Scores:
        """(len(users), items) scores of these users, given as codes, for all items."""

    @property
    def embeddings(self) -> Embeddings | None:
        """Vectors, where the recommender has them."""
        return None

    def score(self, users: Any, items: Any) -> Scores:
        """One score a pair of original ids."""
        users, items = id_list(users, "user"), id_list(items, "item")
        if len(users) != len(items):
            raise InputError(
                f"users and items must be two lists of equal length, one pair a place; they have "
                f"{users.size:,} and {items.size:,} entries."
            )
        user = codes_of(users, self.user_ids, "user")
        item = codes_of(items, self.item_ids, "item")
        return self.score_pairs(user, item)

    def score_pairs(self, user: Codes, item: Codes) -> Scores:
        """One score a pair of codes; models that need not score all items of a user override it."""
        scores = np.empty(len(user), dtype=np.float32)
        distinct, place = np.unique(user, return_inverse=True)
        order = np.argsort(place, kind="stable")
        for block, rows in self._blocks(distinct):
            within = order[
                np.searchsorted(place[order], block.start) : np.searchsorted(place[order], block.stop)
            ]
            scores[within] = rows[place[within] - block.start, item[within]]
        return scores

    def _blocks(self, users: Codes) -> Iterator[tuple[slice, Scores]]:
        for start in range(0, len(users), BLOCK):
            block = slice(start, min(start + BLOCK, len(users)))
            yield block, self.score_block(users[block])

    def top(self, users: Codes, k: int, exclude: sparse.csr_array | None = None) -> tuple[Codes, Scores]:
        """The k best items of these users (codes) and their scores, best first, ties by the item's place.

        `exclude` (users x items, all users) marks what must not be recommended. A user with fewer than k
        items left has -1 and minus infinity at the end.
        """
        return self._top(users, min(whole("k", k), len(self.item_ids)), self._excluded(exclude))

    def _top(self, users: Codes, k: int, exclude: sparse.csr_array | None) -> tuple[Codes, Scores]:
        """As `top`, of arguments that are checked; models that need not score all items override it."""
        items = np.empty((len(users), k), dtype=np.int64)
        best = np.empty((len(users), k), dtype=np.float64)
        for block, scores in self._blocks(users):
            # In the precision they come in: large scores, and noise on them, would be lost in 32 bits.
            scores = np.array(scores, dtype=np.result_type(scores, np.float32))
            if exclude is not None:
                seen = exclude[users[block]]
                scores[np.repeat(np.arange(len(scores)), np.diff(seen.indptr)), seen.indices] = -np.inf
            items[block], best[block] = largest(scores, k)
        items[np.isneginf(best)] = -1
        return items, best

    def _excluded(self, exclude: Any) -> sparse.csr_array | None:
        if exclude is None:
            return None
        shape = (len(self.user_ids), len(self.item_ids))
        if getattr(exclude, "shape", None) != shape:
            raise InputError(
                f"exclude must have a row for all {shape[0]:,} users and a column for all {shape[1]:,} items."
            )
        return sparse.csr_array(exclude)

    def rank(self, users: Any = None, k: int = 10, exclude: sparse.csr_array | None = None) -> pd.DataFrame:
        """The k best items of each user (all by default) as a table: user_id, rank, item_id, score."""
        chosen = self.user_ids if users is None else id_list(users, "user")
        items, scores = self.top(codes_of(chosen, self.user_ids, "user"), k, exclude)
        return self._table(chosen, items, scores)

    def sample(
        self, users: Any, k: int, rng: np.random.Generator, beta: float = 1.0,
        exclude: sparse.csr_array | None = None,
    ) -> pd.DataFrame:  # fmt: skip
        """One draw of a list of k items a user from the Plackett-Luce policy with weights exp(score/beta).

        Adding independent Gumbel noise to score/beta and taking the best k is such a draw.
        """
        if not isinstance(rng, np.random.Generator):
            raise InputError(f"rng is a {type(rng).__name__}, but must be such as np.random.default_rng(0).")
        users = id_list(users, "user")
        noisy = _Noisy(self, number("beta", beta, above=True), rng)
        items, keys = noisy.top(codes_of(users, self.user_ids, "user"), k, exclude)
        return self._table(users, items, keys).drop(columns="score")

    def _table(self, users: NDArray[Any], items: Codes, scores: Scores) -> pd.DataFrame:
        k = items.shape[1]
        table = pd.DataFrame(
            {
                "user_id": np.repeat(users, k),
                "rank": np.tile(np.arange(1, k + 1), len(users)),
                "item_id": self.item_ids[items.ravel()],
                "score": scores.ravel(),
            }
        )
        return table[items.ravel() >= 0].reset_index(drop=True)


class _Noisy(Recommender):
    """A recommender with Gumbel noise on its scores, drawn anew for every block."""

    def __init__(self, base: Recommender, beta: float, rng: np.random.Generator) -> None:
        self.base, self.beta, self.rng = base, beta, rng
        self.user_ids, self.item_ids = base.user_ids, base.item_ids

    def score_block(self, users: Codes) -> Scores:
        scores = np.asarray(self.base.score_block(users), dtype=np.float64)
        # The best at 0: a policy does not change when all scores move together, and a small beta overflows.
        best = scores.max(axis=1, keepdims=True)
        with np.errstate(over="ignore"):
            weights = (scores - np.where(np.isneginf(best), 0, best)) / self.beta
        # What the model does not list (minus infinity) is not drawn either.
        weights = np.where(np.isneginf(scores), -np.inf, np.maximum(weights, -1e300))
        return weights + self.rng.gumbel(size=scores.shape)


def largest(scores: Scores, k: int) -> tuple[Codes, Scores]:
    """Places and values of the k largest of each row, largest first."""
    if k < scores.shape[1]:
        chosen = np.argpartition(scores, scores.shape[1] - k, axis=1)[:, -k:]
        chosen.sort(axis=1)
        # A partition picks any of those tied at its edge; the few rows with such a tie are sorted in full.
        edge = np.take_along_axis(scores, chosen, axis=1).min(axis=1)
        tied = ((scores == edge[:, None]).sum(axis=1) > 1) & np.isfinite(edge)
        chosen[tied] = np.sort(np.argsort(-scores[tied], axis=1, kind="stable")[:, :k], axis=1)
    else:
        chosen = np.broadcast_to(np.arange(k), scores.shape)
    values = np.take_along_axis(scores, chosen, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1), np.take_along_axis(values, order, axis=1)
