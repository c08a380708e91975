import numpy as np
import pytest
from scipy import stats

from evenhand.stats import normal


def test_critical_values():
    assert normal.critical_value(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert normal.critical_value(0.95, df=5) == pytest.approx(2.570582, abs=1e-6)


def test_draws_have_the_covariance_asked_for():
    covariance = np.array([[2.0, 0.6, 0], [0.6, 1.0, -0.3], [0, -0.3, 0.5]])
    draws = normal.draws_with_covariance(covariance, 4096, 0)
    assert np.cov(draws.T) == pytest.approx(covariance, abs=0.03)
    assert draws.mean(axis=0) == pytest.approx(np.zeros(3), abs=0.01)


def test_draws_of_a_singular_covariance_stay_in_its_range():
    direction = np.array([1.0, -2.0, 1.0])
    draws = normal.draws_with_covariance(np.outer(direction, direction), 512, 0)
    assert draws - np.outer(draws[:, 0], direction) == pytest.approx(np.zeros((512, 3)), abs=1e-6)


def test_mirrored_contrasts_cost_nothing():
    gradients = np.array([[1.0, -1.0], [-1.0, 1.0]])
    reach = normal.simultaneous_critical_value(gradients, np.eye(2), 0.95, 0)
    assert reach == pytest.approx(normal.critical_value(0.95), abs=0.02)


def test_independent_contrasts_need_the_sidak_value():
    reach = normal.simultaneous_critical_value(np.eye(6), np.eye(6), 0.95, 0)
    assert reach == pytest.approx(stats.norm.ppf(0.5 + 0.95 ** (1 / 6) / 2), abs=0.05)


def test_few_clusters_use_the_tail_of_t():
    reach = normal.simultaneous_critical_value(np.eye(4), np.eye(4), 0.95, 0, df=7)
    sidak = stats.norm.ppf(0.5 + 0.95 ** (1 / 4) / 2)
    assert reach == pytest.approx(stats.t.isf(stats.norm.sf(sidak), 7), rel=0.03)
    assert reach <= stats.t.ppf(1 - 0.025 / 4, 7)


def test_contrasts_without_error_do_not_count():
    gradients, covariance = np.eye(2), np.diag([1.0, 0.0])
    reach = normal.simultaneous_critical_value(gradients, covariance, 0.95, 0)
    assert reach == pytest.approx(normal.critical_value(0.95), abs=0.02)
