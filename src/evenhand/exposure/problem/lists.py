"""What users were really shown: the exposure of repeated lists from a log.

A user who was shown L lists has, for each item, the mean over them of the weight of its position (0 where it
is not in the list). That is the exposure of these lists. For the policy behind them it is an unbiased
estimate, but its square is not: II and IG are too large by the variance of that mean. With two lists or more,

    noise_u = mean_j  sum_l (w_lj - wbar_j)^2 / (L (L - 1)),

and the same over item groups, is unbiased for it, and is what the corrected II and IG are without. The other
four average over users first, so that their correction for the chance of users takes this chance with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from evenhand.arrays import Floats, Ints
from evenhand.exposure.problem.sides import ItemGroups

BLOCK_ROWS = 2_000_000


@dataclass(frozen=True)
class Lists:
    """Rows of lists, user after user and list after list: user u has `offsets[u]` to `offsets[u + 1]`."""

    offsets: Ints
    list_of: Ints  # numbers of lists, rising along the rows
    items: Ints
    ranks: Ints  # from 1

    def blocks(self) -> Iterator[tuple[Ints, Lists]]:
        """Users who were shown something, and their rows, some at a time."""
        shown = np.flatnonzero(np.diff(self.offsets) > 0)
        start = 0
        while start < len(shown):
            reach = self.offsets[shown[start]] + BLOCK_ROWS
            end = max(start + 1, int(np.searchsorted(self.offsets[shown + 1], reach, side="right")))
            users = shown[start:end]
            rows = slice(self.offsets[users[0]], self.offsets[users[-1] + 1])
            offsets = np.append(self.offsets[users], self.offsets[users[-1] + 1]) - self.offsets[users[0]]
            yield users, Lists(offsets, self.list_of[rows], self.items[rows], self.ranks[rows])
            start = end


@dataclass(frozen=True)
class Observed:
    """Exposure of the items that each user was shown, with its noise over items and over item groups."""

    offsets: Ints
    items: Ints
    exposure: Floats
    noise: Floats  # users x 2; 0 where there is one list only
    shown: Ints  # how many lists each user was shown


def observed(lists: Lists, weights: Floats, groups: ItemGroups) -> Observed:
    """The exposure of a block of users, from position weights for as many ranks as there are."""
    users = len(lists.offsets) - 1
    owner = np.repeat(np.arange(users), np.diff(lists.offsets))
    weight = weights[lists.ranks - 1]
    starts = np.flatnonzero(np.r_[True, np.diff(lists.list_of) != 0])
    owner_of_list = owner[starts]
    shown = np.bincount(owner_of_list, minlength=users)

    pair, place = np.unique(owner * groups.items + lists.items, return_inverse=True)
    total = np.bincount(place, weights=weight, minlength=len(pair))
    squares = np.bincount(place, weights=weight**2, minlength=len(pair))
    of_pair = pair // groups.items
    spread = np.bincount(of_pair, weights=squares - total**2 / shown[of_pair], minlength=users)

    number = np.cumsum(np.r_[0, np.diff(lists.list_of) != 0])
    table = sparse.csr_array((weight, (number, lists.items)), shape=(len(starts), groups.items))
    member = np.repeat(np.arange(groups.items), np.diff(groups.offsets))
    share = np.sqrt(groups.weights[groups.groups]) / groups.sizes[groups.groups]
    means = (table @ sparse.csr_array((share, (member, groups.groups)))).tocsr()
    by_user = sparse.csr_array(
        (np.ones(len(starts)), (owner_of_list, np.arange(len(starts)))), shape=(users, len(starts))
    )
    of_groups = (by_user @ means.power(2)).sum(axis=1) - (by_user @ means).power(2).sum(axis=1) / shown

    pairs = shown * (shown - 1)
    noise = np.stack([spread / groups.items, of_groups], axis=1)
    noise = np.where(pairs[:, None] > 0, np.maximum(noise, 0) / np.maximum(pairs, 1)[:, None], 0)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(of_pair, minlength=users))])
    return Observed(offsets, pair % groups.items, total / shown[of_pair], noise, shown)
