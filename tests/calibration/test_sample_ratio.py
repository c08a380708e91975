"""Do the arms have the users that were planned? Looked at every day, without and with a mismatch."""

import numpy as np
import pytest
from scipy import stats

from calibration.ramp_worlds import LONG_RAMP, RAMP, THREE_ARMS, alarms_of, ramp_up, tilted
from calibration.rates import can_be_at_least, can_be_at_most
from evenhand.opportunity.ab_tests.planned_split import PlannedSplit
from evenhand.opportunity.ab_tests.sample_ratio_findings import sample_ratios
from evenhand.stats.many_looks.sample_ratio import nearest_to_plan, p_value
from evenhand.stats.multiplicity import holm

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


@pytest.mark.parametrize("users", [20_000, 200_000])
def test_users_of_whom_some_came_back_to_another_arm_do_not_alarm(users):
    """Requests are assigned, 90 and 10%, and a user in twenty has two: .9% are in both arms, and those who
    are in one alone are less often in the small one than one in ten."""
    runs, shares, rng = 500, np.array([0.9, 0.1]), np.random.default_rng(7)
    again = rng.binomial(users, 0.05, size=runs)
    once = rng.multinomial(users - again, shares)
    stayed = rng.multinomial(again, [0.81, 0.01, 0.18])
    clear, both = (once + stayed[:, :2]).astype(float), stayed[:, 2]
    nearest = np.array([nearest_to_plan(of, shares, more) for of, more in zip(clear, both, strict=True)])
    assert can_be_at_most((p_value(nearest, shares) <= 0.05).sum(), runs, 0.05)
    if users == 200_000:
        assert (p_value(clear, shares) <= 0.05).mean() > 0.95


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


@pytest.mark.parametrize(
    ("shares", "users"),
    [(RAMP, 10), (RAMP, 500), (LONG_RAMP, 500), (THREE_ARMS, 200)],
    ids=["few users", "three phases", "ten phases", "three arms"],
)
def test_a_ramp_up_as_planned_seldom_alarms_on_any_of_60_days(shares, users):
    alarms = alarms_of(ramp_up(shares, users, 500), shares)
    assert can_be_at_most(alarms["either"], 500, 0.05)
    # What it is for: the last split for all phases.
    assert alarms["one split"] == 500


def test_users_who_come_back_must_not_count_again():
    """Half of the users of a phase come back in the next, in the arm that they have."""
    counts = ramp_up(RAMP, 500, 300)
    again = counts.copy()
    again[:, :, 1:] += np.where(counts[:, :, 1:].sum(axis=-1, keepdims=True) > 0, counts[:, :, :-1] // 2, 0)
    assert alarms_of(again, RAMP)["either"] == 300


@pytest.mark.parametrize("phase", [0, 1, 2])
def test_a_mismatch_in_one_phase_is_seen(phase):
    counts = ramp_up(tilted(RAMP, 1.2, phase), 500, 300)
    assert can_be_at_least(alarms_of(counts, RAMP)["either"], 300, 0.95)


def test_a_small_mismatch_in_all_of_many_phases_is_seen():
    """The product of E of ten phases, each with a prior of its own, does not see it."""
    alarms = alarms_of(ramp_up(tilted(LONG_RAMP, 0.515 / 0.485), 500, 300), LONG_RAMP)
    assert can_be_at_least(alarms["together"], 300, 0.85)
    assert alarms["product"] < 60


def households(runs, users_a_day, seed=11):
    """Ids, and households of one to five that share an arm, up to each of 60 days in halves as planned."""
    rng = np.random.default_rng(seed)
    sizes = rng.choice(np.arange(1, 6), p=[0.28, 0.35, 0.15, 0.13, 0.09], size=(runs, DAYS, users_a_day))
    first = rng.random(sizes.shape) < 0.5
    return tuple(
        np.stack([(each * first).sum(axis=-1), (each * ~first).sum(axis=-1)], axis=-1).cumsum(axis=1) * 1.0
        for each in (sizes, np.ones_like(sizes))
    )


@pytest.mark.parametrize("runs", [150, pytest.param(1_000, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_ids_that_were_assigned_together_alarm_and_it_is_said(runs):
    """Where households are named as what was assigned, a split as planned seldom alarms."""
    halves = np.array([0.5, 0.5])
    ids, homes = households(runs, 100)
    alarms = p_value(ids, halves) <= 0.05
    assert not can_be_at_most(alarms.any(axis=1).sum(), runs, 0.2)
    assert can_be_at_most((p_value(homes, halves) <= 0.05).any(axis=1).sum(), runs, 0.05)
    counts = {"": ids[alarms][0].astype(int).tolist()}
    (found,) = sample_ratios(counts, {}, PlannedSplit(halves), ("a", "b"), "compare", {}, everyone=True)
    assert any("Each id was assigned by itself" in text for text in found.assumptions)
    assert "If ids were assigned together" in found.warnings[0]
