"""The spread of true means: Cochran's Q by hand, closed forms, and an interval that is consistent with Q."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from evenhand.stats.means.random_effects import spread_of_means


def shuffled_as_chi_square(df: int) -> np.ndarray:
    """Shuffles whose Q has the mean and the variance of a chi-square, so that the law is the textbook's."""
    return df + np.array([-1.0, 1.0]) * (2 * df) ** 0.5


def q_of(means, variances, square: float) -> float:
    weights = [1 / (square + v) for v in variances]
    centre = sum(w * m for w, m in zip(weights, means, strict=True)) / sum(weights)
    return sum(w * (m - centre) ** 2 for w, m in zip(weights, means, strict=True))


def test_q_at_zero_is_cochrans_by_hand():
    """Means 1, 2, 4 with weights 1, 1, 2: centre 11/4, Q = 49/16 + 9/16 + 2 * 25/16."""
    found = spread_of_means(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 0.5]), shuffled_as_chi_square(2))
    assert found.q == pytest.approx(108 / 16)
    assert found.df == 2


@pytest.mark.parametrize("inflation", [1.0, 1.5])
def test_q_is_cochrans_whatever_the_shuffles_say_about_its_law(inflation):
    means, variances = np.array([0.1, 0.5, 0.4, 0.9]), np.array([0.02, 0.05, 0.01, 0.04])
    found = spread_of_means(means, variances, inflation * shuffled_as_chi_square(3))
    assert found.q == pytest.approx(q_of(means, variances, 0.0))


def test_two_means_of_equal_error_in_closed_form():
    """Q(s) = d^2 / (2 (s + v)) is 1, its expectation, at s = d^2 / 2 - v."""
    found = spread_of_means(np.array([0.0, 3.0]), np.array([0.5, 0.5]), shuffled_as_chi_square(1))
    assert found.tau == pytest.approx((9 / 2 - 0.5) ** 0.5)
    high = 9 / 2 / chi2(1).ppf(0.025) - 0.5
    assert found.high == pytest.approx(high**0.5, rel=1e-6)
    assert found.low == pytest.approx(max(9 / 2 / chi2(1).ppf(0.975) - 0.5, 0) ** 0.5, rel=1e-6)


def test_equal_errors_give_the_variance_of_the_means_less_the_error():
    means = np.random.default_rng(0).normal(0, 1, 12)
    found = spread_of_means(means, np.full(12, 0.05), shuffled_as_chi_square(11))
    assert found.tau**2 == pytest.approx(means.var(ddof=1) - 0.05)


@pytest.mark.parametrize("groups", [2, 5, 40])
def test_equal_means_have_no_spread(groups):
    found = spread_of_means(
        np.full(groups, 0.3), np.linspace(0.01, 0.2, groups), shuffled_as_chi_square(groups - 1)
    )
    assert found.tau == found.low == found.high == 0
    assert found.q == pytest.approx(0, abs=1e-12)


def test_the_estimate_and_the_interval_put_q_at_its_mean_and_quantiles():
    rng = np.random.default_rng(1)
    variances = rng.uniform(0.01, 0.1, 15)
    means = rng.normal(0, 0.5, 15) + rng.normal(0, variances**0.5)
    found = spread_of_means(means, variances, shuffled_as_chi_square(14), level=0.9)
    assert q_of(means, variances, found.tau**2) == pytest.approx(14, rel=1e-6)
    assert q_of(means, variances, found.low**2) == pytest.approx(chi2(14).ppf(0.95), rel=1e-6)
    assert q_of(means, variances, found.high**2) == pytest.approx(chi2(14).ppf(0.05), rel=1e-6)
    assert 0 < found.low < found.tau < found.high


def test_shuffles_with_a_larger_q_take_more_of_the_spread_for_noise():
    means, variances = np.array([0.1, 0.5, 0.4, 0.9, 0.2]), np.full(5, 0.02)
    plain, inflated = (
        spread_of_means(means, variances, factor * shuffled_as_chi_square(4)) for factor in (1, 2)
    )
    assert inflated.tau**2 == pytest.approx(plain.tau**2 - 0.02)  # the errors count twice


def test_shuffles_that_are_all_alike_leave_a_law_of_no_width():
    means, variances = np.array([0.1, 0.5, 0.9]), np.full(3, 0.01)
    found = spread_of_means(means, variances, np.full(50, 2.0))
    assert found.low == pytest.approx(found.tau, rel=0.01)
    assert found.high == pytest.approx(found.tau, rel=0.01)


def test_the_interval_covers_the_spread_as_often_as_it_says():
    rng = np.random.default_rng(2)
    variances = rng.uniform(0.02, 0.2, 10)
    covered = 0
    for _ in range(400):
        means = rng.normal(0, 0.3, 10) + rng.normal(0, variances**0.5)
        found = spread_of_means(means, variances, shuffled_as_chi_square(9), level=0.9)
        covered += found.low <= 0.3 <= found.high
    assert 0.86 < covered / 400 < 0.94  # 0.9 with a standard error of 0.015
