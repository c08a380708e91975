"""Scores as a matrix: a row a user and a column an item, with or without their ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from evenhand import inputs
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.exposure.problem.numbered import Dense, Problem
from evenhand.exposure.problem.scores import checked_scores
from evenhand.exposure.problem.sides import ItemGroups, refuse_many_groups, shares, user_codes
from evenhand.exposure.problem.sources import Sources, Weights
from evenhand.exposure.problem.targets import not_negative
from evenhand.inputs import given
from evenhand.inputs.given import Things
from evenhand.parameters import number


def from_matrix(scores: Any, sources: Sources) -> Problem:
    if sparse.issparse(scores):
        raise InputError(
            "scores are sparse, and what is left out there may be a score of 0 or an item that is not "
            "shown; give an array (.toarray()), and with exclude what is not shown."
        )
    table = checked_scores(scores)
    if not len(table):
        raise InputError("scores have no users: there must be at least one row.")
    framed = isinstance(scores, pd.DataFrame)
    users = Things.of("users", scores.index if framed else table.shape[0])
    items = Things.of("items", scores.columns if framed else table.shape[1])
    wanted = given.matrix("relevance", sources.relevance, users, items)
    excluded = None if sources.exclude is None else _excluded(sources.exclude, users, items)
    cells = given.labels("user_groups", given.values("user_groups", sources.user_groups, users), "users")
    codes, names = user_codes(cells)
    groups, item_names = item_groups_of(sources.item_groups, items, sources.item_weights)
    user_names = tuple(str(name[0]) for name in names)
    who, what = np.nonzero(wanted)
    propensity = sources.propensity
    return Problem(
        len(table),
        Dense(table, excluded),
        codes,
        user_names,
        by_name("user", sources.user_weights, user_names),
        groups,
        item_names,
        offsets_of(who, len(table)),
        what.astype(np.int64),
        not_negative(wanted[who, what]),
        None if propensity is None else chances(_table_of(propensity, users, items)[who, what]),
    )


def _excluded(exclude: Any, users: Things, items: Things) -> NDArray[np.bool_]:
    table = given.matrix("exclude", exclude, users, items)
    if not np.isin(table, (0, 1)).all():
        raise InputError("exclude must have 1 for each pair that is not shown, and 0 for all others.")
    return table.astype(bool)


def _table_of(propensity: Any, users: Things, items: Things) -> Floats:
    """Propensities of all pairs, from those or from one for each item."""
    if isinstance(propensity, pd.Series):
        propensity = given.values("propensity", propensity, items)
    elif isinstance(propensity, pd.DataFrame):
        propensity = given.matrix("propensity", propensity, users, items)
    shape = (len(users), len(items))
    try:
        return np.broadcast_to(np.asarray(given.plain("propensity", propensity), dtype=float), shape)
    except (OverflowError, TypeError, ValueError):
        raise InputError(
            f"propensity must be a number for each of {shape[1]:,} items, or a table of {shape[0]:,} users "
            "by items, as scores are arrays."
        ) from None


def chances(propensities: Floats) -> Floats:
    bad = ~((propensities > 0) & (propensities <= 1))
    if bad.any():
        raise InputError(
            f"{bad.sum():,} of {len(bad):,} propensities of relevant pairs are not above 0 and at most 1, "
            f"such as {float(propensities[bad][0])}; a propensity is the chance that the pair was observed."
        )
    return np.ascontiguousarray(propensities)


def by_name(side: str, weights: Weights, names: tuple[str, ...]) -> Floats:
    """Weights in the order of the groups; all groups must have one, and nothing else may."""
    if weights is None:
        return shares(side, None, len(names))
    if not isinstance(weights, Mapping):
        raise InputError(f"{side}_weights must name the groups: {{{names[0]!r}: 1.0, ...}}.")
    unknown = [str(name) for name in weights if name not in names]
    missing = [name for name in names if name not in weights]
    if unknown or missing:
        said = f"there is no {side} group {unknown[0]!r}" if unknown else f"{missing[0]!r} has none"
        raise InputError(f"{side}_weights: {said}; give a weight to each of {', '.join(names[:12])}.")
    values = [number(f"the weight of {side} group {name!r}", weights[name]) for name in names]
    return shares(side, values, len(names))


def item_groups_of(given_groups: Any, items: Things, weights: Weights) -> tuple[ItemGroups, tuple[str, ...]]:
    """From a 0/1 table with a column a group, or a value or a list for each item."""
    told = given.memberships("item_groups", given_groups, items)
    if told is None:
        return groups_of_cells(given.values("item_groups", given_groups, items), "item_groups", weights)
    names, table = told
    empty = [name for name, count in zip(names, table.sum(axis=0), strict=True) if not count]
    if empty:
        raise InputError(f"item_groups: no item is in {empty[0]!r}; leave that group out.")
    return _members(table, names, "item_groups", weights)


def groups_of_cells(cells: list[Any], where: str, weights: Weights) -> tuple[ItemGroups, tuple[str, ...]]:
    """A group a value; a list, or text with | between, puts an item into several."""
    given.refuse_amounts(where, cells)
    lists = [inputs.several(cell) for cell in cells]
    names = tuple(sorted({name for cell in lists for name in cell}))
    inputs.told_apart(where, names)
    refuse_many_groups(len(lists), len(names))
    place = {name: i for i, name in enumerate(names)}
    table = np.zeros((len(lists), len(names)), dtype=bool)
    for row, cell in enumerate(lists):
        table[row, [place[name] for name in cell]] = True
    return _members(table, names, where, weights)


def _members(
    table: NDArray[np.bool_], names: tuple[str, ...], where: str, weights: Weights
) -> tuple[ItemGroups, tuple[str, ...]]:
    bare = int((~table.any(axis=1)).sum())
    if bare:
        raise InputError(f"{where}: {bare:,} of {len(table):,} items have no group; give them one.")
    return ItemGroups.of(table.astype(np.int8), by_name("item", weights, names)), names


def offsets_of(sorted_users: NDArray[np.integer], count: int) -> Ints:
    return np.concatenate([[0], np.cumsum(np.bincount(sorted_users, minlength=count))]).astype(np.int64)
