"""Covariances of log ratios against brute force."""

import numpy as np
import pytest

from evenhand.stats.log_ratios import counts


def test_multinomial_variance_is_one_over_the_count():
    assert counts.share_variance(np.array([4.0, 10.0]), 100, "multinomial") == pytest.approx([0.25, 0.1])


def test_independent_variance_is_that_of_a_binomial_share():
    q, n = np.array([0.35, 0.3]), 1000
    expected = (1 - q) / (q * n)  # Var(log q-hat) by the delta method
    assert counts.share_variance(q * n, n, "independent") == pytest.approx(expected)


def test_a_group_without_a_positive_has_no_log_and_no_variance():
    assert counts.share_variance(np.array([0.0, 5.0]), 10, "multinomial").tolist() == [0.0, 0.2]
    assert counts.share_variance(np.array([0.0, 5.0]), 10, "independent").tolist() == [0.0, 0.1]


def test_one_cluster_a_row_gives_back_the_multinomial_covariance():
    """Rows as their own clusters: sum_c s_c s_c' is diag(1/A + 1/B), but for terms in 1/A^2."""
    sizes = (300, 200), (250, 400)
    a, b = (np.zeros((1200, 2)) for _ in sizes)
    a[:300, 0] = a[300:500, 1] = b[500:750, 0] = b[750:1150, 1] = 1
    scores = counts.cluster_scores(a) - counts.cluster_scores(b)
    expected = [1 / one + 1 / other for one, other in zip(*sizes, strict=True)]
    assert counts.cluster_covariance(scores) == pytest.approx(np.diag(expected), rel=0.006)


def test_a_score_is_how_much_the_log_falls_without_the_cluster():
    a = np.array([[6.0, 1.0, 0.0], [3.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    left = a.sum(axis=0)[0] - a[:, 0]
    scores = counts.cluster_scores(a)
    assert scores[:, 0] == pytest.approx(np.log(10) - np.log(left))
    assert scores[:, 1] == pytest.approx([1, 0, 0])  # all there is, and a single row
    assert scores[:, 2].tolist() == [0, 0, 0]
    # Weights of any size: what is left of a group that one cluster holds is a part of one row's.
    assert counts.cluster_scores(50 * a, np.full(3, 50.0)) == pytest.approx(scores)


def test_cluster_covariance_is_that_of_the_log_ratio_over_resampled_clusters():
    """An independent oracle: draw the clusters anew many times and look at log(A1/A2)."""
    rng = np.random.default_rng(1)
    clusters = 400
    a = rng.poisson(rng.gamma(1, 3, size=(clusters, 1)) * [1.0, 0.5])
    scores = counts.cluster_scores(a.astype(float))
    contrast = np.array([1.0, -1.0])
    predicted = contrast @ counts.cluster_covariance(scores) @ contrast
    drawn = rng.integers(clusters, size=(20_000, clusters))
    totals = a[drawn].sum(axis=1)
    assert np.log(totals[:, 0] / totals[:, 1]).var() == pytest.approx(predicted, rel=0.05)
