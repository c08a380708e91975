"""How much more data an audit asks for, and whether so much decides."""

import pytest

from calibration.more_data_worlds import FAIR, UNFAIR, UNFAIR_MANY, WAYS, Logs, decided, penalties
from calibration.rates import can_be_at_least, can_be_at_most

sizes = pytest.mark.parametrize(
    ("pilots", "runs"), [(3, 25), pytest.param(20, 50, marks=pytest.mark.slow)], ids=["quick", "full"]
)


@sizes
@pytest.mark.parametrize("logs", [FAIR, UNFAIR, UNFAIR_MANY], ids=["fair", "unfair", "many groups"])
def test_the_data_that_an_audit_asks_for_decides_four_times_in_five(logs, pilots, runs):
    """Of audits whose estimate is where the truth is; elsewhere nobody can know how much it takes."""
    hits, said = decided(logs, "asked", pilots, runs)
    assert len(said) == pilots
    assert can_be_at_least(hits, pilots * runs, 0.8)


def test_as_if_intervals_shrank_with_the_root_of_the_data_far_too_little_would_be_asked_for():
    hits, _ = decided(UNFAIR_MANY, "root", 3, 25)
    assert can_be_at_most(hits, 75, 0.45)


def test_where_a_group_has_no_positive_nothing_is_promised():
    rare = Logs(8, 0.2, 300, 2_000)
    told = [
        (finding, inference) for finding, inference in penalties(rare.world(), 20, 0) if inference.has_zero
    ]
    assert told
    assert all(WAYS["asked"](finding, inference).more_data is None for finding, inference in told)
