"""Digits, signs and units."""

from __future__ import annotations

import pytest

from evenhand.findings import Finding, Interval
from evenhand.report.pages import tables
from evenhand.report.pictures import strips
from evenhand.report.words import numbers, sentences


@pytest.mark.parametrize(
    ("value", "show", "decimals", "sign", "expected"),
    [
        (-0.2345, "percent", 0, False, "−23%"),
        (0.2345, "percent", 1, True, "+23.4%"),
        (-0.0004, "percent", 1, True, "0.0%"),
        (0.0, "percent", 2, True, "0%"),
        (0.0312, "points", 1, True, "+3.1 points"),
        (1234.5, "number", 0, False, "1,234"),
        (0.01, "points", 0, False, "1 point"),
    ],
)
def test_figure(value, show, decimals, sign, expected):
    assert numbers.figure(value, show, decimals, sign=sign) == expected


@pytest.mark.parametrize(
    ("value", "said", "frequency"),
    [
        (6e-20, "p < 0.001", "fewer than 1 in 1,000"),
        (0.004, "p = 0.004", "about 4 in 1,000"),
        (0.034, "p = 0.034", "about 3 in 100"),
        (0.4, "p = 0.40", "about 40 in 100"),
    ],
)
def test_p_values(value, said, frequency):
    assert numbers.p_value(value) == said
    assert numbers.chance(value) == frequency


def test_how_much_more_data():
    assert [
        numbers.times(*ends) for ends in ((1, 1.44), (1.5, 9.96), (2.7, 12.3), (1.5, 400), (2, 2.02))
    ] == [
        "about 1.4 times",
        "about 1.5 to 10 times",
        "about 2.7 to 12 times",
        "more than 100 times",
        "about 2.0 times",
    ]


def test_digits_follow_the_interval(make):
    wide, narrow = make.utility("a", 0.2, 0.1, 0.3), make.utility("b", 0.2, 0.196, 0.204)
    assert numbers.decimals_of(0.2, wide, "percent", 0.0) == 0
    assert numbers.decimals_of(0.2, narrow, "percent", 0.0) == 1
    assert numbers.decimals_of(0.2, narrow, "number", 0.0) == 3


def test_levels_and_sizes():
    assert [numbers.percent_of(level) for level in (0.95, 0.999)] == ["95%", "99.9%"]
    assert [numbers.size_of(size) for size in (12, 8_100_000, 1_930_000_000)] == [
        "12 bytes",
        "8.1 MB",
        "1.9 GB",
    ]


def test_only_the_bound_near_zero_has_more_digits(make):
    finding = make.utility("a", 0.02767, 0.00004, 0.05529)
    said = [numbers.decimals_of(v, finding, "percent", 0.0) for v in (0.02767, 0.00004, 0.05529)]
    assert said == [0, 3, 0]
    assert numbers.decimals_of(-0.00004, finding, "percent", 0.0) == 3
    assert numbers.decimals_of(0.001, finding, "percent", 0.0) == 1, "what is not 0 does not look like it"


def test_squares_are_said_as_their_root():
    """A mean squared miss of 0.0016 is a typical miss of 4%."""
    assert numbers.figure(0.0016, "squared", 1) == "4.0%"
    assert numbers.figure(-0.0001, "squared", 1) == "0%", "corrected for bias, a square may be below 0"
    wide = Interval(low=0.0009, high=0.0025, level=0.95, method="t")
    finding = Finding(audit="exposure", measure="II", estimate=0.0016, interval=wide)
    assert "is typically 4% of a top place off its target (3 to 5%)" in sentences.sentence(finding)


@pytest.mark.parametrize(("days", "said"), [(30.9, "31 days"), (0.3, "1 day"), (7.0, "7 days")])
def test_days_are_whole(days, said):
    assert numbers.figure(days, "days", 1) == said


@pytest.mark.parametrize(
    ("measure", "tolerance", "said"),
    [
        ("group_gap", 0.05, "0.05"),
        ("confirmed_gap", 0.05, "0.05"),
        ("confirmed_gap", 0.1, "0.1"),
        ("confirmed_gap", 0.0125, "0.0125"),
        ("reo_penalty", 0.125, "12.5%"),
        ("reo_penalty", 0.07, "7%"),
        ("reo_penalty", 1 / 9, "11%"),
        ("reo_difference", 0.015, "1.5 points"),
        ("geaa", 0.003, "0.003"),
    ],
)
def test_a_tolerance_is_printed_as_it_was_given(measure, tolerance, said):
    """However few digits the interval beside it has: an agreed 0.05 is not "0.1"."""
    wide = Interval(low=-0.1, high=0.9, level=0.95, method="t")
    finding = Finding(audit="a", measure=measure, estimate=0.4, interval=wide, tolerance=tolerance)
    assert f"limit {said}" in sentences.evidence(finding)
    assert tables.row(finding).tolerance == f"≤ {said}"
    assert strips.strip(finding).tolerance.label.endswith(said)
