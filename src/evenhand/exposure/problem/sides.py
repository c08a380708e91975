"""Who is in which group, on the side of users and on the side of items.

A user is in one group, which may be an intersection (women under 25); an item may be in several (a comedy
that is a romance). Groups count equally unless weights say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError

# A gigabyte of memberships; pairs of groups whose exposures take about as much.
MOST_MEMBERSHIPS = 1_000_000_000
MOST_PAIRS = 1_000_000


class ItemGroups(NamedTuple):
    """Item j is in the groups `groups[offsets[j]:offsets[j + 1]]`; group k has `sizes[k]` items and counts
    with `weights[k]`, which add up to 1."""

    offsets: Ints
    groups: Ints
    sizes: Ints
    weights: Floats

    @property
    def items(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of(cls, membership: ArrayLike, weights: ArrayLike | None = None) -> ItemGroups:
        """From a code for each item (0, 1, ...), or a 0/1 table of items by groups where they overlap."""
        table = np.asarray(membership)
        if table.ndim == 1:
            groups = _codes("item", table)
            offsets = np.arange(len(groups) + 1)
        else:
            if table.ndim != 2 or not np.isin(table, (0, 1)).all():
                raise InputError(
                    "Item groups must be a code for each item or a 0/1 table of items by groups."
                )
            owner, groups = np.nonzero(table)
            counts = np.bincount(owner, minlength=len(table))
            if (counts == 0).any():
                bare = np.flatnonzero(counts == 0)
                raise InputError(
                    f"{len(bare):,} items have no group, such as item {bare[0]}; give them one, "
                    "for example a group of their own."
                )
            offsets = np.concatenate([[0], np.cumsum(counts)])
        if not len(groups):
            raise InputError("There are no items.")
        sizes = np.bincount(groups, minlength=table.shape[1] if table.ndim == 2 else 0)
        _nobody_missing("Item", sizes)
        offsets, groups, sizes = (part.astype(np.int64) for part in (offsets, groups, sizes))
        return cls(offsets, groups, sizes, shares("item", weights, len(sizes)))

    def means(self, sums: Floats) -> Floats:
        """The mean over the items of each group, of rows with a column an item."""
        entry = np.repeat(np.arange(self.items), np.diff(self.offsets))
        out = np.empty((len(sums), len(self.sizes)))
        for row, values in enumerate(sums):
            out[row] = np.bincount(self.groups, weights=values[entry], minlength=len(self.sizes))
        return out / self.sizes


def user_codes(*attributes: Sequence[object] | NDArray[np.generic]) -> tuple[Ints, list[tuple[object, ...]]]:
    """A code for each user, and what each code means: a group for every combination that occurs.

    Several attributes make intersections of them.
    """
    lengths = {len(attribute) for attribute in attributes}
    if len(lengths) != 1:
        raise InputError("Attributes of users must be given, and all must have a value for each user.")
    code = np.zeros(lengths.pop(), dtype=np.int64)
    values: list[NDArray[np.generic]] = []
    for attribute in attributes:
        found, index = np.unique(np.asarray(attribute), return_inverse=True)
        values.append(found)
        code = code * len(found) + index
    used, code = np.unique(code, return_inverse=True)
    parts = np.unravel_index(used, [len(found) for found in values])
    names = [
        tuple(found[i].item() for found, i in zip(values, row, strict=True))
        for row in zip(*parts, strict=True)
    ]
    return code.astype(np.int64), names


def refuse_many_groups(items: int, groups: int) -> None:
    """Raise before a table of items by groups is made that does not fit into memory."""
    if items * groups > MOST_MEMBERSHIPS:
        raise InputError(
            f"{items:,} items are in {groups:,} groups, which are too many to hold: the column looks like an "
            "id and not like a group; name one with fewer values."
        )


def refuse_many_pairs(user_groups: int, item_groups: int) -> None:
    """Raise before tables of user groups by item groups are made that do not fit into memory."""
    if user_groups * item_groups > MOST_PAIRS:
        raise InputError(
            f"there are {user_groups:,} groups of users and {item_groups:,} of items, and more than "
            f"{MOST_PAIRS:,} pairs of them are too many to hold: a column may be an id and not a group; name "
            "one with fewer values."
        )


def checked_codes(codes: ArrayLike, user_count: int, groups: int) -> Ints:
    """`codes`, if they are a group for each of these users."""
    found = _codes("user", np.asarray(codes))
    if len(found) != user_count:
        raise InputError(f"There are groups for {len(found):,} users, but exposures for {user_count:,}.")
    if len(found) and found.max() >= groups:
        raise InputError(
            f"A user is in group {found.max()}, but there are only {groups} (0 to {groups - 1})."
        )
    return found


def shares(side: str, weights: ArrayLike | None, groups: int) -> Floats:
    """Weights of groups that add up to 1; all the same by default."""
    if weights is None:
        return np.full(groups, 1 / groups)
    given = np.asarray(weights, dtype=float)
    if given.shape != (groups,):
        raise InputError(f"There are {given.size:,} weights for {groups:,} {side} groups.")
    if not (np.isfinite(given) & (given >= 0)).all() or given.sum() <= 0:
        raise InputError(f"Weights of {side} groups must be finite, 0 or more, and not all 0.")
    return given / given.sum()


def _codes(side: str, codes: NDArray[Any]) -> Ints:
    if codes.ndim != 1 or codes.dtype.kind not in "iu":
        raise InputError(f"Groups of {side}s must be whole numbers from 0 on, one for each {side}.")
    if len(codes) and codes.min() < 0:
        bare = np.flatnonzero(codes < 0)
        raise InputError(f"{len(bare):,} {side}s have no group, such as {side} {bare[0]}; give them one.")
    return codes.astype(np.int64)


def _nobody_missing(side: str, sizes: Ints) -> None:
    if (sizes == 0).any():
        empty = int(np.flatnonzero(sizes == 0)[0])
        raise InputError(f"{side} group {empty} is empty; leave it out.")
