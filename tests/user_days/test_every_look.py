"""Findings of one look among many."""

import pytest

from evenhand.findings import Finding, Interval
from evenhand.pictures import Blank
from evenhand.report.words import sentences
from evenhand.user_days.every_look import DAILY, POOLED, levels, of_day, on_every_look


def finding(estimate, low, high):
    interval = Interval(low=low, high=high, level=0.95, method="t")
    return Finding(
        audit="groups", measure="group_mean", about={"users": {"g": "a"}}, estimate=estimate,
        interval=interval, tolerance=0.1, p_value=0.01, people={"a": 40, "b": 30},
    )  # fmt: skip


def test_an_interval_of_every_look_is_no_narrower_than_that_of_one():
    (one,) = on_every_look([finding(0.2, 0.15, 0.25)], [finding(0.2, 0.1, 0.24)], 0.95, "spent")
    assert (one.interval.low, one.interval.high) == (0.1, 0.25)
    assert one.interval.validity == "anytime"
    assert one.interval.method == "t, spent"
    assert one.details["alone"] == {"low": 0.1, "high": 0.24}
    assert one.p_value is None


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_errors_of_all_looks_of_both_readings_are_no_more_than_was_asked_for(level):
    """Of each look the errors of the day and of all days so far: thirteen years use nine tenths."""
    spent = [sum(1 - levels(level, look, share)[0] for share in (DAILY, POOLED)) for look in range(1, 5_001)]
    assert 0.9 * (1 - level) < sum(spent) <= 1 - level
    assert levels(level, 7, DAILY)[1] == level


def test_a_day_is_the_one_entry_of_its_series():
    (one,) = on_every_look([finding(0.2, 0.15, 0.25)], [finding(0.2, 0.16, 0.24)], 0.95, "spent")
    told = of_day(one, "2026-01-03", "day")
    (entry,) = told.series.days
    assert (entry.day, entry.low, entry.fixed.high, entry.verdict) == ("2026-01-03", 0.15, 0.24, "violation")
    assert entry.people == 30
    assert told.id == one.id
    assert told.details["day"] == "2026-01-03"


def test_a_day_without_an_estimate_is_a_gap():
    nothing = Finding(audit="groups", measure="confirmed_gap", estimate=None, warnings=("Too few.",))
    told = of_day(nothing, "2026-01-03", "day")
    assert isinstance(told.pictures[0].days[0], Blank)


def test_what_is_pooled_says_that_it_is_over_all_days():
    one = finding(0.2, 0.15, 0.25)
    one = one.amended(about={"by": {"users": ("g",)}, "metric": "mrr@5"} | one.about)
    pooled = one.amended(about=one.about | {"days": "all"})
    assert "over all days so far" in sentences.sentence(pooled).lower()
    assert "all days" not in sentences.sentence(one)
    assert sentences.place(pooled).endswith("all days so far")
