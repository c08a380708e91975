"""Disparity against relevance as the policy gets less random: curves, the areas under them, correlations.

Wu and others (2022), Sec. 4: more randomness (a larger beta) lowers both. A better system has more relevance
at the same disparity, so a larger area under its curve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import kendalltau

from evenhand.arrays import Floats
from evenhand.errors import InputError


def normalised(values: Mapping[str, Sequence[float]], noise: float = 0.0) -> dict[str, Floats]:
    """Values by model and beta, moved to 0..1 over all models and betas, so that curves can be compared.

    For one model alone, pass one. All 0 where nothing varies by more than `noise`.
    """
    arrays = {name: np.asarray(column, dtype=float) for name, column in values.items()}
    if not arrays:
        raise InputError("there are no values to normalise.")
    everything = np.concatenate(list(arrays.values()))
    least, width = everything.min(), np.ptp(everything)
    if width <= noise:
        return {name: np.zeros(len(column)) for name, column in arrays.items()}
    return {name: (column - least) / width for name, column in arrays.items()}


def area(disparity: Floats, relevance: Floats, until: float | None = None) -> float:
    """The area under relevance against disparity by the trapezoidal rule, points in order of disparity.

    With `until` the curve ends there; its last value is interpolated. A curve that does not reach so far is
    taken as it is.
    """
    if len(disparity) != len(relevance) or len(disparity) < 2:
        raise InputError(
            f"a curve needs two points or more, each with a disparity and a relevance; there are "
            f"{len(disparity)} and {len(relevance)}."
        )
    order = np.argsort(disparity, kind="stable")
    x, y = np.asarray(disparity, dtype=float)[order], np.asarray(relevance, dtype=float)[order]
    if until is not None and until < x[-1]:
        last = float(np.interp(until, x, y))
        inside = x < until
        x, y = np.append(x[inside], until), np.append(y[inside], last)
    return float(np.trapezoid(y, x))


def areas(
    disparity: Mapping[str, Sequence[float]],
    relevance: Mapping[str, Sequence[float]],
    noise: tuple[float, float] = (0.0, 0.0),
) -> dict[str, dict[str, float]]:
    """By model, the area by both rules in use: whole curves (`trapezoid`), and cut where every model has a
    value (`common`): at the least, over models, of the disparity at the smallest beta, which comes last.

    Disparity and relevance are normalised over models and betas first; `noise` is that of each.
    """
    x, y = normalised(disparity, noise[0]), normalised(relevance, noise[1])
    end = min(float(column[-1]) for column in x.values())
    return {
        name: {"trapezoid": area(x[name], y[name]), "common": area(x[name], y[name], until=end)} for name in x
    }


def shared_range(disparity: Mapping[str, Floats]) -> tuple[float, float] | None:
    """The disparities that all curves have, or None."""
    low, high = max(column.min() for column in disparity.values()), min(c.max() for c in disparity.values())
    return (float(low), float(high)) if low < high else None


def mean_between(disparity: Floats, relevance: Floats, low: float, high: float) -> float:
    """The mean relevance over these disparities, by linear interpolation."""
    order = np.argsort(disparity, kind="stable")
    x, y = np.asarray(disparity)[order], np.asarray(relevance)[order]
    inside = (x > low) & (x < high)
    at = np.concatenate([[low], x[inside], [high]])
    return float(np.trapezoid(np.interp(at, x, y), at) / (high - low))


def kendall(values: Mapping[str, Sequence[float]], noise: Mapping[str, float] | None = None) -> Floats:
    """Kendall's rank correlation between all pairs of measures, each a value a model and beta; NaN where one
    does not vary by more than its noise."""
    least = [(noise or {}).get(name, 0.0) for name in values]
    columns = [np.asarray(column, dtype=float) for column in values.values()]
    matrix = np.eye(len(columns))
    for i, first in enumerate(columns):
        for j, second in enumerate(columns[:i]):
            varies = np.ptp(first) > least[i] and np.ptp(second) > least[j]
            matrix[i, j] = matrix[j, i] = kendalltau(first, second).statistic if varies else np.nan
    return matrix
