"""The utility of every user under every policy, in blocks.

    u^m(pi^n) = sum_x q^m(x) sum_a pi^n(a|x) rho^m(a|x)        (Do and others 2022, equation 1)

A user's preference rho^m(a|x) is the expected reward for item a in context x, which occurs with probability
q^m(x); pi^n(a|x) is the probability that the policy of user n shows the item there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.envy.checks import checked_contexts, checked_policies, checked_preferences, same_items, unpacked
from evenhand.envy.engines import engine_for
from evenhand.envy.rows import TableRows, UserRows, preference_rows, row_blocks
from evenhand.errors import InputError


def utilities(
    preferences: Any,
    policies: Any,
    *,
    contexts: Any = None,
    device: str | None = None,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """u[m, n]: what user m would get from the policy of user n.

    `preferences` and `policies` are users x items or users x contexts x items, as arrays or torch tensors
    (policies of users x items also as a SciPy sparse array). The two may be about different users. `contexts`
    are weights of the contexts, the same for all users or a row a user; by default they are equal.

    The product runs in blocks; beyond what is given and the result nothing large is held. Single precision
    stays single. `device` is that of torch ("cpu", "cuda"), or "auto" for a GPU where there is one; without
    it NumPy is used. `out` takes the result, for example a `numpy.memmap` where users x users is too much.
    """
    policies = unpacked(policies)
    engine = engine_for(device, preferences, policies)
    ours, theirs = rows_of(preferences, policies, contexts)
    dtype = np.result_type(ours.dtype, theirs.dtype)
    shape = (ours.user_count, theirs.user_count)
    if out is None:
        out = np.empty(shape, dtype=dtype)
    elif not isinstance(out, np.ndarray) or out.dtype.kind != "f":
        raise InputError("out must be an array of floating-point numbers, or utilities would be cut off.")
    elif out.shape != shape:
        raise InputError(f"out has the shape {out.shape}, but the utilities have {shape}.")
    for users in row_blocks(ours):
        left = engine.load(ours.rows(users))
        for others in row_blocks(theirs):
            out[users, others] = engine.unload(engine.product(left, engine.load(theirs.rows(others))))
    return out


def rows_of(preferences: Any, policies: Any, contexts: Any = None) -> tuple[UserRows, UserRows]:
    """Both tables, checked, as rows over the same columns."""
    tastes, shown = checked_preferences(preferences), checked_policies(policies)
    same_items(tastes, shown)
    has_contexts = len(shown.shape) == 3
    weights = None
    if tastes.ndim == 3 or has_contexts:
        count = tastes.shape[1] if tastes.ndim == 3 else shown.shape[1]
        weights = checked_contexts(contexts, len(tastes), count)
    elif contexts is not None:
        raise InputError("contexts are given, but neither preferences nor policies have any.")
    return preference_rows(tastes, has_contexts, weights), TableRows(shown)
