"""Is the random log random? The test keeps its level however users are drawn, and sees unequal items."""

import pytest

from calibration.random_log_worlds import KINDS, p_values
from calibration.rates import can_be_at_least, can_be_at_most


@pytest.mark.parametrize("runs", [60, pytest.param(500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_random_log_is_seldom_said_not_to_be_one(kind, runs):
    assert can_be_at_most((p_values(kind, runs) <= 0.05).sum(), runs, 0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_unequal_items_are_seen(kind):
    assert can_be_at_least((p_values(kind, 20, spread=0.4) <= 0.05).sum(), 20, 0.98)
