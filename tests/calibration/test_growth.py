"""Growth of association that is none: users and items are samples, and releases differ by what users did.

With the noise of trainings and the spread over items alone, intervals of GEAA cover 48 to 79% in the first
two of these worlds, and its p-values alarm in 16 to 31%.
"""

import pytest

from calibration.growth_worlds import Releases, calibrate, misses_of_small_groups, passes_from_nowhere
from calibration.rates import can_be_at_least, can_be_at_most

WORLDS = {
    "many items": Releases(items=1_000),
    "few items": Releases(),
    "trainings that differ more": Releases(of_state=0.1, of_training=0.4),
    "two trainings": Releases(trainings=2),
    "far apart, few users": Releases(users=120, apart=0.8),
}


def holds(found: dict[str, dict[str, float]]) -> None:
    assert set(found) == {"geaa_growth", "r_ripa_growth", "user_growth", "gap_growth"}
    for measure, one in found.items():
        # Along a direction that is not there nothing is told.
        assert one["told"] > 10, measure
        assert can_be_at_least(one["covered"], one["told"], 0.95), (measure, one)
        assert can_be_at_most(one["alarms"], one["told"], 0.05), (measure, one)


def test_releases_that_differ_by_chance_do_not_seem_to_grow():
    holds(calibrate(WORLDS["many items"], 60))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["centroid", "svc"])
@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS.keys())
def test_growth_covers_and_alarms_as_it_says(world, method):
    holds(calibrate(world, 400 if method == "centroid" else 100, method))


@pytest.mark.parametrize("runs", [40, pytest.param(500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("size", [2, 5])
def test_a_few_items_that_moved_alike_by_chance_are_no_growth(size, runs):
    """On the degrees of freedom of many trainings, any of ten pairs of items is missed in 55% of cases."""
    world = Releases(users=1_000, trainings=5 if size == 2 else 10, apart=0.8)
    found = misses_of_small_groups(world, (size,) * 10, runs)
    assert can_be_at_most(found["missed"], runs, 0.05)
    assert can_be_at_most(found["above"], runs, 0.025)


@pytest.mark.parametrize("runs", [60, pytest.param(500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("lean", [0.5, -0.5])
def test_items_that_come_to_lean_are_not_passed_for_having_leaned_nowhere(lean, runs):
    """GEAA goes from 0 to .07. Followed to the side where it happened to be, it is passed in half of them."""
    world = Releases(users=600, of_state=0.3, apart=0.8)
    assert can_be_at_most(passes_from_nowhere(world, lean, 0.04, runs), runs, 0.025)
