"""Policies that are best for each user while item categories get a given exposure.

    maximise sum_a p(a) rho^m(a|x)   over distributions p   with   sum_{a in A_s} p(a) = t_s for all s

(Do and others 2022, equation 2, after Singh and Joachims 2018). Parity of exposure has t_s = |A_s| / |A|,
equity of exposure t_s = sum_{a in A_s} rho^m(a|x) / sum_a rho^m(a|x). Both can be met: by a uniform p, and by
p in proportion to rho.

Of the items that belong to exactly the same categories only the most preferred can be shown by an optimal
policy, so a program has as many variables as there are such sets. Where categories do not overlap the
constraints fix all of them, and nothing is left to solve; else SciPy's HiGHS solves it, many rows at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize, sparse

from evenhand.arrays import Floats, Ints
from evenhand.envy.checks import checked_preferences
from evenhand.errors import InputError
from evenhand.inputs.given import Things, is_empty, memberships, values

# Rows (users, or users and contexts) in one linear program, and variables of all programs together. With the
# genres of MovieLens (262 sets of them) HiGHS solves 26,000 variables a second on one core: two million, or
# 7,600 users, in 80 seconds.
ROWS_AT_ONCE = 50
MOST_VARIABLES = 2_000_000


def parity_of_exposure(preferences: Any, categories: Any) -> Floats:
    """The best policies under which categories are shown in proportion to their number of items.

    `categories` has the category of each item, or for each item a list of those that it belongs to. No user
    envies another: all are under the same constraint (Proposition 1).
    """
    table, members = _read(preferences, categories)
    rows = table.reshape(-1, table.shape[-1])
    share = np.asarray(members.mean(axis=0)).ravel()
    return _best(rows, members, np.broadcast_to(share, (len(rows), len(share)))).reshape(table.shape)


def equity_of_exposure(preferences: Any, categories: Any) -> Floats:
    """The best policies under which categories are shown in proportion to the user's preference for them.

    Who likes two categories may envy who likes one (Proposition 1). Preferences must be at least 0, with a
    sum above 0 for each user.
    """
    table, members = _read(preferences, categories)
    rows = table.reshape(-1, table.shape[-1])
    total = rows.sum(axis=1, keepdims=True)
    if rows.min() < 0:
        raise InputError("equity of exposure needs preferences of at least 0, but some are negative.")
    if (total == 0).any():
        raise InputError(
            f"equity of exposure is not defined for {int((total == 0).sum()):,} of {len(rows):,} rows, whose "
            "preferences are all 0; leave those users out."
        )
    return _best(rows, members, np.asarray(rows @ members) / total).reshape(table.shape)


def _read(preferences: Any, categories: Any) -> tuple[Floats, sparse.csr_array]:
    """Preferences, and items x categories with 1 for a member."""
    table = checked_preferences(preferences).astype(np.float64, copy=False)
    items = Things.of("items", table.shape[-1])
    told = memberships("categories", categories, items)
    if told is not None:
        members = told[1]
    else:
        cells = [_names(cell) for cell in values("categories", categories, items)]
        place = {name: i for i, name in enumerate(sorted(set().union(*cells)))}
        members = np.zeros((len(cells), len(place)), dtype=bool)
        for row, names in enumerate(cells):
            members[row, [place[name] for name in names]] = True
    if not members.any(axis=1).all():
        raise InputError("some items have no category; give each at least one.")
    return table, sparse.csr_array(members.astype(np.float64))


def _names(cell: Any) -> set[str]:
    """The categories of one item: itself, or those of a list; none where it is empty."""
    belongs = cell if isinstance(cell, list | tuple | set | frozenset | np.ndarray) else [cell]
    return {str(name) for name in belongs if not is_empty(name)}


def _best(rows: Floats, members: sparse.csr_array, targets: Floats) -> Floats:
    kinds, kind_of = np.unique(members.toarray(), axis=0, return_inverse=True)
    kind_of = kind_of.ravel()
    value, best_item = _best_of_kinds(rows, kind_of, len(kinds))
    if (kinds.sum(axis=1) == 1).all():
        shares = targets[:, kinds.argmax(axis=1)]  # a kind is a category, and its share is given
    else:
        shares = _solve(value, kinds, targets)
    policies = np.zeros_like(rows)
    np.put_along_axis(policies, best_item, shares, axis=1)
    return policies


def _best_of_kinds(rows: Floats, kind_of: Ints, kinds: int) -> tuple[Floats, Ints]:
    """(rows, kinds): the most preferred item among those of the same categories, and its value."""
    value, item = np.empty((len(rows), kinds)), np.empty((len(rows), kinds), dtype=np.int64)
    for kind in range(kinds):
        alike = np.flatnonzero(kind_of == kind)
        item[:, kind] = alike[rows[:, alike].argmax(axis=1)]
        value[:, kind] = np.take_along_axis(rows, item[:, [kind]], axis=1)[:, 0]
    return value, item


def _solve(value: Floats, kinds: Floats, targets: Floats) -> Floats:
    """Shares of kinds in every row, by linear programs of many independent rows each."""
    if value.size > MOST_VARIABLES:
        raise InputError(
            f"the linear programs have {value.size:,} variables ({len(value):,} rows x {len(kinds):,} sets "
            f"of categories that occur), more than {MOST_VARIABLES:,}: use fewer users, or categories that "
            "do not overlap, which need no program."
        )
    one_row = sparse.csr_array(np.vstack([kinds.T, np.ones(len(kinds))]))
    shares = np.empty_like(value)
    for start in range(0, len(value), ROWS_AT_ONCE):
        block = slice(start, start + ROWS_AT_ONCE)
        count = len(value[block])
        wanted = np.hstack([targets[block], np.ones((count, 1))]).ravel()
        solution = optimize.linprog(
            -value[block].ravel(),
            A_eq=sparse.block_diag([one_row] * count, format="csr"),
            b_eq=wanted,
            bounds=(0, 1),
            method="highs",
        )
        if solution.x is None:
            raise InputError(f"the linear program has no solution ({solution.message}).")
        shares[block] = solution.x.reshape(count, -1)
    shares = np.clip(shares, 0, None)
    return shares / shares.sum(axis=1, keepdims=True)  # the solver is exact to seven digits
