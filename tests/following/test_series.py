"""Days of results as one."""

import pytest

from evenhand.findings import Finding, Interval
from evenhand.following import DayResult, followed
from evenhand.following.day_result import on_every_look
from evenhand.pictures import Blank


def finding(estimate, low, high, group="a", tolerance=0.1):
    interval = Interval(low=low, high=high, level=0.95, method="t")
    return Finding(
        audit="groups", measure="group_mean", about={"users": {"g": group}}, estimate=estimate,
        interval=interval, tolerance=tolerance, details={"alone": {"low": low, "high": high}},
    )  # fmt: skip


def test_an_interval_of_every_look_is_no_narrower_than_that_of_one():
    (one,) = on_every_look([finding(0.2, 0.15, 0.25)], [finding(0.2, 0.1, 0.24)], 0.95, "spent")
    assert (one.interval.low, one.interval.high) == (0.1, 0.25)
    assert one.interval.validity == "anytime"
    assert one.details["alone"] == {"low": 0.1, "high": 0.24}


def test_the_latest_day_is_told_with_all_days_and_gaps_beside_it():
    days = [
        ("2026-01-01", DayResult((finding(0.2, 0.15, 0.25),))),
        ("2026-01-02", None),
        ("2026-01-03", DayResult((), why="too few users")),
        ("2026-01-04", DayResult((finding(0.3, 0.05, 0.35),))),
    ]
    (told,) = followed(days)
    assert told.estimate == 0.3
    assert told.id == days[0][1].findings[0].id
    series = told.series
    assert [isinstance(day, Blank) for day in series.days] == [False, True, True, False]
    assert [day.verdict for day in series.known] == ["violation", "inconclusive"]


def test_a_group_that_vanished_is_told_of_its_last_day():
    both = DayResult((finding(0.2, 0.15, 0.25), finding(0.3, 0.25, 0.35, "b")))
    only = DayResult((finding(0.2, 0.15, 0.25),))
    gone, stays = followed([("2026-01-01", both), ("2026-01-02", only)])
    assert gone.about["day"] == "2026-01-01"
    assert gone.subject["group"] == "b"
    assert "day" not in stays.about
    assert isinstance(gone.series.days[-1], Blank)


@pytest.mark.parametrize("why", ["", "too few users"])
def test_a_day_survives_the_store(why):
    day = DayResult((finding(0.2, 0.15, 0.25),), None, why)
    assert DayResult.read(day.content()) == day
    assert day.content() == day.content()
