"""Tilted samples: Wilson's interval where it must be, and limits that hold where a standard error is 0."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from calibration.rates import wilson
from evenhand.stats.means.tilting import sample_of, score_limit, two_points

Z = norm.ppf(0.975)


@pytest.mark.parametrize("events", [0, 1, 7, 19, 20])
def test_of_rates_the_limits_are_wilsons(events):
    seen = np.array([1.0] * events + [0.0] * (20 - events))
    sample = sample_of(seen, (0.0, 1.0), 1.0)
    critical = Z * (19 / 20) ** 0.5  # Wilson divides by n, and not by n - 1
    low, high = (score_limit(sample, critical, side).mean for side in (-1.0, 1.0))
    assert (low, high) == pytest.approx(wilson(events, 20), abs=1e-7)


def test_a_sample_of_one_value_has_limits_all_the_same():
    sample = sample_of(np.full(30, 2.0), (0.0, 10.0), 1e-9)
    low, high = (score_limit(sample, Z, side) for side in (-1.0, 1.0))
    # 8 p = Z 8 sqrt(p (1 - p) / 29): a rate of events of that size
    rate = Z**2 / (29 + Z**2)
    assert high.mean == pytest.approx(2 + 8 * rate, rel=1e-6)
    assert low.mean == pytest.approx(2 - 2 * rate, rel=1e-6)
    assert high.variance == pytest.approx(64 * rate * (1 - rate), rel=1e-5)


def test_in_large_samples_the_limits_are_those_of_a_standard_error():
    seen = np.random.default_rng(0).gamma(2.0, size=100_000)
    sample = sample_of(seen, two_points(seen), 1.0)
    error = seen.std(ddof=1) / len(seen) ** 0.5
    for side in (-1.0, 1.0):
        assert score_limit(sample, Z, side).mean - seen.mean() == pytest.approx(side * Z * error, rel=0.01)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-5, 5, width=16), min_size=1, max_size=12), st.floats(0.1, 50), st.floats(-100, 100)
)
def test_limits_are_on_either_side_and_move_with_the_unit(seen, factor, shift):
    values = np.array(seen)
    ends = (-6.0, 6.0)
    plain = sample_of(values, ends, 1.0)
    moved = sample_of(values * factor + shift, (ends[0] * factor + shift, ends[1] * factor + shift), 1.0)
    low, high = (score_limit(plain, Z, side).mean for side in (-1.0, 1.0))
    assert -6 <= low <= values.mean() + 1e-9
    assert values.mean() - 1e-9 <= high <= 6
    for side, limit in ((-1.0, low), (1.0, high)):
        assert score_limit(moved, Z, side).mean == pytest.approx(limit * factor + shift, abs=1e-4 * factor)


def test_two_points_have_the_mean_variance_and_skewness_of_all():
    values = np.random.default_rng(1).exponential(size=500)
    low, high = two_points(values)
    share = (values.mean() - low) / (high - low)
    assert (1 - share) * low**2 + share * high**2 == pytest.approx((values**2).mean())
    assert (1 - share) * low**3 + share * high**3 == pytest.approx((values**3).mean())
    assert two_points(np.array([0.0, 1.0, 0.0, 0.0])) == pytest.approx((0, 1))
    assert two_points(np.full(4, 3.0)) == (3, 3)
