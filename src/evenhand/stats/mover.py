"""MOVER: an interval for a difference from the intervals of its two parts.

Method of variance estimates recovery (Zou and Donner 2008). It keeps the asymmetry of the parts, which
matters where one of them is close to its boundary.
"""

from __future__ import annotations

import math


def difference(
    first: float, first_interval: tuple[float, float], second: float, second_interval: tuple[float, float]
) -> tuple[float, float]:
    """Interval for first - second, the two taken as uncorrelated."""
    estimate = first - second
    low = estimate - math.hypot(first - first_interval[0], second_interval[1] - second)
    high = estimate + math.hypot(first_interval[1] - first, second - second_interval[0])
    return low, high
