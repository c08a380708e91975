"""Shuffles: statistics against plain Python, p-values by hand, and chance that is fair and repeatable."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, permutations

import numba
import numpy as np
import pytest
from scipy.stats import chisquare

from evenhand.stats.means import permutation
from evenhand.stats.means.permutation import (
    END,
    HIGHEST,
    LOWEST,
    PRIOR,
    RAW,
    SPREAD,
    STUDENTISED,
    Partition,
    Shuffles,
    shuffle,
)  # fmt: skip


@pytest.fixture(autouse=True)
def one_thread():
    """The data are tiny: on a busy machine, threads that wait for each other would take most of the time."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    yield
    numba.set_num_threads(before)


def partition_of(sizes, groups=None) -> Partition:
    """Cells of these sizes; groups as lists of cells, by default each cell alone."""
    groups = [[c] for c in range(len(sizes))] if groups is None else groups
    return Partition(
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.concatenate([[0], np.cumsum([len(g) for g in groups])]).astype(np.int64),
        np.array([c for g in groups for c in g], dtype=np.int64),
    )


def plainly(values, sizes, groups, ends) -> list[float]:
    """The five statistics in plain Python, by their definitions."""
    centre = math.fsum(values) / len(values)
    values = [value - centre for value in values]
    low, high = (end - centre for end in ends)
    starts = [sum(sizes[:c]) for c in range(len(sizes))]
    spread = math.fsum(v * v for v in values) / len(values)
    means, errors, z = [], [], []
    for group in groups:
        places = [i for c in group for i in range(starts[c], starts[c] + sizes[c])]
        mine = [values[i] for i in places]
        rest = [v for i, v in enumerate(values) if i not in places]
        n, mean = len(mine), math.fsum(mine) / len(mine)
        people = [(v, 1.0) for v in mine] + [(low, END), (high, END)]
        size = math.fsum(w for _, w in people)
        own_mean = math.fsum(w * v for v, w in people) / size
        variance = math.fsum(w * (v - own_mean) ** 2 for v, w in people) / size
        # as if the mean were that of everybody, which is 0
        variance *= (0 - low) * (high - 0) / ((own_mean - low) * (high - own_mean))
        error = (n * variance + PRIOR * spread) / (n - 1 + PRIOR) / n
        difference, error_of_rest = mean, 0.0
        if len(rest) > 1:
            others = math.fsum(rest) / len(rest)
            difference = mean - others
            error_of_rest = math.fsum((v - others) ** 2 for v in rest) / (len(rest) - 1) / len(rest)
        t = difference / math.sqrt(error + error_of_rest)
        df = n - 1 + PRIOR
        z.append(math.copysign(math.sqrt(df * math.log1p(t * t / df)) * (8 * df + 1) / (8 * df + 3), t))
        means.append(mean)
        errors.append(error)
    weights = [1 / error for error in errors]
    average = math.fsum(w * m for w, m in zip(weights, means, strict=True)) / math.fsum(weights)
    q = math.fsum(w * (m - average) ** 2 for w, m in zip(weights, means, strict=True))
    return [max(means) - min(means), max(z) - min(z), max(z), min(z), q]


WORLDS = [
    ([3, 4, 2], [[0], [1], [2]]),
    ([3, 4, 2], [[0, 1], [1, 2], [2]]),
    ([2, 2, 2, 2], [[0], [1], [2], [3], [0, 1], [2, 3], [0, 2], [1, 3]]),
    ([4, 4], [[0], [1]]),
]


@pytest.mark.parametrize(("sizes", "groups"), WORLDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_statistics_are_those_of_plain_python(sizes, groups, seed):
    values = np.random.default_rng(seed).normal(5, 2, sum(sizes))
    ends = (-10.0, 12.0 + seed)
    found = shuffle(values, partition_of(sizes, groups), ends, most=20, seed=seed)
    assert found.observed == pytest.approx(plainly(values.tolist(), sizes, groups, ends), rel=1e-9, abs=1e-9)


def test_of_values_of_0_and_1_the_error_is_that_of_a_rate_with_the_mean_of_everybody():
    """A group without an event has the variance of a rate, and not none."""
    for events, size, share in ((0, 20, 0.1), (3, 20, 0.1), (20, 20, 0.7)):
        total, squares = events - size * share, events * (1 - share) ** 2 + (size - events) * share**2
        found = permutation.error_at_common_mean(size, total, squares, 0.0, -share, 1 - share)
        assert found == pytest.approx(share * (1 - share) / (size - 1 + PRIOR), rel=1e-6)


@pytest.mark.parametrize(("sizes", "groups"), WORLDS[:2])
def test_a_shuffle_has_the_statistics_of_some_order_of_the_same_values(sizes, groups):
    """Of three distinct values, so that all 756 orders can be looked at."""
    values = [0.0] * 5 + [1.0] * 2 + [2.0] * 2
    orders = {
        tuple(2.0 if i in twos else 1.0 if i in ones else 0.0 for i in range(9))
        for twos in combinations(range(9), 2)
        for ones in combinations(sorted(set(range(9)) - set(twos)), 2)
    }
    assert len(orders) == 756
    possible = np.array([plainly(order, sizes, groups, (0, 2)) for order in orders])
    found = shuffle(np.array(values), partition_of(sizes, groups), (0, 2), most=200, seed=1)
    nearest = np.abs(found.shuffled[:, None, :] - possible).max(axis=2).min(axis=1)
    assert nearest.max() < 1e-9
    assert len(np.unique(found.shuffled.round(9), axis=0)) > 10


def values_at(cell: int, values: np.ndarray, shuffles: int, seed: int) -> list[float]:
    """Which value each shuffle put into a cell of one user, read from the z of that cell alone.

    The gap of a single group is always 0 and always reached, so that a tenth of `most` is what is done.
    """
    sizes = [1] * len(values)
    found = shuffle(values, partition_of(sizes, [[cell]]), (0, 8), most=10 * shuffles, seed=seed)
    by_z = {}
    for i, value in enumerate(values):
        moved = np.roll(values, cell - i)  # the value is now in the cell
        by_z[round(plainly(moved.tolist(), sizes, [[cell]], (0, 8))[HIGHEST], 6)] = float(value)
    assert len(by_z) == len(values)
    assert len(found.shuffled) == shuffles
    return [by_z[z] for z in np.round(found.shuffled[:, HIGHEST], 6).tolist()]


@pytest.mark.parametrize("seed", [0, 7])
def test_a_shuffle_is_uniform_over_all_orders(seed):
    values = np.array([0.0, 1.0, 3.0, 7.0])
    orders = zip(*(values_at(cell, values, 4_800, seed) for cell in range(4)), strict=True)
    counts = Counter(orders)
    assert set(counts) == set(permutations(values.tolist()))
    assert chisquare(list(counts.values())).pvalue > 1e-3


def test_different_seeds_shuffle_differently():
    values = np.array([0.0, 1.0, 3.0, 7.0])
    one, other = (values_at(0, values, 640, seed) for seed in (1, 2))
    same = np.mean(np.array(one) == np.array(other))
    assert 0.15 < same < 0.35  # a quarter by chance


# P-values


def shuffles_of(observed: float, shuffled: list[float], stop_after: int) -> Shuffles:
    rows = np.zeros((len(shuffled), 5))
    rows[:, RAW] = shuffled
    return Shuffles(np.array([observed, 0.0, 0.0, 0.0, 0.0]), rows, stop_after, most=100)


@pytest.mark.parametrize(
    ("shuffled", "p"),
    [
        (
            [1, 5, 1, 6, 2, 7, 1, 1],
            3 / 6,
        ),  # the third exceedance came at shuffle 6, and what follows is not used
        ([5, 6, 7], 3 / 3),
        ([5, 1, 1, 6], (1 + 2) / (1 + 4)),  # never a third
        ([1, 1, 1, 1], 1 / 5),
        ([4, 4, 4, 1], 3 / 3),  # as large as observed counts
        ([4 * (1 - 1e-13), 1], 2 / 3),  # up to rounding
    ],
)
def test_sequential_p_values_by_hand(shuffled, p):
    assert shuffles_of(4.0, shuffled, 3).p_value(RAW) == pytest.approx(p)


def world(effect: float, seed: int = 3) -> tuple[np.ndarray, Partition, tuple[float, float]]:
    sizes = [30, 40, 50]
    values = np.random.default_rng(seed).normal(size=sum(sizes))
    values[:30] += effect
    return values, partition_of(sizes), (-6.0, 6.0)


def test_what_is_plainly_chance_stops_early_and_a_real_gap_does_not():
    chance, real = (shuffle(*world(effect), most=2_000, seed=0) for effect in (0.0, 2.0))
    assert len(chance.shuffled) < 2_000 == len(real.shuffled)
    assert real.p_value(RAW) == real.p_value(STUDENTISED) == 1 / 2_001
    assert chance.p_value(STUDENTISED) > 0.1


@pytest.mark.parametrize("effect", [0.0, 0.35, 2.0])
def test_the_p_value_does_not_depend_on_the_size_of_batches(monkeypatch, effect):
    found = []
    for batch in (7, 64, 1_000):
        monkeypatch.setattr(permutation, "BATCH", batch)
        found.append(shuffle(*world(effect), most=1_000, seed=5))
    for statistic in (RAW, STUDENTISED):
        assert len({shuffles.p_value(statistic) for shuffles in found}) == 1
    shortest = min(len(shuffles.shuffled) for shuffles in found)
    for shuffles in found:
        np.testing.assert_array_equal(shuffles.shuffled[:shortest], found[0].shuffled[:shortest])


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="Numba was started with one thread")
def test_the_shuffles_do_not_depend_on_the_threads():
    found = []
    for threads in (1, 2):
        numba.set_num_threads(threads)
        found.append(shuffle(*world(0.4), most=300, seed=5).shuffled)
    np.testing.assert_array_equal(*found)


def test_the_p_value_is_that_of_all_orders():
    """Two groups of four: 70 ways to divide them, so the exact p-value of the raw gap is a count."""
    values = np.array([0.1, 0.4, 0.2, 0.9, 1.3, 0.7, 1.6, 1.1])
    gap = abs(values[:4].mean() - values[4:].mean())
    halves = [list(half) for half in combinations(range(8), 4)]
    gaps = [abs(values[half].mean() - np.delete(values, half).mean()) for half in halves]
    assert len(gaps) == 70
    exact = np.mean(np.array(gaps) >= gap - 1e-12)
    found = shuffle(values, partition_of([4, 4]), (0, 2), most=50_000, seed=2).p_value(RAW)
    assert found == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 50_000) ** 0.5)


def test_groups_of_equal_means_that_vary_differently_do_not_alarm_when_studentised():
    """Four groups of ten users who vary much, beside six large ones. Raw gaps alarm."""
    rng = np.random.default_rng(8)
    sizes = [10] * 4 + [200] * 6
    scale = np.repeat([3.0] * 4 + [1.0] * 6, sizes)
    raw, studentised = [], []
    for seed in range(40):
        values = rng.normal(size=len(scale)) * scale
        found = shuffle(values, partition_of(sizes), (-15.0, 15.0), most=100, seed=seed)
        raw.append(found.p_value(RAW) <= 0.05)
        studentised.append(found.p_value(STUDENTISED) <= 0.05)
    assert np.mean(raw) > 0.3
    assert np.mean(studentised) < 0.2


def test_the_highest_and_lowest_z_make_the_studentised_gap():
    found = shuffle(*world(0.4), most=64, seed=1)
    gap = found.shuffled[:, HIGHEST] - found.shuffled[:, LOWEST]
    np.testing.assert_allclose(found.shuffled[:, STUDENTISED], gap, rtol=1e-12)
    assert (found.shuffled[:, SPREAD] >= 0).all()
