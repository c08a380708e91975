"""A column of a table as codes of its values: one value a row, or a list of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.errors import InputError

_LISTS = (list, tuple, set, frozenset, np.ndarray)


@dataclass(frozen=True, eq=False)
class Category:
    """Values in order, and their codes: 1 for the first, 0 for a row without one, -1 after a row's last."""

    values: tuple[str, ...]
    codes: NDArray[np.int32]


def looks_categorical(column: pd.Series) -> bool:
    """Text, yes and no, declared categories, or lists of text; numbers may be counts."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return True
    members = {type(value) for row in _rows(column) for value in row}
    return len(members) == 1 and members <= {str, bool, np.bool_}


def category(column: pd.Series, table: str) -> Category:
    """The codes of a column; what is no category is refused, with the name of the `table`."""
    rows = _rows(column)
    kinds = {_kind(value) for row in rows for value in row}
    where = f"{table}: column {str(column.name)!r}"
    if kinds - {"text", "whole numbers", "yes and no"}:
        odd = min(kinds - {"text", "whole numbers", "yes and no"})
        help_ = "put them into bands first" if odd == "numbers with fractions" else "make them text first"
        raise InputError(f"{where} holds {odd}, which are no categories; {help_}, or leave it out.")
    if len(kinds) > 1:
        raise InputError(f"{where} holds both {' and '.join(sorted(kinds))}; make them all text.")
    spelt = [[_spelt(value) for value in row] for row in rows]
    values = sorted({value for row in spelt for value in row})
    if not values:
        raise InputError(f"{where} is empty in all rows; leave it out.")
    code = {value: place + 1 for place, value in enumerate(values)}
    codes = np.full((len(rows), max([1, *map(len, spelt)])), -1, dtype=np.int32)
    for place, row in enumerate(spelt):
        found = sorted({code[value] for value in row}) or [0]
        codes[place, : len(found)] = found
    return Category(tuple(values), codes)


def _rows(column: pd.Series) -> list[list[Any]]:
    """The values of each row, of which there may be none."""
    return [
        [part for part in value if not _empty(part)] if isinstance(value, _LISTS) else
        [] if _empty(value) else [value]
        for value in column.tolist()
    ]  # fmt: skip


def _empty(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or value == "" or value != value


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool | np.bool_):
        return "yes and no"
    if isinstance(value, int | np.integer) or (isinstance(value, float | np.floating) and value % 1 == 0):
        return "whole numbers"
    if isinstance(value, float | np.floating):
        return "numbers with fractions"
    return f"values of the type {type(value).__name__}"


def _spelt(value: Any) -> str:
    return str(int(value)) if isinstance(value, float | np.floating) else str(value)
