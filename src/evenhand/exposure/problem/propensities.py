"""What exposure each item deserves, where relevance was observed with known chances only.

A truly relevant pair i is in the table with probability p_i, whatever the others do. The target of an item
under equal expected exposure (`targets`) is a function F of which of the user's items are relevant, and

    F^ = sum over subsets R of what was observed, F(R) prod_{i in R} 1 / p_i prod_{i not in R} (1 - 1 / p_i)

is unbiased for its value at the truth: pairs are weighted by their inverse propensities (Horvitz and Thompson
1952), and so is what else is relevant, which decides how many slots there are to share. With RBP, F is a
mixture of products over the relevant items: with g the patience, the m items of a grade, behind h better, get

    g^h (1 - g^m) / (m (1 - g)) = g^h / (1 - g) int_g^1 x^(m - 1) dx,

and what is not relevant among n gets (g^m - g^n) / ((n - m) (1 - g)) = 1 / (1 - g) int_0^{-log g} e^{-n s}
(g e^s)^m ds. In products, x becomes 1 - (1 - x) / p_i for each observed i, so that no sum over subsets is
needed, and the integrals are those of polynomials, by Gauss and Legendre. These factors lie between -1 and 1
as long as p >= (1 - g) / 2; below, every relevant item would multiply the noise, so that is refused.

A user of whom nothing relevant was observed has the target of a random list, as F says where nothing is
relevant. Such users must count, or users of whom little is seen would be missing too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit
from evenhand.errors import InputError
from evenhand.exposure.problem.targets import Targets

NODES = 48
FAR = 40.0  # e^-40 is nothing beside what is before it


def weighted_exposure(
    offsets: Ints, items: Ints, grades: Floats, propensities: Floats, shown: int | Ints, patience: float
) -> Targets:
    """Unbiased targets of equal expected exposure under RBP; `grades` are above 0, the rest as there."""
    least = (1 - patience) / 2
    low = propensities < least
    if low.any():
        raise InputError(
            f"{low.sum():,} of {len(low):,} propensities are below {least:.3g} (such as "
            f"{float(propensities[low][0]):.3g}): with a patience of {patience:g} weights of relevance that "
            "is observed so rarely are noise. Leave these items out."
        )
    users = len(offsets) - 1
    candidates = np.broadcast_to(np.asarray(shown, dtype=np.int64), users).copy()
    owner = np.repeat(np.arange(users), np.diff(offsets))
    order = np.lexsort((-grades, owner))
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    values, rest = _weigh(
        _Observed(offsets, grades[order], 1 / propensities[order]),
        candidates,
        patience,
        _Quadrature((nodes + 1) / 2, weights / 2),
    )
    back = np.empty(len(items))
    back[order] = values
    random = (1 - patience**candidates) / ((1 - patience) * candidates)
    everybody = np.ones(users, dtype=bool)
    return Targets(
        np.asarray(offsets), np.asarray(items), back, rest, random, everybody, candidates, np.empty(0)
    )


class _Observed(NamedTuple):
    """Relevant pairs that were observed: those of user u at `offsets[u]` to `offsets[u + 1]`, best grades
    first, with their grades and inverse propensities."""

    offsets: Ints
    grades: Floats
    inverse: Floats


class _Quadrature(NamedTuple):
    """An integral from 0 to 1 as a sum."""

    nodes: Floats
    weights: Floats


@njit()
def _weigh(
    observed: _Observed, shown: Ints, patience: float, unit: _Quadrature
) -> tuple[Floats, Floats]:  # pragma: no cover - compiled
    """The targets of the observed pairs, and each user's for everything else of the `shown` candidates."""
    values, rest = np.empty(len(observed.grades)), np.empty(len(shown))
    scale = 1 / (1 - patience)
    for u in range(len(observed.offsets) - 1):
        start, end = observed.offsets[u], observed.offsets[u + 1]
        without = np.zeros(end - start)  # what is not relevant gets, if this pair is not
        rest[u] = 0.0
        reach = min(-np.log(patience), FAR / shown[u])
        for i in range(len(unit.nodes)):
            s = reach * unit.nodes[i]
            each = reach * unit.weights[i] * np.exp(-shown[u] * s) * scale
            rest[u] += each * _products(observed.inverse[start:end], patience * np.exp(s), each, without)
        ahead, first = 1.0, start
        while first < end:
            last = first
            while last < end and observed.grades[last] == observed.grades[first]:
                last += 1
            alone = np.zeros(last - first)
            for i in range(len(unit.nodes)):
                x = patience + (1 - patience) * unit.nodes[i]
                _products(observed.inverse[first:last], x, unit.weights[i], alone)
            for p in range(first, last):
                relevant = ahead * alone[p - first]
                values[p] = observed.inverse[p] * relevant + (1 - observed.inverse[p]) * without[p - start]
            for p in range(first, last):
                ahead *= 1 - (1 - patience) * observed.inverse[p]
            first = last
    return values, rest


@njit()
def _products(
    inverse: Floats, x: float, times: float, without: Floats
) -> float:  # pragma: no cover - compiled
    """The product of all factors at x; to `without` is added, for each, `times` that of all others."""
    before = np.empty(len(inverse))
    product = 1.0
    for i in range(len(inverse)):
        before[i] = product
        product *= 1 - (1 - x) * inverse[i]
    after = times
    for i in range(len(inverse) - 1, -1, -1):
        without[i] += before[i] * after
        after *= 1 - (1 - x) * inverse[i]
    return product
