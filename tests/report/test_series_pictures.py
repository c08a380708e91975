"""Pictures of a series: what they draw is what the findings hold."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.pictures import Blank, Series
from evenhand.report.pages import html
from evenhand.report.pictures.brought import pictures_of, pictures_together
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


def test_days_with_both_intervals_and_the_tolerance(followed):
    finding = followed.find("daily_penalty")
    (picture,) = pictures_of(finding)
    points = rows(picture, "fixed_low", "high")
    assert [point["day"] for point in points] == [f"2024-04-{day}" for day in (18, 19, 20, 21)]
    for point, entry in zip(points, finding.series.days, strict=True):
        assert point["estimate"] == pytest.approx(100 * entry.estimate)
        assert point["low"] <= point["fixed_low"] <= point["estimate"] <= point["fixed_high"] <= point["high"]
    assert rows(picture, "at") == [{"at": pytest.approx(100 / 9)}]
    assert "the band holds for every day at once. Dashed: the tolerance." in picture.caption
    assert "4 days from 2024-04-18 to 2024-04-21" in picture.description


def test_groups_are_pictures_on_one_scale_with_both_limits(followed):
    findings = [f for f in followed.findings if f.measure == "daily_relative_utility"]
    pictures = pictures_together(findings, ["old", "young"])
    assert [picture.caption.split(":")[0] for picture in pictures] == ["old", "young"]
    domains = set()
    for picture in pictures:
        assert sorted(round(row["at"]) for row in rows(picture, "at")) == [-11, 0, 11]
        assert all(row["low"] <= row["estimate"] <= row["high"] for row in rows(picture, "low"))
        domains |= {
            tuple(layer["encoding"]["y"]["scale"]["domain"])
            for layer in picture.specification["layer"]
            if "domain" in layer["encoding"].get("y", {}).get("scale", {})
        }
    assert len(domains) == 1


def test_days_of_a_year_are_a_line_on_two_bands_and_months(followed):
    finding = followed.find("daily_penalty")
    (day, *_) = finding.series.days
    dates = [str(label.date()) for label in pd.date_range("2024-01-01", periods=366)]
    days = [day.model_copy(update={"day": label}) for label in dates]
    year = finding.amended(pictures=(Series(unit="day", days=tuple(days)),))
    (picture,) = pictures_of(year)
    kinds = [layer["mark"]["type"] for layer in picture.specification["layer"]]
    assert kinds == ["rule", "area", "area", "line", "point"]
    axis = picture.specification["layer"][1]["encoding"]["x"]
    assert axis["axis"]["format"] == "%b"
    assert axis["title"] == "2024"
    assert "dark band" in picture.caption


def test_the_year_is_said_once(followed):
    (picture,) = pictures_of(followed.find("daily_penalty"))
    axis = picture.specification["layer"][-1]["encoding"]["x"]
    assert axis["axis"]["format"] == "%d %b"
    assert axis["title"] == "2024"


def test_changes_have_a_line_at_no_change_and_no_tolerance(followed):
    (picture,) = pictures_of(followed.find("penalty_change", against="before"))
    assert rows(picture, "at") == [{"at": 0.0}]
    assert len(rows(picture, "fixed_low")) == 3


def test_the_report_has_the_pictures_and_the_words(followed):
    page = html.render(followed.document)
    assert "<h2>Opportunity over time by age</h2>" in page
    assert "the latest day, the penalty was" in page
    assert page.count("<figcaption") == 7
    assert "<th>Day that decides</th>" in page


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
    assert pictures_together(changes * 2, ["first day", "day before"] * 2) == []
    assert "Change of the opportunity penalty" in html.render((followed + _later(followed)).document)


def _later(followed):
    """The same series with other numbers, as another window would give."""
    return eh.AuditResult(
        tuple(
            f.amended(estimate=None if f.estimate is None else f.estimate * 0.9) for f in followed.findings
        ),
        seed=followed.seed,
    )
