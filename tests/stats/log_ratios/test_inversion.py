import numpy as np
import pytest
from scipy import stats

from evenhand.stats import normal
from evenhand.stats.log_ratios import inversion
from evenhand.stats.means import mover


def spread(u):
    return u.std(axis=-1) / u.mean(axis=-1)


@pytest.mark.parametrize("observed", [0.05, 0.5, 1.0, 3.0])
def test_folded_normal_limits_put_half_of_the_error_in_each_tail(observed):
    low, high = inversion.folded_normal(observed, 0.4, 0.95)
    if low > 0:
        beyond = stats.norm.sf(observed, low, 0.4) + stats.norm.cdf(-observed, low, 0.4)
        assert beyond == pytest.approx(0.025, abs=1e-6)
    below = stats.norm.cdf(observed, high, 0.4) - stats.norm.cdf(-observed, high, 0.4)
    assert below == pytest.approx(0.025, abs=1e-6)


def test_far_from_zero_the_folded_normal_is_the_normal():
    assert inversion.folded_normal(5.0, 0.4, 0.95) == pytest.approx(
        (5 - 1.96 * 0.4, 5 + 1.96 * 0.4), abs=1e-3
    )


def test_a_surprisingly_small_value_fits_no_size():
    assert inversion.folded_normal(1e-4, 1.0, 0.95) is None
    noise = normal.draws_with_covariance(np.eye(4) * 0.01, 512, 0)
    assert inversion.along_ray(spread, np.array([1e-4, -1e-4, 0, 0]), noise, 0.95) is None


@pytest.mark.parametrize("r", [0.05, 0.2, 0.6])
def test_the_ray_of_two_groups_is_the_closed_form(r):
    """h = tanh(r/2) for a log ratio r, so the two must agree up to the draws."""
    utilities = np.array([np.exp(r / 2), np.exp(-r / 2)])
    direction = utilities / utilities.mean() - 1
    covariance = np.diag([0.004, 0.006])
    noise = normal.draws_with_covariance(covariance, 4096, 0)
    steps = inversion.along_ray(spread, direction, noise, 0.95)
    sizes = inversion.folded_normal(r, 0.1, 0.95)
    assert np.array(steps) * np.tanh(r / 2) == pytest.approx(np.tanh(np.array(sizes) / 2), abs=0.004)


def test_the_ray_ends_where_a_utility_would_be_negative():
    noise = normal.draws_with_covariance(np.eye(3) * 0.5, 512, 0)
    direction = np.array([-0.9, 0.1, 0.8])
    _, high = inversion.along_ray(spread, direction, noise, 0.95)
    assert high <= 1 / 0.9 + 1e-12


def test_along_noise_moves_the_noisy_group_only():
    utilities = np.array([1.0, 1.0, 1.0, 1.0])
    low, high = inversion.along_noise(spread, utilities, np.diag([1e-9, 1e-9, 1e-9, 0.04]), 1.96)
    # Centred, a move of one group by s is s * (I - 1/K) e_k; h does not see the common part.
    by_hand = [spread(utilities * np.exp([0, 0, 0, s])) for s in (-1.96 * 0.2, 1.96 * 0.2)]
    assert low == pytest.approx(0, abs=1e-9)
    assert high == pytest.approx(max(by_hand), rel=0.15)


def test_hull_holds_all_intervals():
    assert inversion.hull((0.1, 0.2), (0.15, 0.4)) == (0.1, 0.4)


def test_mover_is_the_normal_interval_for_symmetric_parts():
    assert mover.difference(5, (4, 6), 3, (2, 4)) == pytest.approx((2 - 2**0.5, 2 + 2**0.5))


def test_mover_keeps_asymmetry():
    low, high = mover.difference(1, (1, 4), 1, (1, 1))
    assert (low, high) == (0, 3)
