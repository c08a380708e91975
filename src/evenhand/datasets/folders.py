"""Any data set from its folder or file, recognised by the names of the files."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from evenhand.datasets.dataset import Dataset
from evenhand.datasets.known import KNOWN, known_in
from evenhand.errors import InputError
from evenhand.inputs import Table, explain_problems, numbers_of, renamed, table, unique_key
from evenhand.parameters import plain_path

LOOKED_FOR = ", ".join(f"{one.shown} ({one.title})" for one in KNOWN)

# Interactions in the published files.
PUBLISHED = {
    "MovieLens-100k": 100_000,
    "MovieLens-1M": 1_000_209,
    "Last.fm 2k (HetRec 2011)": 92_834,
    "Coat": 6_960,
    "Yahoo! R3": 311_704,
}
# Rows of random traffic in them.
PUBLISHED_RANDOM = {
    "Coat": 4_640,
    "KuaiRand-Pure": 1_186_059,
    "KuaiRand-1K": 43_028,
    "KuaiRand-27K": 1_186_059,
    "Open Bandit (all)": 1_374_327,
    "Open Bandit (men)": 452_949,
    "Open Bandit (women)": 864_585,
    "Yahoo! R3": 54_000,
}


def load(source: str | Path, *, columns: Mapping[str, str | list[str]] | None = None) -> Dataset:
    """Read a public data set or a saved synthetic world from its folder, or one table from its file.

    What is read says what it is and which audits it can answer (`str` of it, and its `answers`). A file
    (Parquet or CSV) needs user_id and item_id, one row for each pair, and may have rating and timestamp;
    `columns` maps these names to its own. Its users and items then have no attributes.
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
    found = [(known, place) for place in (path, path / "data") for known in known_in(place)]
    if len(found) > 1:
        titles = " and ".join(known.title for known, _ in found)
        raise InputError(f"{path} holds {len(found)} data sets, {titles}: give each a folder of its own.")
    for known, place in found:
        return _compared(known.read(place))
    raise InputError(
        f"{path} is not a data set that is known: none of these files is in it: {LOOKED_FOR}. For other "
        "data, give one Parquet or CSV file with user_id and item_id."
    )


def _compared(data: Dataset) -> Dataset:
    """With a note, if it is not as large as it was published."""
    random = None if data.logs is None else data.logs.random
    sizes = (
        ("interactions", len(data.interactions), PUBLISHED.get(data.name)),
        ("rows of random traffic", 0 if random is None else len(random), PUBLISHED_RANDOM.get(data.name)),
    )
    notes = [
        f"There are {found:,} {what}, but {data.name} was published with {published:,}."
        for what, found, published in sizes
        if published not in (None, found)
    ]
    return replace(data, notes=(*data.notes, *notes))


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
