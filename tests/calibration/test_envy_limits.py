"""What a certificate says an audit cost, and how much better a policy is, where rewards are missing."""

import pytest

from calibration.envy_live_worlds import DELTA, LOST_ALIKE, limited
from calibration.rates import can_be_at_most

WORLDS = list(LOST_ALIKE)


@pytest.mark.parametrize(
    ("world", "runs"),
    [
        *((world, 5) for world in WORLDS[:3]),
        *(pytest.param(world, 300, marks=pytest.mark.slow) for world in WORLDS),
    ],
)
def test_limits_hold_where_rewards_are_lost_by_chance_under_all_policies_alike(world, runs):
    """Both readings of what is missing are then smaller than the difference, by the share that is told. As
    limits of these, costs were above theirs in 62% and 99% of audits, and differences in 23% and 90%."""
    found = [limited(world, seed) for seed in range(runs)]
    assert can_be_at_most(sum(one.cost > one.cost_at_most + 1e-9 for one in found), runs, DELTA)
    others = len(LOST_ALIKE[world][0]) - 1
    assert can_be_at_most(sum(one.missed > 0 for one in found), runs, min(1.0, others * DELTA))
