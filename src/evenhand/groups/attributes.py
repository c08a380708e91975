"""Attributes of users as codes: values as they are, or numbers in bins."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.arrays import Ints
from evenhand.errors import InputError
from evenhand.inputs import band_names, told_apart
from evenhand.parameters import whole

Bins = Mapping[str, int | Sequence[float]]
Missing = Literal["refuse", "group", "exclude"]

MISSING_VALUE = "(missing)"
MOST_VALUES = 1_000
# Attributes made from the history table: the number of interactions, the sum and the maximum of the price.
DERIVED = ("activity", "spend", "highest_price")
DERIVED_BINS = 10
HOW_TO_BIN = "say how to bin it: bins={{{}: 4}} for quarters, or the edges between the bins"
CHOOSE = "choose for missing: 'group' makes these users a group, 'exclude' leaves them out"


@dataclass(frozen=True)
class Attribute:
    """The code of each user, -1 where the value is missing, and a word for each code, in order."""

    name: str
    codes: Ints
    words: tuple[str, ...]

    @property
    def empty(self) -> int:
        return int((self.codes < 0).sum())


def check_type(name: str, type_: pa.DataType, bins: int | Sequence[float] | None) -> None:
    """Raise unless a column of this type can make groups, with these bins."""
    is_fraction = pa.types.is_floating(type_) or pa.types.is_decimal(type_)
    if bins is not None and not (is_fraction or pa.types.is_integer(type_)):
        raise InputError(f"users: column {name!r} is of type {type_}; only numbers can be binned.")
    if bins is None and is_fraction:
        raise InputError(
            f"users: column {name!r} holds fractions, which make no groups as they are; "
            f"{HOW_TO_BIN.format(repr(name))}."
        )
    if pa.types.is_nested(type_):
        raise InputError(f"users: column {name!r} holds lists, not one value a user.")


def from_values(name: str, column: pa.ChunkedArray) -> Attribute:
    """An attribute whose values are groups as they are, from a column in dictionary encoding."""
    column = column.unify_dictionaries()
    values = column.chunk(0).dictionary.to_pylist() if column.num_chunks else []
    if len(values) > MOST_VALUES:
        raise InputError(
            f"users: column {name!r} has {len(values):,} values, more than {MOST_VALUES:,}: it looks like an "
            "id and not like an attribute. Bin it if it is a number, or leave it out."
        )
    told_apart(f"users: column {name!r}", values)
    order = sorted(range(len(values)), key=lambda i: values[i])
    place = np.empty(len(values) + 1, dtype=np.int64)
    place[order] = np.arange(len(values))
    place[-1] = -1
    indices = [chunk.indices.cast(pa.int64()) for chunk in column.chunks]
    parts = [part.fill_null(len(values)).to_numpy(zero_copy_only=False) for part in indices]
    codes = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
    return Attribute(name, place[codes], _distinct(_word(values[i]) for i in order))


def _word(value: Any) -> str:
    if isinstance(value, str) and not value.strip():
        return "(empty)" if not value else repr(value)
    return str(value)


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    """Words as they are, a number behind those that were there before: two groups never have one name."""
    seen: set[str] = set()
    found = []
    for word in words:
        name, number = word, 2
        while name in seen:
            name, number = f"{word} ({number})", number + 1
        seen.add(name)
        found.append(name)
    return tuple(found)


def binned(
    name: str, values: NDArray[np.floating], bins: int | Sequence[float], whole_numbers: bool = False
) -> Attribute:
    """Numbers in `bins` quantiles of equal share as far as ties allow, or between given edges.

    A bin holds its lower edge and not its upper one. NaN is missing.
    """
    known = values[np.isfinite(values)]
    if isinstance(bins, Integral) and not isinstance(bins, bool):
        bins = whole(f"bins of {name!r}", bins, 2, MOST_VALUES)
        shares = np.arange(1, bins) / bins
        edges = np.quantile(known, shares, method="higher") if len(known) else np.zeros(0)
        edges = np.unique(edges)
        edges = edges[edges > known.min()] if len(known) else edges
    else:
        try:
            edges = np.asarray(bins, dtype=float)
        except (TypeError, ValueError):
            edges = np.zeros(0)
        if (
            edges.ndim != 1
            or len(edges) == 0
            or not np.all(np.diff(edges) > 0)
            or not np.isfinite(edges).all()
        ):
            raise InputError(
                f"bins of {name!r} are {_shown(bins)}, but must be a whole number, or edges that ascend, "
                "such as [18, 35, 55]."
            )
    codes = np.searchsorted(edges, values, side="right").astype(np.int64)
    codes[~np.isfinite(values)] = -1
    return Attribute(name, codes, band_names(edges.tolist(), whole_numbers))


def _shown(value: object) -> str:
    return " ".join(reprlib.repr(value).split())


def with_missing(coded: Sequence[Attribute], missing: Missing) -> tuple[list[Attribute], NDArray[np.bool_]]:
    """The attributes with what was decided about missing values, and which users stay."""
    users = len(coded[0].codes)
    stay = np.ones(users, dtype=bool)
    done = []
    for attribute in coded:
        if not attribute.empty:
            done.append(attribute)
            continue
        if missing == "refuse":
            raise InputError(
                f"users: {attribute.name!r} is empty for {attribute.empty:,} of {users:,} users. Fill it, or "
                f"{CHOOSE}."
            )
        if missing == "group":
            codes = np.where(attribute.codes < 0, len(attribute.words), attribute.codes)
            attribute = Attribute(attribute.name, codes, _distinct((*attribute.words, MISSING_VALUE)))
        else:
            stay &= attribute.codes >= 0
        done.append(attribute)
    return done, stay


def derived(
    name: str, history: pd.DataFrame, users: pd.Index, bins: int | Sequence[float] | None
) -> Attribute:
    """An attribute from each user's history, in ten bins if nothing else is asked for."""
    values = history[name].reindex(users).to_numpy(dtype=float)
    if name in ("activity", "spend"):  # who has no history has done and spent nothing
        values = np.nan_to_num(values)
    return binned(name, values, DERIVED_BINS if bins is None else bins)
