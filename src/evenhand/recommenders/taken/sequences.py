"""Each user's items in order of time, for models that learn from the order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.recommenders.taken.ids import Codes
from evenhand.recommenders.taken.interactions import Interactions

NOTHING = -1  # in front of sequences that are shorter than others


def with_times(interactions: Interactions, model: str) -> tuple[Interactions, tuple[str, ...]]:
    """The users whose every interaction has a timestamp, with ids of their own, and a note on the others."""
    unknown = np.unique(interactions.user[np.isnan(interactions.time)])
    if len(unknown) == 0:
        return interactions, ()
    users = len(interactions.user_ids)
    timed = interactions.rows(~np.isin(interactions.user, unknown))
    if len(timed) == 0:
        raise InputError(
            f"{model} learns from the order in which users took items, but none of {users:,} users has "
            "complete timestamps; bring data with a column 'timestamp', or use another model."
        )
    note = (
        f"{len(unknown):,} of {users:,} users have no complete timestamps and were left out, as {model} "
        "learns from the order in which users took items."
    )
    return Interactions.from_frame(timed.frame()), (note,)


def last_items(train: Interactions, length: int) -> NDArray[np.int32]:
    """Users x `length`: the items that each user took last, the latest at the end."""
    later, _ = _from_the_end(train)
    sequences = np.full((len(train.user_ids), length), NOTHING, dtype=np.int32)
    rows = later < length
    sequences[train.user[rows], length - 1 - later[rows]] = train.item[rows]
    return sequences


def windows(train: Interactions, length: int) -> NDArray[np.int32]:
    """Everybody's items in order, cut from the end into pieces of `length`; the first may be shorter."""
    later, counts = _from_the_end(train)
    pieces = -(-counts // length)
    first = np.cumsum(pieces) - pieces
    cut = np.full((pieces.sum(), length), NOTHING, dtype=np.int32)
    cut[first[train.user] + later // length, length - 1 - later % length] = train.item
    return cut


def longest(train: Interactions) -> int:
    return int(np.bincount(train.user).max())


def _from_the_end(train: Interactions) -> tuple[Codes, Codes]:
    """For each row how many of its user's rows are later, and for each user how many there are."""
    missing = np.isnan(train.time)
    if missing.any():
        raise InputError(
            f"{missing.sum():,} of {len(train):,} interactions have no timestamp, so that the order in which "
            "users took items is not known; leave out the users they are of, or use another model."
        )
    counts = np.bincount(train.user, minlength=len(train.user_ids))
    # Equal times are common (a session of ratings): chance decides, the same for the same rows.
    order = np.lexsort((np.random.default_rng(0).random(len(train)), train.time, train.user))
    later = np.empty(len(train), dtype=np.int64)
    later[order] = np.cumsum(counts)[train.user[order]] - 1 - np.arange(len(train))
    return later, counts
