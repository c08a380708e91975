"""Are several log ratios equal? Wald's test, and a score test where a count is zero."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from evenhand.stats.normal import Array


class ChiSquare(NamedTuple):
    statistic: float
    df: int
    p_value: float


def wald(log_values: Array, covariance: Array, df: float | None = None) -> ChiSquare | None:
    """All log values equal: contrasts against the first, weighted by their inverse covariance.

    With a diagonal covariance this is sum w_k (x_k - mean_w)^2, w_k = 1/v_k. A covariance that rests on few
    clusters (`df`, their number less one) makes it Hotelling's T^2, whose law is F and not chi-square; with
    no more clusters than contrasts there is no test.
    """
    contrast = np.eye(len(log_values))[1:] - np.eye(len(log_values))[0]
    differences = contrast @ log_values
    test = _chi_square(differences, contrast @ covariance @ contrast.T)
    if df is None:
        return test
    if df <= test.df:
        return None
    ratio = test.statistic * (df + 1 - test.df) / (df * test.df)
    return test._replace(p_value=float(stats.f.sf(ratio, test.df, df + 1 - test.df)))


def score(first: Array, second: Array) -> ChiSquare:
    """Homogeneity of the counts of two logs over groups (Pearson's chi-square); zeros are welcome."""
    together = first + second
    pi = first.sum() / together.sum()
    residual = first - pi * together
    weights = together / together.sum()
    covariance = pi * (1 - pi) * together.sum() * (np.diag(weights) - np.outer(weights, weights))
    return _chi_square(residual[1:], covariance[1:, 1:])


def _chi_square(differences: Array, covariance: Array) -> ChiSquare:
    statistic = float(differences @ np.linalg.pinv(covariance, hermitian=True) @ differences)
    df = len(differences)
    return ChiSquare(statistic, df, float(stats.chi2.sf(statistic, df)))
