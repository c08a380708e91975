"""Variances of association measures, against the jackknife written out."""

import numpy as np
import pytest

from evenhand.association.uncertainty import (
    of_either_side,
    of_mean,
    of_refits,
    of_sides,
    straying_if_doubtful,
    together,
)


def jackknife(values, statistic):
    """The variance of a statistic from its value without each of the values."""
    without = np.array([statistic(np.delete(values, i)) for i in range(len(values))])
    return (len(values) - 1) / len(values) * ((without - without.mean()) ** 2).sum()


@pytest.mark.parametrize("count", [2, 3, 30])
def test_the_variance_of_a_mean_is_that_of_the_jackknife_and_no_less_than_the_least(count):
    scores = np.random.default_rng(count).normal(size=count)
    found = of_mean(scores)
    assert found.variance == found.seen == pytest.approx(jackknife(scores, np.mean))
    assert found.df == count - 1
    calm = of_mean(scores, least=100.0)
    assert (calm.variance, calm.seen) == (100.0 / count, found.seen)


def test_of_one_value_nothing_is_known():
    assert of_mean(np.ones(1)).variance == np.inf


def test_the_variance_of_a_statistic_made_again_without_each_part_is_that_of_the_jackknife():
    values = np.random.default_rng(0).normal(size=20)
    without = np.array([np.delete(values, i).mean() for i in range(20)])
    found = of_refits(without)
    assert found.variance == pytest.approx(values.var(ddof=1) / 20)
    assert found.df == 19


def test_a_side_on_which_nobody_was_changed_varies_as_much_as_both_do():
    scores = np.r_[np.zeros(50), np.zeros(48), 1.0, 1.0]
    still, moved = of_sides(scores, np.repeat([0, 1], 50))
    assert still.seen == 0 < still.variance < moved.variance
    assert moved.variance == pytest.approx(moved.seen)


@pytest.mark.parametrize("larger", [30, 60, 90, 300])
def test_limits_of_a_side_that_few_carry_are_those_of_its_own_scores_tilted(larger):
    """However many users are on the other side: of three times as many it was not so."""
    moved = np.r_[np.zeros(28), 1.0, 1.0]
    scores = np.r_[moved, 0.05 * np.random.default_rng(2).normal(size=larger)]
    codes = np.repeat([0, 1], [30, larger])
    plain, tilted = of_sides(scores, codes)[0], of_either_side(scores, codes, 0.99)[0]
    assert tilted.variance > 1.1 * plain.variance
    assert tilted.df == plain.df


def test_of_a_doubtful_direction_the_part_that_is_chance_is_a_standard_error_larger():
    error = np.sqrt((2 * 0.6**2 + 4 * 0.6 * 0.4) / 256)
    assert straying_if_doubtful(0.6, 256) == pytest.approx(0.6 + error)
    assert straying_if_doubtful(0.99, 4) == 1


def test_degrees_of_freedom_of_a_sum_are_those_of_satterthwaite():
    scores = np.random.default_rng(1).normal(size=12)
    few, many = of_mean(scores[:3]), of_mean(scores[3:])
    found = together([few, many])
    assert found.variance == few.variance + many.variance
    assert min(few.df, many.df) <= found.df <= few.df + many.df
    assert together([few, few]).df == pytest.approx(2 * few.df)
