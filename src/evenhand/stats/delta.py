"""The delta method: how an error in the inputs becomes an error in a smooth function of them."""

from __future__ import annotations

import numpy as np

from evenhand.stats.normal import Array, critical_value


def standard_error(gradient: Array, covariance: Array) -> float:
    """Standard error of f(x) with gradient g at x: sqrt(g' Cov(x) g)."""
    return float(np.sqrt(max(0.0, float(gradient @ covariance @ gradient))))


def interval(estimate: float, error: float, level: float, df: float | None = None) -> tuple[float, float]:
    """estimate +- c * error."""
    reach = critical_value(level, df) * error
    return estimate - reach, estimate + reach
