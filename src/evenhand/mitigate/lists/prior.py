"""What people of the same group liked, as a second opinion on candidates."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand import inputs
from evenhand.arrays import Floats, Ints
from evenhand.groups import CandidateLists

# A group of 20 has as much to say as everybody together: below, a share is mostly the noise of few people.
_PEOPLE_OF_EVERYBODY = 20.0


def group_prior(
    lists: CandidateLists,
    history_user: NDArray[np.integer],
    history_item: NDArray[np.integer],
    group_of_user: NDArray[np.integer],
) -> Floats:
    """For each candidate the share of the others in the user's group who liked it, one value a row:

        (others of the group who liked it + 20 * share of all others who did) / (others of the group + 20)

    from a history table with a row a like, by the codes of the lists; a like told twice counts once. The
    user's own likes never count: should the history hold what the lists are tested with, that were leakage.
    """
    if len(lists.item) == 0:
        return np.zeros(0)
    user = np.repeat(np.arange(lists.user_count), lists.lengths)
    group = np.asarray(group_of_user, dtype=np.int64)
    items = 1 + int(max(lists.item.max(), np.max(history_item, initial=0)))
    liked = np.unique(np.asarray(history_user, dtype=np.int64) * items + history_item)
    liked_user, liked_item = liked // items, liked % items

    own = _count(liked, user * items + lists.item)
    of_group = _count(np.sort(group[liked_user] * items + liked_item), group[user] * items + lists.item)
    of_all = np.bincount(liked_item, minlength=items)[lists.item]
    others_of_group = np.bincount(group)[group[user]] - 1
    share_of_all = (of_all - own) / max(lists.user_count - 1, 1)
    return (of_group - own + _PEOPLE_OF_EVERYBODY * share_of_all) / (others_of_group + _PEOPLE_OF_EVERYBODY)


def _count(ascending: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each wanted value occurs."""
    return np.searchsorted(ascending, wanted, "right") - np.searchsorted(ascending, wanted, "left")


def read_likes(history: inputs.Table, ids: pd.Index, items: pd.Index) -> tuple[Ints, Ints]:
    """The numbers of users and items in a history table, as `group_prior` takes them.

    Rows of users or items that are in no list say nothing about any candidate of a group, and are left out.
    """
    keys = ["user_id", "item_id"]
    history.require(*keys)
    inputs.usable_rows(history, required=keys)
    likes = history.run(history.expr.select(*keys).distinct())
    user, item = ids.get_indexer(pd.Index(likes["user_id"])), items.get_indexer(pd.Index(likes["item_id"]))
    known = (user >= 0) & (item >= 0)
    return user[known].astype(np.int64), item[known].astype(np.int64)
