"""A lower bound for a sum of means that may change from value to value, at every moment at once.

Values y_1, y_2, ... with conditional means m_i, each with a prediction p_i made before it is seen, and never
more than `reach` below it. With psi(l) = (-log(1 - reach l) - reach l)/reach^2 and 0 < l < 1/reach,

    exp(l (y - p) - psi(l) (y - p)^2)  <=  1 + l (y - p)                   wherever y - p >= -reach,

so exp(l sum(y_i - m_i) - psi(l) sum((y_i - p_i)^2)) is a nonnegative supermartingale, whatever the means
(Howard and others 2021, Sec. 4.1; the inequality is Fan and others' (2015)). By Ville's inequality

    sum m_i  >=  sum y_i - (log(1/a) + psi(l) sum((y_i - p_i)^2))/l          at all times, but for a.

No l is best for all sums of squares, so several are used, each half the one before it, the j-th with the
level a/(j (j + 1)): these add up to a, and the highest of the bounds holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Floats
from evenhand.compiled import njit

_TILTS, _STEEPEST = 12, 0.8


def sum_bets(level: float, reach: float) -> Floats:
    """For each l: l itself, psi(l) and log(1/level_l). Made once; `changing_sum_lower` takes it."""
    tilts = _STEEPEST / reach * 0.5 ** np.arange(_TILTS)
    psi = (-np.log1p(-reach * tilts) - reach * tilts) / reach**2
    j = np.arange(1, _TILTS + 1)
    return np.column_stack([tilts, psi, np.log(j * (j + 1) / level)])


def mixed_sum_lower(totals: Sequence[float], squares: Sequence[float], bets: Floats) -> float:
    """The bound where values are known in several readings, and the right one is a mixture of these, always
    the same. Squares are convex, so at each l the bound of a mixture is no less than the mixture of the
    bounds, and that no less than the least of them."""
    readings = [
        total - (bets[:, 2] + bets[:, 1] * square) / bets[:, 0]
        for total, square in zip(totals, squares, strict=True)
    ]
    return float(np.min(readings, axis=0).max())


def told_mean_lower(total: float, squares: float, told: int, untold: int, bets: Floats) -> float:
    """A lower bound, from -1 to 0, for a mean d of which only a share is told, where values y in [-1, 1] have
    the conditional mean d t_i, t_i the chance that the i-th is told, as where the rest are lost by chance.

    If T values are told, U are not, and y = -z <= 0 or y = z >= 0 for all that are not, then y + u t has mean
    0 at u = -d, is at least -1, and its squares add up to no more than

        sum y^2 + 2 u (sum y + U) + u^2 T,

    so no share has to be estimated first: u is too large where the bound of that sum is above 0. That is so
    between the roots of a parabola; those whose larger root is below 1 leave out some u and are not used.
    """
    if told <= 0:
        return -1.0
    a, b = bets[:, 1] / bets[:, 0], bets[:, 2] / bets[:, 0]
    steep = told - 2.0 * a * (total + untold)
    level = total - a * squares - b
    root = np.sqrt(np.maximum(steep**2 + 4.0 * a * told * level, 0.0))
    usable = (steep + level >= a * told) & (steep + root >= 2.0 * a * told)
    if not usable.any():
        return -1.0
    return -float(np.clip(((steep - root) / (2.0 * a * told))[usable].min(), 0.0, 1.0))


@njit(nogil=True)
def changing_sum_lower(total: float, squares: float, bets: Floats) -> float:
    """The bound, from the sum of the values and the sum of their squared distances from the predictions."""
    best = -math.inf
    for j in range(len(bets)):
        best = max(best, total - (bets[j, 2] + bets[j, 1] * squares) / bets[j, 0])
    return best
