"""Users and items as clusters in every question that takes both: days, stages, boosts, experiments."""

import pytest

from calibration.rates import can_be_at_least, can_be_at_most
from calibration.two_way_worlds import QUESTIONS, stage_of_the_same_rows_held


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("stages", 60),
        ("days that share their random traffic", 30),
        *(pytest.param(name, 150, marks=pytest.mark.slow) for name in QUESTIONS),
    ],
)
def test_numbers_about_items_like_these(name, runs):
    for what, held in QUESTIONS[name](runs=runs).items():
        assert can_be_at_least(held, runs, 0.95), what


@pytest.mark.parametrize(
    ("groups", "runs"),
    [
        pytest.param(20, 40, id="quick"),
        pytest.param(20, 300, id="full", marks=pytest.mark.slow),
        pytest.param(6, 600, id="6 groups, full", marks=pytest.mark.slow),
    ],
)
def test_a_stage_that_shows_rows_of_the_stage_before(groups, runs):
    """Rows that both logs hold move them together, and less is to be subtracted for rows."""
    held = stage_of_the_same_rows_held(groups, runs)
    assert can_be_at_least(held["groups"], runs, 0.95)
    assert can_be_at_most(held["alarms"], runs, 0.05)


def test_where_stages_share_no_rows_nothing_changes():
    found = [
        stage_of_the_same_rows_held(6, 10, shared=False, known=known)["width"] for known in (True, False)
    ]
    assert found[0] == pytest.approx(found[1], rel=0.02)
