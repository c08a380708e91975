"""Holm's correction."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.stats.multiplicity import answers_together, holm, step_down


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


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_questions_asked_again_claim_what_the_p_values_of_holm_claim(given):
    """Each claims at every level up to 1 minus its p-value."""
    p = np.array(given)
    found = answers_together([lambda level, own=own: own <= 1 - level for own in p], bool, 0.95)
    by_p_value = [bool(p_value) for p_value in holm(p) <= 0.05]
    edge = np.isclose(np.outer(p, np.arange(1, len(p) + 1)), 0.05, rtol=1e-9).any()
    assert edge or [claimed for _, claimed in found] == by_p_value
    left = len(p) - sum(by_p_value)
    assert all(np.isclose(level, 1 - 0.05 / left) for level, claimed in found if not claimed) or edge


def test_shuffled_maxima_by_hand():
    found = np.array([3.0, 1.0])
    drawn = np.array([[1.0, 1.0], [-1.0, 0.5], [0.0, -2.0]])
    # Spreads: sqrt(11 / 4) and sqrt(6.25 / 4). The first is never reached; the second is by the first shuffle
    # and the third.
    np.testing.assert_allclose(step_down(found, drawn), [1 / 4, 3 / 4])


def test_many_tests_do_not_keep_shuffles_from_an_alarm_and_noise_seldom_alarms():
    rng = np.random.default_rng(1)
    scale = np.linspace(0.1, 10, 30)  # small groups vary more than large ones
    alarms = 0
    for _ in range(1_000):
        shared = rng.normal(size=(40, 1))
        drawn = scale * (rng.normal(size=(40, 30)) + shared)
        alarms += step_down(drawn[0], drawn[1:]).min() <= 0.05
    assert 30 <= alarms <= 70
    drawn[0, 3] = 8 * scale[3]
    adjusted = step_down(drawn[0], drawn[1:])
    assert adjusted[3] == 1 / 40
    assert np.delete(adjusted, 3).min() > 1 / 40
