"""Which groups to mitigate, and who is in them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.groups import Better, Groups

Mask = NDArray[np.bool_]


def worst_groups(
    values: Floats, groups: Groups, better: Better, least: int, share: float = 0.1, users: Mask | None = None
) -> Ints:
    """The worst `share` of the groups that have `least` users with a value, at least one; the worst first.

    The default share is FairRec's (RQ3). `users`: those to choose by; `before_and_after` says when
    they should not be those that are measured.
    """
    counted = np.isfinite(values) if users is None else np.isfinite(values) & users
    sizes, means = group_means(values, groups, counted)
    eligible = np.flatnonzero(sizes >= max(least, 1))
    if len(eligible) == 0:
        raise InputError(f"No group has {least} users with a value; the largest has {sizes.max(initial=0)}.")
    badness = means[eligible] if better == "higher" else -means[eligible]
    count = max(1, round(share * len(eligible)))
    return eligible[np.argsort(badness, kind="stable")[:count]]


def users_of(groups: Groups, chosen: NDArray[np.integer]) -> Mask:
    """Whether each user is in any of the chosen groups."""
    inside = np.zeros(len(groups.of), dtype=bool)
    inside[groups.select(chosen).cells] = True
    return inside[groups.of.of_user]


def group_means(values: Floats, groups: Groups, counted: Mask) -> tuple[Ints, Floats]:
    """How many counted users each group has, and the mean of their values; NaN of none."""
    cell = groups.of.of_user[counted]
    cells = len(groups.of)
    group = np.repeat(np.arange(len(groups)), np.diff(groups.offsets))
    counts = np.bincount(cell, minlength=cells)[groups.cells]
    sums = np.bincount(cell, weights=values[counted], minlength=cells)[groups.cells]
    sizes = np.bincount(group, weights=counts, minlength=len(groups)).astype(np.int64)
    totals = np.bincount(group, weights=sums, minlength=len(groups))
    return sizes, np.divide(totals, sizes, out=np.full(len(groups), np.nan), where=sizes > 0)
