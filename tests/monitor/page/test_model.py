"""The days of a monitor: which there are, and which are missing."""

from monitor.page.watched import label, watch


def test_days_that_were_never_added_are_gaps_and_those_without_a_number_are_not():
    made = watch({1: 0.1, 2: None, 5: 0.2})
    assert made.calendar == tuple(label(number) for number in range(1, 6))
    assert made.gaps == (label(3), label(4))


def test_weeks_are_seven_days_apart():
    made = watch({1: 0.1, 8: 0.1, 22: 0.1}, unit="week")
    assert made.calendar == ("2026-01-01", "2026-01-08", "2026-01-15", "2026-01-22")
    assert made.gaps == ("2026-01-15",)


def test_a_week_out_of_step_is_there_all_the_same():
    made = watch({1: 0.1, 9: 0.1}, unit="week")
    assert made.days == ("2026-01-01", "2026-01-09")
    assert set(made.days) <= set(made.calendar)


def test_one_day_is_a_calendar():
    assert watch({1: 0.1}).calendar == ("2026-01-01",)
