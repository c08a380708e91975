"""Welch's interval against SciPy, and where there is nothing to compare."""

import numpy as np
import pytest
from scipy import stats

from evenhand.stats.means.welch import welch


def test_it_is_scipys_but_for_whole_degrees_of_freedom():
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.3, 1, 12), rng.normal(0, 3, 30)
    ours = welch(first, second)
    theirs = stats.ttest_ind(first, second, equal_var=False)
    assert ours.estimate / ours.error == pytest.approx(theirs.statistic)
    assert ours.df == int(theirs.df)
    assert ours.p_value == pytest.approx(2 * stats.t(ours.df).sf(abs(theirs.statistic)))
    reach = stats.t(ours.df).ppf(0.975) * ours.error
    assert ours.interval(0.95) == pytest.approx((ours.estimate - reach, ours.estimate + reach))


def test_whole_degrees_of_freedom_stay_whole():
    values = np.array([1.0, 2.0, 4.0, 8.0])
    assert welch(values, values + 1).df == 6


def test_without_spread_only_equal_means_are_equal():
    flat = np.ones(5)
    assert welch(flat, flat).p_value == 1
    assert welch(flat, flat + 1).p_value == 0
    assert welch(flat, flat + 1).interval(0.95) == (-1, -1)
