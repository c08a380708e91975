"""Arrays that a model is made of: numbers, of the right shape, and finite."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError


def numbers(name: str, values: Any) -> NDArray[np.float32]:
    """The array in the precision that models are kept in."""
    if isinstance(values, np.ma.MaskedArray):
        raise InputError(f"{name} must be a plain array, but a masked one was given.")
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name} must be numbers, but they are of the type {array.dtype}.")
    return array.astype(np.float32, copy=False)


def finite_array(name: str, values: Any, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """The array, if it has this shape and nothing in it is missing or infinite."""
    array = numbers(name, values)
    if array.shape != shape:
        raise InputError(f"{name} has the shape {array.shape}, but must have {shape}.")
    wrong = array.size - np.isfinite(array).sum()
    if wrong:
        raise InputError(f"{name} has {wrong:,} of {array.size:,} numbers that are not finite.")
    return array
