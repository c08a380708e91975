"""Is the random log random? The test keeps its level however users are drawn, and sees unequal items."""

import numpy as np
import pytest

from calibration.random_log_worlds import (
    COLUMNS,
    KINDS,
    compared,
    fair_audit,
    of_many_items,
    p_values,
    p_values_by,
    p_values_of_counts,
    surely_apart_of_refreshes,
    with_refreshes,
    with_weights,
    with_weights_of_items,
)
from calibration.rates import can_be_at_least, can_be_at_most


@pytest.mark.parametrize("runs", [60, pytest.param(500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_random_log_is_seldom_said_not_to_be_one(kind, runs):
    assert can_be_at_most((p_values(kind, runs) <= 0.05).sum(), runs, 0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_unequal_items_are_seen(kind):
    assert can_be_at_least((p_values(kind, 20, spread=0.4) <= 0.05).sum(), 20, 0.98)


@pytest.mark.parametrize("runs", [60, pytest.param(500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("spread", [0.0, 0.8], ids=["items alike", "items differ everywhere alike"])
@pytest.mark.parametrize("column", COLUMNS)
def test_what_is_drawn_is_seldom_said_to_depend_on_a_column(column, spread, runs):
    assert can_be_at_most((p_values_by(column, runs, spread=spread) <= 0.05).sum(), runs, 0.05)


@pytest.mark.parametrize("runs", [60, pytest.param(1_000, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_nor_where_few_users_and_one_item_have_most_draws(runs):
    p = p_values_by("countries, heavy users", runs, favourite=True)
    assert can_be_at_most((p <= 0.05).sum(), runs, 0.05)


@pytest.mark.parametrize("column", COLUMNS)
def test_items_that_rotate_or_depend_on_the_user_are_seen(column):
    assert can_be_at_least((p_values_by(column, 20, shift=0.7) <= 0.05).sum(), 20, 0.98)


@pytest.mark.parametrize("kind", ["independent", "slates without replacement", "heavy users"])
def test_repeats_and_missing_items_of_a_random_log_are_seldom_said_to_be_too_many(kind):
    runs = 40
    for p in p_values_of_counts(kind, runs).values():
        assert can_be_at_most((p <= 0.05).sum(), runs, 0.05)


def test_rows_that_are_shown_again_are_seen():
    assert (p_values_of_counts("refreshes", 5)["random_repeats"] <= 0.05).all()


@pytest.mark.parametrize("runs", [4, pytest.param(100, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("moved", [False, True], ids=["items stay", "one moved to the others"])
@pytest.mark.parametrize("chance", [0.4, 2.0])
def test_a_fair_system_is_no_violation_where_the_items_of_one_group_are_drawn_too_often_or_too_seldom(
    chance, moved, runs
):
    """All items together are hardly apart: the group has one item in twenty."""
    violations = doubted = 0
    for run in range(runs):
        found = fair_audit(np.random.default_rng([31, run]), chance, moved=moved)
        assert found.find("random_items").estimate < 0.25
        penalty = found.find("reo_penalty")
        violations += penalty.verdict == "violation"
        doubted += bool(penalty.doubts)
    assert can_be_at_most(violations, runs, 0.05)
    assert can_be_at_least(doubted, runs, 0.95)


@pytest.mark.parametrize("runs", [4, pytest.param(200, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("heavy", [False, True], ids=["alike", "heavy users"])
def test_a_uniform_log_seldom_decides_nothing(heavy, runs):
    doubts = [fair_audit(np.random.default_rng([37, run]), 1.0, heavy=heavy) for run in range(runs)]
    assert can_be_at_most(sum(bool(found.find("reo_penalty").doubts) for found in doubts), runs, 0.02)


@pytest.mark.parametrize("runs", [4, pytest.param(200, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("chance", [0.4, 2.0])
def test_nor_where_most_items_are_never_drawn(chance, runs):
    """Of items that were drawn, those of each group are as often: the catalogue knows of the others."""
    found = [
        of_many_items(np.random.default_rng([41, run]), chance).find("reo_penalty") for run in range(runs)
    ]
    assert can_be_at_most(sum(one.verdict == "violation" for one in found), runs, 0.05)
    assert can_be_at_least(sum(bool(one.doubts) for one in found), runs, 0.95)


@pytest.mark.parametrize("runs", [10, pytest.param(200, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("told", [False, True], ids=["catalogue of items", "catalogue of items and groups"])
def test_a_uniform_log_of_many_items_seldom_decides_nothing(told, runs):
    found = [of_many_items(np.random.default_rng([43, run]), 1.0, told) for run in range(runs)]
    assert can_be_at_most(sum(bool(one.find("reo_penalty").doubts) for one in found), runs, 0.02)


@pytest.mark.parametrize("runs", [30, pytest.param(200, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("world", [with_weights, with_weights_of_items, with_refreshes])
def test_nor_does_a_log_of_draws_that_weigh_more_or_come_again(world, runs):
    found = [world(np.random.default_rng([47, run])) for run in range(runs)]
    assert can_be_at_most(sum(bool(one.find("reo_penalty").doubts) for one in found), runs, 0.02)


@pytest.mark.parametrize("runs", [400, pytest.param(2_000, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_a_group_that_happens_to_lack_the_draws_that_came_most_often_is_seldom_told(runs):
    told = [surely_apart_of_refreshes(np.random.default_rng([61, run])) for run in range(runs)]
    assert can_be_at_most(sum(told), runs, 0.01)


@pytest.mark.parametrize("runs", [4, pytest.param(100, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_a_group_that_is_drawn_less_often_than_its_weights_say_is_seen(runs):
    found = [with_weights_of_items(np.random.default_rng([59, run]), 12_000, 0.5) for run in range(runs)]
    assert can_be_at_least(sum(bool(one.find("reo_penalty").doubts) for one in found), runs, 0.95)


@pytest.mark.parametrize("runs", [4, pytest.param(200, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize(("bias", "decided"), [(0.0, True), (0.2, False)])
def test_no_arm_is_said_to_be_worse_by_a_log_that_leans_by_more_than_the_limit(bias, decided, runs):
    """The treatment is fairer by .15, and by a log that leans as the control does seems to be worse by it."""
    found = [compared(np.random.default_rng([53, run]), bias).find("reo_difference") for run in range(runs)]
    assert can_be_at_most(sum(one.verdict == "violation" for one in found), runs, 0.05)
    assert can_be_at_least(sum(bool(one.doubts) is not decided for one in found), runs, 0.95)
