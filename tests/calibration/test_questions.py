"""Several questions in one plan: how often any of them is called a violation without being one."""

import numpy as np
import pytest

from calibration.question_worlds import TOLERANCE, violations
from calibration.rates import can_be_at_least, can_be_at_most


@pytest.mark.parametrize("runs", [200, pytest.param(1_000, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize(("questions", "alone"), [(5, 0.11), (10, 0.20), (16, 0.30)])
def test_all_at_the_tolerance(questions, alone, runs):
    """Asked alone, plans often have a false violation; together, at most one in twenty does."""
    apart, together = (found.any(axis=1).sum() for found in violations([TOLERANCE] * questions, runs))
    assert can_be_at_least(apart, runs, alone)
    assert can_be_at_most(together, runs, 0.05)


def test_where_all_is_fair_nothing_is_a_violation():
    assert not np.any(violations([0.0] * 16, 100))


@pytest.mark.slow
def test_true_violations_make_the_others_easier_to_state_and_no_false_one():
    """Three of five are clearly unfair, one is at the tolerance and one within."""
    runs = 1_000
    _, together = violations([0.3, 0.3, 0.3, TOLERANCE, 0.05], runs)
    assert can_be_at_most(together[:, 3:].any(axis=1).sum(), runs, 0.05)
    assert can_be_at_least(together[:, :3].all(axis=1).sum(), runs, 0.95)
