"""What all click models share when they score: vectors of fields, layers, and the order of the work.

The first layer acts on the fields of the user and of the item apart, so each half is computed once for all
users and items; what is left for a pair begins at their sum.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.recommenders.arrays import finite_array
from evenhand.recommenders.protocol import Embeddings, Recommender, Scores
from evenhand.recommenders.taken.features import NOTHING, Features, Field
from evenhand.recommenders.taken.ids import Codes

Array = NDArray[np.float32]
# What is known of each user, or of each item, before they meet: arrays with a row for each.
Half = tuple[Array, ...]


class ClickScores(Recommender):
    """The base: a click model is the halves of user and item, and what becomes of a pair of them.

    `architecture` says how the layers are wide and which fields there are; `weights` are by the names that
    torch gives them in models/.
    """

    # Pairs at a time: what is made of them stays in the cache.
    _at_a_time = 4096
    # Whether the layers end in a score of their own, or in something that is put beside other parts.
    _deep_answers = True

    def __init__(
        self,
        user_ids: NDArray[Any],
        item_ids: NDArray[Any],
        features: Features,
        architecture: dict[str, Any],
        weights: dict[str, NDArray[Any]],
    ) -> None:
        self.user_ids, self.item_ids = user_ids, item_ids
        self.features, self.architecture = features, architecture
        self.factors, self.layers = int(architecture["factors"]), [int(n) for n in architecture["layers"]]
        shapes = self._shapes()
        self.weights = {name: finite_array(name, weights[name], shape) for name, shape in shapes.items()}
        self._user_half, self._item_half = (self._half(of) for of in ("user", "item"))

    @abstractmethod
    def _half(self, of: str) -> Half:
        """What depends on the user alone, or on the item alone."""

    @abstractmethod
    def _meet(self, user: Half, item: Half) -> Array:
        """One score a pair, of rows of the halves that belong together."""

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """The weights of vectors and layers; a model adds its own."""
        wide = [self._inputs(), *self.layers, *([1] if self._deep_answers else [])]
        shapes: dict[str, tuple[int, ...]] = {"vectors": (self.features.size, self.factors)}
        for place, (before, after) in enumerate(pairwise(wide)):
            shapes[f"deep.{2 * place}.weight"] = (after, before)
            shapes[f"deep.{2 * place}.bias"] = (after,)
        return shapes

    def _inputs(self) -> int:
        """The width of what enters the layers."""
        return len(self.features.fields) * self.factors

    def _fields(self, of: str) -> list[tuple[Field, int]]:
        """The fields of this side, each with the place at which its codes begin."""
        placed = zip(self.features.fields, self.features.starts, strict=True)
        return [(field, start) for field, start in placed if field.of == of]

    def _looked_up(self, of: str, table: Array) -> Array:
        """(users or items, fields, width): the mean of the rows of `table` that a field has."""
        return np.stack([_means(field, start, table) for field, start in self._fields(of)], axis=1)

    def _first(self, of: str, vectors: Array) -> Array:
        """The half of the first layer that belongs to this side; the user's has the layer's bias."""
        weight, flat = self.weights["deep.0.weight"], vectors.reshape(len(vectors), -1)
        start = 0 if of == "user" else len(self.features.users) * self.factors
        half = flat @ weight[:, start : start + flat.shape[1]].T
        return half + self.weights["deep.0.bias"] if of == "user" else half

    def _deep(self, hidden: Array) -> Array:
        """What the layers make of the first one's sums, which are overwritten."""
        place = 2
        np.maximum(hidden, 0, out=hidden)
        while f"deep.{place}.weight" in self.weights:
            hidden = hidden @ self.weights[f"deep.{place}.weight"].T
            hidden += self.weights[f"deep.{place}.bias"]
            if hidden.shape[1] > 1:
                np.maximum(hidden, 0, out=hidden)
            place += 2
        return hidden

    def score_block(self, users: Codes) -> Scores:
        scores = np.empty((len(users), len(self.item_ids)), dtype=np.float32)
        for start in range(0, len(self.item_ids), self._at_a_time):
            items = slice(start, start + self._at_a_time)
            half = tuple(part[items] for part in self._item_half)
            for row, user in enumerate(users):  # one user at a time stays in the cache
                scores[row, items] = self._meet(
                    tuple(part[user : user + 1] for part in self._user_half), half
                )
        return scores

    def score_pairs(self, user: Codes, item: Codes) -> Scores:
        scores = np.empty(len(user), dtype=np.float32)
        for start in range(0, len(user), self._at_a_time):
            pairs = slice(start, start + self._at_a_time)
            scores[pairs] = self._meet(
                tuple(part[user[pairs]] for part in self._user_half),
                tuple(part[item[pairs]] for part in self._item_half),
            )
        return scores

    @property
    def embeddings(self) -> Embeddings:
        """The vectors of the ids; attributes have others, and layers lie between them and the score."""
        (user, at_user), (item, at_item) = self._fields("user")[0], self._fields("item")[0]
        vectors = self.weights["vectors"]
        return Embeddings(
            vectors[at_user : at_user + user.size], vectors[at_item : at_item + item.size], shared_space=False
        )


def _means(field: Field, start: int, table: Array) -> Array:
    if not field.several:
        return table[start + field.codes[:, 0]]
    there = field.codes != NOTHING
    rows = table[start + np.where(there, field.codes, 0)] * there[:, :, None]
    return (rows.sum(axis=1) / there.sum(axis=1, keepdims=True)).astype(np.float32)
