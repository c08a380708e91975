"""Atomic files of RecBole (.inter, .user, .item): tabs, and a header with a type behind each name."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.errors import InputError
from evenhand.inputs.peers import ids
from evenhand.inputs.peers.lines import Kind, Layout, read

_KINDS: dict[str, Kind] = {"token": "text", "float": "float", "token_seq": "text", "float_seq": "floats"}


def types_of(header: str) -> dict[str, str] | None:
    """Name and type of each column, or None where this is no header of an atomic file."""
    named = [field.rpartition(":") for field in header.rstrip("\r\n").split("\t")]
    if not all(name and kind in _KINDS for name, _, kind in named):
        return None
    return {name: kind for name, _, kind in named}


def read_atomic(path: Path, name: str, types: dict[str, str], header: str) -> pa.Table:
    """The columns by their names: tokens as ids are, sequences as lists. What is empty is null."""
    if header.count("\t") + 1 != len(types):
        raise InputError(f"{name}: the header of {path.name} has a column twice; name each differently.")
    fields = tuple((one, "id" if one in ids.KEYS else _KINDS[kind]) for one, kind in types.items())
    found = read(path, Layout("this atomic file of RecBole", fields, tabs=True, header=True), name)
    return pa.table({one: _column(found[one], kind) for one, kind in types.items()})


def _column(values: object, kind: str) -> pa.Array:
    if not isinstance(values, pd.Categorical):
        return pa.array(values, from_pandas=True)
    names = [_unquoted(one) for one in values.categories]
    if kind == "token":
        return ids.column(values, names)
    known = pa.array([one.split() for one in names], pa.list_(pa.string()))
    if kind == "float_seq":
        known = known.cast(pa.list_(pa.float64()))
    return pc.take(known, pa.array(values.codes, mask=values.codes < 0))


def _unquoted(field: str) -> str:
    """As RecBole reads it: quotes around a whole field are no part of it, and two within it are one."""
    quoted = len(field) > 1 and field[0] == field[-1] == '"'
    return field[1:-1].replace('""', '"') if quoted else field
