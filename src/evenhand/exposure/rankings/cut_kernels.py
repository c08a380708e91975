"""Exposure under weights of the first k positions, compiled, users side by side.

In a node the number of clocks that have rung is Poisson-binomial, and only its first k chances matter. Item i
gets step * u_i e^(-u_i) * sum_c P(c of the others have rung) p_(c+1). Clocks that are at it are left out one
by one: `before` has the chances over the clocks before it, `value` the expected weight of the next position
over the clocks after it. Clocks of small u, with odds o = e^u - 1 of having rung, have the generating
function

    prod_j e^(-u_j) (1 + o_j z) = exp(-sum u) exp(sum_m (-1)^(m+1) z^m / m sum_j o_j^m),

and leaving one of them out divides by (1 + o z): item i gets step * u_i sum_m (-o_i)^m G_m, where G_m is the
expected weight of the position m places below the next one. Both are power series in u.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange

from evenhand.arrays import Floats
from evenhand.compiled import njit
from evenhand.exposure.rankings.clocks import arrange
from evenhand.exposure.rankings.kernels import polynomial, shrink, skip
from evenhand.exposure.rankings.quadrature import Quadrature


class CutWeights(NamedTuple):
    """The weights of the first positions, and the series of `powers_of_odds`."""

    weights: Floats
    odds: Floats


@njit(parallel=True)
def positions_exposure(
    scores: Any, beta: float, cut: CutWeights, quadrature: Quadrature, needed: float, out: Any
) -> Floats:  # pragma: no cover - compiled
    """As `mixture_exposure`."""
    totals = np.empty(len(scores))
    for user in prange(len(scores)):
        totals[user] = _one_user(scores[user], beta, cut, quadrature, needed, out[user])
    return totals


@njit(error_model="numpy")
def _one_user(
    row: Any, beta: float, cut: CutWeights, quadrature: Quadrature, needed: float, out: Any
) -> float:  # pragma: no cover - compiled
    heavy, ratios, sums, light = arrange(row, beta, needed, quadrature.small, quadrature.terms)
    count = len(heavy)
    some_light = sums[count, 0] > 0
    growth = np.exp(quadrature.step)
    u, got = np.empty(count), np.zeros(count)
    moments, gap, below = np.zeros(quadrature.terms), np.empty(quadrature.terms), np.empty(quadrature.terms)
    before = np.empty((16, len(cut.weights)))
    value = np.empty(len(cut.weights) + 1)
    first = last = 0  # heavy[first:last] are at it: earlier ones have rung, later ones have small u
    head = 0.0  # u of heavy[last], or of the heaviest light clock after all of them
    remaining = np.inf
    while remaining >= quadrature.stop:
        while last < count and head > quadrature.small:
            got[last] = polynomial(moments, head)
            u[last] = head
            last += 1
            head *= ratios[last]
        while first < last and u[first] > quadrature.rung:
            first += 1
        if first >= len(cut.weights):
            break
        seen = cut.weights[first:]  # by clocks that have not rung
        k = len(seen)
        if first == last and head < quadrature.start:
            if last == count and not some_light:
                break
            _by_powers(gap, quadrature.step, seen, cut.odds)
            skip(moments, gap, head / quadrature.start, growth)
            head = quadrature.start
        busy = last - first
        if busy + 1 > len(before):
            before = np.empty((2 * busy, len(cut.weights)))
        _chances_of_light(before[0, :k], head, sums[last], cut.odds)
        for j in range(busy):
            stay = np.exp(-u[first + j])
            ring = 1 - stay
            before[j + 1, 0] = before[j, 0] * stay
            for c in range(1, k):
                before[j + 1, c] = before[j, c] * stay + before[j, c - 1] * ring
        for m in range(quadrature.terms):
            below[m] = 0.0
            for c in range(k - m):
                below[m] += before[busy, c] * seen[c + m]
        remaining = below[0]
        _by_powers(gap, quadrature.step, below, cut.odds)
        for m in range(quadrature.terms):
            moments[m] += gap[m]
        value[:k] = seen
        value[k] = 0.0
        for j in range(busy - 1, -1, -1):
            stay = np.exp(-u[first + j])
            ring = 1 - stay
            expected = 0.0
            for c in range(k):
                expected += before[j, c] * value[c]
                value[c] = value[c] * stay + value[c + 1] * ring
            got[first + j] += quadrature.step * u[first + j] * stay * expected
        for j in range(first, last):
            u[j] *= growth
        head *= growth
        shrink(moments, 1 / growth)
    for j in range(last, count):
        got[j] = polynomial(moments, head)
        head *= ratios[j + 1]
    total = 0.0
    for i in range(len(row)):
        share = polynomial(moments, head * light[i])
        out[i] = share
        total += share
    for j in range(count):
        out[heavy[j]] = got[j]
        total += got[j]
    return total


@njit()
def _chances_of_light(
    chances: Floats, head: float, sums: Floats, odds: Floats
) -> None:  # pragma: no cover - compiled
    """Chances that 0, 1, ... of the clocks of small u have rung: the power series of an exponential."""
    terms = len(sums)
    powers = np.zeros(terms + 1)  # sums of the powers of odds, with their signs
    power = 1.0
    for degree in range(1, terms + 1):
        power *= head
        for m in range(1, degree + 1):
            powers[m] += odds[m, degree] * power * sums[degree - 1]
    for m in range(2, terms + 1, 2):
        powers[m] = -powers[m]
    chances[0] = np.exp(-head * sums[0])
    for c in range(1, len(chances)):
        chances[c] = 0.0
        for m in range(1, min(c, terms) + 1):
            chances[c] += powers[m] * chances[c - m]
        chances[c] /= c


@njit()
def _by_powers(out: Floats, step: float, below: Floats, odds: Floats) -> None:  # pragma: no cover - compiled
    """Coefficients of the powers of u in step * u * sum_m (-o)^m below_m."""
    for power in range(len(out)):
        out[power] = 0.0
        sign = step
        for m in range(min(power + 1, len(below))):
            out[power] += sign * odds[m, power] * below[m]
            sign = -sign
