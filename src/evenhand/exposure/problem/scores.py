"""Scores and grades on the way in: a finite number for every user and item."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from evenhand.errors import InputError
from evenhand.inputs.given import plain


def checked_scores(scores: Any) -> NDArray[np.floating]:
    """Users x items in single or double precision, as given; whole numbers become doubles."""
    try:
        table = np.asarray(plain("scores", scores))
        if table.dtype not in (np.float32, np.float64) and table.dtype.kind in "iufO":
            table = table.astype(np.float64)
    except (OverflowError, TypeError, ValueError):
        raise InputError("scores must be a table of numbers, a row a user and a column an item.") from None
    if table.dtype not in (np.float32, np.float64):
        raise InputError(f"scores are of type {table.dtype}, but must be numbers.")
    if table.ndim != 2:
        raise InputError(
            f"scores have {table.ndim} dimensions, but must have 2: a row a user and a column an item."
        )
    if table.shape[1] == 0:
        raise InputError("scores have no items: there must be at least one column.")
    # A sum is finite if all are, and needs no table of its own; sums that overflow are looked at again.
    with np.errstate(over="ignore", invalid="ignore"):
        suspect = not np.isfinite(table.sum(dtype=np.float64))
    if suspect:
        wrong = ~np.isfinite(table)
        if wrong.any():
            user, item = np.argwhere(wrong)[0]
            raise InputError(
                f"{wrong.sum():,} scores are NaN or infinite, the first in row {user:,}, column {item:,} "
                f"(counting from 0); every score must be finite, so leave out items that cannot be shown."
            )
    return np.ascontiguousarray(table)


def result_type(scores: NDArray[np.floating], dtype: DTypeLike | None) -> np.dtype[Any]:
    """float32 or float64: as asked for, else as the scores are."""
    try:
        wanted = scores.dtype if dtype is None else np.dtype(dtype)
    except TypeError:
        wanted = None
    if wanted not in (np.float32, np.float64):
        raise InputError(f"dtype is {dtype!r}, but must be float32 or float64.")
    return np.dtype(wanted)
