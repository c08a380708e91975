"""Welch's interval: two sets of numbers, each with a spread of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from evenhand.stats.normal import Array, critical_value


class Welch(NamedTuple):
    """mean(first) - mean(second), its standard error, and the degrees of freedom of that error."""

    estimate: float
    error: float
    df: int

    def interval(self, level: float) -> tuple[float, float]:
        reach = critical_value(level, self.df) * self.error
        return self.estimate - reach, self.estimate + reach

    @property
    def p_value(self) -> float:
        if self.error == 0:
            return float(self.estimate == 0)
        return float(2 * special.stdtr(self.df, -abs(self.estimate) / self.error))


def welch(first: Array, second: Array) -> Welch:
    """Degrees of freedom are rounded down, as in Dong and others 2024, Eq. 22."""
    parts = np.array([np.var(values, ddof=1) / len(values) for values in (first, second)])
    square = float(parts.sum())
    lengths = np.array([len(first), len(second)])
    df = square**2 / float((parts**2 / (lengths - 1)).sum()) if square > 0 else 1.0
    return Welch(float(first.mean() - second.mean()), float(np.sqrt(square)), max(1, int(df + 1e-9)))
