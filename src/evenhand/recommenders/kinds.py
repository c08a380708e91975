"""The kinds of recommenders that are plain arrays, and so can be written and read: which arrays, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders.click import ClickScores, DCNScores, DeepFMScores, FGCNNScores, WideDeepScores
from evenhand.recommenders.click.storage import click_architecture, click_arrays, click_model
from evenhand.recommenders.factors import Factors
from evenhand.recommenders.neural import NeuMFScores
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.simple import ItemScores, ItemWeights, RandomScores

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
    # Models of implicit may have been given counts, or more than the history.
    same = (model.taken - history).count_nonzero() == 0
    return weights if same else weights | _sparse_arrays("taken", model.taken)


def _to_item_weights(stored: Stored) -> ItemWeights:
    items = len(stored.item_ids)
    shape = (len(stored.user_ids), items)
    dense = stored.arrays.get("weights")
    weights = _sparse_of(stored.arrays, "weights", (items, items)) if dense is None else dense
    taken = _sparse_of(stored.arrays, "taken", shape) if "taken_data" in stored.arrays else stored.history
    return ItemWeights(stored.user_ids, stored.item_ids, taken, weights)


def _neumf(model: NeuMFScores, history: sparse.csr_array) -> Arrays:
    return {f"weight.{name}": value for name, value in model.weights.items()}


def _to_neumf(stored: Stored) -> NeuMFScores:
    weights = {
        name.removeprefix("weight."): value
        for name, value in stored.arrays.items()
        if name.startswith("weight.")
    }
    return NeuMFScores(stored.user_ids, stored.item_ids, weights)


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
    WideDeepScores: _TRAINED["widedeep"],
    DeepFMScores: _TRAINED["deepfm"],
    DCNScores: _TRAINED["dcn"],
    FGCNNScores: _TRAINED["fgcnn"],
}
