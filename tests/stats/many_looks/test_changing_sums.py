"""The bound for sums of means that change: it holds at all times, and it is not empty."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.stats.many_looks.changing_sums import (
    changing_sum_lower,
    mixed_sum_lower,
    sum_bets,
    told_mean_lower,
)


@pytest.mark.parametrize("reach", [1.0, 4.0])
def test_the_bound_fails_at_any_time_in_at_most_its_level_of_runs(reach):
    """Means move from value to value; predictions are the average so far."""
    rng, runs, steps, level = np.random.default_rng(1), 1_000, 400, 0.2
    means = 0.5 + 0.4 * np.sin(np.arange(steps) / 30)
    values = (rng.random((runs, steps)) < means).astype(float)
    sums = np.cumsum(values, axis=1)
    before = np.column_stack([np.full(runs, 0.5), sums[:, :-1] / np.arange(1, steps)])
    squares = np.cumsum((values - before) ** 2, axis=1)
    bets = sum_bets(level, reach)
    tilt, psi, needed = bets.T
    bounds = (sums[..., None] - (needed + psi * squares[..., None]) / tilt).max(axis=2)
    failed = (bounds > np.cumsum(means)).any(axis=1).mean()
    assert failed <= level
    assert failed > 0 or reach > 1  # with as much reach as is needed it is not so wide that it could not fail
    assert bounds[0, -1] == pytest.approx(changing_sum_lower(sums[0, -1], squares[0, -1], bets))
    assert bounds[:, -1].mean() > 0.5 * means.sum()


def test_the_levels_of_all_bets_add_up():
    assert np.exp(-sum_bets(0.05, 2.0)[:, 2]).sum() <= 0.05


def test_a_mixture_of_two_readings_is_above_their_common_bound():
    rng, bets = np.random.default_rng(2), sum_bets(0.05, 1.0)
    one, other = rng.random((2, 300)) - 0.5
    common = mixed_sum_lower((one.sum(), other.sum()), ((one**2).sum(), (other**2).sum()), bets)
    for share in np.linspace(0, 1, 11):
        mixed = (1 - share) * one + share * other
        assert changing_sum_lower(mixed.sum(), (mixed**2).sum(), bets) >= common
    alone = changing_sum_lower(one.sum(), (one**2).sum(), bets)
    assert mixed_sum_lower((one.sum(),), ((one**2).sum(),), bets) == pytest.approx(alone)


def test_a_mean_of_which_a_share_is_told_is_seldom_below_its_limit_at_any_time():
    """Values of 0 and -1 with mean -.6, half of them lost: as 0, or (the own lost, too) as anything to -1."""
    bets, rng, missed = sum_bets(0.2, 1.0), np.random.default_rng(1), 0
    for _ in range(200):
        told = rng.random(400) < 0.5
        y = -np.where(told, rng.random(400) < 0.6, 0.0)
        looks = range(20, 401, 20)
        lows = [
            told_mean_lower(
                y[:n].sum(), (y[:n] ** 2).sum(), int(told[:n].sum()), int((~told[:n]).sum()), bets
            )
            for n in looks
        ]
        missed += max(lows) > -0.6
    assert missed <= 0.2 * 200
    assert -1.0 < lows[-1] < -0.6


def test_nothing_told_says_nothing_of_a_mean():
    bets = sum_bets(0.05, 1.0)
    assert told_mean_lower(0.0, 0.0, 0, 10, bets) == -1.0
    assert told_mean_lower(-3.0, 3.0, 2, 8, bets) == -1.0
    assert told_mean_lower(500.0, 500.0, 1_000, 0, bets) == 0.0
