"""Policies to audit and to compare with: softmax, optimal, equal user utility, parity and equity of exposure.

Each takes preferences (or scores) of users x items, or users x contexts x items, and gives back policies of
the same shape: a distribution over items in every row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats
from evenhand.envy.checks import checked_preferences
from evenhand.envy.systems.item_fairness import equity_of_exposure, parity_of_exposure
from evenhand.errors import InputError
from evenhand.parameters import number

__all__ = [
    "EqualUtility",
    "equal_user_utility",
    "equity_of_exposure",
    "optimal",
    "parity_of_exposure",
    "penalised_user_utility",
    "softmax",
]


def softmax(scores: Any, inverse_temperature: float = 1.0) -> NDArray[Any]:
    """pi(a) in proportion to exp(inverse_temperature * score(a)); 0 is uniform, infinity would be optimal."""
    table = checked_preferences(scores)
    factor = number("inverse_temperature", inverse_temperature, 0, float(np.finfo(table.dtype).max))
    weights = table / 2 - table.max(axis=-1, keepdims=True) / 2  # halves: no difference is too large
    with np.errstate(over="ignore"):  # to minus infinity: an item that is never shown
        weights *= table.dtype.type(factor)
        weights *= 2
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


def optimal(preferences: Any) -> NDArray[Any]:
    """The most preferred item for certain, the first of several; no user envies another (Sec. 3.3)."""
    table = checked_preferences(preferences)
    policy = np.zeros_like(table)
    np.put_along_axis(policy, table.argmax(axis=-1, keepdims=True), 1, axis=-1)
    return policy


class EqualUtility(NamedTuple):
    """Policies, and the utility above which no user is served."""

    policies: Floats
    level: float


def equal_user_utility(preferences: Any, slack: float = 0.0) -> EqualUtility:
    """The policies of largest total utility under which no two users' utilities differ by more than `slack`.

    A user's utility can be anything between that of the least and of the most preferred item, by showing the
    two at random. So the linear program over policies is one over utilities in a box, and its solution is
    a ceiling: u^m = min(best^m, c) with c = min_m best^m + slack.
    """
    table = _users_by_items(preferences)
    slack = number("slack", slack, 0)
    least, best = table.min(axis=1), table.max(axis=1)
    ceiling = float(best.min()) + slack
    if (least > ceiling).any():
        user = int(least.argmax())
        raise InputError(
            f"no policies make utilities equal up to {slack:g}: user {user:,} (counting from 0) likes every "
            f"item by at least {least[user]:.4g}, but somebody else none by more than {best.min():.4g}."
        )
    return _under_ceiling(table, ceiling)


def penalised_user_utility(preferences: Any, penalty: float) -> EqualUtility:
    """The policies that maximise sum_m u^m - (penalty / 2) sum_m (u^m - mean(u))^2.

    The gradient 1 - penalty (u^m - mean(u)) vanishes at u^m = mean(u) + 1 / penalty, so this too is
    a ceiling: u^m is c = mean(u) + 1 / penalty, as far as the user's items allow. With a penalty of 0 the
    policies are optimal; with a large one they come near to equal utilities.
    """
    table = _users_by_items(preferences)
    penalty = number("penalty", penalty, 0)
    least, best = table.min(axis=1), table.max(axis=1)
    if penalty == 0:
        return _under_ceiling(table, float(best.max()))

    def excess(ceiling: float) -> float:
        return ceiling - 1 / penalty - float(np.clip(ceiling, least, best).mean())

    # The excess grows with the ceiling: its slope is the share of users whom the ceiling does not bind.
    low, high = float(least.min()), float(best.max()) + 1 / penalty
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return _under_ceiling(table, min(high, float(best.max())))


def _users_by_items(preferences: Any) -> Floats:
    table = checked_preferences(preferences)
    if table.ndim != 2:
        raise InputError("equal user utility takes preferences of users x items, without contexts.")
    return table.astype(np.float64, copy=False)


def _under_ceiling(table: Floats, ceiling: float) -> EqualUtility:
    """The most preferred item, mixed with the least preferred so that the utility is at the ceiling."""
    rows = np.arange(len(table))
    top, bottom = table.argmax(axis=1), table.argmin(axis=1)
    best, least = table[rows, top], table[rows, bottom]
    room = best - least
    share = np.divide(ceiling - least, room, out=np.ones_like(room), where=room > 0)
    share = np.clip(share, 0, 1)
    policies = np.zeros_like(table)
    policies[rows, top] = share
    policies[rows, bottom] += 1 - share
    return EqualUtility(policies, ceiling)
