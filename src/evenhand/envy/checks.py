"""Preferences, policies and contexts on the way in: finite numbers, and probabilities that are some.

Nothing here makes a second table of the size of the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.inputs.given import is_tensor, plain

Floats = NDArray[np.floating[Any]]
Policies = Floats | sparse.csr_array

PREFERENCES = "a row a user and a column an item, or users x contexts x items"
# How far from 1 the probabilities of a policy may add up to: rounding of files, and of single precision.
SUM_ERROR = 1e-4


def unpacked(policies: Any) -> Any:
    """The policies of a named tuple that has them beside something else, as `equal_user_utility` gives."""
    return getattr(policies, "policies", policies) if isinstance(policies, tuple) else policies


def checked_preferences(preferences: Any) -> Floats:
    """Users x items, or users x contexts x items; every number finite."""
    table = _numbers("preferences", preferences)
    _refuse_odd_rows("preferences", ~np.isfinite(_row_sums(table)), "a number that is NaN or infinite")
    return table


def checked_policies(policies: Any) -> Policies:
    """Users x items, or users x contexts x items, every row a distribution; users x items may be sparse."""
    if sparse.issparse(policies):
        return _checked_sparse(policies)
    table = _numbers("policies", policies)
    sums = _row_sums(table)
    _refuse_odd_rows("policies", ~np.isfinite(sums), "a number that is NaN or infinite")
    _refuse_odd_rows("policies", table.min(axis=-1) < 0, "a negative probability")
    _refuse_sums(sums)
    return table


def checked_contexts(contexts: Any, user_count: int, count: int) -> Floats:
    """(users, contexts) weights: how often each context occurs, for all users alike or a row a user."""
    if contexts is None:
        return np.full((user_count, count), 1 / count)
    weights = _array("contexts", contexts)
    if weights.dtype.kind != "f":
        raise InputError(f"contexts are of type {weights.dtype}, but must be numbers.")
    weights = weights.astype(float)
    if weights.shape not in ((count,), (user_count, count)):
        raise InputError(
            f"contexts have the shape {weights.shape}, but must be {count:,} weights, or a row of them for "
            f"each of {user_count:,} users."
        )
    weights = np.broadcast_to(weights, (user_count, count))
    sums = weights.sum(axis=1)
    if not np.isfinite(sums).all() or weights.min() < 0 or (np.abs(sums - 1) > SUM_ERROR).any():
        raise InputError("contexts must be weights of at least 0 that add up to 1 for each user.")
    return weights


def same_items(preferences: Floats, policies: Policies) -> None:
    """Raise unless both are about the same items and, where both have contexts, the same contexts."""
    ours, theirs = preferences.shape, policies.shape
    if ours[-1] != theirs[-1]:
        raise InputError(
            f"preferences are about {ours[-1]:,} items, but policies about {theirs[-1]:,}; they must be the "
            "same items in the same order."
        )
    if len(ours) == 3 and len(theirs) == 3 and ours[1] != theirs[1]:
        raise InputError(
            f"preferences have {ours[1]:,} contexts, but policies {theirs[1]:,}; they must be the same."
        )


def same_users(preferences: Floats, policies: Policies) -> None:
    """Raise unless every user has preferences and a policy."""
    if preferences.shape[0] != policies.shape[0]:
        raise InputError(
            f"there are preferences of {preferences.shape[0]:,} users, but policies of "
            f"{policies.shape[0]:,}; every user needs both, in the same order."
        )


def _array(name: str, values: Any) -> NDArray[Any]:
    values = plain(name, values)
    if is_tensor(values):  # wherever it is
        values = values.detach().cpu().numpy()
    try:
        table = np.asarray(values)
        return table.astype(np.float64) if table.dtype.kind in "biuO" else table
    except (OverflowError, TypeError, ValueError):
        raise InputError(f"{name} must be a table of numbers: {PREFERENCES}.") from None


def _numbers(name: str, values: Any) -> Floats:
    table = _array(name, values)
    if table.dtype.kind != "f":
        raise InputError(f"{name} are of type {table.dtype}, but must be numbers.")
    if table.ndim not in (2, 3):
        raise InputError(f"{name} have {table.ndim} dimensions, but must have 2 or 3: {PREFERENCES}.")
    if 0 in table.shape:
        raise InputError(f"{name} are empty: they have the shape {table.shape}.")
    if table.dtype in (np.float32, np.float64):
        return table
    return table.astype(np.float32 if table.dtype.itemsize < 4 else np.float64)


def _row_sums(table: Floats) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):  # infinity minus infinity is what is looked for
        return table.sum(axis=-1, dtype=np.float64)


def _refuse_odd_rows(name: str, odd: NDArray[np.bool_], what: str) -> None:
    if odd.any():
        raise InputError(
            f"{name}: {odd.sum():,} of {odd.size:,} rows have {what}, the first {_place(odd)} "
            "(counting from 0)."
        )


def _refuse_sums(sums: Floats) -> None:
    wrong = np.abs(sums - 1) > SUM_ERROR
    if wrong.any():
        raise InputError(
            f"policies: the probabilities of {wrong.sum():,} of {wrong.size:,} rows do not add up to 1, the "
            f"first {_place(wrong)} (counting from 0) to {sums[wrong].ravel()[0]:.6g}; every row must be a "
            "distribution over the items, so divide each by its sum."
        )


def _place(odd: NDArray[np.bool_]) -> str:
    first = np.argwhere(odd)[0]
    return f"in row {first[0]:,}" if len(first) == 1 else f"of user {first[0]:,} in context {first[1]:,}"


def _checked_sparse(policies: Any) -> sparse.csr_array:
    if policies.ndim != 2 or policies.dtype.kind not in "biuf":
        raise InputError(
            f"policies are sparse, of {policies.ndim} dimensions and type {policies.dtype}, but must be "
            "numbers, a row a user and a column an item."
        )
    table = sparse.csr_array(policies)
    if table.dtype not in (np.float32, np.float64):
        table = table.astype(np.float64)
    if 0 in table.shape:
        raise InputError(f"policies are empty: they have the shape {table.shape}.")
    table.sum_duplicates()
    if not np.isfinite(table.data).all():
        raise InputError("policies: some numbers are NaN or infinite; every probability must be finite.")
    if table.nnz and table.data.min() < 0:
        raise InputError("policies: some probabilities are negative; they must be at least 0.")
    _refuse_sums(np.asarray(table.sum(axis=1), dtype=float).ravel())
    return table
