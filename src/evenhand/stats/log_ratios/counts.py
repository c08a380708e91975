"""Covariance of log ratios of counts, from totals or from clusters.

Everything here is about log U_k = log(A_k/n) - log(B_k/m), where A_k of n rows of one log and B_k of m
rows of another are positive and belong to group k. Only functions that do not change when all U_k are
scaled together are of interest, so anything common to all groups may be left out.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from evenhand.stats.normal import Array

Variance = Literal["multinomial", "independent"]


def share_variance(counts: Array, total: float, variance: Variance) -> Array:
    """Variance of log(counts/total) a group.

    `multinomial`: 1/A. Rows are multinomial, Cov(log q_j, log q_k) = delta_jk/A_k - 1/n, and the common
    -1/n cancels in every scale-invariant function. `independent`: 1/A - 1/n = (1-q)/(q n), which
    treats the groups as independent binomials (Dong and others 2024, Algorithm 1) and understates the error.
    A group without a positive has no log; its variance is given as 0 and its range is handled apart.
    """
    with np.errstate(divide="ignore"):
        inverse = np.where(counts > 0, 1.0 / counts, 0.0)
    if variance == "independent":
        inverse = np.where(counts > 0, inverse - 1.0 / total, 0.0)
    return np.asarray(inverse, dtype=np.float64)


def cluster_scores(counts: Array, one: Array | float = 1.0) -> Array:
    """-log(1 - a_ck / A_k): how much log A_k falls when a cluster (row) is left out.

    The jackknife's score. It is a_ck / A_k for a cluster that is a small part of all, and more for one that
    holds much of a group: a_ck / A_k would forget that this cluster has pulled the total to itself. `one` is
    the weight of a positive row, by group. A cluster that holds all of a group leaves 1/e of one, so that a
    group of a single row has the score 1.
    """
    totals = counts.sum(axis=0)
    left = np.maximum(totals - counts, np.asarray(one) / np.e)
    return np.asarray(np.log(np.where(totals > 0, totals, 1.0)) - np.log(np.where(totals > 0, left, 1.0)))


def cluster_covariance(scores: Array) -> Array:
    """Sum over clusters of s_c s_c': the cluster-robust covariance of the summed scores.

    `scores` has a row a cluster and a column a log-ratio; columns of scores of a ratio are
    `cluster_scores(a) - cluster_scores(b)`, and what is common to all groups is of no interest, so no
    centring is needed.
    """
    return np.asarray(scores.T @ scores, dtype=np.float64)


def clumping(scores: Array, totals: Array) -> float:
    """How many times the variance of independent rows the counts of groups have, at most; at least 1.

    `scores` are those of `cluster_scores` for groups with these `totals`. Of group k, with the share p_k of
    all counts, cluster c has a_ck of its a_c: sum_c (a_ck - p_k a_c)^2 / (A_k (1 - p_k)). That is 1 where
    rows fall into groups one by one, and m where a cluster has m of one group at a time. With one group only
    there is nothing to compare with, and its own spread over the clusters counts.
    """
    some = totals > 0
    held = -np.expm1(-scores[:, some]) * totals[some]
    shares = totals[some] / totals.sum()
    if len(shares) > 1:
        spread = ((held - np.outer(held.sum(axis=1), shares)) ** 2).sum(axis=0) / (
            totals[some] * (1 - shares)
        )
    else:
        spread = ((held - held.mean()) ** 2).sum(axis=0) / totals[some]
    return float(max(1.0, spread.max()))
