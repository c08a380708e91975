"""Exposure of a block of users beside what they deserve, listing only the pairs that differ from the rest.

A top-N list of a catalogue of 100,000 items is 100 numbers: all other items have exposure 0 and one target.
Everything that follows costs time in proportion to the pairs that are listed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit
from evenhand.errors import InputError
from evenhand.exposure.problem.targets import Targets


# Without methods: Numba keeps the named tuples of its kernels for ever, and with a method all that this
# module knows, down to the engine of tables, which complains on the terminal when Python ends.
class Rows(NamedTuple):
    """User u's listed pairs are at `offsets[u]` to `offsets[u + 1]`, with exposure, target and random
    exposure; any other item has exposure 0, target `rest_target[u]`, random exposure `rest_random[u]`."""

    catalogue: int
    offsets: Ints
    items: Ints
    exposure: Floats
    target: Floats
    random: Floats
    rest_target: Floats
    rest_random: Floats
    counted: NDArray[np.bool_]
    ordinary: Floats  # a user's target for what is not relevant: what has more is relevant
    noise: Floats  # users x 2: by how much the squares of exposures that are estimates are too large
    shown: Ints  # how many items can be shown to each user
    slots: Floats  # as in Targets


def dense_rows(exposure: Floats, targets: Targets, candidates: NDArray[np.bool_] | None = None) -> Rows:
    """Every pair listed. Where `candidates` is false the item cannot be shown to the user (the user knows it
    already): target and random exposure are 0."""
    exposure = np.asarray(exposure)
    users, catalogue = _shape(exposure, targets)
    target, random = targets.dense(catalogue), np.repeat(targets.random[:, None], catalogue, axis=1)
    if candidates is not None:
        if candidates.shape != exposure.shape:
            raise InputError(f"candidates has shape {candidates.shape}, but exposure {exposure.shape}.")
        owner = np.repeat(np.arange(users), np.diff(targets.offsets))
        _refuse((~candidates[owner, targets.items]).sum(), "relevant pairs are not among the candidates")
        _refuse((exposure[~candidates] != 0).sum(), "pairs have exposure but are not among the candidates")
        target[~candidates], random[~candidates] = 0, 0
    _finite(exposure)
    nothing = np.zeros(users)
    return Rows(
        catalogue=catalogue,
        offsets=np.arange(users + 1, dtype=np.int64) * catalogue,
        items=np.tile(np.arange(catalogue, dtype=np.int64), users),
        exposure=exposure.ravel(),
        target=target.ravel(),
        random=random.ravel(),
        rest_target=nothing,
        rest_random=nothing,
        counted=targets.counted,
        ordinary=targets.rest,
        noise=np.zeros((users, 2)),
        shown=targets.shown,
        slots=targets.slots,
    )


def listed_rows(
    catalogue: int,
    offsets: Ints,
    items: Ints,
    exposure: Floats,
    targets: Targets,
    *,
    only_listed: bool = False,
    noise: Floats | None = None,
) -> Rows:
    """From top-N lists: what is not listed has exposure 0.

    Every item of the catalogue could have been shown, so what is not listed has a target too; with
    `only_listed`, a user's candidates are the list, and nothing else has a target.
    """
    if len(offsets) - 1 != targets.users:
        raise InputError(
            f"There are lists for {len(offsets) - 1:,} users, but targets for {targets.users:,}."
        )
    if not len(items) == len(exposure) == offsets[-1]:
        raise InputError(f"There are {len(items):,} listed items, but {len(exposure):,} exposures.")
    for found in (items, targets.items):
        _refuse(((found < 0) | (found >= catalogue)).sum(), f"items are not among the {catalogue:,} known")
    _finite(exposure)
    union = _merge(catalogue, _Listed(offsets, items, np.asarray(exposure, dtype=float)), targets)
    _refuse(union.repeats, "pairs are listed more than once")
    if only_listed:
        _refuse(union.unlisted, "relevant pairs are not among the candidates")
    nothing = np.zeros(targets.users)
    return Rows(
        catalogue=catalogue,
        offsets=union.offsets,
        items=union.items,
        exposure=union.exposure,
        target=union.target,
        random=np.repeat(targets.random, np.diff(union.offsets)),
        rest_target=nothing if only_listed else targets.rest,
        rest_random=nothing if only_listed else targets.random,
        counted=targets.counted,
        ordinary=targets.rest,
        noise=np.zeros((targets.users, 2)) if noise is None else noise,
        shown=targets.shown,
        slots=targets.slots,
    )


class _Listed(NamedTuple):
    """What users were shown, user after user as in `Rows`."""

    offsets: Ints
    items: Ints
    exposure: Floats


class _Union(NamedTuple):
    """Listed and relevant pairs, with exposure (0 if not listed) and target (rest if not relevant); how many
    pairs are listed twice, and how many relevant ones are not listed."""

    offsets: Ints
    items: Ints
    exposure: Floats
    target: Floats
    repeats: int
    unlisted: int


@njit()
def _merge(catalogue: int, shown: _Listed, targets: Targets) -> _Union:  # pragma: no cover - compiled
    users = len(shown.offsets) - 1
    most = len(shown.items) + len(targets.items)
    offsets, items = np.zeros(users + 1, dtype=np.int64), np.empty(most, dtype=np.int64)
    exposure, target = np.zeros(most), np.empty(most)
    place = np.full(catalogue, -1, dtype=np.int64)  # where an item stands, if at or after this user's start
    n, repeats, unlisted = 0, 0, 0
    for u in range(users):
        start = n
        for p in range(shown.offsets[u], shown.offsets[u + 1]):
            j = shown.items[p]
            if place[j] >= start:
                repeats += 1
            place[j] = n
            items[n], exposure[n], target[n] = j, shown.exposure[p], targets.rest[u]
            n += 1
        for p in range(targets.offsets[u], targets.offsets[u + 1]):
            j = targets.items[p]
            if place[j] < start:
                unlisted += 1
                place[j] = n
                items[n] = j
                n += 1
            target[place[j]] = targets.values[p]
        offsets[u + 1] = n
    return _Union(offsets, items[:n], exposure[:n], target[:n], repeats, unlisted)


def _shape(exposure: Floats, targets: Targets) -> tuple[int, int]:
    if exposure.ndim != 2 or len(exposure) != targets.users:
        raise InputError(
            f"Exposure has shape {exposure.shape}, but there are targets for {targets.users:,} users."
        )
    users, catalogue = exposure.shape
    _refuse(
        ((targets.items < 0) | (targets.items >= catalogue)).sum(),
        f"items are not among the {catalogue:,} known",
    )
    return users, catalogue


def _finite(exposure: Floats) -> None:
    _refuse((~np.isfinite(exposure) | (exposure < 0)).sum(), "exposures are negative or not finite")


def _refuse(count: int, what: str) -> None:
    if count:
        raise InputError(f"{count:,} {what}.")
