"""MOVER: an interval for a difference from the intervals of its two parts.

Method of variance estimates recovery (Zou and Donner 2008). It keeps the asymmetry of the parts, which
matters where one of them is close to its boundary.
"""

from __future__ import annotations

import math


def difference(
    first: float,
    first_interval: tuple[float, float],
    second: float,
    second_interval: tuple[float, float],
    *,
    correlation: float = 0.0,
) -> tuple[float, float]:
    """Interval for first - second, whose errors are correlated by so much."""
    estimate = first - second
    low = estimate - _together(first - first_interval[0], second_interval[1] - second, correlation)
    high = estimate + _together(first_interval[1] - first, second - second_interval[0], correlation)
    return low, high


def _together(first: float, second: float, correlation: float) -> float:
    if correlation == 0:
        return math.hypot(first, second)
    return math.sqrt(max(first**2 + second**2 - 2 * correlation * first * second, 0.0))
