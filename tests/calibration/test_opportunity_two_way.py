"""Users and items as clusters in every question that takes both: days, stages, boosts, experiments."""

import pytest

from calibration.rates import can_be_at_least
from calibration.two_way_worlds import QUESTIONS


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
