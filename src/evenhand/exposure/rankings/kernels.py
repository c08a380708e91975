"""Exposure under a mixture of patiences, compiled, users side by side.

One pass over the nodes for each user, with all patiences in the same node. With e_j = e^(-u_j) and
f_j = gamma + (1 - gamma) e_j, a node adds to item i

    step * prod_j f_j * u_i e_i / f_i.

Clocks that have rung have f = gamma; the product over clocks of small u is the exponential of a power series
in their power sums; and what small u have got by now is a power series in u_i, whose coefficients, the
moments below, are the same for all of them. An item leaves that series when its u is no longer small, is then
looked at in about a dozen nodes, and rings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange

from evenhand.arrays import Floats
from evenhand.compiled import njit
from evenhand.exposure.rankings.clocks import arrange
from evenhand.exposure.rankings.quadrature import Quadrature


class MixtureWeights(NamedTuple):
    """Position weights as a sum of powers of patiences below 1, and a constant; `series` has the coefficients
    of `power_series`, a row a patience."""

    patiences: Floats
    coefficients: Floats
    constant: float
    series: Floats


@njit(parallel=True)
def mixture_exposure(
    scores: Any, beta: float, mixture: MixtureWeights, quadrature: Quadrature, needed: float, out: Any
) -> Floats:  # pragma: no cover - compiled
    """Fill `out` (users x items); the sums of its rows, in double precision, are returned.

    Nodes end before the sum of min(u, 1) over a user's clocks reaches `needed`.
    """
    totals = np.empty(len(scores))
    for user in prange(len(scores)):
        totals[user] = _one_user(scores[user], beta, mixture, quadrature, needed, out[user])
    return totals


@njit(error_model="numpy")
def _one_user(
    row: Any, beta: float, mixture: MixtureWeights, quadrature: Quadrature, needed: float, out: Any
) -> float:  # pragma: no cover - compiled
    mixed = len(mixture.patiences)
    heavy, ratios, sums, light = arrange(row, beta, needed, quadrature.small, quadrature.terms)
    count = len(heavy)
    some_light = sums[count, 0] > 0
    growth = np.exp(quadrature.step)
    u, rings, factor = np.empty(count), np.empty(count), np.empty(count)
    got = np.zeros(count)
    moments, gap = np.zeros(quadrature.terms), np.zeros(quadrature.terms)
    # The weight that is left by the clocks that have rung.
    reach = mixture.coefficients.copy()
    alive = np.ones(mixed, dtype=np.bool_)
    left = mixed
    first = last = 0  # heavy[first:last] are at it: earlier ones have rung, later ones have small u
    head = 0.0  # u of heavy[last], or of the heaviest light clock after all of them
    while left > 0:
        while last < count and head > quadrature.small:
            got[last] = polynomial(moments, head)
            u[last] = head
            last += 1
            head *= ratios[last]
        while first < last and u[first] > quadrature.rung:
            first += 1
            for g in range(mixed):
                reach[g] *= mixture.patiences[g]
        if first == last and head < quadrature.start:
            if last == count and not some_light:
                break
            for m in range(quadrature.terms):
                gap[m] = 0.0
                for g in range(mixed):
                    gap[m] += quadrature.step * reach[g] * mixture.series[g, m] * alive[g]
            skip(moments, gap, head / quadrature.start, growth)
            head = quadrature.start
        for j in range(first, last):
            rings[j] = np.exp(-u[j])
        for g in range(mixed):
            if not alive[g]:
                continue
            gamma = mixture.patiences[g]
            product = reach[g]
            for j in range(first, last):
                factor[j] = gamma + (1 - gamma) * rings[j]
                product *= factor[j]
            exponent, power = 0.0, head
            for m in range(quadrature.terms):
                exponent += mixture.series[g, m] * power * sums[last, m] / (m + 1)
                power *= head
            product *= np.exp(-(1 - gamma) * exponent)
            for j in range(first, last):
                got[j] += quadrature.step * product * u[j] * rings[j] / factor[j]
            for m in range(quadrature.terms):
                moments[m] += quadrature.step * product * mixture.series[g, m]
            if product < quadrature.stop:
                alive[g] = False
                left -= 1
        for j in range(first, last):
            u[j] *= growth
        head *= growth
        shrink(moments, 1 / growth)
    for j in range(last, count):
        got[j] = polynomial(moments, head)
        head *= ratios[j + 1]
    total = 0.0
    for i in range(len(row)):
        value = polynomial(moments, head * light[i])
        out[i] = mixture.constant + value
        total += mixture.constant + value
    for j in range(count):
        out[heavy[j]] = mixture.constant + got[j]
        total += got[j]
    return total


@njit()
def polynomial(moments: Floats, u: float) -> float:  # pragma: no cover - compiled
    """sum_m moments[m] u^(m + 1)."""
    value = 0.0
    for m in range(len(moments) - 1, -1, -1):
        value = (value + moments[m]) * u
    return value


@njit()
def shrink(moments: Floats, ratio: float) -> None:  # pragma: no cover - compiled
    """Moments count in units of the u of now, which has grown since."""
    power = ratio
    for m in range(len(moments)):
        moments[m] *= power
        power *= ratio


@njit()
def skip(moments: Floats, gap: Floats, ratio: float, growth: float) -> None:  # pragma: no cover - compiled
    """Pass over the nodes in which no clock is about to ring, until u is 1 / ratio of what it was.

    Each of them would add `gap` to the moments, so together they add a geometric series.
    """
    power, grown = ratio, growth
    for m in range(len(moments)):
        moments[m] = moments[m] * power + gap[m] * (1 - power) / (grown - 1)
        power *= ratio
        grown *= growth
