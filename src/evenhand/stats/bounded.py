"""Intervals for the mean of values between known bounds, at any sample size and for any distribution.

A mean of n values in [0, 1] is on one side of its expectation with n kl(mean, mu) >= x in at most exp(-x) of
samples (Chernoff's bound; of all laws on [0, 1] with that mean, the two-point law on the ends has the largest
moment generating function, as it is the chord of a convex function). So

    {mu : n kl(mean, mu) <= log(2 / alpha)}

covers in at least 1 - alpha of samples, without an approximation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

Floats = NDArray[np.float64]


def chernoff_interval(
    mean: Floats, n: NDArray[np.integer], alpha: float, low: float = 0.0, high: float = 1.0
) -> tuple[Floats, Floats]:
    """Lower and upper bounds for each mean; both together miss with probability at most `alpha`."""
    scaled = np.clip((np.asarray(mean, dtype=float) - low) / (high - low), 0.0, 1.0)
    reach = np.log(2 / alpha) / np.asarray(n, dtype=float)
    return (
        low + (high - low) * _farthest(scaled, np.zeros_like(scaled), reach),
        low + (high - low) * _farthest(scaled, np.ones_like(scaled), reach),
    )


def _farthest(mean: Floats, end: Floats, reach: Floats) -> Floats:
    """The mu between `mean` and `end` that is farthest from `mean` while kl(mean, mu) <= reach."""
    inside, outside = mean.copy(), end.copy()
    for _ in range(60):  # bisection: kl grows with the distance
        middle = (inside + outside) / 2
        within = _kl(mean, middle) <= reach
        inside = np.where(within, middle, inside)
        outside = np.where(within, outside, middle)
    return outside


def _kl(p: Floats, q: Floats) -> Floats:
    """Of a coin with chance p from a coin with chance q."""
    return np.asarray(rel_entr(p, q) + rel_entr(1 - p, 1 - q))
