"""Original ids and the codes that stand for them inside: positions among the sorted ids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.parameters import shown

Codes = NDArray[np.int64]


def codes_of(ids: NDArray[Any], known: NDArray[Any], what: str) -> Codes:
    """Positions of `ids` among the sorted `known` ids; an id that was not seen in training is refused."""
    ids = id_list(ids, what)
    try:
        place = np.searchsorted(known, ids)
        found = known[np.minimum(place, len(known) - 1)] == ids
    except TypeError:
        found = np.zeros(len(ids), dtype=bool)
    found = np.broadcast_to(np.asarray(found), ids.shape)
    if not found.all():
        unseen = pd.unique(pd.Series(ids[~found]))
        raise InputError(
            f"{len(unseen):,} {what} ids were not seen in training, for example {shown(unseen[0])}. "
            f"Score only {what}s that the model knows (it knows {len(known):,}, such as {shown(known[0])})."
        )
    return place


def id_list(ids: Any, what: str) -> NDArray[Any]:
    """The ids as an array; one id alone, or a table of them, is not a list."""
    if isinstance(ids, np.ma.MaskedArray):
        raise InputError(f"{what} ids are a masked array; drop what is masked, and give a plain one.")
    try:
        given = np.asarray(ids)
    except ValueError as error:  # lists of different lengths
        raise InputError(f"{what} ids must be a plain list, one id a place, but lists were given.") from error
    if given.ndim != 1:
        if given.ndim == 0:
            got = f"a single {type(ids).__name__} was given; put it into a list"
        else:
            got = f"an array of the shape {given.shape} was given"
        raise InputError(f"{what} ids must be a plain list, one id a place, but {got}.")
    return given


def sorted_ids(ids: Any, what: str) -> tuple[NDArray[Any], Codes]:
    """The ids in order, and for each the place at which it was given (the model's own code for it)."""
    given = id_list(ids, what)
    if len(given) == 0:
        raise InputError(f"there are no {what} ids; give a list with one id for each {what}.")
    if pd.isna(given).any():
        raise InputError(f"{pd.isna(given).sum():,} of {len(given):,} {what} ids are empty.")
    refuse_odd_ids(given, f"{what} ids")
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


def refuse_odd_ids(ids: NDArray[Any], where: str) -> None:
    """Ids are text or numbers that can be told apart, sorted, and stored without changing."""
    if ids.dtype.kind not in "iufUO":
        raise InputError(f"{where} are of the type {ids.dtype}, but must be text or numbers; convert them.")
    wrong, why = np.zeros(len(ids), dtype=bool), "are not finite"
    if ids.dtype.kind == "f":
        wrong = ~np.isfinite(ids)
    elif ids.dtype == object:
        # NumPy drops a zero character at the end of text, so that "a" and "a\0" would become one.
        odd = (isinstance(i, bytes) or (isinstance(i, str) and "\0" in i) for i in ids)
        wrong, why = np.fromiter(odd, dtype=bool, count=len(ids)), "are bytes, or have a zero character"
    if wrong.any():
        raise InputError(
            f"{where}: {wrong.sum():,} of {len(ids):,} {why}, for example {shown(ids[wrong][0])}; ids must "
            "be plain text or numbers."
        )


def refuse_other_ids(first: Any, second: Any, names: tuple[str, str]) -> None:
    """Two things that are matched by codes (recommenders, interactions) must have the same ids."""
    for what in ("user", "item"):
        ours, theirs = (np.asarray(getattr(thing, f"{what}_ids")) for thing in (first, second))
        if np.array_equal(ours, theirs):
            continue
        odd = set(ours.tolist()) ^ set(theirs.tolist())
        why = f"{min(odd, key=str)!r} is in only one of them" if odd else "they are in another order"
        raise InputError(
            f"{names[1]} has other {what} ids than {names[0]} ({len(theirs):,} and {len(ours):,}): {why}; "
            "both must come from the same interactions."
        )
