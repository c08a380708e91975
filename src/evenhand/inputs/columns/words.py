"""Cells that may hold several words: the categories or groups of an item."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from evenhand.errors import InputError
from evenhand.parameters import shown


def several(value: Any) -> set[str]:
    """The words of a cell: a list's entries, or text divided at |; none where it is empty."""
    if isinstance(value, bytes | dict):
        raise InputError(
            f"groups of items: a cell holds {shown(value)}, which is no name; give text, a number, or a list "
            "of these."
        )
    if isinstance(value, list | tuple | set | np.ndarray):
        return {str(word) for word in value if not (word is None or pd.isna(word) or word == "")}
    if isinstance(value, str):
        return {word.strip() for word in value.split("|") if word.strip()}
    return set() if pd.isna(value) else {str(value)}
