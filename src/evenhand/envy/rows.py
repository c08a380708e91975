"""Preferences and policies as rows over the same columns, a few users at a time.

A column is an item, or an item in a context. Rows of preferences carry the weights of the contexts, so that
the utility of user m under the policy of n is always the product of two rows,

    u^m(pi^n) = sum_{x, a} [q^m(x) rho^m(a|x)] pi^n(a|x)      (Do and others 2022, equation 1).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.arrays import Ints
from evenhand.envy.checks import Floats, Policies

Chosen = slice | Ints

# Users in a block: the product of two such blocks is 32 MB of doubles.
BLOCK = 2048
# Entries of a block of rows: users have fewer companions in it where there are very many items.
ENTRIES = 16_000_000


class UserRows(ABC):
    """A table of users by columns that need not be in memory as a whole."""

    user_count: int
    width: int
    dtype: np.dtype[Any]

    @abstractmethod
    def rows(self, users: Chosen) -> Policies:
        """The rows of these users; sparse only where the policies are."""

    def dense(self, users: Chosen) -> Floats:
        rows = self.rows(users)
        return rows.toarray() if sparse.issparse(rows) else rows


class TableRows(UserRows):
    """Rows of a dense or sparse table in memory; blocks of a dense one are views."""

    def __init__(self, table: Policies) -> None:
        self.table = table if sparse.issparse(table) else table.reshape(len(table), -1)
        self.user_count, self.width = self.table.shape
        self.dtype = self.table.dtype

    def rows(self, users: Chosen) -> Policies:
        return self.table[users]


class WeightedRows(UserRows):
    """Preferences in several contexts, each user's contexts weighted by how often they occur.

    Where the policies do not look at the context, the contexts of the preferences are averaged.
    """

    def __init__(self, preferences: Floats, weights: Floats, policies_have_contexts: bool) -> None:
        self.preferences, self.weights, self.spread = preferences, weights, policies_have_contexts
        self.user_count, items = preferences.shape[0], preferences.shape[-1]
        self.width = items * weights.shape[1] if policies_have_contexts else items
        self.dtype = preferences.dtype

    def rows(self, users: Chosen) -> Floats:
        table, weights = self.preferences[users], self.weights[users].astype(self.dtype)
        if not self.spread:
            return np.einsum("mx,mxa->ma", weights, table)
        in_context = table if table.ndim == 3 else table[:, None, :]
        return (weights[:, :, None] * in_context).reshape(len(table), -1)


@dataclass
class ComputedRows(UserRows):
    """Rows that are made when they are asked for, such as the scores of a recommender."""

    user_count: int
    width: int
    make: Callable[[Ints], Floats]
    dtype: np.dtype[Any]

    def rows(self, users: Chosen) -> Floats:
        chosen = np.arange(self.user_count)[users] if isinstance(users, slice) else users
        return np.asarray(self.make(chosen), dtype=self.dtype)


def preference_rows(preferences: Floats, policies_have_contexts: bool, weights: Floats | None) -> UserRows:
    """`weights` are those of the contexts, None where neither side has any."""
    if weights is None:
        return TableRows(preferences)
    return WeightedRows(preferences, weights, policies_have_contexts)


def row_blocks(rows: UserRows) -> Iterator[slice]:
    """Users a block at a time, as many as memory and the matrix product like."""
    size = max(1, min(BLOCK, ENTRIES // rows.width))
    for start in range(0, rows.user_count, size):
        yield slice(start, min(start + size, rows.user_count))


def own_utilities(preferences: UserRows, policies: UserRows, users: slice) -> NDArray[np.float64]:
    """u^m(pi^m) of these users."""
    products = np.einsum("mi,mi->m", preferences.dense(users), policies.dense(users), dtype=np.float64)
    return np.asarray(products)
