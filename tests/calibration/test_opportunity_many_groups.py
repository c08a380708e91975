"""Many groups, some tiny, against simulated truth: where noise alone makes a large penalty.

Rates are judged by `calibration.rates`; seeds are fixed.
"""

import pytest

from calibration.many_groups_worlds import BELOW_THE_FLOOR, MANY, Crowd, held
from calibration.rates import can_be_at_least, can_be_at_most

FULL, QUICK = 500, 60
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
@pytest.mark.parametrize("name", MANY)
def test_tiny_groups_do_not_make_unfairness(name, runs):
    check(MANY[name], runs)


def test_groups_below_the_floor_are_left_out_whatever_their_luck():
    assert held(BELOW_THE_FLOOR, 20)["groups"] < 3.5 * 20
