"""Coat Shopping: ratings of coats that users chose themselves, and of coats chosen for them at random.

The published files hold 290 x 300 matrices of ratings 1 to 5 (0: not rated), and one-hot features whose
columns are named "attribute:value" in a map beside them. It is one of the few public data sets with
truly random traffic. Source: Schnabel, Swaminathan, Singh, Chandak, Joachims, "Recommendations as treatments:
debiasing learning and evaluation", ICML 2016. The data are not part of this package: point `coat` to
your own copy.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from evenhand.datasets.dataset import Dataset, Logs
from evenhand.errors import InputError

FEATURES = "user_item_features"


@dataclass(frozen=True, eq=False)
class Coat:
    """The Coat data as tables. Ids are row and column numbers of the published matrices, from 0."""

    selected: pd.DataFrame
    """user_id, item_id, rating: items that the user chose to rate (train.ascii)."""
    random: pd.DataFrame
    """user_id, item_id, rating: items drawn uniformly for the user (test.ascii)."""
    users: pd.DataFrame
    """user_id, gender, age, location, fashioninterest."""
    items: pd.DataFrame
    """item_id, gender, jackettype, color, onfrontpage."""


def coat(folder: str | Path) -> Coat:
    """Read the published folder (train.ascii, test.ascii, user_item_features/)."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}: give the folder that holds Coat's train.ascii.")
    selected = _read_matrix(folder / "train.ascii")
    random = _read_matrix(folder / "test.ascii")
    if selected.shape != random.shape:
        raise InputError(
            f"{folder}: train.ascii is {_shape(selected)} and test.ascii is {_shape(random)}; "
            "both must have one row a user and one column an item."
        )
    users = _read_features(folder / FEATURES, "user", selected.shape[0])
    items = _read_features(folder / FEATURES, "item", selected.shape[1])
    return Coat(
        _ratings(selected, folder / "train.ascii"), _ratings(random, folder / "test.ascii"), users, items
    )


def as_dataset(folder: Path) -> Dataset:
    """The same as every data set is told: what users chose, beside the two logs."""
    data = coat(folder)
    notes = (
        "Interactions are the ratings of coats that users chose themselves; coat(folder).random has the "
        "ratings of coats that were drawn for them.",
    )
    logs = Logs(_liked(data.selected), _liked(data.random), {"liked": "the user rated the coat 4 or 5"})
    return Dataset("Coat", data.selected.astype({"rating": "float64"}), data.users, data.items, notes, logs)


def _liked(ratings: pd.DataFrame) -> pd.DataFrame:
    return ratings.assign(liked=(ratings["rating"] >= 4).astype("int8"))


def _read_matrix(path: Path) -> np.ndarray:
    """A matrix of whole numbers separated by blanks, one row a line."""
    if not path.is_file():
        raise InputError(f"The file {path} is missing: Coat's folder must be complete as published.")
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        lines = f"its lines have from {min(widths)} to {max(widths)} values" if widths else "it is empty"
        raise InputError(f"{path} is not a matrix: {lines}.")
    try:
        return np.array(rows, dtype=np.int64)
    except ValueError as error:
        raise InputError(f"{path} must hold whole numbers only ({error}).") from error


def _ratings(matrix: np.ndarray, path: Path) -> pd.DataFrame:
    """One row for each rated pair."""
    wrong = (matrix < 0) | (matrix > 5)
    if wrong.any():
        user, item = np.argwhere(wrong)[0]
        raise InputError(
            f"{path}: {int(wrong.sum())} values are not ratings from 0 to 5, "
            f"e.g. {matrix[user, item]} at row {user + 1}, column {item + 1}."
        )
    user, item = np.nonzero(matrix)
    return pd.DataFrame({"user_id": user, "item_id": item, "rating": matrix[user, item]})


def _read_features(folder: Path, kind: str, count: int) -> pd.DataFrame:
    """{kind}_id and one column an attribute, decoded from one-hot columns."""
    path, map_path = folder / f"{kind}_features.ascii", folder / f"{kind}_features_map.txt"
    matrix = _read_matrix(path)
    if not map_path.is_file():
        raise InputError(f"The file {map_path} is missing: it names the columns of {path.name}.")
    names = [line.strip() for line in map_path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if matrix.shape != (count, len(names)):
        raise InputError(
            f"{path} is {_shape(matrix)}, but the ratings have {count} {kind}s and {map_path.name} names "
            f"{len(names)} columns."
        )
    unnamed = [name for name in names if ":" not in name]
    if unnamed:
        raise InputError(f'{map_path}: lines must read "attribute:value", but one is {unnamed[0]!r}.')
    split = [name.split(":", 1) for name in names]
    table = pd.DataFrame({f"{kind}_id": np.arange(count)})
    for attribute in dict.fromkeys(name for name, _ in split):
        columns = [column for column, (name, _) in enumerate(split) if name == attribute]
        table[attribute] = _decode(
            matrix[:, columns], [split[column][1] for column in columns], attribute, path
        )
    return table


def _decode(one_hot: np.ndarray, values: list[str], attribute: str, path: Path) -> np.ndarray:
    """The value whose column is 1 in each row; every row must have exactly one."""
    wrong = ((one_hot != 0) & (one_hot != 1)).any(axis=1) | (one_hot.sum(axis=1) != 1)
    if wrong.any():
        raise InputError(
            f"{path}: {attribute!r} is not one-hot in {int(wrong.sum())} rows, "
            f"e.g. row {np.flatnonzero(wrong)[0] + 1}."
        )
    return np.array(values, dtype=object)[one_hot.argmax(axis=1)]


def _shape(matrix: np.ndarray) -> str:
    return f"{matrix.shape[0]} x {matrix.shape[1]}"
