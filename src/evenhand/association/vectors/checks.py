"""Vectors of entities, checked: rows of finite numbers, none of them zero, in one space."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from evenhand.arrays import Floats, Vectors
from evenhand.association.vectors import devices
from evenhand.errors import InputError
from evenhand.inputs.given import plain

# Rows that are brought to length 1 at a time: the whole catalogue is never copied in double precision.
BLOCK = 1 << 15
# Rows that an error names.
NAMED = 5


def checked(name: str, given: Any, *, zeros: bool = False, advice: str = "drop them") -> Vectors:
    """`given` as an array with a vector in each row; single precision is kept. `zeros`: may be there, and
    where not, `advice` says what to do."""
    try:
        array = np.asarray(plain(name, given))
    except ValueError as error:
        raise InputError(f"{name}: the rows are of different lengths ({error}).") from error
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name}: vectors must be numbers, but these are of the type {array.dtype}.")
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(
            f"{name}: vectors must be a table with a row for each entity, but the shape is {array.shape}."
        )
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    array = np.ascontiguousarray(array)  # products of another layout differ in their last digit
    lengths = _lengths(array)
    for wrong, why in ((~np.isfinite(lengths), "not finite"), (lengths == 0, "zero, and have no direction")):
        if wrong.any() and not (zeros and "zero" in why):
            rows = ", ".join(str(row) for row in np.flatnonzero(wrong)[:NAMED])
            more = ", ..." if wrong.sum() > NAMED else ""
            raise InputError(
                f"{name}: {wrong.sum():,} of {len(array):,} vectors are {why} (rows {rows}{more}, counting "
                f"from 0); {advice if 'zero' in why else 'drop them'}."
            )
    return array


def same_space(*sides: tuple[str, Vectors]) -> None:
    """Raise unless all of these, each with its name, have the same number of dimensions."""
    (first, vectors), *others = sides
    for name, array in others:
        if array.shape[1] != vectors.shape[1]:
            raise InputError(
                f"{first} has vectors of {vectors.shape[1]} dimensions, but {name} of {array.shape[1]}: they "
                "must share one space."
            )


def two_sets(a: Any, b: Any, names: tuple[str, str] = ("a", "b")) -> tuple[Vectors, Vectors]:
    """Two sets that define an attribute: checked, of one space, and without an entity in both."""
    first, second = checked(names[0], a), checked(names[1], b)
    same_space((names[0], first), (names[1], second))
    shared = _in_both(first, second)
    if shared:
        raise InputError(
            f"{names[0]} and {names[1]} overlap: {shared:,} vectors of {names[0]} are also in {names[1]}, so "
            "that these entities would have both values of the attribute; leave them out of one."
        )
    return first, second


def enough(count: int, dimensions: int) -> None:
    """Raise if there are fewer entities than dimensions: any labels could then be told apart."""
    if dimensions == 1:
        raise InputError("the vectors have a single dimension, in which there are no directions to compare.")
    if count < dimensions:
        raise InputError(
            f"there are {count:,} entities with the attribute in {dimensions:,} dimensions: with fewer "
            "entities than dimensions any two sets can be told apart, so no direction means anything."
        )


def unit_blocks(vectors: Vectors) -> Iterator[tuple[slice, Floats]]:
    """The rows at length 1 in double precision, a block at a time."""
    for start in range(0, len(vectors), BLOCK):
        block = slice(start, min(start + BLOCK, len(vectors)))
        rows = vectors[block].astype(np.float64)
        yield block, rows / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]


def unit(vectors: Vectors) -> Floats:
    return np.concatenate([rows for _, rows in unit_blocks(vectors)])


def cosines(vectors: Vectors, direction: Floats) -> Floats:
    """cos(v, direction) of each row v, where `direction` has length 1 (else times its length)."""
    device = devices.current()
    if device is not None:
        return np.asarray(devices.cosines(vectors, direction, device))
    out = np.empty(len(vectors))
    for start in range(0, len(vectors), BLOCK):
        rows = vectors[start : start + BLOCK].astype(np.float64)
        out[start : start + BLOCK] = (rows @ direction) / np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return out


def _lengths(array: Vectors) -> Floats:
    device = devices.current()
    if device is not None:
        return np.asarray(devices.lengths(array, device))
    out = np.empty(len(array))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(array), BLOCK):
            rows = array[start : start + BLOCK].astype(np.float64)
            out[start : start + BLOCK] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return out


def _in_both(first: Vectors, second: Vectors) -> int:
    """How many rows of `first` are also rows of `second`, number for number."""
    # One number a row finds the few candidates; only those are compared in full.
    mark = np.random.default_rng(0).normal(size=first.shape[1])
    # A matrix product may round equal rows differently; a sum along each row does not.
    ours, theirs = ((part * mark).sum(axis=1) for part in (first, second))
    if not np.isin(ours, theirs).any():
        return 0
    known = {row.tobytes() for row in second[np.isin(theirs, ours)].astype(np.float64)}
    return sum(row.tobytes() in known for row in first[np.isin(ours, theirs)].astype(np.float64))
