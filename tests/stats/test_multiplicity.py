"""Holm's correction."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.stats.multiplicity import holm


def test_an_example_by_hand():
    # Sorted .01 .02 .04: times 3, 2, 1.
    np.testing.assert_allclose(holm(np.array([0.04, 0.01, 0.02])), [0.04, 0.03, 0.04])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_between_the_raw_and_the_bonferroni_value_and_in_the_same_order(given):
    p = np.array(given)
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(1, p * len(p)) + 1e-15).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


def test_any_false_alarm_is_as_rare_as_asked_for():
    p = np.random.default_rng(0).random((4_000, 5))
    assert 0.04 <= np.mean([holm(row).min() <= 0.05 for row in p]) <= 0.06
