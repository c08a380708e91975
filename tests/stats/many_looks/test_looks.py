"""Reaches for one look, for many samples, and for one sample that grows."""

import numpy as np
import pytest
from scipy import stats

from evenhand.stats.many_looks import looks


def test_one_look_is_chi_square_and_with_one_dimension_the_normal_quantile():
    assert looks.one_look(0.05, 1) == pytest.approx(1.959964, abs=1e-6)
    assert looks.one_look(0.05, 3) == pytest.approx(np.sqrt(stats.chi2.ppf(0.95, 3)))


def test_few_clusters_reach_further_and_too_few_have_no_limit():
    assert looks.one_look(0.05, 1, 9) == pytest.approx(stats.t.ppf(0.975, 9))
    assert looks.one_look(0.05, 2, 9) > looks.one_look(0.05, 2, 900) > looks.one_look(0.05, 2)
    assert np.isinf(looks.one_look(0.05, 10, 9))
    assert looks.one_look(0.05, 2, 100_000) == pytest.approx(looks.one_look(0.05, 2), rel=1e-4)


def test_what_is_spent_sums_to_one_without_an_end():
    parts = looks.spent(np.arange(1, 1_000_001))
    assert (np.diff(parts) < 0).all()
    assert parts.sum() == pytest.approx(1 - 1 / (1 + np.log2(1_000_001)))
    assert 1 / looks.spent(1_000) == pytest.approx(85_000, rel=0.05)


def test_every_look_is_the_mixture_boundary():
    """M^2 <= (V + V0) (2 log(1/a) + log((V + V0)/V0)), written out for one dimension and V = 5 V0."""
    v0, v = 2.0, 10.0
    boundary = np.sqrt((v + v0) * (2 * np.log(20) + np.log((v + v0) / v0)))
    assert looks.every_look(0.05, 1, np.array(5.0)) == pytest.approx(boundary / np.sqrt(v))


def test_every_look_holds_for_a_random_walk_where_one_look_does_not():
    rng = np.random.default_rng(0)
    steps = rng.normal(size=(2_000, 365, 3))
    t = np.arange(1, 366)
    lengths = np.sqrt((steps.cumsum(axis=1) ** 2).sum(axis=2) / t)
    assert 0.95 <= (lengths <= looks.every_look(0.05, 3, t)).all(axis=1).mean() < 1
    assert (lengths <= looks.one_look(0.05, 3)).all(axis=1).mean() < 0.75


def test_every_look_with_clusters_reaches_as_far_as_that_tail_of_hotelling():
    growth = np.array([1.0, 8.0])
    assert (looks.every_look(0.05, 2, growth, 20) > looks.every_look(0.05, 2, growth)).all()
