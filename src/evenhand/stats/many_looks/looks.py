"""How far a normal error may reach when it is looked at again and again.

Three reaches, all for a vector of errors with known covariance in `dimensions` dimensions: every contrast w
keeps |w'e| <= reach * se(w) with probability 1 - `error`, for all w at once.

- `one_look`: one sample, looked at once.
- `spent`: the part of the error that one of many samples may use; the parts of all looks sum to 1.
- `every_look`: one sample that grows. The normal mixture of Robbins (1970) in the asymptotic form of
  Waudby-Smith and others (2024): for a sum M of independent errors with covariance V growing in time,
  M' (V + V0)^-1 M stays below 2 log(1/error) + log det((V + V0)/V0) at all times with probability
  1 - `error`. With V0 = the covariance at the first look this is, for the mean at a look with `growth` times
  the evidence of the first one, reach^2 = (1 + 1/growth) (2 log(1/error) + dimensions * log(1 + growth)).
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from evenhand.stats.normal import Array


def one_look(error: float | Array, dimensions: int, df: float | None = None) -> Array:
    """Chi-square, or Hotelling's T-square where the covariance rests on few clusters (`df`, less one).

    Infinite where there are no more clusters than dimensions.
    """
    if df is None:
        return np.asarray(np.sqrt(stats.chi2.isf(error, dimensions)))
    rest = df - dimensions + 1
    if rest < 1:
        return np.full(np.shape(error), np.inf)
    return np.asarray(np.sqrt(dimensions * df / rest * stats.f.isf(error, dimensions, rest)))


def spent(look: int | Array) -> Array:
    """1/(1 + log2 t) - 1/(1 + log2(t + 1)): parts that sum to 1 over t = 1, 2, ..., without an end.

    Of all that sum to 1 it falls off slowly: the thousandth look has a part of 1 in 85,000.
    """
    left = 1 / (1 + np.log2(look)), 1 / (1 + np.log2(np.add(look, 1)))
    return np.asarray(left[0] - left[1])


def level_of_look(level: float, look: int, share: float = 1.0) -> float:
    """The level at which one of many looks is made, for all of them to hold at once at `level`.

    Whatever the looks have in common, such as users who return: errors add up. `share` is the part of the
    error that all these looks may use.
    """
    return 1 - (1 - level) * share * float(spent(look))


def every_look(error: float, dimensions: int, growth: Array, df: float | None = None) -> Array:
    """The reach at looks with `growth` times the evidence of the first look (1 at that one)."""
    squared = (1 + 1 / growth) * (2 * np.log(1 / error) + dimensions * np.log1p(growth))
    if df is None:
        return np.asarray(np.sqrt(squared))
    return one_look(stats.chi2.sf(squared, dimensions), dimensions, df)
