"""Ids in files that know text alone: whole numbers where all are such, as in CSV files; otherwise text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from evenhand.errors import InputError
from evenhand.inputs.peers.lines import Columns, Layout, lines

KEYS = ("user_id", "item_id")
# 007 is not 7, and what has more digits fits into no number of 64 bits.
_WHOLE = r"0|-?[1-9]\d{0,17}"


def column(values: pd.Categorical, names: Sequence[str] | None = None) -> pa.Array:
    """The values as an Arrow array, by `names` where these are other than the categories; "" is null."""
    known_as = pd.Series(values.categories if names is None else names, dtype=object)
    filled = known_as[known_as != ""]
    whole = len(filled) > 0 and bool(filled.str.fullmatch(_WHOLE).all())
    if whole:
        known = pa.array([int(name) if name else None for name in known_as], pa.int64())
    else:
        known = pa.array([name or None for name in known_as], pa.string())
    codes = pa.array(values.codes.astype(np.int32), mask=values.codes < 0)
    return pa.DictionaryArray.from_arrays(codes, known).dictionary_decode()


def refuse_repeated(found: Columns, path: Path, layout: Layout, name: str) -> None:
    """Raise if a pair of user and item stands in two lines, which are named."""
    users, items = (found[key] for key in KEYS)
    pair = users.codes.astype(np.int64) * len(items.categories) + items.codes
    repeated = pd.Series(pair).duplicated()
    if not repeated.any():
        return
    first = int(repeated.to_numpy().argmax())
    wanted = {key: found[key][first] for key in KEYS}
    places = [[field for field, _ in layout.fields].index(key) for key in KEYS]
    where = []
    for number, line in lines(path):
        fields = layout.split(line)
        if [fields[place] for place in places] == list(wanted.values()):
            where.append(number)
        if len(where) == 2:
            break
    raise InputError(
        f"{name}: {int(repeated.sum()):,} of {len(repeated):,} lines of {path.name} repeat a pair, for "
        f"example lines {where[0]:,} and {where[1]:,} (user {wanted['user_id']}, item {wanted['item_id']}); "
        "keep one line for each pair."
    )
