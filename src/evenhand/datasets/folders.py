"""Any data set from its folder or file, recognised by the names of the files."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from evenhand.datasets.coat import coat
from evenhand.datasets.dataset import Dataset
from evenhand.datasets.lastfm import lastfm
from evenhand.datasets.movielens import is_1m, is_100k, movielens
from evenhand.errors import InputError
from evenhand.inputs import Table, explain_problems, numbers_of, renamed, table, unique_key
from evenhand.parameters import plain_path

LOOKED_FOR = (
    "u.data (MovieLens-100k), users.dat and movies.dat (MovieLens-1M), user_artists.dat (Last.fm), "
    "train.ascii and test.ascii (Coat), default.parquet and truth.json (a synthetic world)"
)

# Interactions in the published files.
PUBLISHED = {
    "MovieLens-100k": 100_000,
    "MovieLens-1M": 1_000_209,
    "Last.fm 2k (HetRec 2011)": 92_834,
    "Coat": 6_960,
}


def load(source: str | Path, *, columns: Mapping[str, str | list[str]] | None = None) -> Dataset:
    """Read MovieLens, Last.fm, Coat or a saved synthetic world from its folder, or one table from its file.

    A file (Parquet or CSV) needs user_id and item_id, one row for each pair, and may have rating and
    timestamp; `columns` maps these names to its own. Its users and items then have no attributes.
    """
    path = plain_path("data", source)
    if path.is_file():
        return _from_file(path, columns or {})
    if columns and path.is_dir():
        raise InputError(
            f"columns are for a file of your own, and {path} is a folder, whose names are known: leave them "
            "out."
        )
    if not path.is_dir():
        raise InputError(f"There is no file or folder {path}; check the path.")
    if is_100k(path) or is_1m(path):
        return _compared(movielens(path))
    if (path / "user_artists.dat").is_file():
        return _compared(lastfm(path))
    if (path / "train.ascii").is_file():
        return _compared(_from_coat(path))
    if (path / "default.parquet").is_file() and (path / "truth.json").is_file():
        return _from_world(path)
    raise InputError(
        f"{path} is not a data set that is known: none of these files is in it: {LOOKED_FOR}. For other "
        "data, give one Parquet or CSV file with user_id and item_id."
    )


def _compared(data: Dataset) -> Dataset:
    """With a note, if it is not as large as it was published."""
    found, published = len(data.interactions), PUBLISHED[data.name]
    if found == published:
        return data
    note = f"There are {found:,} interactions, but {data.name} was published with {published:,}."
    return replace(data, notes=(*data.notes, note))


def _from_coat(folder: Path) -> Dataset:
    data = coat(folder)
    notes = (
        "Interactions are the ratings of coats that users chose themselves; coat(folder).random has the "
        "ratings of coats that were drawn for them.",
    )
    return Dataset("Coat", data.selected.astype({"rating": "float64"}), data.users, data.items, notes)


def _from_world(folder: Path) -> Dataset:
    """What users liked in the log of both arms; a pair may have been shown more than once."""
    log = table(folder / "default.parquet", name="default.parquet")
    explain_problems(log, labels=["liked"], required=["user_id", "item_id"])
    liked = log.run(
        log.expr.filter(log.expr.liked.cast("int32") == 1).select("user_id", "item_id").distinct()
    )
    liked = liked.sort_values(["user_id", "item_id"], ignore_index=True)
    users, items = (_read_all(folder / f"{kind}.parquet", kind) for kind in ("users", "items"))
    notes = ("Interactions are the pairs that were shown in either arm and liked at least once.",)
    return Dataset("synthetic marketplace", liked, users, items, notes)


def _read_all(path: Path, kind: str) -> pd.DataFrame:
    opened = table(path, name=path.name)
    key = f"{kind[:-1]}_id"
    opened.require(key)
    frame = opened.run(opened.expr)
    # A list column comes back from Arrow as arrays.
    return frame.map(lambda value: value.tolist() if isinstance(value, np.ndarray) else value)


def _from_file(path: Path, columns: Mapping[str, str | list[str]]) -> Dataset:
    opened = renamed({path.name: table(path, name=path.name)}, columns)[path.name]
    keys = ["user_id", "item_id"]
    opened.require(*keys)
    for key in keys:
        type_ = opened.expr[key].type()
        if type_.is_binary() or type_.is_nested() or type_.is_boolean() or type_.is_interval():
            raise InputError(
                f"{path.name}: column {key!r} is of type {type_}, but ids must be text or numbers."
            )
    ratings = ["rating"] if "rating" in opened.columns else []
    explain_problems(opened, required=keys, scores=ratings)
    unique_key(opened, keys)
    times = ["timestamp"] if "timestamp" in opened.columns else []
    interactions = opened.run(opened.expr[keys + ratings + times])
    if interactions.empty:
        raise InputError(f"{path.name}: there are no rows.")
    interactions = interactions.astype(dict.fromkeys(ratings, "float64"))
    for column in times:
        interactions[column] = _times(opened, interactions[column])
    users, items = (pd.DataFrame({key: np.unique(interactions[key].to_numpy())}) for key in keys)
    return Dataset(path.name, interactions, users, items, ("There are no attributes of users and items.",))


def _times(opened: Table, values: pd.Series) -> pd.Series:
    """Numbers as they are, dates as seconds since 1970: whole numbers, unless one has a fraction."""
    type_ = opened.expr.timestamp.type()
    if type_.is_unknown():  # dates with a zone to the nanosecond come as text, and so does a column of nulls
        parsed = pd.to_datetime(values, utc=True, errors="coerce", format="ISO8601")
        values = parsed.where(values.notna() <= parsed.notna(), values)
    usable = type_.is_numeric() or type_.is_timestamp() or type_.is_date() or type_.is_unknown()
    if not usable and values.notna().any():
        raise InputError(
            f"{opened.name}: column 'timestamp' is of type {type_}, but must hold numbers or dates; "
            "convert it first."
        )
    if values.dtype.kind == "i":
        return values.astype("Int64")
    numbers = pd.Series(numbers_of(values, opened.name), index=values.index)
    whole = numbers.isna() | ((numbers % 1 == 0) & (numbers.abs() < 2**63))
    return numbers.astype("Int64" if whole.all() else "Float64")
