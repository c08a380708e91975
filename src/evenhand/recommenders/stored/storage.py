"""A trained recommender as a folder: model.json for people, arrays.npz for numbers. Nothing is unpickled."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from evenhand import parameters
from evenhand.errors import InputError
from evenhand.files import MODEL_FILE, content_of, filled
from evenhand.inputs.arrays import load_arrays
from evenhand.parameters import whole, writable_folder
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.stored.kinds import Arrays, Stored, architecture_of, arrays_of, model_of, spoken
from evenhand.recommenders.taken.ids import refuse_other_ids, sorted_ids
from evenhand.recommenders.taken.interactions import Interactions

ARRAYS = "arrays.npz"
# What the model was judged by, where that was a list of candidates for each user.
CANDIDATES_FILE = "candidates.parquet"
# What was held out from training and selection, a pair a row.
TEST_FILE = "test.parquet"
# What the training was stopped by, a pair a row: no part of the history, and known nevertheless.
VALID_FILE = "valid.parquet"
SCHEMA = "evenhand.model/1"


def save(
    folder: str | Path,
    model: Recommender,
    *,
    name: str,
    history: Interactions,
    description: dict[str, Any],
    tables: Mapping[str, pd.DataFrame] | None = None,
) -> None:
    """Write `model` with what it learnt from, and `tables` that belong to it, in the place of what is there.

    `load` and `table_of` refuse a folder that was left with files of two models.
    """
    refuse_other_ids(model, history, ("the model", "the history"))
    arrays = {
        "user_ids": _ids_to_write(model.user_ids, "user"),
        "item_ids": _ids_to_write(model.item_ids, "item"),
        "history_user": history.user.astype(np.int32),
        "history_item": history.item.astype(np.int32),
        **arrays_of(model, history.matrix()),
    }
    architecture = architecture_of(model)
    content = {
        "schema": SCHEMA,
        "model": name,
        "kind": type(model).__name__,
        "version": version("evenhand"),
        "users": len(model.user_ids),
        "items": len(model.item_ids),
        **description,
        **({} if architecture is None else {"architecture": architecture}),
    }
    try:
        json.dumps(content)
    except (TypeError, ValueError) as error:
        raise InputError(f"the description of a model must be plain JSON ({error}).") from error
    folder = writable_folder("the folder of the model", folder)
    tables = tables or {}
    with filled(folder) as waiting:
        with (waiting / ARRAYS).open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        for file_name, table in tables.items():
            table.to_parquet(waiting / file_name, index=False)
        content["arrays"] = _digest(waiting / ARRAYS)
        content["tables"] = {file_name: _digest(waiting / file_name) for file_name in tables}
        (waiting / MODEL_FILE).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    for file_name in {CANDIDATES_FILE, TEST_FILE, VALID_FILE} - tables.keys():
        (folder / file_name).unlink(missing_ok=True)  # of the model that was there


def table_of(folder: str | Path, name: str) -> Path | None:
    """The table of this file name that belongs to the model in `folder`; None where it has none."""
    path = Path(folder) / name
    if not path.is_file():
        return None
    told = describe(folder).get("tables")
    if told is not None and told.get(name) != _digest(path):  # folders of earlier versions do not tell
        raise InputError(
            f"{path} does not belong to the model beside it, or was changed; train the model again."
        )
    return path


def describe(folder: str | Path) -> dict[str, Any]:
    """The content of model.json."""
    path = parameters.folder("the folder of a model", folder) / MODEL_FILE
    try:
        content = json.loads(content_of(path).decode())
    except (FileNotFoundError, NotADirectoryError):
        what = f"there is no {MODEL_FILE} in it" if path.parent.is_dir() else "it is not a folder"
        raise InputError(
            f"{folder} is not a trained model: {what}. `evenhand train` writes a folder with one."
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:  # no JSON, no UTF-8, a number of thousands of digits
        raise InputError(f"{path} is not readable: {error}.") from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise InputError(f"{path} is not a model of this version of Evenhand ({SCHEMA}); train it again.")
    with _refusing_damage(path):
        for side in ("users", "items"):
            whole(side, content[side])
    return content


def named(source: Any, model: Recommender) -> str:
    """What the model that was read from `source`, a folder or a model itself, is called in a sentence."""
    return spoken(model, describe(source)["model"] if isinstance(source, str | Path) else None)


def load(folder: str | Path) -> Recommender:
    """A recommender as `evenhand train` wrote it; `history` is what it learnt from (users x items)."""
    content = describe(folder)
    path = parameters.folder("the folder of a model", folder) / ARRAYS
    arrays = _read_arrays(path)
    with _refusing_damage(path):
        users, items = _ids(arrays, "user"), _ids(arrays, "item")
    shape = (len(users), len(items))
    if shape != (content["users"], content["items"]):
        raise InputError(
            f"{folder}: {MODEL_FILE} speaks of {content['users']:,} users and {content['items']:,} "
            f"items, but {ARRAYS} holds {shape[0]:,} and {shape[1]:,}; they belong to different models."
        )
    with _refusing_damage(path):
        history = _history(arrays, shape)
        model = model_of(
            content.get("kind"), Stored(users, items, history, arrays, content.get("architecture"))
        )
    if content.get("arrays", digest := _digest(path)) != digest:  # folders of earlier versions have none
        raise InputError(
            f"{folder}: {MODEL_FILE} and {ARRAYS} belong to different models, or one was changed; train the "
            "model again."
        )
    model.history = history
    return model


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _ids_to_write(ids: NDArray[Any], what: str) -> NDArray[Any]:
    """Text or numbers: an array of objects could only be pickled."""
    plain = np.array(ids.tolist()) if ids.dtype == object else ids
    if plain.dtype == object:
        raise InputError(f"{what} ids of type {type(ids[0]).__name__} cannot be saved; make them text.")
    return plain


def _read_arrays(path: Path) -> Arrays:
    try:
        return load_arrays(path)
    except FileNotFoundError:
        raise InputError(f"{path.parent}: {ARRAYS} is missing; train the model again.") from None
    except Exception as error:  # there is no end to what NumPy trips over in a file that is not whole
        raise _damaged(path, error) from error


def _ids(arrays: Arrays, what: str) -> NDArray[Any]:
    ids, order = sorted_ids(arrays[f"{what}_ids"], what)
    if not np.array_equal(order, np.arange(len(ids))):
        raise InputError(f"{what} ids are not in order")
    return ids


def _history(arrays: Arrays, shape: tuple[int, int]) -> sparse.csr_array:
    user, item = arrays["history_user"], arrays["history_item"]
    if user.dtype.kind not in "iu" or item.dtype.kind not in "iu" or user.shape != item.shape:
        raise InputError("the history is not two lists of whole numbers, one pair a place")
    # The constructor refuses what is beyond the sides.
    return sparse.csr_array((np.ones(len(user), dtype=np.float32), (user, item)), shape=shape)


@contextmanager
def _refusing_damage(path: Path) -> Iterator[None]:
    """Whatever is wrong with the content of a file, said of that file."""
    try:
        yield
    except (InputError, LookupError, ArithmeticError, TypeError, ValueError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> InputError:
    why = f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error).rstrip(".")
    return InputError(f"{path} is damaged ({why}); train the model again.")
