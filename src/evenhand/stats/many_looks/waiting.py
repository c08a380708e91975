"""How many looks it takes until a change is seen: what can be promised before it happens.

From a look on, the truth is `distance` beyond a limit. The estimate of each look errs by a normal error, and
the look sees the change where its interval, whose arm reaches `reach(look)`, lies wholly beyond the limit.
Arms grow from look to look, since each look spends less of the error.

Errors of two looks are correlated: the same users come again. With a correlation of rho each error is the sum
of a part that all looks share and one of its own, sqrt(rho) x + sqrt(1 - rho) z, and given x looks are
independent. So the chance that a look, or `in_a_row` of them one after the other, have seen the change by the
n-th is a mean over x, of a recursion over looks. With rho = 1 waiting does not help at all.

How far intervals reach is known from a few days only, and it matters much: where a look sees the change with
a chance of 1 in 5, two in a row do with 1 in 25, so that a little less of reach halves the wait. Short
promises would be those of days that were lucky. So the reach is taken at its upper limit (`at_most`), and a
wait of single looks for longer than `SINGLE` is not promised.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import ndtr
from scipy.stats import t as student

from evenhand.arrays import Floats

# The share of cases in which a promise is kept, as everywhere where more data are asked for.
POWER = 0.8
# A promise for longer than two years is none; of single looks, which wait for luck, for longer than this.
LONGEST, SINGLE = 730, 30
# One-sided, of what a mean over days is taken for.
_SURE = 0.95
_NODES, _WEIGHTS = hermegauss(40)


def looks_until_seen(
    distance: float,
    error: float,
    reach: Callable[[int], float],
    first: int,
    *,
    correlation: float = 0.0,
    in_a_row: int = 1,
    power: float = POWER,
    longest: int = SINGLE,
) -> int | None:
    """The least number of looks, the `first` being the first after the change, by which the change is seen
    with this power; None where `longest` looks are not enough."""
    shared = np.sqrt(np.clip(correlation, 0, 1)) * error * _NODES
    own = np.sqrt(1 - np.clip(correlation, 0, 1)) * error
    # By how many of the last looks have seen it, and whether enough in a row once have: a row each.
    state = np.zeros((in_a_row + 1, len(_NODES)))
    state[0] = 1.0
    weights = _WEIGHTS / _WEIGHTS.sum()
    for count in range(1, longest + 1):
        beyond = distance + shared - reach(first + count - 1)
        sees = ndtr(beyond / own) if own > 0 else (beyond > 0).astype(float)
        seen = state[:-1] * sees
        missed = (state[:-1] * (1 - sees)).sum(axis=0)
        state[1:-1], state[-1], state[0] = seen[:-1], state[-1] + seen[-1], missed
        if float(state[-1] @ weights) >= power:
            return count
    return None


def at_most(days: Floats) -> Floats:
    """What the mean over days, along the first axis, is at most: of one day nothing is known, and neither is
    it where one of them is infinite."""
    there = np.isfinite(days).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a pair of groups that no day has
        error = np.nanstd(days, axis=0, ddof=1) / np.sqrt(there)
        found = np.nanmean(days, axis=0) + student.ppf(_SURE, there - 1) * error
    return np.where((there == 1) | np.isinf(days).any(axis=0), np.inf, found)


def asked_now_and_then(
    ask: Callable[[int], float], first: int, longest: int = SINGLE
) -> Callable[[int], float]:
    """`ask` of every look from the `first` on, asked for a few of them only: what intervals reach grows with
    the logarithm of the number of looks, nearly evenly."""
    steps = np.unique(np.geomspace(1, longest, 5).astype(int))
    asked = [ask(first + int(step) - 1) for step in steps]
    return lambda look: float(np.interp(np.log(look - first + 1), np.log(steps), asked))


def least_days(sees: Callable[[int], bool], longest: int = LONGEST) -> int | None:
    """The least number of days after which `sees` says so, which it then does for good; or None."""
    low, high = 0, 1
    while not sees(high):
        low, high = high, 2 * high
        if high > longest:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if sees(middle) else (middle, high)
    return high
