"""Many groups, some tiny, against simulated truth: where noise alone makes a large penalty.

Rates are judged by `calibration.rates`; seeds are fixed.
"""

import numpy as np
import pytest

from calibration.many_groups_worlds import Crowd, held, liked_unequally, zipf
from calibration.rates import can_be_at_least, can_be_at_most

FULL, QUICK = 1_000, 100
sizes = pytest.mark.parametrize(
    "runs", [QUICK, pytest.param(FULL, marks=pytest.mark.slow)], ids=["quick", "full"]
)


def check(world: Crowd, runs: int) -> None:
    found = held(world, runs)
    assert can_be_at_least(found["penalty"], runs, 0.95)
    assert can_be_at_least(found["relative_utility"], runs, 0.95)
    assert can_be_at_least(found["worst_ratio"], runs, 0.95)
    assert can_be_at_most(found["false_violation"], runs, 0.05)


@sizes
@pytest.mark.parametrize("groups", [20, 50, 100])
def test_groups_with_hardly_any_random_positives_do_not_make_unfairness(groups, runs):
    check(zipf(groups), runs)


@sizes
@pytest.mark.parametrize("spread", [0.5, 1.0])
def test_like_rates_may_differ(spread, runs):
    check(liked_unequally(50, spread), runs)


@sizes
def test_groups_just_below_the_floor_are_left_out_whatever_their_luck(runs):
    """Three groups of 500 expected positives, forty of 15; a floor on observed ones would keep the lucky."""
    world = Crowd.fair([500] * 3 + [15] * 40, 0.05, random_rows=2_100 * 20)
    assert held(world, 20)["groups"] < 3.5 * 20
    check(world, runs)


@sizes
@pytest.mark.parametrize("groups", [10, 40])
def test_many_groups_just_above_the_floor(groups, runs):
    """Each has 25 expected positives: the mean of their ratios is biased upwards by 4%."""
    check(Crowd.fair([1] * groups, 0.05, random_rows=25 * groups * 20), runs)


@sizes
@pytest.mark.parametrize("groups", [10, 40])
def test_many_unequal_groups_just_above_the_floor(groups, runs):
    utilities = 1 + 0.3 * np.linspace(-1, 1, groups)
    fair = Crowd.fair([1] * groups, 0.05, random_rows=25 * groups * 20)
    check(Crowd(fair.shares, fair.liked, utilities, random_rows=fair.random_rows), runs)
