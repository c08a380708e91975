"""Users with several lists, such as one a request: a user's value is the mean over the user's lists.

Whoever comes more often has more lists, and counts once all the same: users are what is compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.findings import Exclusion

EACH_USER_ONCE = (
    "Users are independent of each other, and each counts once, with the mean over that user's lists, "
    "however many there are."
)


@dataclass(frozen=True)
class ListsOfUsers:
    """How many lists of each user have a value, and how many have none."""

    found: Ints
    without: Ints

    @classmethod
    def none(cls, user_count: int) -> ListsOfUsers:
        return cls(np.zeros(user_count, dtype=np.int64), np.zeros(user_count, dtype=np.int64))

    def update(self, other: ListsOfUsers) -> None:
        """Take over what is known of users who have lists there."""
        known = other.found + other.without > 0
        np.copyto(self.found, other.found, where=known)
        np.copyto(self.without, other.without, where=known)

    def left_out(self, who: NDArray[np.integer], label: str, why: str) -> tuple[Exclusion, ...]:
        """The lists of these users that have no value, with the users who stand behind them."""
        without = self.without[who]
        if not without.any():
            return ()
        lists, people = int(without.sum()), int((without > 0).sum())
        return (Exclusion(what=f"lists without {label}", count=lists, why=why, people=people),)

    def told(self, who: NDArray[np.integer]) -> dict[str, int]:
        """How many lists the users' values are of."""
        return {"lists_scored": int(self.found[who].sum())}


def over_lists(
    values: Floats, lengths: Ints, owner: NDArray[np.int32], user_count: int
) -> tuple[Floats, ListsOfUsers]:
    """Each user's mean over the own lists that have a value, NaN where none has, and how many those are.

    `values`, `lengths` and `owner`, the number of the user, are those of lists; an empty list is not there.
    """
    has, there = np.isfinite(values), lengths > 0
    mine, who = values[has], owner[has]
    # By value, so that a sum does not depend on the order of the lists.
    order = np.lexsort((mine, who))
    sums = np.bincount(who[order], weights=mine[order], minlength=user_count)
    found = np.bincount(who, minlength=user_count)
    means = np.divide(sums, found, out=np.full(user_count, np.nan), where=found > 0)
    without = np.bincount(owner[there & ~has], minlength=user_count)
    return means, ListsOfUsers(found.astype(np.int64), without.astype(np.int64))
