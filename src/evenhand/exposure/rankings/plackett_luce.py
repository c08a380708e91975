"""Exact exposure under Plackett-Luce rankings: an integral for each user, no sampling.

A Plackett-Luce ranking with weights w_j = exp(y_j / beta) is the order of independent clocks T_j ~ Exp(w_j).
The rank of item i is one plus the number of clocks that ring before T_i, and given T_i = t those are
independent:

    E[gamma^(rank_i - 1)] = integral_0^inf w_i e^(-w_i t) prod_{j != i} (gamma + (1 - gamma) e^(-w_j t)) dt

Any other discount without a cut is a mixture of such powers, and a cut needs P(rank_i = r) for r <= k, by the
same argument. Source of the policy and the browsing models: Wu, Mitra, Ma, Diaz and Liu, Joint Multisided
Exposure Fairness for Recommendation (SIGIR 2022), who estimate exposure from 100 sampled rankings a user.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.exposure.problem.scores import checked_scores, result_type
from evenhand.exposure.rankings.browsing import Browsing, browsing_model, misfit
from evenhand.exposure.rankings.cut_kernels import CutWeights, positions_exposure
from evenhand.exposure.rankings.kernels import MixtureWeights, mixture_exposure
from evenhand.exposure.rankings.quadrature import power_series, powers_of_odds, quadrature_for
from evenhand.parameters import number

FINEST, COARSEST = 1e-13, 1e-2
# Chances of so many clocks, multiplied, would leave the range of doubles.
LONGEST_CUT = 500
# Of u, for power series; and within what they converge (see `quadrature`).
SMALL, RADIUS = 0.25, 3.0
SMALL_CUT, RADIUS_CUT = 0.05, 0.6


def plackett_luce(
    scores: Any,
    beta: float = 1.0,
    patience: float = 0.8,
    discount: str | Sequence[float] | Browsing = "rbp",
    k: int | None = None,
    *,
    accuracy: float = 1e-9,
    dtype: DTypeLike | None = None,
    return_error: bool = False,
) -> Any:
    """Expected position weight of every item (columns) for every user (rows) of `scores`.

    Rankings are drawn with weights exp(score / beta): the larger `beta`, the more random. Only differences of
    a user's scores matter. Position r weighs patience^(r-1) with discount "rbp", 1 / log2(1 + r) with "dcg",
    or what a list of non-increasing weights says; beyond `k`, or the end of that list, nothing. A `k` beyond
    the number of items cuts nothing off. Cuts at more than 500 positions, and lists of more weights than that
    for more items than that, are refused.

    `accuracy` bounds the error of every entry, as a share of the weight of the first position. The result is
    in single precision if the scores are, unless `dtype` says otherwise. With `return_error` also a bound of
    the error of each user's entries: what was asked for, rounding to `dtype`, and how far the sum of the row,
    which is known, was missed.
    """
    model = browsing_model(discount, patience, k)
    beta = number("beta", beta, 0, above=True)
    accuracy = number("accuracy", accuracy, FINEST, COARSEST)
    table = checked_scores(scores)
    out = np.empty(table.shape, dtype=result_type(table, dtype))
    weights = model.weights(table.shape[1])
    if weights[0] == 0:
        out[:] = 0
        return (out, np.zeros(len(out))) if return_error else out
    mixture = model.mixture(table.shape[1], accuracy / 4)
    if mixture is None:
        totals = _by_positions(table, beta, np.trim_zeros(weights, "b"), accuracy, out)
        bound = accuracy
    else:
        totals = _by_mixture(table, beta, *mixture, accuracy * 3 / 4, out)
        bound = accuracy * 3 / 4 + misfit(*mixture, weights) / weights[0]
    if not return_error:
        return out
    missed = np.abs(totals - math.fsum(weights)) / table.shape[1]
    rounding = np.finfo(out.dtype).eps
    return out, (bound + rounding) * weights[0] + missed


def _by_mixture(
    scores: NDArray[np.floating],
    beta: float,
    patiences: Floats,
    coefficients: Floats,
    accuracy: float,
    out: NDArray[np.floating],
) -> Floats:
    """Fill `out`; the sums of its rows."""
    endless = patiences == 1  # whoever looks at everything gives the same weight to every position
    constant = float(coefficients[endless].sum())
    patiences, coefficients = patiences[~endless], coefficients[~endless]
    if not len(patiences):
        out[:] = constant
        return np.full(len(out), constant * out.shape[1])
    quadrature = quadrature_for(accuracy, 1, SMALL, RADIUS)
    # The logarithm of a factor is convex in u, 0 at 0: at most min(u, 1) times its value at 1.
    least = float(-np.log(patiences + (1 - patiences) * math.exp(-1)).max())
    quadrature = quadrature._replace(stop=quadrature.stop / len(patiences))
    mixture = MixtureWeights(patiences, coefficients, constant, power_series(patiences, quadrature.terms))
    return mixture_exposure(scores, beta, mixture, quadrature, -math.log(quadrature.stop) / least, out)


def _by_positions(
    scores: NDArray[np.floating], beta: float, weights: Floats, accuracy: float, out: NDArray[np.floating]
) -> Floats:
    """Fill `out`; the sums of its rows."""
    k = len(weights)
    if k > LONGEST_CUT:
        raise InputError(
            f"The list is cut at {k:,} of {scores.shape[1]:,} items, but exact exposure is for cuts at "
            f"{LONGEST_CUT} or less; give fewer positions, or a discount without a cut."
        )
    quadrature = quadrature_for(accuracy, k, SMALL_CUT, RADIUS_CUT)
    # P(N < k) <= exp(-(mu - k)^2 / (2 mu)) for N of mean mu (Chernoff); 1 - e^(-u) >= (1 - 1/e) min(u, 1).
    depth = -math.log(quadrature.stop)
    mean = k + depth + math.sqrt(depth * depth + 2 * k * depth)
    quadrature = quadrature._replace(stop=quadrature.stop * float(weights[0]))
    cut = CutWeights(weights, powers_of_odds(quadrature.terms))
    return positions_exposure(scores, beta, cut, quadrature, mean / (1 - math.exp(-1)), out)
