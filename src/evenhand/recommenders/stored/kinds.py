"""The kinds of recommenders that are plain arrays, and so can be written and read: which arrays, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.scores.attention import SequenceScores
from evenhand.recommenders.scores.click.crossed import DCNScores, DeepFMScores, WideDeepScores
from evenhand.recommenders.scores.click.generated import FGCNNScores
from evenhand.recommenders.scores.click.scores import ClickScores
from evenhand.recommenders.scores.click.storage import click_architecture, click_arrays, click_model
from evenhand.recommenders.scores.factors import Factors
from evenhand.recommenders.scores.neural import NeuMFScores
from evenhand.recommenders.scores.simple import ItemScores, ItemWeights, RandomScores, UserWeights

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Stored:
    """What a folder holds of any recommender."""

    user_ids: NDArray[Any]
    item_ids: NDArray[Any]
    history: sparse.csr_array
    arrays: Arrays
    architecture: Any = None  # as model.json declares it, for the kinds that have one


@dataclass(frozen=True)
class _Kind:
    arrays: Callable[[Any, sparse.csr_array], Arrays]  # of a model and its history
    model: Callable[[Stored], Recommender]


def arrays_of(model: Recommender, history: sparse.csr_array) -> Arrays:
    """The arrays that `model` is made of, beyond its ids and its history (users x items)."""
    kind = _KINDS.get(type(model))  # a subclass may hold more than its base
    if kind is None:
        known = ", ".join(sorted(kind.__name__ for kind in _KINDS))
        raise InputError(
            f"a {type(model).__name__} cannot be saved, as only models that are plain arrays can ({known}); "
            "save a table of its scores instead, and read that with from_table."
        )
    return kind.arrays(model, history)


def architecture_of(model: Recommender) -> dict[str, Any] | None:
    """How the model is built, as plain JSON, for the kinds whose arrays do not say it all."""
    return click_architecture(model) if isinstance(model, ClickScores) else None


def spoken(model: Recommender, name: Any = None) -> str:
    """What a model is called in a sentence; `name` is that of its training, if it is known."""
    if name in _TRAINED:
        return _TRAINED[name]
    return _SPOKEN.get(type(model), f"a model of the kind {type(model).__name__}")


def model_of(name: Any, stored: Stored) -> Recommender:
    """The model of the kind called `name` from its arrays; a KeyError names an array that is missing."""
    for kind, how in _KINDS.items():
        if kind.__name__ == name:
            return how.model(stored)
    raise InputError(f"a model of the unknown kind {name!r}")


def _sparse_of(stored: Arrays, prefix: str, shape: tuple[int, int]) -> sparse.csr_array:
    """The sparse matrix that `_sparse_arrays` wrote; SciPy alone would take places beyond its sides."""
    data, indices, indptr = (stored[f"{prefix}_{part}"] for part in ("data", "indices", "indptr"))
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        raise InputError(f"places of {prefix} are not whole numbers")
    matrix = sparse.csr_array((data, indices, indptr), shape=shape)
    matrix.check_format(full_check=True)
    return matrix


def _sparse_arrays(prefix: str, matrix: Any) -> Arrays:
    rows = sparse.csr_array(matrix)
    return {f"{prefix}_data": rows.data, f"{prefix}_indices": rows.indices, f"{prefix}_indptr": rows.indptr}


def _factors(model: Factors, history: sparse.csr_array) -> Arrays:
    arrays = {name: getattr(model, name) for name in ("user_vectors", "item_vectors", "item_bias")}
    return arrays | ({"user_bias": model.user_bias} if model.user_bias.any() else {})


def _to_factors(stored: Stored) -> Factors:
    arrays = stored.arrays
    return Factors(
        stored.user_ids,
        stored.item_ids,
        arrays["user_vectors"],
        arrays["item_vectors"],
        arrays["item_bias"],
        arrays.get("user_bias"),
    )


def _item_weights(model: ItemWeights, history: sparse.csr_array) -> Arrays:
    if sparse.issparse(model.weights):
        weights = _sparse_arrays("weights", model.weights)
    else:
        weights = {"weights": np.asarray(model.weights)}
    return weights | _beyond_history(model.taken, history)


def _to_item_weights(stored: Stored) -> ItemWeights:
    items = len(stored.item_ids)
    dense = stored.arrays.get("weights")
    weights = _sparse_of(stored.arrays, "weights", (items, items)) if dense is None else dense
    return ItemWeights(stored.user_ids, stored.item_ids, _taken_of(stored), weights)


def _user_weights(model: UserWeights, history: sparse.csr_array) -> Arrays:
    return _sparse_arrays("weights", model.weights) | _beyond_history(model.taken, history)


def _to_user_weights(stored: Stored) -> UserWeights:
    users = len(stored.user_ids)
    weights = _sparse_of(stored.arrays, "weights", (users, users))
    return UserWeights(stored.user_ids, stored.item_ids, _taken_of(stored), weights)


def _beyond_history(taken: sparse.csr_array, history: sparse.csr_array) -> Arrays:
    """Models of implicit may have been given counts, or more than the history."""
    same = (taken - history).count_nonzero() == 0
    return {} if same else _sparse_arrays("taken", taken)


def _taken_of(stored: Stored) -> sparse.csr_array:
    shape = (len(stored.user_ids), len(stored.item_ids))
    return _sparse_of(stored.arrays, "taken", shape) if "taken_data" in stored.arrays else stored.history


def _neumf(model: NeuMFScores, history: sparse.csr_array) -> Arrays:
    return _weights_to_write(model.weights)


def _to_neumf(stored: Stored) -> NeuMFScores:
    return NeuMFScores(stored.user_ids, stored.item_ids, _weights_of(stored))


def _sequence_scores(model: SequenceScores, history: sparse.csr_array) -> Arrays:
    declared = {"sequences": model.sequences, "heads": np.array(model.heads)}
    return declared | _weights_to_write(model.weights)


def _to_sequence_scores(stored: Stored) -> SequenceScores:
    sequences, heads = stored.arrays["sequences"], stored.arrays["heads"].item()
    return SequenceScores(stored.user_ids, stored.item_ids, sequences, heads, _weights_of(stored))


def _weights_to_write(weights: Mapping[str, NDArray[Any]]) -> Arrays:
    return {f"weight.{name}": value for name, value in weights.items()}


def _weights_of(stored: Stored) -> Arrays:
    return {
        name.removeprefix("weight."): value
        for name, value in stored.arrays.items()
        if name.startswith("weight.")
    }


def _to_click(kind: type[ClickScores], stored: Stored) -> ClickScores:
    return click_model(kind, stored.user_ids, stored.item_ids, stored.architecture, stored.arrays)


_KINDS: dict[type[Recommender], _Kind] = {
    Factors: _Kind(_factors, _to_factors),
    ItemScores: _Kind(
        lambda model, history: {"item_scores": model.item_scores},
        lambda stored: ItemScores(stored.user_ids, stored.item_ids, stored.arrays["item_scores"]),
    ),
    RandomScores: _Kind(
        lambda model, history: {"seed": np.array(model.seed)},
        lambda stored: RandomScores(stored.user_ids, stored.item_ids, stored.arrays["seed"].item()),
    ),
    ItemWeights: _Kind(_item_weights, _to_item_weights),
    NeuMFScores: _Kind(_neumf, _to_neumf),
    UserWeights: _Kind(_user_weights, _to_user_weights),
    SequenceScores: _Kind(_sequence_scores, _to_sequence_scores),
    WideDeepScores: _Kind(click_arrays, partial(_to_click, WideDeepScores)),
    DeepFMScores: _Kind(click_arrays, partial(_to_click, DeepFMScores)),
    DCNScores: _Kind(click_arrays, partial(_to_click, DCNScores)),
    FGCNNScores: _Kind(click_arrays, partial(_to_click, FGCNNScores)),
}

_TRAINED = {
    "ease": "an EASE model",
    "knn": "a nearest-neighbour model",
    "popularity": "a popularity model",
    "random": "a model of random scores",
    "neumf": "a NeuMF model",
    "user-knn": "a model of similar users",
    "bert4rec": "a BERT4Rec model",
    "widedeep": "a Wide&Deep model",
    "deepfm": "a DeepFM model",
    "dcn": "a DCN model",
    "fgcnn": "an FGCNN model",
    "two-tower": "a two-tower model",
}
_SPOKEN: dict[type[Recommender], str] = {
    ItemWeights: "an item-to-item model (such as EASE)",
    ItemScores: _TRAINED["popularity"],
    RandomScores: _TRAINED["random"],
    NeuMFScores: _TRAINED["neumf"],
    UserWeights: _TRAINED["user-knn"],
    SequenceScores: _TRAINED["bert4rec"],
    WideDeepScores: _TRAINED["widedeep"],
    DeepFMScores: _TRAINED["deepfm"],
    DCNScores: _TRAINED["dcn"],
    FGCNNScores: _TRAINED["fgcnn"],
}
