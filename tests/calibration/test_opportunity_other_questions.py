"""Precision, parity, boosts, stages and starved groups against simulated truth.

Heavy users (Pareto 1.2) fill all logs: what a user does in one log goes with what he does in the others.
"""

import pytest

from calibration.other_question_worlds import (
    boost_held,
    parity_held,
    precision_held,
    stage_held,
    starved_held,
)
from calibration.rates import can_be_at_least, can_be_at_most

sizes = pytest.mark.parametrize(
    "runs", [80, pytest.param(500, marks=pytest.mark.slow)], ids=["quick", "full"]
)


@sizes
def test_precision_of_heavy_users(runs):
    """A small group, exactly as well served; then one that is 20% worse served, which is the tolerance."""
    for rates in ([0.1, 0.1], [0.1, 0.08]):
        held = precision_held([5_000, 60], rates, runs, pareto=1.2)
        assert can_be_at_least(held["penalty"], runs, 0.95)
        assert can_be_at_least(held["groups"], runs, 0.94)
        assert can_be_at_most(held["false violation"], runs, 0.03)


@sizes
@pytest.mark.parametrize("people", [None, 100], ids=["rows", "users who lean"])
def test_parity(people, runs):
    held = parity_held([100, 100, 80], [0.36, 0.36, 0.28], 3_000, runs, people=people)
    assert can_be_at_least(held["penalty"], runs, 0.95)
    assert can_be_at_least(held["groups"], runs, 0.95)
    assert can_be_at_most(held["false violation"], runs, 0.025)


@sizes
@pytest.mark.parametrize(
    ("utilities", "weights"),
    [((1.25, 1.0, 0.75), (0.8, 1.0, 4 / 3)), ((1.5, 1.0, 0.5), (0.9, 1.0, 1.2))],
    ids=["to equality", "to less inequality"],
)
def test_boosts(utilities, weights, runs):
    held = boost_held(utilities, weights, runs)
    for what in ("before", "after", "change"):
        assert can_be_at_least(held[what], runs, 0.95), what


@sizes
def test_stages_of_the_same_users(runs):
    """The log before a stage is no random one, and each log is of the same users."""
    held = stage_held([1.2, 1.0, 0.8], [0.9, 1.0, 1.1], runs)
    for what in ("recall", "ranking", "whole"):
        assert can_be_at_least(held[what], runs, 0.95), what
        assert can_be_at_least(held[what + " groups"], runs, 0.94), what


@sizes
def test_a_group_that_was_never_shown_in_clumps(runs):
    """Ten rows of a group a user at a time: that none came says less than that no row of many did."""
    held = starved_held(10, runs)
    assert held["zero"] > 0.05 * runs
    for what in ("penalty", "groups", "worst_ratio"):
        assert can_be_at_least(held[what], runs, 0.95), what
