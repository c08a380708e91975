"""What a caller gives from Python for things that are known already: labels, memberships, tables of pairs.

One reading for all rooms. A table with two axes is never a list of labels, an index is never overlooked, and
where two readings are possible there is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.inputs.columns.naming import told_apart

Listed = list | tuple | set | frozenset | dict | np.ndarray
# Text and whole numbers are names; so many different numbers with fractions are amounts.
MOST_FRACTIONS = 20


@dataclass(frozen=True)
class Things:
    """Users or items in order: what they are called, and their ids; `numbered` where a place is all there
    is."""

    name: str
    ids: pd.Index
    numbered: bool

    @classmethod
    def of(cls, name: str, ids: Any) -> Things:
        """Things with ids, or so many without."""
        if isinstance(ids, int):
            return cls(name, pd.RangeIndex(ids), True)
        index = pd.Index(ids)
        if index.has_duplicates:
            twice = int(index.duplicated().sum())
            raise InputError(f"{twice:,} {name} appear more than once, such as {_first_twice(index)!r}.")
        return cls(name, index, False)

    def __len__(self) -> int:
        return len(self.ids)

    def places(self, what: str, index: pd.Index) -> NDArray[np.intp] | None:
        """Where each is in `index`; None where what has it is in their order already."""
        if index.equals(self.ids):
            return None
        order = pd.RangeIndex(len(index))
        if self.numbered:
            if len(index) == len(self) and index.is_unique and index.isin(order).all():
                raise InputError(
                    f"{what}: its index has the numbers 0 to {len(self) - 1:,} in another order, while "
                    f"{self.name} have no ids; sort it by its index (.sort_index()), or, if it is in "
                    "the order of the rows, give it without one (.to_numpy())."
                )
            if len(index) and not isinstance(index, pd.RangeIndex):
                raise InputError(
                    f"{what}: its index has ids (such as {index.tolist()[0]!r}), while {self.name} are rows "
                    "of an array, which has none: give that as a frame with these ids, or this without an "
                    "index (.to_numpy()) if it is in the order of the rows."
                )
            return None
        if index.equals(order):
            raise InputError(
                f"{what}: its index numbers its rows, while {self.name} have ids (such as "
                f"{self.ids.tolist()[0]!r}); give it their ids for an index, or without an index "
                "(.to_numpy()) if it is in their order."
            )
        if index.has_duplicates:
            twice = int(index.duplicated().sum())
            raise InputError(f"{what}: {twice:,} ids appear more than once; give one row for each.")
        places = index.get_indexer(self.ids)
        if (places < 0).any():
            raise InputError(
                f"{what}: {int((places < 0).sum()):,} of {len(self):,} {self.name} are not in its index, for "
                f"example {self.ids[places < 0].tolist()[0]!r}; add them, or give it without an index "
                "(.to_numpy()) if it is in their order."
            )
        return places


def plain(what: str, given: Any) -> Any:
    """`given`, if an array of it says as much: NumPy forgets masks, and halves of complex numbers."""
    if isinstance(given, np.ma.MaskedArray):
        raise InputError(f"{what}: a masked array was given; drop what is masked, and give a plain one.")
    if getattr(getattr(given, "dtype", None), "kind", "") == "c":
        raise InputError(f"{what}: complex numbers were given; give real ones.")
    return given


def values(what: str, given: Any, things: Things) -> list[Any]:
    """A value for each thing, in their order: from a list, an array with one axis, or a Series by index."""
    given = _pandas(plain(what, given))
    if isinstance(given, pd.DataFrame) and given.shape[1] == 1:
        given = given.iloc[:, 0]
    if isinstance(given, pd.DataFrame) or sparse.issparse(given) or getattr(given, "ndim", 1) > 1:
        raise InputError(
            f"{what} has two axes, but must have one value for each of {len(things):,} {things.name}."
        )
    if not hasattr(given, "__len__") or isinstance(given, str | bytes | dict | set):
        raise InputError(f"{what} must be a list with a value for each of {len(things):,} {things.name}.")
    if isinstance(given, pd.Series):
        if len(given) >= len(things) and (places := things.places(what, given.index)) is not None:
            given = given.iloc[places]
        given = given.tolist()
    if len(given) != len(things):
        raise InputError(
            f"{what} has {len(given):,} entries, but there are {len(things):,} {things.name}; give one for "
            "each."
        )
    return [cell.item() if isinstance(cell, np.generic) else cell for cell in given]


def labels(what: str, cells: Sequence[Any], things: str) -> list[Any]:
    """`cells`, if each is the name of one group: text or a number, none empty, no amounts."""
    if any(isinstance(cell, Listed) for cell in cells):
        one = things.removesuffix("s")
        raise InputError(
            f"{what}: a {one} is in one group, but there are {things} with a list; give one label."
        )
    empty = sum(is_empty(cell) for cell in cells)
    if empty:
        raise InputError(f"{what}: {empty:,} of {len(cells):,} {things} have no group; give them one.")
    refuse_amounts(what, cells)
    told_apart(what, dict.fromkeys(cells))
    return list(cells)


def refuse_amounts(what: str, cells: Sequence[Any]) -> None:
    """Raise where labels are really measurements, each of which would be a group of its own."""
    amounts = {cell for cell in cells if isinstance(cell, float) and not cell.is_integer()}
    if len(amounts) > MOST_FRACTIONS:
        raise InputError(
            f"{what} has {len(amounts):,} different numbers with fractions, such as {min(amounts)!r}: these "
            "are amounts and no names of groups; cut them into bands first."
        )


def is_empty(cell: Any) -> bool:
    return cell is None or cell is pd.NA or cell is pd.NaT or cell == "" or cell != cell


def memberships(what: str, given: Any, things: Things) -> tuple[tuple[str, ...], NDArray[np.bool_]] | None:
    """Names of groups, and which thing (row) is in which (column), from a 0/1 table with two axes.

    None where `given` has one axis: then it holds labels.
    """
    given = _pandas(plain(what, given))
    if isinstance(given, pd.DataFrame):
        if given.shape[1] == 1 and not _is_binary(given):
            return None  # a column of labels
        if len(given) >= len(things) and (places := things.places(what, given.index)) is not None:
            given = given.iloc[places]
        names = tuple(str(name) for name in given.columns)
        if len(set(names)) < len(names):
            raise InputError(f"{what}: two columns have one name; every group needs its own.")
        table: Any = given
    elif sparse.issparse(given):
        table = cast(Any, given).toarray()
    elif _axes(given) > 1:
        table = np.asarray(given)
        if isinstance(given, list | tuple) and table.shape[1] > 1 and _is_binary(table):
            raise InputError(
                f"{what}: lists of 0 and 1 may be memberships, or groups that are called 0 and 1; give an "
                "array (np.array(...)) of memberships, or names as text."
            )
        if isinstance(given, list | tuple):
            return None  # lists of names, which happen to be of one length
    else:
        return None
    shape = table.shape
    if len(shape) != 2 or shape[0] != len(things):
        turned = len(shape) == 2 and shape[1] == len(things)
        advice = "it has a row for each group, so transpose it (.T)" if turned else "give a row for each"
        raise InputError(
            f"{what} has {shape[0]:,} rows, but there are {len(things):,} {things.name}; {advice}."
        )
    if not _is_binary(table):
        raise InputError(
            f"{what}: a table with two axes says by 0 and 1 which of {things.name} (rows) is in which group "
            "(columns), and this one has other values; for names of groups give one value, or one list, for "
            "each."
        )
    if not isinstance(table, pd.DataFrame):
        names = tuple(f"group {column}" for column in range(shape[1]))
    return names, np.asarray(table).astype(bool)


def matrix(what: str, given: Any, rows: Things, columns: Things) -> NDArray[Any]:
    """A number for each pair, in the order of rows and columns: from an array, a sparse one, or a frame."""
    given = _pandas(plain(what, given))
    if sparse.issparse(given):
        given = cast(Any, given).toarray()
    if isinstance(given, pd.DataFrame):
        # Of too few its shape is refused below.
        if len(given) >= len(rows) and (places := rows.places(what, given.index)) is not None:
            given = given.iloc[places]
        if given.shape[1] >= len(columns) and (places := columns.places(what, given.columns)) is not None:
            given = given.iloc[:, places]
    try:
        table = np.asarray(given)
        if table.dtype.kind not in "biuf":
            table = table.astype(float)
    except (OverflowError, TypeError, ValueError):
        raise InputError(f"{what} must be a table of numbers, a row a user and a column an item.") from None
    wanted = (len(rows), len(columns))
    if table.shape != wanted:
        turned = table.shape == wanted[::-1]
        advice = "it seems to have users in columns, so transpose it (.T)" if turned else "give every pair"
        raise InputError(
            f"{what} has the shape {table.shape}, but there are {wanted[0]:,} users and {wanted[1]:,} items; "
            f"{advice}."
        )
    return np.ascontiguousarray(table)


def is_matrix(given: Any, *beside: Any) -> bool:
    """Whether it is a table with users in rows and items in columns, and no list of rows with ids in columns.

    A frame is one if it says so by the names of its axes, if columns are not text, or if what is given beside
    it is one.
    """
    if isinstance(given, np.ndarray) or sparse.issparse(given) or is_tensor(given):
        return True
    if isinstance(given, list | tuple):
        return bool(given) and isinstance(given[0], list | tuple)
    if not isinstance(given, pd.DataFrame) or {"user_id", "item_id"} & set(map(str, given.columns)):
        return False
    named = given.index.name == "user_id" or given.columns.name == "item_id"
    text = all(isinstance(name, str) for name in given.columns)
    return named or not text or any(is_matrix(other) or _is_alike(given, other) for other in beside)


def is_tensor(given: Any) -> bool:
    """Of torch, which need not be installed; files can be detached, too."""
    return hasattr(given, "detach") and hasattr(given, "device")


def _is_alike(frame: pd.DataFrame, other: Any) -> bool:
    return isinstance(other, pd.DataFrame) and set(frame.columns) == set(other.columns)


def _pandas(given: Any) -> Any:
    module = type(given).__module__.split(".")[0]
    return given.to_pandas() if module == "polars" and hasattr(given, "to_pandas") else given


def _is_binary(table: Any) -> bool:
    array = np.asarray(table)
    if array.dtype.kind not in "biufO" or not array.size:
        return False
    return bool(np.isin(array, (0, 1)).all()) and not any(isinstance(cell, str) for cell in array.flat[:1])


def _axes(given: Any) -> int:
    if hasattr(given, "ndim"):
        return int(given.ndim)
    if not isinstance(given, list | tuple):
        return 1
    lengths = {len(row) if isinstance(row, list | tuple) else -1 for row in given}
    return 2 if len(lengths) == 1 and -1 not in lengths else 1


def _first_twice(index: pd.Index) -> Any:
    return cast(Any, index[index.duplicated()].tolist()[0])
