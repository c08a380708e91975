"""A system that is fair every day, while what users like changes: what the series says, and whether the
random log tells that it changes."""

import numpy as np
import pytest

import evenhand as eh
from calibration.rates import can_be_at_least, can_be_at_most
from calibration.series_worlds import holds_every_day
from calibration.taste_worlds import CHANGING, STEADY, alarms, fair, logs, verdicts

QUICK = ["rows", "users with tastes", "heavy users"]


def test_a_series_of_fair_days_is_no_violation_whatever_users_like():
    rng = np.random.default_rng(1)
    for _ in range(2):
        default, random = logs(rng, weekend=0.3)
        found = eh.opportunity.series(default, random, "liked", "group", "day").findings
        assert not [f.measure for f in found if f.verdict is eh.Verdict.VIOLATION]
        assert not [text for text in found[0].warnings if "What users like changes" in text]
        pooled = eh.opportunity.series(default, random, "liked", "group", "day", window="all")
        # What matching is for: fair weekends against random traffic of all days seem unfair. That is said,
        # and nothing is decided.
        penalty = pooled.find("daily_penalty")
        assert max(day.low for day in penalty.series.days) > penalty.tolerance
        assert penalty.verdict is eh.Verdict.INCONCLUSIVE
        assert "what users like changes" in penalty.doubts[0]
        assert pooled.find("running_penalty").verdict is eh.Verdict.WITHIN_TOLERANCE
        (said,) = [text for text in pooled.findings[0].warnings if "What users like changes" in text]
        assert "group = " in said


@pytest.mark.parametrize("runs", [100, pytest.param(1_000, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("changes", [{"weekend": 0.3}, {"drift": 0.3}, {"holiday": 0.4}], ids=str)
def test_days_matched_with_their_own_random_traffic(changes, runs):
    held = holds_every_day(fair(1, **changes), runs)
    for measure in ("penalty", "groups", "ratio"):
        assert can_be_at_least(held[measure] / 100 * runs, runs, 0.95)


@pytest.mark.parametrize("runs", [100, pytest.param(1_000, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_days_matched_by_weekday(runs):
    held = holds_every_day(fair("weekday", weekend=0.3), runs)
    for measure in ("penalty", "groups", "ratio"):
        assert can_be_at_least(held[measure] / 100 * runs, runs, 0.95)
    assert holds_every_day(fair(7, weekend=0.3), 20)["penalty"] < 5


@pytest.mark.parametrize("random_rows", [400, 1_000])
def test_fair_weekends_against_whole_weeks_are_seldom_a_violation(random_rows):
    found = verdicts(fair(7, weekend=0.3, random_rows=random_rows), 60)
    assert found["beyond"] > 5
    assert can_be_at_most(found["violation"] / 100 * 60, 60, 0.05)


@pytest.mark.parametrize("window", [7, None])
@pytest.mark.parametrize("name", QUICK)
def test_a_random_log_that_stays_is_seldom_said_to_change_quick(name, window):
    said, groups = np.sum(list(alarms(STEADY[name], window, 60)), axis=0)
    assert can_be_at_most(said, 60, 0.05)
    assert can_be_at_most(groups, 60, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", STEADY)
def test_a_random_log_that_stays_is_seldom_said_to_change(name):
    runs = 60 if "Zipf" in name else 300 if "users" in name else 1_000
    said, groups = np.sum(list(alarms(STEADY[name], 7, runs)), axis=0)
    assert can_be_at_most(said, runs, 0.05)
    assert can_be_at_most(groups, runs, 0.05)


@pytest.mark.parametrize(
    ("name", "window", "power"),
    [("weekends 30%", 7, 0.99), ("weekends 15%", 7, 0.9), ("weekends 30%, users", None, 0.99)],
)
def test_a_random_log_that_changes_is_said_to(name, window, power):
    said = sum(alarm for alarm, _ in alarms(CHANGING[name], window, 30))
    assert can_be_at_least(said, 30, power)
