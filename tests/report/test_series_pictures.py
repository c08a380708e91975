"""Pictures of a series: what they draw is what the findings hold."""

import json

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.pictures import Blank, Series
from evenhand.report.pages import html
from evenhand.report.pages.arrange import Family
from evenhand.report.pictures.gallery import pictures_of, pictures_of_each, pictures_together
from evenhand.report.pictures.kinds import days
from evenhand.report.suppression.suppress import suppress
from evenhand.report.words.series import known_days


def rows(picture, *columns):
    drawn = [row for data in picture.specification["datasets"].values() for row in data]
    return [row for row in drawn if set(columns) <= set(row)]


@pytest.fixture(scope="module")
def followed():
    rng = np.random.default_rng(2)
    logs = []
    for rates in ([0.08, 0.12], [0.06, 0.06]):
        kind = rng.choice(3, size=6_000, p=[*rates, 1 - sum(rates)])
        group = np.where(kind < 2, kind, rng.integers(2, size=6_000))
        day = [f"2024-04-{18 + i % 4}" for i in range(6_000)]
        logs.append(pd.DataFrame({"age": np.array(["old", "young"])[group], "liked": kind < 2, "day": day}))
    return eh.opportunity.series(*logs, label="liked", group="age", day="day")


def test_a_day_is_drawn_with_the_interval_that_decides(followed):
    finding = followed.find("daily_penalty")
    (picture,) = pictures_of(finding)
    points = rows(picture, "at", "high")
    assert [point["day"] for point in points] == [f"2024-04-{day}" for day in (18, 19, 20, 21)]
    limit = 100 * finding.tolerance
    for point, entry, row in zip(points, finding.series.days, picture.rows, strict=True):
        assert point["at"] == pytest.approx(100 * entry.estimate, rel=1e-5)
        assert (point["low"], point["high"]) == pytest.approx((100 * entry.low, 100 * entry.high), rel=1e-5)
        # What is drawn says what the mark says: a line beyond the limit is outside, one across it undecided.
        beyond = {"violation": point["low"] > limit, "inconclusive": point["low"] <= limit < point["high"]}
        assert beyond.get(entry.verdict, point["high"] <= limit)
        assert row["low, this day alone"] == entry.fixed.low
    assert rows(picture, "limit") == [{"limit": pytest.approx(100 / 9)}]
    assert "holds for all 4 days at once and decides" in picture.caption
    assert "4 days from 2024-04-18 to 2024-04-21" in picture.description


@pytest.mark.parametrize(
    ("labels", "ticks"),
    [
        ([f"2024-04-{day}" for day in (18, 19, 20, 21)], [18, 19, 20, 21]),
        ([f"2024-04-{day}" for day in range(10, 20)], None),
    ],
)
def test_few_days_have_a_tick_each_and_no_day_has_two(labels, ticks):
    axis = days.axis(labels, "day").to_dict()["axis"]
    assert [one["date"] for one in axis["values"]] == ticks if ticks else "values" not in axis


def test_no_numbered_day_has_two_ticks():
    assert days.axis(["1", "2", "3"], "day").to_dict()["axis"]["tickMinStep"] == 1


def test_a_penalty_begins_at_zero(followed):
    for measure in ("daily_penalty", "running_penalty"):
        (picture,) = pictures_of(followed.find(measure))
        assert y_domain(picture)[0] == 0


def y_domain(picture):
    return next(
        layer["encoding"]["y"]["scale"]["domain"]
        for layer in picture.specification["layer"]
        if "domain" in layer["encoding"].get("y", {}).get("scale", {})
    )


def test_groups_are_pictures_on_scales_of_their_own_with_both_limits(followed):
    findings = [f for f in followed.findings if f.measure == "daily_relative_utility"]
    pictures = pictures_together(Family(tuple(findings), ("old", "young")))
    assert {picture.specification["title"]["text"].split(": ")[1] for picture in pictures} == {"old", "young"}
    for picture in pictures:
        assert sorted(round(row["limit"]) for row in rows(picture, "limit")) == [-11, 11]
        ends = [row[end] for row in rows(picture, "low") for end in ("low", "high")]
        low, high = y_domain(picture)
        assert low <= min(ends) <= max(ends) <= high
        # Neither cut nor flattened by another group: what is drawn fills the picture.
        assert max(*ends, 12) - min(*ends, -12) > 0.8 * (high - low)


def test_days_of_a_year_are_a_line_on_a_band_and_months(followed):
    finding = followed.find("daily_penalty")
    (day, *_) = finding.series.days
    dates = [str(label.date()) for label in pd.date_range("2024-01-01", periods=366)]
    days = [day.model_copy(update={"day": label}) for label in dates]
    year = finding.amended(pictures=(Series(unit="day", days=tuple(days)),))
    (picture,) = pictures_of(year)
    kinds = [layer["mark"]["type"] for layer in picture.specification["layer"]]
    assert kinds[:5] == ["rule", "area", "line", "line", "line"]
    axis = picture.specification["layer"][1]["encoding"]["x"]
    assert axis["axis"]["format"] == "%b"
    assert axis["title"] == "2024"
    assert "the band is its 95% interval" in picture.caption
    assert len(picture.rows) == 366
    assert len(json.dumps(picture.specification)) < 45_000


def test_the_year_is_said_once(followed):
    (picture,) = pictures_of(followed.find("daily_penalty"))
    axis = next(
        layer["encoding"]["x"]
        for layer in picture.specification["layer"]
        if "axis" in layer["encoding"].get("x", {})
    )
    assert axis["axis"]["format"] == "%d %b"
    assert axis["title"] == "2024"


def test_both_changes_are_one_picture_with_a_line_at_no_change(followed):
    changes = [f for f in followed.findings if f.measure == "penalty_change"]
    (picture,), other = pictures_of_each(changes)
    assert other == []
    assert rows(picture, "no_effect") == [{"no_effect": 0.0}]
    assert {row["of"] for row in rows(picture, "of")} == {
        "against the day before", "against the first day"
    }  # fmt: skip
    assert len(picture.rows) == len(rows(picture, "of")) == 6


def test_the_report_has_the_pictures_and_the_words(followed):
    page = html.render(followed.document)
    assert ">Opportunity over time by age</h3>" in page
    assert "the latest day, the penalty was" in page
    assert page.count("<figcaption") == 6
    assert ">Day that decides</th>" in page


def test_days_with_very_few_rows_of_a_group_are_not_published(followed):
    finding = followed.find("daily_relative_utility", group="old")
    first, second, *others = finding.series.days
    small = Series(unit="day", days=(first, second.model_copy(update={"n": 3}), *others))
    (shown,) = suppress([finding.amended(pictures=(small,))], 5)
    assert shown.series.days[1] == Blank(day="2024-04-19")
    assert [entry.day for entry in known_days(shown)] == ["2024-04-18", "2024-04-20", "2024-04-21"]


def test_two_series_of_one_attribute_stand_in_one_report(followed):
    """Their changes are more than a few, and make no pictures of groups."""
    changes = [f for f in followed.findings if f.measure == "penalty_change"]
    assert pictures_together(Family(tuple(changes * 2), ("first day", "day before") * 2)) == []
    assert "Change of the opportunity penalty" in html.render((followed + _later(followed)).document)


def _later(followed):
    """The same series with other numbers, as another window would give."""
    return eh.AuditResult(
        tuple(
            f.amended(estimate=None if f.estimate is None else f.estimate * 0.9) for f in followed.findings
        ),
        seed=followed.seed,
    )
