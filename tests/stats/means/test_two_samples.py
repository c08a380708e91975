"""Shuffling two sets of numbers: exact where it can be, uniform without a difference, and soon done."""

from itertools import combinations

import numba
import numpy as np
import pytest
from scipy import stats

from evenhand.stats.means import two_samples
from evenhand.stats.means.two_samples import normal_score, shuffle_two, welch


def enumerated_p_value(first, second):
    """Plain: every way to choose the first set, Welch's t by SciPy."""
    values = np.concatenate([first, second])
    observed = abs(stats.ttest_ind(first, second, equal_var=False).statistic)
    found = []
    for chosen in combinations(range(len(values)), len(first)):
        mask = np.isin(np.arange(len(values)), chosen)
        found.append(abs(stats.ttest_ind(values[mask], values[~mask], equal_var=False).statistic))
    return np.mean(np.array(found) >= observed * (1 - 1e-9))


@pytest.mark.parametrize(("ours", "theirs"), [(3, 4), (5, 3), (2, 6)])
def test_small_sets_are_enumerated(ours, theirs):
    rng = np.random.default_rng(ours)
    first, second = rng.normal(0.8, 1, ours), rng.normal(size=theirs)
    found = shuffle_two(first, second, permutations=1_000, seed=0)
    assert found.exact
    assert found.p_value == pytest.approx(enumerated_p_value(first, second))
    assert found.difference == pytest.approx(first.mean() - second.mean())


def test_shuffles_agree_with_the_enumeration():
    rng = np.random.default_rng(5)
    first, second = rng.normal(1.0, 1, 7), rng.normal(size=7)
    exact = shuffle_two(first, second, permutations=4_000, seed=0)
    sampled = shuffle_two(first, second, permutations=3_000, seed=0)
    assert exact.exact
    assert not sampled.exact
    assert abs(sampled.p_value - exact.p_value) < 4 * np.sqrt(exact.p_value / 3_000)


@pytest.mark.parametrize(("ours", "theirs"), [(500, 60), (40, 40), (8_000, 6_100)])
def test_p_values_are_uniform_without_a_difference(ours, theirs):
    rng = np.random.default_rng(1)
    runs = 400 if ours < 10_000 else 100
    p = [
        shuffle_two(
            rng.exponential(size=ours), rng.exponential(size=theirs), permutations=199, seed=run
        ).p_value
        for run in range(runs)
    ]
    # p-values are multiples of 1/200: their law is that far from the continuous one.
    assert stats.kstest(p, "uniform").statistic < 1.63 / np.sqrt(runs) + 1 / 200


def test_a_small_set_that_varies_more_is_no_difference():
    rng = np.random.default_rng(2)
    p = [
        shuffle_two(rng.normal(size=500), 4 * rng.normal(size=60), permutations=199, seed=run).p_value
        for run in range(400)
    ]
    assert np.mean(np.array(p) <= 0.05) <= 0.08


def test_blocks_see_a_difference_that_is_there():
    rng = np.random.default_rng(3)
    first, second = rng.normal(0.03, 1, 60_000), rng.normal(size=50_000)
    found = shuffle_two(first, second, permutations=999, seed=0)
    assert found.block == 25
    assert found.p_value == 1 / 1_000


def test_the_answer_does_not_depend_on_threads_and_changes_with_the_seed():
    rng = np.random.default_rng(4)
    first, second = rng.normal(size=60), rng.normal(size=30)
    before = numba.get_num_threads()
    try:
        found = []
        for threads in {1, numba.config.NUMBA_NUM_THREADS}:
            numba.set_num_threads(threads)
            found.append(shuffle_two(first, second, permutations=500, seed=7).p_value)
    finally:
        numba.set_num_threads(before)
    assert len(set(found)) == 1
    others = {shuffle_two(first, second, permutations=500, seed=seed).p_value for seed in range(5)}
    assert len(others) > 1


def test_every_set_of_the_size_is_drawn_equally_often():
    # Powers of two: the sum of the chosen names them. Size 1 gives the plain squared difference.
    values = np.array([1.0, 2.0, 4.0, 8.0])
    squares = two_samples._shuffled(values - values.mean(), 1, np.uint64(0), 40_000)
    _, counts = np.unique(squares.round(9), return_counts=True)
    assert stats.chisquare(counts).pvalue > 0.001
    assert len(counts) == 4


def test_sets_without_any_spread():
    same = shuffle_two(np.ones(30), np.ones(20), permutations=99, seed=0)
    assert (same.difference, same.p_value) == (0.0, 1.0)
    apart = shuffle_two(np.ones(30), np.zeros(20), permutations=99, seed=0)
    assert apart.p_value == 1 / 100


def test_welch_is_that_of_scipy():
    rng = np.random.default_rng(6)
    first, second = rng.normal(size=30), 2 * rng.normal(size=12)
    known = stats.ttest_ind(first, second, equal_var=False)
    t, df = welch(first, second)
    assert (t, df) == (pytest.approx(known.statistic), pytest.approx(known.df))
    assert stats.norm.sf(abs(normal_score(t, df))) == pytest.approx(known.pvalue / 2)
    assert normal_score(1e300, 5) == pytest.approx(37, abs=0.1) or normal_score(1e300, 5) <= 37
