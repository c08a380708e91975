"""How far an interval of the logarithm of a count reaches to either side, far out in the tails too."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.stats.normal import Array


def reaches(reach: Any, skewness: Array) -> tuple[Array, Array]:
    """How many standard errors below and above a sum of log counts its interval reaches.

    `reach` is what it would be for a normal sum on both sides, and `skewness` that of the sum: 1/sqrt(A) for
    log A of a Poisson count A, with the standard error 1/sqrt(A). T = (estimate - truth) / error is then not
    normal, but r = T - s T^2/6 + s^2 T^3/36 is nearly so, with the mean s/3 if the estimate is without
    bias: the first terms of the signed root of the likelihood ratio of a Poisson count (Barndorff-Nielsen
    1986), and for a sum of such those of Hall's (1992) expansion of a studentised statistic. r grows
    with T whatever the skewness, so that it can be inverted.
    """
    bend = -np.asarray(skewness) / 6
    low, high = (_unbent(sign * reach - 2 * bend, bend) for sign in (-1, 1))
    return high, -low


def straightened(statistic: Array, skewness: Any) -> Array:
    """r of the T above, without its mean, and so nearly normal: |r| > z just where 0 is out of what `reaches`
    says for z."""
    bend = -np.asarray(skewness) / 6
    return np.asarray(statistic * (1 + bend * statistic * (1 + bend * statistic)) + 2 * bend)


def _unbent(r: Array, bend: Array) -> Array:
    """The T with T + bend T^2 + bend^2 T^3 = r: Cardano's formula for y = bend T."""
    flat = np.abs(bend) < 1e-6
    steep = np.where(flat, 1.0, bend)
    # With y = x - 1/3 it is x^3 + 2x/3 = bend r + 7/27, which has one real root.
    y = np.sqrt(8 / 9) * np.sinh(np.arcsinh((steep * r + 7 / 27) * 27 / np.sqrt(32)) / 3) - 1 / 3
    return np.asarray(np.where(flat, r - bend * r**2, y / steep))
