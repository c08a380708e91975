import numpy as np
import pytest
from scipy import stats

from evenhand.stats import bootstrap


def test_resampled_counts_have_the_multinomial_mean_and_covariance():
    counts, total = np.array([30, 50]), 200
    drawn = bootstrap.resample_counts(counts, total, 40_000, np.random.default_rng(0))
    q = counts / total
    assert drawn.mean(axis=0) == pytest.approx(counts, rel=0.01)
    assert np.cov(drawn.T) == pytest.approx(total * (np.diag(q) - np.outer(q, q)), rel=0.05)


def test_resampled_clusters_are_sums_of_drawn_rows():
    counts = np.arange(12.0).reshape(6, 2)
    totals = bootstrap.resample_clusters(counts, 2_500, np.random.default_rng(0))
    assert totals.shape == (2_500, 2)
    assert np.allclose(totals[:, 1] - totals[:, 0], 6)  # every row differs by 1, and six rows are drawn
    assert totals.mean(axis=0) == pytest.approx(counts.sum(axis=0), rel=0.02)


def test_intervals_agree_where_the_replicates_are_normal():
    replicates = np.random.default_rng(0).normal(2, 0.5, size=100_000)
    expected = (2 - 0.98, 2 + 0.98)
    assert bootstrap.percentile_interval(replicates, 0.95) == pytest.approx(expected, abs=0.02)
    assert bootstrap.normal_interval(replicates, 2, 0.95) == pytest.approx(expected, abs=0.02)
    assert bootstrap.bca_interval(replicates, 2, 0.0, 0.95) == pytest.approx(expected, abs=0.02)


def test_bca_agrees_with_scipy_on_rows():
    """Categories with multiplicities must give what scipy's row-by-row jackknife gives."""
    rng = np.random.default_rng(4)
    rows = np.repeat([0.0, 1.0, 5.0], [50, 30, 8])

    def statistic(x, axis=-1):
        return np.log(x.mean(axis=axis))

    scipys = stats.bootstrap(
        (rows,), statistic, n_resamples=40_000, confidence_level=0.9, method="BCa", rng=rng
    )
    values = np.array([statistic(np.delete(rows, i)) for i in (0, 50, 80)])
    a = bootstrap.acceleration([(values, np.array([50.0, 30.0, 8.0]))])
    low, high = bootstrap.bca_interval(scipys.bootstrap_distribution, float(statistic(rows)), a, 0.9)
    expected = scipys.confidence_interval
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-3)


def test_no_influence_means_no_acceleration():
    assert bootstrap.acceleration([(np.ones(3), np.ones(3))]) == 0.0
