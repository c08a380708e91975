"""Betting intervals: exact coverage by enumeration, and what must not change them."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from evenhand.stats.means.bounded import betting_intervals


def interval(values, alpha=0.05, low=0.0, high=1.0):
    ends = betting_intervals(np.asarray(values, dtype=float), np.array([0, len(values)]), alpha, low, high)
    return float(ends[0][0]), float(ends[1][0])


@pytest.fixture(scope="module")
def sequences():
    """All 1,024 sequences of ten zeros and ones."""
    return np.array(list(product([0.0, 1.0], repeat=10)))


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.5])
def test_every_mean_is_missed_with_at_most_the_stated_probability(sequences, alpha):
    """Enumerated, with the probability of each sequence: no simulation, no tolerance."""
    offsets = np.arange(0, sequences.size + 1, 10)
    low, high = betting_intervals(sequences.ravel(), offsets, alpha)
    ones = sequences.sum(axis=1)
    for mu in (0.02, 0.1, 0.25, 0.5, 0.6, 0.9, 0.97):
        probability = mu**ones * (1 - mu) ** (10 - ones)
        assert probability.sum() == pytest.approx(1)
        assert probability[(mu < low) | (mu > high)].sum() <= alpha
        assert probability[mu < low].sum() <= alpha / 2
        assert probability[mu > high].sum() <= alpha / 2
    # Not by covering everything: some sequences exclude much.
    assert low.max() > 0.3
    assert high.min() < 0.7


def test_coverage_of_values_that_are_not_binary():
    """Three-point values, 8 of them: enumerated too."""
    points, chances = np.array([0.0, 0.3, 1.0]), np.array([0.5, 0.3, 0.2])
    codes = np.array(list(product(range(3), repeat=8)))
    low, high = betting_intervals(points[codes].ravel(), np.arange(0, codes.size + 1, 8), 0.2)
    probability = chances[codes].prod(axis=1)
    mu = float(points @ chances)
    assert probability[(mu < low) | (mu > high)].sum() <= 0.2


@pytest.mark.parametrize("seed", range(5))
def test_an_interval_contains_the_mean_and_lies_within_the_bounds(seed):
    values = np.random.default_rng(seed).beta(0.3, 0.8, 60)
    low, high = interval(values)
    assert 0 <= low < values.mean() < high <= 1


@pytest.mark.parametrize("half", [10, 20])
def test_an_order_that_begins_with_high_values_does_not_reject_the_mean_of_the_sample(half):
    """A gambler who may stop when rich does: the interval would then begin at the estimate."""
    values = np.repeat([1.0, 0.0], half)
    for low, high in (interval(values), interval(values[::-1])):
        assert low < 0.5 - 0.1
        assert high > 0.5 + 0.1


def test_the_order_of_the_bets_hardly_matters():
    rng = np.random.default_rng(9)
    values = rng.choice([0, 0.2, 0.25, 1 / 3, 0.5, 1], p=[0.15, 0.05, 0.1, 0.15, 0.2, 0.35], size=75)
    limits = np.array([interval(rng.permutation(values), 0.01) for _ in range(400)])
    reaches = np.abs(limits - values.mean())
    assert (reaches.max(axis=0) < 1.25 * reaches.min(axis=0)).all()


def test_an_interval_shrinks_with_the_number_of_values():
    values = np.random.default_rng(1).random(4_000)
    widths = [np.diff(interval(values[:n])).item() for n in (10, 40, 160, 640, 2_560)]
    assert all(later < 0.75 * earlier for earlier, later in pairwise(widths))
    assert widths[-1] < 0.06


def test_values_that_vary_little_have_narrow_intervals():
    rng = np.random.default_rng(2)
    calm, wild = 0.5 + 0.02 * rng.random(200), (rng.random(200) < 0.5).astype(float)
    assert np.diff(interval(calm)) < 0.5 * np.diff(interval(wild))


def test_a_higher_level_is_wider():
    values = np.random.default_rng(3).random(50)
    narrow, wide = interval(values, 0.2), interval(values, 0.01)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@pytest.mark.parametrize(("low", "high"), [(0, 5), (-1, 1), (100, 1_000)])
def test_scaling_the_bounds_scales_the_interval(low, high):
    values = np.random.default_rng(4).random(80)
    plain = np.array(interval(values))
    scaled = interval(low + (high - low) * values, low=low, high=high)
    assert scaled == pytest.approx(low + (high - low) * plain, abs=1e-9 * (high - low))


def test_turning_the_values_over_turns_the_interval_over():
    values = np.random.default_rng(5).beta(0.4, 2, 70)
    low, high = interval(values)
    assert interval(1 - values) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize(("value", "n"), [(0.0, 1), (0.0, 30), (1.0, 2), (1.0, 30), (0.4, 30)])
def test_values_that_are_all_equal(value, n):
    low, high = interval(np.full(n, value))
    assert 0 <= low <= value <= high <= 1
    if n == 30:
        assert high - low < 0.4
    assert (low == 0) == (value == 0 or n < 5)
    assert (high == 1) == (value == 1 or n < 5)


def test_samples_do_not_touch_each_other():
    rng = np.random.default_rng(6)
    samples = [rng.random(n) for n in (5, 50, 1, 300)]
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in samples])])
    low, high = betting_intervals(np.concatenate(samples), offsets, 0.1)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [interval(s, 0.1) for s in samples]


def test_a_mean_near_the_smallest_float_is_no_mean_above_nothing():
    low, high = interval([1e-320] * 5, 0.05)
    assert low == 0
    assert 0 < high <= 1
