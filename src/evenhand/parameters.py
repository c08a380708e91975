"""Numbers that a caller chooses: one check for whole ones, one for all others, and one way to refuse them.

Each gives the number back as plain Python, so that what was used can be written as JSON.
"""

from __future__ import annotations

import math
import reprlib
from numbers import Integral, Real
from typing import Any

from evenhand.errors import InputError

# What every generator takes (torch's have 64 bits) and every file can hold.
LARGEST_SEED = 2**63 - 1


def whole(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """`value`, if it is a whole number in this range."""
    # True is a number to Python, but nobody means 1 by it.
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    plain = int(value) if is_whole else value
    if not is_whole or not _within(plain, least, most):
        wanted = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
        raise InputError(f"{name} is {_shown(plain)}, but must be a whole number {wanted}.")
    return plain


def number(
    name: str, value: Any, least: float = 0, most: float | None = None, *, above: bool = False
) -> float:
    """`value`, if it is a finite number in this range; with `above`, `least` itself is not in it."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    try:
        plain = float(value) if is_number else math.nan
    except OverflowError:  # a whole number of more than 300 digits
        plain = math.inf
    if not (math.isfinite(plain) and _within(plain, least, most)) or (above and plain == least):
        wanted = f"above {least:g}" if above else f"of at least {least:g}"
        if most is not None:
            wanted = f"{wanted} and at most {most:g}" if above else f"from {least:g} to {most:g}"
        raise InputError(f"{name} is {_shown(value)}, but must be a finite number {wanted}.")
    return plain


def _within(value: float, least: float, most: float | None) -> bool:
    return least <= value and (most is None or value <= most)


def _shown(value: Any) -> str:
    """Short, and on one line, whatever was given."""
    plain = float(value) if isinstance(value, float) else value  # NumPy's own would be np.float64(nan)
    return " ".join(reprlib.repr(plain).split())
