"""A monitor in sentences."""

import pytest

from evenhand.monitor.page import words
from evenhand.monitor.page.model import Flag
from monitor.page.watched import label, watch

TEN = dict.fromkeys(range(1, 11), 0.1)


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ((), "10 days from 1 January 2026 to 10 January 2026, none missing."),
        ((4,), "9 of the 10 days from 1 January 2026 to 10 January 2026; 1 is missing: 4 January 2026."),
        (
            (4, 5),
            "8 of the 10 days from 1 January 2026 to 10 January 2026; 2 are missing: 4 and 5 January 2026.",
        ),
        ((4, 5, 6, 8), "6 of the 10 days from 1 January 2026 to 10 January 2026; 4 are missing."),
    ],
)
def test_missing_days_are_named_where_they_are_few(missing, said):
    assert words.missing(watch({day: 0.1 for day in TEN if day not in missing})) == said


def test_missing_days_that_follow_each_other_are_one_stretch():
    made = watch({day: 0.1 for day in TEN if day not in (4, 5, 6, 8)})
    assert words.stretches(made) == ["4 January 2026 to 6 January 2026 (3 days)", "8 January 2026"]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "No flag is open."),
        ([("a", "closed")], "No flag is open; 1 was before."),
        ([("a", "open")], "One flag is open: a, since 2 January 2026."),
        ([("a", "open"), ("b", "open")], "2 flags are open: a and b; the first since 2 January 2026."),
        ([("a", "open"), ("a", "open")], "2 flags are open: a (2); the first since 2 January 2026."),
        ([(name, "open") for name in "abcd"], "4 flags are open, the first since 2 January 2026."),
        ([("a", "withdrawn")], "No flag is open."),
    ],
)
def test_flags_that_are_open_are_said(flags, said):
    made = tuple(Flag(name, "a-1", "x", state, label(2)) for name, state in flags)
    assert words.flags(watch(TEN, flags=made)) == said


def test_a_week_is_called_so():
    assert words.latest(watch({1: 0.1}, unit="week")) == "the week of 1 January 2026"
