"""A trained BERT4Rec, scored with NumPy alone, so that a saved one needs no torch."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.parameters import whole
from evenhand.recommenders.arrays import finite_array
from evenhand.recommenders.protocol import Embeddings, Recommender, Scores
from evenhand.recommenders.taken.ids import Codes
from evenhand.recommenders.taken.sequences import NOTHING

Vectors = NDArray[np.float32]

# Users whose sequences are encoded at a time: their vectors stay in the cache.
USERS = 32
# The weights by the names that torch gives them in models/bert4rec.py; d is the length of the vectors.
_SHAPES = {
    "items": ("items+1", "d"),  # the last is the mask
    "positions": ("places", "d"),
    "norm.weight": ("d",),
    "norm.bias": ("d",),
    "head.weight": ("d", "d"),
    "head.bias": ("d",),
    "bias": ("items",),
}
_LAYER = {
    "attended.weight": ("3d", "d"),  # queries, keys and values, one after the other
    "attended.bias": ("3d",),
    "joined.weight": ("d", "d"),
    "joined.bias": ("d",),
    "first_norm.weight": ("d",),
    "first_norm.bias": ("d",),
    "wide.weight": ("4d", "d"),
    "wide.bias": ("4d",),
    "narrow.weight": ("d", "4d"),
    "narrow.bias": ("d",),
    "second_norm.weight": ("d",),
    "second_norm.bias": ("d",),
}


class SequenceScores(Recommender):
    """score(u, i) = h_u . items[i] + bias[i], h_u what the encoder makes of a mask after u's last items.

    `sequences` has each user's items in order of time, the latest at the end. See models/bert4rec.py.
    """

    def __init__(
        self,
        user_ids: NDArray[Any],
        item_ids: NDArray[Any],
        sequences: NDArray[Any],
        heads: int,
        weights: dict[str, NDArray[Any]],
    ) -> None:
        self.user_ids, self.item_ids = user_ids, item_ids
        self.heads = whole("heads", heads)
        places, d = np.atleast_2d(weights["positions"]).shape
        if d % self.heads:
            raise InputError(f"vectors of length {d} cannot be divided among {self.heads} heads.")
        self.layers = len({name.split(".")[1] for name in weights if name.startswith("layers.")})
        shapes = _SHAPES | {
            f"layers.{layer}.{name}": sides for layer in range(self.layers) for name, sides in _LAYER.items()
        }
        items = len(item_ids)
        sizes = {"items": items, "items+1": items + 1, "places": places, "d": d, "3d": 3 * d, "4d": 4 * d}
        self.weights = {
            name: finite_array(name, weights[name], tuple(sizes[side] for side in sides))
            for name, sides in shapes.items()
        }
        self.sequences = _sequences(sequences, (len(user_ids), places - 1), items)

    def score_block(self, users: Codes) -> Scores:
        return self._encoded(users) @ self.weights["items"][:-1].T + self.weights["bias"]

    @cached_property
    def _vectors(self) -> Vectors:
        return self._encoded(np.arange(len(self.user_ids)))

    @property
    def embeddings(self) -> Embeddings:
        """What the encoder makes of each user, and the vectors of the items."""
        return Embeddings(self._vectors, self.weights["items"][:-1], shared_space=True)

    def _encoded(self, users: Codes) -> Vectors:
        parts = [self._encode(self.sequences[users[at : at + USERS]]) for at in range(0, len(users), USERS)]
        return np.concatenate(parts) if parts else np.empty((0, self.weights["items"].shape[1]), np.float32)

    def _encode(self, sequences: NDArray[np.int32]) -> Vectors:
        """Users x d: the vectors at the mask."""
        longest = int((sequences != NOTHING).sum(axis=1).max(initial=0))
        sequences = sequences[:, sequences.shape[1] - longest :]
        mask = np.full((len(sequences), 1), len(self.item_ids), dtype=np.int32)
        tokens = np.concatenate([sequences, mask], axis=1)
        there = tokens != NOTHING
        hidden = self.weights["items"][np.where(there, tokens, 0)]
        hidden = self._normed("norm", hidden + self.weights["positions"][-tokens.shape[1] :])
        for layer in range(self.layers):
            # Nothing comes after the last layer, so that all but the mask can be left out there.
            asking = hidden[:, -1:] if layer == self.layers - 1 else hidden
            hidden = self._layer(f"layers.{layer}.", asking, hidden, there)
        return _gelu(self._linear("head", hidden[:, -1]))

    def _layer(self, name: str, asking: Vectors, hidden: Vectors, there: NDArray[np.bool_]) -> Vectors:
        d = hidden.shape[2]
        weight, bias = self.weights[f"{name}attended.weight"], self.weights[f"{name}attended.bias"]
        query = self._heads(asking @ weight[:d].T + bias[:d])
        key = self._heads(hidden @ weight[d : 2 * d].T + bias[d : 2 * d])
        value = self._heads(hidden @ weight[2 * d :].T + bias[2 * d :])
        fit = query @ key.swapaxes(2, 3) / np.float32(np.sqrt(d / self.heads))
        fit = np.where(there[:, None, None], fit, np.float32(-np.inf))
        share = np.exp(fit - fit.max(axis=3, keepdims=True))
        share /= share.sum(axis=3, keepdims=True)
        joined = (share @ value).swapaxes(1, 2).reshape(asking.shape)
        middle = self._normed(f"{name}first_norm", asking + self._linear(f"{name}joined", joined))
        deep = self._linear(f"{name}narrow", _gelu(self._linear(f"{name}wide", middle)))
        return self._normed(f"{name}second_norm", middle + deep)

    def _heads(self, vectors: Vectors) -> Vectors:
        """Users x heads x places x parts of the vectors."""
        users, places, d = vectors.shape
        return vectors.reshape(users, places, self.heads, d // self.heads).swapaxes(1, 2)

    def _linear(self, name: str, vectors: Vectors) -> Vectors:
        return vectors @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _normed(self, name: str, vectors: Vectors) -> Vectors:
        centred = vectors - vectors.mean(axis=-1, keepdims=True)
        spread = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(1e-5))
        return centred / spread * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def _gelu(x: Vectors) -> Vectors:
    """x times the chance of a standard normal below it, in its form with tanh."""
    inner = np.float32(np.sqrt(2 / np.pi)) * (x + np.float32(0.044715) * x * x * x)
    return np.float32(0.5) * x * (1 + np.tanh(inner))


def _sequences(values: NDArray[Any], shape: tuple[int, int], items: int) -> NDArray[np.int32]:
    sequences = np.asarray(values)
    if sequences.dtype.kind not in "iu" or sequences.shape != shape:
        raise InputError(f"sequences must be whole numbers of the shape {shape}.")
    if sequences.size and not (sequences.min() >= NOTHING and sequences.max() < items):
        raise InputError(f"sequences speak of items beyond the {items:,} that there are.")
    # The mask stands right after the last item, so that nothing may be missing in between.
    there = sequences != NOTHING
    if (there[:, :-1] & ~there[:, 1:]).any():
        raise InputError("sequences have gaps.")
    return sequences.astype(np.int32, copy=False)
