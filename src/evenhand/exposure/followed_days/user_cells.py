"""What each user is shown and asks for of every group of items: a row a user, and evidence made of such rows.

A row holds a user's mean exposure E, target T and random exposure over the items of each group, and how much
of what the user's relevant items could have they get. Pairs of groups and how users are served need no more;
measures of single items do.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.problem.rows import Rows
from evenhand.exposure.problem.sides import ItemGroups

PARTS = 3  # E, T and random exposure


@njit()
def user_cells(rows: Rows, item_groups: ItemGroups) -> Floats:  # pragma: no cover - compiled
    """Users x (E by group, T by group, random by group, share served); NaN for users who do not count."""
    count = len(item_groups.sizes)
    found = np.full((len(rows.offsets) - 1, PARTS * count + 1), np.nan)
    for u in range(len(rows.offsets) - 1):
        if not rows.counted[u]:
            continue
        mine = found[u]
        mine[:count] = 0.0
        mine[count : 2 * count] = rows.rest_target[u]
        mine[2 * count : PARTS * count] = rows.rest_random[u]
        relevant_exposure, relevant_target = 0.0, 0.0
        for p in range(rows.offsets[u], rows.offsets[u + 1]):
            j, e, t, r = rows.items[p], rows.exposure[p], rows.target[p], rows.random[p]
            if t > rows.ordinary[u]:
                relevant_exposure += e
                relevant_target += t
            for q in range(item_groups.offsets[j], item_groups.offsets[j + 1]):
                k = item_groups.groups[q]
                size = item_groups.sizes[k]
                mine[k] += e / size
                mine[count + k] += (t - rows.rest_target[u]) / size
                mine[2 * count + k] += (r - rows.rest_random[u]) / size
        if relevant_target > 0:
            mine[PARTS * count] = relevant_exposure / relevant_target
    return found


def evidence_of(
    cells: Floats, user_group: Ints, user_groups: int, sizes: Ints, wanted: Floats, excluded: int = 0
) -> Evidence:
    """Evidence about pairs of groups and how users are served, from rows of users who count.

    Each item group stands for its items: as one item, so many times as large. `wanted` is that of `Sums`.
    """
    k = len(sizes)
    as_items = ItemGroups(np.arange(k + 1), np.arange(k), sizes, np.full(k, 1 / k))
    found = Evidence.empty(as_items, user_groups, overall=1, within=1)
    sums = found.sums
    e, t, r, share = cells[:, :k], cells[:, k : 2 * k], cells[:, 2 * k : 3 * k], cells[:, -1]
    d = e - t

    order = np.argsort(user_group, kind="stable")
    there, starts = np.unique(user_group[order], return_index=True)

    def by_group(values: Floats) -> Floats:
        total = np.zeros((user_groups, *values.shape[1:]))
        total[there] = np.add.reduceat(values[order], starts)
        return total

    sums.group_users[:, 0] = np.bincount(user_group, minlength=user_groups)
    sums.all_users[0] = len(cells)
    sums.by_group[:, 0] = by_group(d) * sizes
    sums.by_all[0] = sums.by_group[:, 0].sum(axis=0)
    sums.target[:] = by_group(t - r) * sizes
    sums.random[:] = by_group(r)
    dd, dt, tt = d * d, d * t, t * t
    sums.cell_squares[:] = by_group(dd)
    for into, products in (
        (sums.cell_products, (dt, tt)),
        (sums.cell_cubes, (dd * d, dd * t, d * tt, tt * t)),
        (sums.cell_fourths, (dd * dd, dd * dt, dd * tt, dt * tt, tt * tt)),
    ):
        for place, product in enumerate(products):
            into[:, :, place] = by_group(product)
    served, known = np.isfinite(share), np.nan_to_num(share)
    for place in range(4):
        sums.served[:, place] = by_group(served * known**place)
    sums.wanted[:] = wanted
    sums.excluded[0] = excluded
    return found
