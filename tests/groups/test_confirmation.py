"""How far the lower limit of the confirmed gap is below it, when no user was far from all others."""

import numpy as np
import pytest

from evenhand.groups.cells import Cells, every_cell
from evenhand.groups.confirmation import confirm


def two_groups(bounds):
    """40 users around .5 and 100 around .51, so close together that only what was not seen can matter."""
    rng = np.random.default_rng(0)
    code = np.repeat([0, 1], [40, 100])
    values = np.array([0.5, 0.51])[code] + rng.uniform(-1e-3, 1e-3, len(code))
    groups = every_cell(Cells.of(["group"], [["few", "many"]], [code]), 2)
    return confirm(groups, values, rng, 0.95, bounds)


def test_three_of_a_group_may_be_at_the_end_of_the_range_if_none_was_seen():
    found = two_groups((0.0, 1.0))
    assert found.estimate - found.low == pytest.approx(np.log(20) * 0.5 / 40, rel=0.01)
    assert found.high - found.estimate < 0.01
    assert two_groups(None).low > found.estimate - 0.01


def test_more_users_leave_less_room_for_those_who_were_not_seen():
    found = two_groups((0.0, 1.0))
    assert found.limits_at(1.0) == (found.low, found.high)
    assert found.estimate - found.limits_at(4.0)[0] == pytest.approx((found.estimate - found.low) / 4)


def test_halves_are_not_independent_and_their_limits_are_averaged():
    """What is extreme in one half is what the other lacks, so nothing is gained by there being two."""
    found = two_groups(None)
    assert (found.low, found.high) == pytest.approx(
        [np.mean([getattr(half, end) for half in found.halves]) for end in ("low", "high")]
    )
