"""How fine a sum replaces the integral over time, from the accuracy that is asked for.

With t = e^x the exposure of item i is the integral over x of

    u_i e^(-u_i) E[p_(1 + N_i(t))],    u_i = w_i t,    N_i(t): other clocks that have rung by t,

where p is the weight of a position. The trapezoid rule of step h errs by at most 2 M / (e^(2 pi d / h) - 1)
if the integrand is analytic in |Im x| < d and its integral along any line there is at most M (Trefethen and
Weideman 2014, theorem 5.1). It is an entire function of t. On the line Im x = d, with c = cos d,

    |e^(-u)| = e^(-|u| c)  and  |1 - e^(-u)| <= (1 - e^(-|u| c)) / c,

so up to the factor 1/c (for u_i itself) it is bounded by the integrand of the weights c w, whose integral is
at most p_1: for powers of gamma M = p_1 / c. Cut at k, up to k - 1 clocks have the factor 1/c, too:
M = p_1 / c^k. The best d is where tan d = 2 pi / (h k). None of this depends on the scores.

So the step, like the ends of the sum, has a bound. The number of terms of the power series is from their rate
of convergence, with a margin; there it is the tests that hold the error against what was asked for.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Floats


class Quadrature(NamedTuple):
    """Everything that accuracy decides; each of four errors gets a quarter of it.

    `step`: of the trapezoid rule. `start`: u of the heaviest clock in the first node, so that no clock has
    more than that chance to have rung before. `stop`: nodes end where what is still to be had is below it.
    `rung`: beyond this u a clock has rung for certain. `terms`: of the series in u, for u below `small`.
    """

    step: float
    start: float
    stop: float
    rung: float
    small: float
    terms: int


def quadrature_for(accuracy: float, factors: int, small: float, radius: float) -> Quadrature:
    """For an integrand with up to `factors` factors 1/c, and series that converge within `radius`."""
    share = accuracy / 4
    terms = math.ceil(math.log(share / 4) / math.log(small / radius)) + 1
    return Quadrature(
        step=_step(share, factors),
        start=share,
        stop=share,
        rung=math.log(4 / share),
        small=small,
        terms=terms,
    )


def _step(share: float, factors: int) -> float:
    """The largest step whose bound is within its share, to a relative 1e-6."""
    low, high = 1e-4, 2.0
    while high - low > 1e-6 * low:
        middle = (low + high) / 2
        if _log_bound(middle, factors) <= math.log(share):
            low = middle
        else:
            high = middle
    return low


def _log_bound(step: float, factors: int) -> float:
    d = math.atan(2 * math.pi / (step * factors))
    exponent = 2 * math.pi * d / step
    return math.log(2) - factors * math.log(math.cos(d)) - exponent - math.log1p(-math.exp(-exponent))


def power_series(patiences: Floats, terms: int) -> Floats:
    """Coefficients of 1 / (1 + gamma (e^u - 1)), a row a patience.

    Times u that is u e^(-u) / (gamma + (1 - gamma) e^(-u)), the part of item i in the integrand; times
    -(1 - gamma) it is the derivative of log(gamma + (1 - gamma) e^(-u)). The nearest pole is at
    log((1 - gamma) / gamma) +- i pi, so the series converges for u below pi, whatever gamma.
    """
    series = np.zeros((len(patiences), terms))
    series[:, 0] = 1
    for m in range(1, terms):
        for j in range(1, m + 1):
            series[:, m] -= patiences * series[:, m - j] / math.factorial(j)
    return series


def powers_of_odds(terms: int) -> Floats:
    """Row m: the coefficients of (e^u - 1)^m, the m-th power of a clock's odds of having rung."""
    odds = np.array([0.0] + [1 / math.factorial(j) for j in range(1, terms + 1)])
    rows = np.zeros((terms + 1, terms + 1))
    rows[0, 0] = 1
    for m in range(1, terms + 1):
        rows[m] = np.convolve(rows[m - 1], odds)[: terms + 1]
    return rows
