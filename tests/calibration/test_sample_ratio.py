"""Do the arms have the users that were planned? Looked at every day, without and with a mismatch."""

import numpy as np
import pytest
from scipy import stats

from calibration.rates import can_be_at_least, can_be_at_most
from evenhand.stats.multiplicity import holm
from evenhand.stats.sample_ratio import p_value

DAYS = 60


def looks(shares, truth, users_a_day, runs, seed=3):
    """Users in each arm up to each of 60 days, runs x days x arms."""
    drawn = np.random.default_rng(seed).multinomial(users_a_day, truth, size=(runs, DAYS))
    return drawn.cumsum(axis=1).astype(float), np.asarray(shares)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.9, 0.1), (0.25, 0.25, 0.25, 0.25)], ids=str)
@pytest.mark.parametrize("users", [5, 200])
def test_a_split_as_planned_seldom_alarms_on_any_of_60_days(shares, users):
    counts, planned = looks(shares, shares, users, 2_000)
    alarms = (p_value(counts, planned) <= 0.05).any(axis=1).sum()
    assert can_be_at_most(alarms, 2_000, 0.05)
    # What it is for: chi-square every day.
    expected = counts.sum(axis=-1, keepdims=True) * planned
    daily = stats.chi2.sf(((counts - expected) ** 2 / expected).sum(axis=-1), len(shares) - 1) <= 0.05
    assert daily.any(axis=1).mean() > 0.2


def test_a_mismatch_of_a_point_and_a_half_is_seen():
    counts, planned = looks((0.5, 0.5), (0.515, 0.485), 500, 1_000)
    seen = (p_value(counts, planned) <= 0.05).any(axis=1).sum()
    assert can_be_at_least(seen, 1_000, 0.95)


def test_rows_in_place_of_users_would_always_alarm():
    rng = np.random.default_rng(4)
    rows = rng.pareto(1.2, size=(300, 2, 1_000)).sum(axis=-1) * 10
    assert (p_value(rows.round(), np.array([0.5, 0.5])) <= 0.05).mean() > 0.9


def test_groups_at_once_keep_their_level():
    """Holm on 1/E of ten groups, every day."""
    rng = np.random.default_rng(5)
    counts = rng.multinomial(40, [0.5, 0.5], size=(500, DAYS, 10)).cumsum(axis=1).astype(float)
    p = p_value(counts, np.array([0.5, 0.5]))
    alarms = sum(any((holm(day) <= 0.05).any() for day in run) for run in p)
    assert can_be_at_most(alarms, 500, 0.05)
