"""Ids as adapters are given them, and as the protocol wants them: distinct and sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.recommenders.interactions import Codes
from evenhand.recommenders.protocol import Scores


def sorted_ids(ids: Any, what: str) -> tuple[NDArray[Any], Codes]:
    """The ids in order, and for each the place at which it was given (the model's own code for it)."""
    given = np.asarray(ids)
    if given.ndim != 1 or len(given) == 0:
        raise InputError(
            f"{what} ids must be a list with one id for each {what}; they have the shape {given.shape}."
        )
    if pd.isna(given).any():
        raise InputError(f"{pd.isna(given).sum():,} of {len(given):,} {what} ids are empty.")
    try:
        order = np.argsort(given, kind="stable")
    except TypeError as error:
        raise InputError(f"{what} ids are of several types, which cannot be sorted ({error}).") from error
    ids = given[order]
    repeated = ids[1:][ids[1:] == ids[:-1]]
    if len(repeated):
        raise InputError(
            f"{len(repeated):,} {what} ids appear more than once, for example {shown(repeated[0])}."
        )
    return ids, order


def shown(value: Any) -> str:
    """An id as a reader would write it: 30, and not np.int64(30)."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def refuse_unscored(scores: Scores, what: str) -> Scores:
    """Scores of pairs, unless the model left some without one (minus infinity)."""
    unscored = np.isneginf(scores)
    if unscored.any():
        raise InputError(
            f"{unscored.sum():,} of {len(scores):,} pairs have no score in {what}; ask for pairs that it "
            "scores, or pass missing='lowest' to give the others minus infinity."
        )
    return scores


def check_missing(missing: str) -> str:
    """Only the two answers that there are to a pair without a score."""
    if missing not in ("refuse", "lowest"):
        raise InputError(f"missing is {missing!r}, but must be 'refuse' or 'lowest'.")
    return missing
