"""What the group audit claims, against simulated truth.

The claim is that of benchmarks/group_calibration.py; slow tests have 300 data sets each and quick ones fewer,
with bounds wider by three standard errors of their own simulation. Seeds are fixed, so nothing here is flaky.
"""

import numpy as np
import pytest
from scipy.stats import kstest

from calibration.group_worlds import (
    BESIDE_OTHERS,
    MIXED,
    RARE,
    RARE_AT_BOTH_ENDS,
    RARE_AT_ONE_END,
    RARE_IN_ONE,
    SHAPES,
    UNBOUNDED,
    alarms,
    alarms_about_means,
    all_differ,
    all_groups_held,
    confirmations,
    coverage,
    hits_at_other_places,
    no_effect,
    one_above,
    one_below,
    one_larger_group_below,
    p_values,
    power,
    small_vary_more,
)
from calibration.rates import can_be_at_least, can_be_at_most

FULL, QUICK = 300, 60
sizes = pytest.mark.parametrize(
    "runs", [QUICK, pytest.param(FULL, marks=pytest.mark.slow)], ids=["quick", "full"]
)


def slack(runs: int, percent: float) -> float:
    """Three standard errors of a simulated percentage, beyond those of the full run."""
    return 3 * np.sqrt(percent * (100 - percent)) * (1 / np.sqrt(runs) - 1 / np.sqrt(FULL))


@sizes
def test_without_an_effect_p_values_are_uniform(runs):
    """Those of shuffles are; the reported ones, the larger of two, are nowhere more frequent than that."""
    p = p_values(no_effect(), runs)
    assert kstest(p["shuffled"], "uniform").pvalue > 0.01
    assert kstest(p["studentised"], "uniform", alternative="greater").pvalue > 0.01
    alarmed = {test: 100 * (values <= 0.05).mean() for test, values in p.items()}
    assert 3 - slack(runs, 5) <= alarmed["shuffled"] <= 7 + slack(runs, 5)
    assert 2 - slack(runs, 5) <= alarmed["studentised"] <= 7 + slack(runs, 5)


@sizes
@pytest.mark.parametrize("times", [2, 4])
def test_small_groups_that_vary_more_are_no_gap_between_means(runs, times):
    alarmed = alarms(small_vary_more(times), runs)
    assert alarmed["studentised"] <= 8 + slack(runs, 8)
    assert alarmed["raw"] >= 30 - slack(runs, 30)  # what the raw gap's own test would say


@sizes
@pytest.mark.parametrize("groups", [20, 200, 1000])
def test_intervals_of_all_groups_of_30_hold_together(runs, groups):
    if groups == 1000:  # which takes long
        runs = 20 if runs == QUICK else 50
    assert coverage(no_effect((30,) * groups), runs)["simultaneous"] >= 93 - slack(runs, 93)


@sizes
@pytest.mark.parametrize(
    "world",
    [no_effect(), all_differ(MIXED, 0.1), all_differ((300,) * 40, 0.05), one_below(0.2, (30,) * 100)],
    ids=["nobody differs", "all differ", "all differ, large groups", "one differs"],
)
def test_the_confirmed_gap_covers_that_of_the_chosen_groups(runs, world):
    covered = coverage(world, runs)
    assert covered["confirmed"] >= 93 - slack(runs, 93)
    assert covered["largest_gap"] >= 93 - slack(runs, 93)


@sizes
def test_the_spread_of_equal_groups_covers_zero(runs):
    assert coverage(no_effect(), runs)["spread"] >= 93 - slack(runs, 93)


@sizes
@pytest.mark.parametrize(
    "groups",
    [(40,) * 50, pytest.param((200,) * 20, marks=pytest.mark.slow), MIXED],
    ids=["50 of 40", "20 of 200", "mixed"],
)
def test_a_gap_that_is_called_detectable_is_found_and_confirmed(runs, groups):
    assert power(groups, runs)["both"] >= 90 - slack(runs, 90)


@pytest.mark.parametrize("runs", [60, pytest.param(600, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("groups", [(40,) * 20, (200,) * 20], ids=["20 of 40", "20 of 200"])
def test_a_gap_of_rare_events_that_is_called_detectable_is_found_and_confirmed(runs, groups):
    """A group with more hits varies more: by the variance of the others, 58% of such gaps are confirmed."""
    found = power(groups, runs, 100, one_above)["both"]
    assert can_be_at_least(found / 100 * runs, runs, 0.9)


both = pytest.mark.parametrize(
    "runs", [QUICK, pytest.param(600, marks=pytest.mark.slow)], ids=["quick", "full"]
)


@both
@pytest.mark.parametrize("world", RARE.values(), ids=RARE.keys())
def test_halves_without_an_event_are_not_certain(runs, world):
    """A standard error covers 70 to 85% here, and calls 14 to 31% a violation of what is true."""
    found = confirmations(world, runs)
    assert can_be_at_least(found["covered"], runs, 0.95)
    assert can_be_at_most(found["false_violations"], runs, 0.025)


def some_quick(worlds, *quick):
    """These worlds with 100 runs, and all of them with 600 that take long."""
    short = [pytest.param(worlds[name], 100, id=f"{name}, quick") for name in quick]
    full = [pytest.param(world, 600, id=name, marks=pytest.mark.slow) for name, world in worlds.items()]
    return pytest.mark.parametrize(("world", "runs"), short + full)


@some_quick(
    RARE_IN_ONE | BESIDE_OTHERS,
    "around .91, a 0 in 100, 100 users",
    "40 users beside two groups that differ",
    "20 users, groups overlap",
)
def test_rare_values_of_one_group_are_no_gap_where_bounds_are_known(world, runs):
    """Halves alone, which know nothing of them, confirm a gap in 4 to 30%."""
    assert can_be_at_most(confirmations(world, runs)["false_violations"], runs, 0.025)


@some_quick(
    RARE_IN_ONE,
    "around .91, a 0 in 100, 100 users",
    "around .3, a 1 in 25, 30 users",
    "around .3, a 1 in 60, 100 users beside as many",
)
def test_rare_values_of_one_group_do_not_alarm_where_bounds_are_known(world, runs):
    """Without a null of users left out by chance, tight scores alarm in 12 to 20%; and of two groups of one
    size in 14%, where that null has the mean of both and not that of the other."""
    alarmed = alarms_about_means(world, runs)
    assert can_be_at_most(alarmed["uf"], runs, 0.05)
    assert can_be_at_most(alarmed["spread"], runs, 0.05)


@pytest.mark.parametrize("runs", [150, pytest.param(FULL, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("world", RARE_AT_BOTH_ENDS.values(), ids=RARE_AT_BOTH_ENDS.keys())
def test_nor_do_rare_values_of_two_groups_at_opposite_ends(world, runs):
    """With the mean of all but one group 8 to 9% of the first two alarm."""
    assert can_be_at_most(alarms_about_means(world, runs)["uf"], runs, 0.05)


@sizes
@pytest.mark.parametrize("world", RARE_AT_ONE_END.values(), ids=RARE_AT_ONE_END.keys())
def test_nor_do_those_of_two_groups_at_the_same_end(world, runs):
    """With the mean of all but the furthest groups 10 to 20% alarm."""
    alarmed = alarms_about_means(world, runs)
    assert can_be_at_most(alarmed["uf"], runs, 0.05)
    assert can_be_at_most(alarmed["spread"], runs, 0.06)


@both
def test_tiny_groups_without_an_event_do_not_hide_a_larger_one_that_is_served_worse(runs):
    """A search by standard errors takes the tiny ones, and confirms the planted gap in 1 of 100 cases."""
    assert can_be_at_least(confirmations(one_larger_group_below((0.15, 0.02)), runs)["confirmed"], runs, 0.9)


@both
@pytest.mark.parametrize("world", SHAPES.values(), ids=SHAPES.keys())
def test_groups_of_one_mean_and_different_shapes_do_not_alarm(runs, world):
    """Studentised shuffles alone alarm in 20 to 97%."""
    alarmed = alarms_about_means(world, runs)
    assert can_be_at_most(alarmed["uf"], runs, 0.06)
    assert can_be_at_most(alarmed["spread"], runs, 0.065)


@both
@pytest.mark.parametrize(
    "world", [hits_at_other_places(100, 5_000, 0.01), hits_at_other_places(40, 2_000, 0.03)]
)
def test_two_values_so_far_are_not_all_that_a_value_can_be(runs, world):
    """Shuffles alone, which are exact where there can be only two, alarm in 39 and 32%."""
    assert can_be_at_most(alarms_about_means(world, runs)["uf"], runs, 0.05)


def test_shuffles_alone_would_take_a_shape_for_a_mean():
    assert not can_be_at_most(
        alarms_about_means(SHAPES["opposite tails, 20 users"], QUICK)["shuffles"], QUICK, 0.1
    )


@both
@pytest.mark.parametrize("world", UNBOUNDED.values(), ids=UNBOUNDED.keys())
def test_groups_of_amounts_without_bounds_hold_together(runs, world):
    """Student's intervals, simultaneous over all groups, hold together in 7 to 71%."""
    assert can_be_at_least(all_groups_held(world, runs), runs, 0.95)
