"""A trained recommender as a folder: model.json for people, arrays.npz for numbers. Nothing is unpickled."""

from __future__ import annotations

import json
import os
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders.factors import Factors
from evenhand.recommenders.interactions import Interactions
from evenhand.recommenders.neural import NeuMFScores
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.simple import ItemScores, ItemWeights, RandomScores

DESCRIPTION, ARRAYS = "model.json", "arrays.npz"
# What the model was judged by, where that was a list of candidates for each user.
CANDIDATES_FILE = "candidates.parquet"
SCHEMA = "evenhand.model/1"

Arrays = dict[str, NDArray[Any]]


def save(
    folder: str | Path, model: Recommender, *, name: str, history: Interactions, description: dict[str, Any]
) -> None:
    """Write `model` with what it learnt from; both files appear whole or not at all."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {
        "user_ids": _without_objects(model.user_ids),
        "item_ids": _without_objects(model.item_ids),
        "history_user": history.user.astype(np.int32),
        "history_item": history.item.astype(np.int32),
        **_arrays_of(model),
    }
    temporary = folder / f".{ARRAYS}"
    with temporary.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    os.replace(temporary, folder / ARRAYS)
    content = {
        "schema": SCHEMA,
        "model": name,
        "kind": type(model).__name__,
        "version": version("evenhand"),
        "users": len(model.user_ids),
        "items": len(model.item_ids),
        **description,
    }
    temporary = folder / f".{DESCRIPTION}"
    temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    os.replace(temporary, folder / DESCRIPTION)


def describe(folder: str | Path) -> dict[str, Any]:
    """The content of model.json."""
    path = Path(folder) / DESCRIPTION
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{folder} is not a trained model: there is no {DESCRIPTION} in it. `evenhand train` writes one."
        ) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not readable: {error}.") from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise InputError(f"{path} is not a model of this version of Evenhand ({SCHEMA}); train it again.")
    return content


def load(folder: str | Path) -> Recommender:
    """A recommender as `evenhand train` wrote it; `history` is what it learnt from (users x items)."""
    content = describe(folder)
    path = Path(folder) / ARRAYS
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        model = _model_of(content["kind"], arrays)
    except FileNotFoundError:
        raise InputError(f"{folder}: {ARRAYS} is missing; train the model again.") from None
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} is damaged ({error}); train the model again.") from error
    for ids in (model.user_ids, model.item_ids):
        if not (ids[1:] > ids[:-1]).all():
            raise InputError(f"{path} is damaged (ids are not in order); train the model again.")
    shape = (len(model.user_ids), len(model.item_ids))
    if shape != (content.get("users"), content.get("items")):
        raise InputError(
            f"{folder}: {DESCRIPTION} speaks of {content.get('users')} users and {content.get('items')} "
            f"items, but {ARRAYS} holds {shape[0]:,} and {shape[1]:,}; they belong to different models."
        )
    try:
        ones = np.ones(len(arrays["history_user"]), dtype=np.float32)
        model.history = sparse.csr_array(
            (ones, (arrays["history_user"], arrays["history_item"])), shape=shape
        )
    except (KeyError, ValueError) as error:
        raise InputError(f"{path} is damaged ({error}); train the model again.") from error
    return model


def _without_objects(ids: NDArray[Any]) -> NDArray[Any]:
    return ids.astype(str) if ids.dtype == object else ids


def _arrays_of(model: Recommender) -> Arrays:
    if isinstance(model, Factors):
        return {
            "user_vectors": model.user_vectors,
            "item_vectors": model.item_vectors,
            "item_bias": model.item_bias,
        }
    if isinstance(model, ItemScores):
        return {"item_scores": model.item_scores}
    if isinstance(model, RandomScores):
        return {"seed": np.array(model.seed)}
    if isinstance(model, ItemWeights):
        if not sparse.issparse(model.weights):
            return {"weights": np.asarray(model.weights)}
        weights = sparse.csr_array(model.weights)
        return {
            "weights_data": weights.data,
            "weights_indices": weights.indices,
            "weights_indptr": weights.indptr,
        }
    assert isinstance(model, NeuMFScores)
    return {f"weight.{name}": value for name, value in model.weights.items()}


def _model_of(kind: str, arrays: Arrays) -> Recommender:
    users, items = arrays["user_ids"], arrays["item_ids"]
    if kind == "Factors":
        vectors = arrays["user_vectors"], arrays["item_vectors"], arrays["item_bias"]
        return Factors(users, items, *vectors)
    if kind == "ItemScores":
        return ItemScores(users, items, arrays["item_scores"])
    if kind == "RandomScores":
        return RandomScores(users, items, int(arrays["seed"]))
    if kind == "ItemWeights":
        shape = (len(users), len(items))
        ones = np.ones(len(arrays["history_user"]), dtype=np.float32)
        taken = sparse.csr_array((ones, (arrays["history_user"], arrays["history_item"])), shape=shape)
        if "weights" in arrays:
            return ItemWeights(users, items, taken, arrays["weights"])
        parts = arrays["weights_data"], arrays["weights_indices"], arrays["weights_indptr"]
        return ItemWeights(users, items, taken, sparse.csr_array(parts, shape=(len(items), len(items))))
    if kind == "NeuMFScores":
        weights = {
            name.removeprefix("weight."): a for name, a in arrays.items() if name.startswith("weight.")
        }
        return NeuMFScores(users, items, weights)
    raise KeyError(f"a model of the unknown kind {kind!r}")
