"""What the six measures, their corrections and their intervals need to know, as sums over users.

One pass over blocks of users; memory depends on groups, blocks and items, not on users, and is 8 bytes (all
sums are float64) for each of

    user groups x blocks x items     sums of D = E - E*, for GI, GG and their variances
    blocks x items                   the same of all users, for AI and AG
    user groups x items              sums of E* - E~, for disparity, relevance and constant

and little else: 50 groups, 20 and 50 blocks and 100,000 items are 880 MB. Squares are kept as one number for
a block, since a correction that subtracts s^2 / n in every cell needs only their total over the cells:

    sum_j (mean_j^2 - s_j^2 / n) = (|S|^2 - Q) / (n (n - 1)),   S = sum_i D_i,   Q = sum_i |D_i|^2,

which is the mean of D_i . D_i' over pairs of different users (a U-statistic), unbiased for |mean of D|^2.
Where a user's pairs are not listed they share one number, kept once for all items ("rest").

Parts with disjoint users merge by `+`. Users who recur (days) must be averaged first, a row for each user.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit
from evenhand.errors import InputError
from evenhand.exposure.problem.blocks import Codes, UserBlocks
from evenhand.exposure.problem.rows import Rows
from evenhand.exposure.problem.sides import ItemGroups, checked_codes, shares
from evenhand.parameters import whole

ITEMS, GROUPS = 0, 1  # the two levels of the side of items, in every axis of length 2


class Sums(NamedTuple):
    """Over users; g user groups, b blocks in a group, c blocks of all, j items, k item groups.

    A sum over an item's users is the entry plus the rest.
    """

    by_group: Floats  # g, b, j: sum of D
    by_group_rest: Floats  # g, b
    by_all: Floats  # c, j: sum of D
    by_all_rest: Floats  # c
    target: Floats  # g, j: sum of B = E* - E~, where A = E - E~
    target_rest: Floats  # g
    random: Floats  # g, k: sum of a user's mean E~ over the items of k
    group_users: Ints  # g, b
    all_users: Ints  # c
    group_squares: Floats  # g, b, 2: sum of a user's mean D^2 over items; over item groups
    all_squares: Floats  # c, 2: the same
    products: Floats  # g, 2, 3: mean A^2, AB, B^2 of a user over items; over item groups
    fourth: Floats  # 2: sum of squares of a user's mean D^2, less its noise, over items; over item groups
    cell_squares: Floats  # g, k: sum of squares of a user's mean D over the items of k
    cell_products: (
        Floats  # g, k, 2: sums of D T and T^2, of a user's means of D and T = E* over the items of k
    )
    cell_cubes: Floats  # g, k, 4: sums of D^3, D^2 T, D T^2 and T^3
    cell_fourths: Floats  # g, k, 5: sums of D^4, D^3 T, D^2 T^2, D T^3 and T^4
    wanted: Floats  # g, k: sum of what a user's relevance adds to the mean T of k, beyond what all items have
    unseen: Floats  # g, k, 2, 4: sums of S, S^2, D S and T S, the two S of `missingness`
    excluded: Ints  # 1: users who were left out
    served: Floats  # g, 4: users, and sums of powers 1 to 3 of the share of what relevant items could get
    noise: Floats  # 2: what the chance of which lists were drawn adds to the mean D^2 of users


class _Users(NamedTuple):
    """The group of each user, the block in that group, and the block of all."""

    group: Ints
    block_of_group: Codes
    block_of_all: Codes


@dataclass(frozen=True)
class Evidence:
    """Who and what was compared, and the sums of it. `add` changes these in place."""

    item_groups: ItemGroups
    user_weights: Floats  # one a user group
    sums: Sums

    @classmethod
    def empty(
        cls,
        item_groups: ItemGroups,
        user_groups: int,
        user_weights: ArrayLike | None = None,
        *,
        overall: int = 50,
        within: int = 20,
    ) -> Evidence:
        """Nothing yet; `overall` and `within` are the numbers of blocks, as in `assign_blocks`."""
        g, j, k = whole("user_groups", user_groups), item_groups.items, len(item_groups.sizes)
        sums = Sums(
            by_group=np.zeros((g, within, j)),
            by_group_rest=np.zeros((g, within)),
            by_all=np.zeros((overall, j)),
            by_all_rest=np.zeros(overall),
            target=np.zeros((g, j)),
            target_rest=np.zeros(g),
            random=np.zeros((g, k)),
            group_users=np.zeros((g, within), dtype=np.int64),
            all_users=np.zeros(overall, dtype=np.int64),
            group_squares=np.zeros((g, within, 2)),
            all_squares=np.zeros((overall, 2)),
            products=np.zeros((g, 2, 3)),
            fourth=np.zeros(2),
            cell_squares=np.zeros((g, k)),
            cell_products=np.zeros((g, k, 2)),
            cell_cubes=np.zeros((g, k, 4)),
            cell_fourths=np.zeros((g, k, 5)),
            wanted=np.zeros((g, k)),
            unseen=np.zeros((g, k, 2, 4)),
            excluded=np.zeros(1, dtype=np.int64),
            served=np.zeros((g, 4)),
            noise=np.zeros(2),
        )
        return cls(item_groups, shares("user", user_weights, g), sums)

    @property
    def users(self) -> int:
        return int(self.sums.all_users.sum())

    def add(self, rows: Rows, user_groups: ArrayLike, blocks: UserBlocks) -> None:
        """Count a block of users in."""
        groups, within = self.sums.group_users.shape
        users = len(rows.rest_target)
        codes = checked_codes(user_groups, users, groups)
        if rows.catalogue != self.item_groups.items:
            raise InputError(
                f"There are groups for {self.item_groups.items:,} items, but exposures of {rows.catalogue:,}."
            )
        if not len(blocks.of_all) == len(blocks.of_group) == users:
            raise InputError(
                f"There are blocks for {len(blocks.of_all):,} users, but exposures for {users:,}."
            )
        if (blocks.overall, blocks.within) != (len(self.sums.all_users), within):
            raise InputError(
                f"Users are in {blocks.overall} and {blocks.within} blocks, but the evidence has "
                f"{len(self.sums.all_users)} and {within}."
            )
        _tally(rows, _Users(codes, blocks.of_group, blocks.of_all), self.item_groups, self.sums)

    def __add__(self, other: Evidence) -> Evidence:
        ours, theirs = self.item_groups, other.item_groups
        same = (
            np.array_equal(ours.offsets, theirs.offsets)
            and np.array_equal(ours.groups, theirs.groups)
            and np.array_equal(ours.weights, theirs.weights)
            and np.array_equal(self.user_weights, other.user_weights)
            and all(a.shape == b.shape for a, b in zip(self.sums, other.sums, strict=True))
        )
        if not same:
            raise InputError("Only evidence with the same items, groups, weights and blocks can be merged.")
        return replace(self, sums=Sums._make(a + b for a, b in zip(self.sums, other.sums, strict=True)))


@njit()
def _tally(
    rows: Rows, users: _Users, item_groups: ItemGroups, sums: Sums
) -> None:  # pragma: no cover - compiled
    """One thread, so that sums do not depend on the number of threads: memory is what it waits for."""
    catalogue, count = rows.catalogue, len(item_groups.sizes)
    system_of, target_of, random_of = np.empty(count), np.empty(count), np.empty(count)
    wanted_of, relevant_of = np.empty(count), np.empty(count, dtype=np.int64)
    for u in range(len(rows.offsets) - 1):
        if not rows.counted[u]:
            sums.excluded[0] += 1
            continue
        g, b, c = users.group[u], users.block_of_group[u], users.block_of_all[u]
        t0, r0 = rows.rest_target[u], rows.rest_random[u]
        # What is not listed has E = 0, E* = t0, E~ = r0; sums take what the listed pairs have beyond that.
        system_of[:], target_of[:], random_of[:] = 0.0, 0.0, 0.0
        wanted_of[:], relevant_of[:] = 0.0, 0
        relevant_exposure, relevant_target, relevant = 0.0, 0.0, 0
        others = catalogue - (rows.offsets[u + 1] - rows.offsets[u])
        aa, ab, bb, dd = others * r0 * r0, -others * r0 * (t0 - r0), others * (t0 - r0) ** 2, others * t0 * t0
        for p in range(rows.offsets[u], rows.offsets[u + 1]):
            j, e, t, r = rows.items[p], rows.exposure[p], rows.target[p], rows.random[p]
            aa += (e - r) * (e - r)
            ab += (e - r) * (t - r)
            bb += (t - r) * (t - r)
            dd += (e - t) * (e - t)
            sums.by_group[g, b, j] += e - t + t0
            sums.by_all[c, j] += e - t + t0
            if t > rows.ordinary[u]:
                relevant_exposure += e
                relevant_target += t
            beyond = (t - t0) - (r - r0)
            if beyond != 0:
                sums.target[g, j] += beyond
            # What cannot be shown has neither random exposure nor a target.
            is_wanted = r > 0 and t != rows.ordinary[u]
            relevant += is_wanted
            for q in range(item_groups.offsets[j], item_groups.offsets[j + 1]):
                k = item_groups.groups[q]
                if is_wanted:
                    wanted_of[k] += t - rows.ordinary[u]
                    relevant_of[k] += 1
                system_of[k] += e
                target_of[k] += t - t0
                random_of[k] += r - r0
        if relevant_target > 0:
            share = relevant_exposure / relevant_target
            sums.served[g, 0] += 1
            sums.served[g, 1] += share
            sums.served[g, 2] += share * share
            sums.served[g, 3] += share * share * share
        sums.by_group_rest[g, b] -= t0
        sums.by_all_rest[c] -= t0
        sums.target_rest[g] += t0 - r0
        sums.group_users[g, b] += 1
        sums.all_users[c] += 1
        kaa, kab, kbb, kdd = 0.0, 0.0, 0.0, 0.0
        for k in range(count):
            size, weight = item_groups.sizes[k], item_groups.weights[k]
            e, t, r = system_of[k] / size, t0 + target_of[k] / size, r0 + random_of[k] / size
            kaa += weight * (e - r) * (e - r)
            kab += weight * (e - r) * (t - r)
            kbb += weight * (t - r) * (t - r)
            kdd += weight * (e - t) * (e - t)
            sums.random[g, k] += r
            d = e - t
            d2, dt, t2 = d * d, d * t, t * t
            sums.cell_squares[g, k] += d2
            sums.cell_products[g, k, 0] += dt
            sums.cell_products[g, k, 1] += t2
            sums.cell_cubes[g, k, 0] += d2 * d
            sums.cell_cubes[g, k, 1] += d2 * t
            sums.cell_cubes[g, k, 2] += d * t2
            sums.cell_cubes[g, k, 3] += t2 * t
            sums.cell_fourths[g, k, 0] += d2 * d2
            sums.cell_fourths[g, k, 1] += d2 * dt
            sums.cell_fourths[g, k, 2] += d2 * t2
            sums.cell_fourths[g, k, 3] += dt * t2
            sums.cell_fourths[g, k, 4] += t2 * t2
            no_own, no_other = t, r  # as it is where nothing in k is relevant
            if relevant_of[k] > 0:
                sums.wanted[g, k] += wanted_of[k] / size
                if len(rows.slots) > 0:
                    no_own, no_other = _without(rows.slots, rows.shown[u], relevant, relevant_of[k], size, r)
                s = t - no_own
                sums.unseen[g, k, 0, 0] += s
                sums.unseen[g, k, 0, 1] += s * s
                sums.unseen[g, k, 0, 2] += d * s
                sums.unseen[g, k, 0, 3] += t * s
            s = no_other - t
            sums.unseen[g, k, 1, 0] += s
            sums.unseen[g, k, 1, 1] += s * s
            sums.unseen[g, k, 1, 2] += d * s
            sums.unseen[g, k, 1, 3] += t * s
        sums.products[g, 0, 0] += aa / catalogue
        sums.products[g, 0, 1] += ab / catalogue
        sums.products[g, 0, 2] += bb / catalogue
        sums.products[g, 1, 0] += kaa
        sums.products[g, 1, 1] += kab
        sums.products[g, 1, 2] += kbb
        sums.group_squares[g, b, 0] += dd / catalogue
        sums.group_squares[g, b, 1] += kdd
        sums.all_squares[c, 0] += dd / catalogue
        sums.all_squares[c, 1] += kdd
        sums.fourth[0] += (dd / catalogue - rows.noise[u, 0]) ** 2
        sums.fourth[1] += (kdd - rows.noise[u, 1]) ** 2
        sums.noise[0] += rows.noise[u, 0]
        sums.noise[1] += rows.noise[u, 1]


@njit()
def _without(
    slots: Floats, shown: int, relevant: int, here: int, size: int, random: float
) -> tuple[float, float]:  # pragma: no cover - compiled
    """A user's mean target of an item group if nothing in the group were relevant, and if nothing else were.

    `slots` are sums of position weights; of `shown` items that can be shown `relevant` are relevant, `here`
    of them in the group. Relevant items share the first slots, whatever their grades; others share the rest.
    """
    all_slots = slots[shown]
    candidates = random * size * shown / all_slots  # items of the group that can be shown
    elsewhere = relevant - here
    no_own = candidates * (all_slots - slots[elsewhere]) / (shown - elsewhere)
    others = candidates - here
    no_other = slots[here]
    if others > 0.5:
        no_other += others * (all_slots - slots[here]) / (shown - here)
    return no_own / size, no_other / size
