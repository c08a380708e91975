"""Plackett-Luce exposure as plainly as it can be written, with NumPy: slow, and what the kernels must match.

Every clock is looked at in every node, leaving one out by all prefix and suffix products.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats
from evenhand.exposure.rankings.browsing import Browsing
from evenhand.exposure.rankings.quadrature import quadrature_for


def reference(scores: NDArray[np.floating], beta: float, model: Browsing, accuracy: float = 1e-12) -> Floats:
    """Exposure of every item (columns) to every user (rows), each entry within `accuracy`."""
    scores = np.asarray(scores, dtype=float)
    mixture = model.mixture(scores.shape[1], accuracy / 10)
    if mixture is not None:
        return np.array([_mixture(row / beta, *mixture, accuracy) for row in scores])
    weights = np.trim_zeros(model.weights(scores.shape[1]), "b")
    return np.array([_positions(row / beta, weights, accuracy) for row in scores])


def _mixture(logits: Floats, patiences: Floats, coefficients: Floats, accuracy: float) -> Floats:
    step, u = _nodes(logits, accuracy, 1)
    total = np.zeros(len(logits))
    for gamma, coefficient in zip(patiences, coefficients, strict=True):
        factor = gamma + (1 - gamma) * np.exp(-u)
        product = np.exp(np.log(factor).sum(axis=1, keepdims=True))
        total += coefficient * step * (u * np.exp(-u) / factor * product).sum(axis=0)
    return total


def _positions(logits: Floats, weights: Floats, accuracy: float) -> Floats:
    step, u = _nodes(logits, accuracy, len(weights))
    nodes, items = u.shape
    k = len(weights)
    # before[i][:, c]: the chance that c of the clocks before i have rung; value[:, c]: the expected weight
    # of the next position when c of them have, over the clocks after i.
    before = np.zeros((items, nodes, k))
    before[0, :, 0] = 1
    for i in range(items - 1):
        before[i + 1] = before[i] * np.exp(-u[:, i, None])
        before[i + 1][:, 1:] -= before[i][:, :-1] * np.expm1(-u[:, i, None])
    value = np.tile(weights, (nodes, 1))
    exposure = np.zeros(items)
    for i in range(items - 1, -1, -1):
        exposure[i] = step * (u[:, i] * np.exp(-u[:, i]) * (before[i] * value).sum(axis=1)).sum()
        later = np.concatenate([value[:, 1:], np.zeros((nodes, 1))], axis=1)
        value = value * np.exp(-u[:, i, None]) - later * np.expm1(-u[:, i, None])
    return exposure


def _nodes(logits: Floats, accuracy: float, factors: int) -> tuple[float, Floats]:
    """The step, and u for every node and item; beyond 1e3 a clock has rung in double precision."""
    quadrature = quadrature_for(accuracy, factors, 0.1, 1.0)
    a = logits - logits.max()
    x = np.arange(np.log(quadrature.start), np.log(quadrature.rung) - a.min(), quadrature.step)
    return quadrature.step, np.exp(np.minimum(x[:, None] + a, np.log(1e3)))
