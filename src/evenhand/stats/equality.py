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


def wald(log_values: Array, covariance: Array) -> ChiSquare:
    """All log values equal: contrasts against the first, weighted by their inverse covariance.

    With a diagonal covariance this is sum w_k (x_k - mean_w)^2, w_k = 1/v_k.
    """
    contrast = np.eye(len(log_values))[1:] - np.eye(len(log_values))[0]
    differences = contrast @ log_values
    return _chi_square(differences, contrast @ covariance @ contrast.T)


def score(first: Array, second: Array) -> ChiSquare:
    """Homogeneity of the counts in two logs over groups, cluster by cluster; zeros are welcome.

    `first` and `second` have a row a cluster (one row a cluster, or a single row of totals for
    independent rows) and a column a group. Under equality each group's share of its positives that
    comes from the first log is the same pi, so a_ck - pi (a_ck + b_ck) has mean 0.
    """
    together = (first + second).sum(axis=0)
    pi = first.sum() / together.sum()
    if len(first) == 1:
        residual = first[0] - pi * together
        weights = together / together.sum()
        covariance = pi * (1 - pi) * together.sum() * (np.diag(weights) - np.outer(weights, weights))
    else:
        contributions = first - pi * (first + second)
        # pi is estimated from the same data; this removes what that adds.
        contributions = contributions - contributions.sum(axis=1, keepdims=True) * together / together.sum()
        residual = contributions.sum(axis=0)
        covariance = contributions.T @ contributions
    return _chi_square(residual[1:], covariance[1:, 1:])


def _chi_square(differences: Array, covariance: Array) -> ChiSquare:
    statistic = float(differences @ np.linalg.pinv(covariance, hermitian=True) @ differences)
    df = len(differences)
    return ChiSquare(statistic, df, float(stats.chi2.sf(statistic, df)))
