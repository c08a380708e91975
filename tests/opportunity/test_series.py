"""Opportunity over time: what the findings say of the days, and that it is what the single audits say."""

import re

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.over_time.preparation import prepare_series
from evenhand.opportunity.over_time.timeline import Stretches
from evenhand.pictures import Blank
from evenhand.report.words.sentences import sentence
from evenhand.stats.log_ratios.counts import cluster_scores
from evenhand.stats.log_ratios.moderated import moderated_scores
from opportunity.conftest import make_log

ASKED = {"label": "liked", "group": "creator_age", "day": "day"}
START = pd.Timestamp("2024-04-18")


def dated(log, rng, days, skip=()):
    """The log with a day for each row."""
    numbers = rng.choice([day for day in range(days) if day not in skip], size=len(log))
    return log.assign(day=(START + pd.to_timedelta(numbers, unit="D")).strftime("%Y-%m-%d"))


@pytest.fixture(scope="module")
def week():
    """Seven days, of which the third is missing; on the last one the young are shown half as often."""
    rng = np.random.default_rng(0)
    rates = {"18-24": 0.10, "25-34": 0.11, "35+": 0.11}
    default = dated(make_log(rng, 30_000, rates), rng, 7, skip=(2, 6))
    last = dated(make_log(rng, 8_000, rates | {"18-24": 0.04}), rng, 7).assign(day="2024-04-24")
    random = dated(make_log(rng, 30_000, {"18-24": 0.05, "25-34": 0.055, "35+": 0.055}), rng, 7)
    return pd.concat([default, last], ignore_index=True), random


@pytest.fixture(scope="module")
def followed(week):
    return eh.opportunity.series(*week, **ASKED, cluster="user_id", window="all")


def timeline_of(week, cluster=None, window="all"):
    question = Question.of("liked", "creator_age", cluster, None, None, "refuse")
    tables = [eh.table(log, name=name) for log, name in zip(week, ("default log", "random log"), strict=True)]
    return prepare_series(*tables, question, "day", "day", window, lambda message: None)


def days_of(result, measure, **subject):
    return pd.json_normalize(
        [one.model_dump() for one in result.find(measure, **subject).series.days]
    ).set_index("day")


def test_the_findings_of_a_series(followed):
    assert [(f.measure, f.subject.get("group"), f.subject.get("against")) for f in followed.findings] == [
        ("running_penalty", None, None),
        ("daily_penalty", None, None),
        ("daily_relative_utility", "18-24", None),
        ("daily_relative_utility", "25-34", None),
        ("daily_relative_utility", "35+", None),
        ("daily_worst_ratio", None, None),
        ("penalty_change", None, "before"),
        ("penalty_change", None, "first"),
    ]
    assert {finding.interval.validity for finding in followed.findings} == {"anytime"}
    assert all("no row on 1 of the 7 days" in finding.warnings[0] for finding in followed.findings)
    assert "2024-04-20" in followed.findings[0].warnings[0]


def test_each_day_is_what_an_audit_of_that_day_says(week, followed):
    default, random = week
    daily = days_of(followed, "daily_penalty")
    assert len(daily) == 6
    for day in ("2024-04-18", "2024-04-24"):
        alone = eh.opportunity.audit(
            default[default.day == day], random, "liked", "creator_age", cluster="user_id"
        )
        penalty, ratio = alone.find("reo_penalty"), alone.find("worst_ratio")
        assert daily.loc[day, "estimate"] == pytest.approx(penalty.estimate)
        assert tuple(daily.loc[day, ["fixed.low", "fixed.high"]]) == pytest.approx(
            (penalty.interval.low, penalty.interval.high)
        )
        assert days_of(followed, "daily_worst_ratio").loc[day, "estimate"] == pytest.approx(ratio.estimate)
        young = days_of(followed, "daily_relative_utility", group="18-24").loc[day]
        theirs = alone.find("relative_utility", group="18-24")
        assert young["estimate"] == pytest.approx(theirs.estimate)
        assert young["fixed.low"] == pytest.approx(theirs.interval.low)


def test_the_running_value_of_the_last_day_is_an_audit_of_the_whole_log(week, followed):
    whole = eh.opportunity.audit(*week, "liked", "creator_age", cluster="user_id").find("reo_penalty")
    running = followed.find("running_penalty")
    assert running.estimate == pytest.approx(whole.estimate)
    last = running.series.days[-1]
    assert last.fixed.low == pytest.approx(whole.interval.low)
    assert last.n == (week[0].day == last.day).sum()
    assert running.n.count == len(week[0]) + len(week[1])


def test_a_change_against_the_day_before_is_an_ab_test(week, followed):
    """Two days that share the random log are two arms that share it."""
    default, random = week
    arms = {"before": default[default.day == "2024-04-23"], "day": default[default.day == "2024-04-24"]}
    test = eh.opportunity.compare(arms, random, "liked", "creator_age", cluster="user_id")
    difference = test.find("reo_difference")
    change = days_of(followed, "penalty_change", against="before").loc["2024-04-24"]
    assert change["estimate"] == pytest.approx(difference.estimate)
    assert (change["fixed.low"], change["fixed.high"]) == pytest.approx(
        (difference.interval.low, difference.interval.high)
    )


def test_intervals_of_all_days_contain_those_of_one(followed):
    for finding in followed.findings:
        for entry in finding.series.days:
            assert entry.low <= entry.fixed.low
            assert entry.high >= entry.fixed.high


def test_the_day_that_decides(followed):
    penalty = followed.find("daily_penalty")
    assert penalty.details["day"] == "2024-04-24"
    assert penalty.verdict is eh.Verdict.VIOLATION
    assert penalty.details["days_outside"] == 1
    assert penalty.details["days"] == 6
    assert followed.find("daily_relative_utility", group="18-24").estimate < -0.3
    change = followed.find("penalty_change", against="first")
    assert change.details["day"] == "2024-04-24"
    assert change.details["days_clear"] == 1
    assert change.interval.low > 0
    assert change.verdict is None


def test_the_latest_day_decides_if_asked(week, followed):
    latest = eh.opportunity.series(*week, **ASKED, window="all", cluster="user_id", judge="latest")
    for measure in ("daily_penalty", "daily_worst_ratio"):
        any_day, last = followed.find(measure), latest.find(measure)
        assert last.details["day"] == "2024-04-24"
        assert last.series.days == any_day.series.days
    assert latest.find("daily_penalty").verdict is eh.Verdict.VIOLATION
    assert not [f for f in latest.findings if f.measure == "running_penalty"]
    assert sentence(latest.find("penalty_change", against="before")).startswith("The latest change: ")
    # With the days turned round the bad one comes first, and its own window has nothing.
    default, random = (
        log.assign(
            day=(START + (START + pd.Timedelta(days=6) - pd.to_datetime(log.day))).dt.strftime("%Y-%m-%d")
        )
        for log in week
    )
    scarce = random[random.day > default.day.min()]
    asked = {**ASKED, "window": 1, "tolerance": 0.9}
    assert eh.opportunity.series(default, scarce, **asked).find("daily_penalty").verdict is (
        eh.Verdict.INCONCLUSIVE
    )
    penalty = eh.opportunity.series(default, scarce, **asked, judge="latest").find("daily_penalty")
    assert penalty.details["day"] == "2024-04-24"
    assert penalty.verdict is eh.Verdict.WITHIN_TOLERANCE
    empty = random[random.day < "2024-04-24"]
    penalty = eh.opportunity.series(default, empty, **asked, judge="latest").find("daily_penalty")
    assert penalty.estimate is None
    assert penalty.verdict is eh.Verdict.NOT_APPLICABLE


def test_one_undecided_day_leaves_the_series_undecided(week):
    result = eh.opportunity.series(*week, **ASKED, window="all", tolerance=0.28)
    penalty = result.find("daily_penalty")
    assert penalty.details["days_within"] == 5
    assert penalty.details["days_outside"] == 0
    assert penalty.verdict is eh.Verdict.INCONCLUSIVE
    assert eh.opportunity.series(*week, **ASKED, tolerance=0.9).find("daily_penalty").verdict is (
        eh.Verdict.WITHIN_TOLERANCE
    )
    assert eh.opportunity.series(*week, **ASKED, tolerance=None).find("daily_penalty").verdict is None


def test_the_baseline_is_the_first_days_together(week):
    default, random = week
    result = eh.opportunity.series(default, random, **ASKED, baseline=2, window="all")
    change = result.find("penalty_change", against="first", periods=2)
    first = default[default.day <= "2024-04-19"]
    arms = {"first": first, "day": default[default.day == "2024-04-24"]}
    difference = eh.opportunity.compare(arms, random, "liked", "creator_age").find("reo_difference")
    assert change.series.days[-1].estimate == pytest.approx(difference.estimate)
    assert change.series.days[-1].fixed.high == pytest.approx(difference.interval.high)
    assert change.series.days[0].day == "2024-04-21"


# The covariance between stretches of days


def between(arms):
    """Covariance of log U of the first with that of the second."""
    groups = len(arms.groups)
    return arms.errors(0, 1).covariance[:groups, groups:]


def test_rows_that_two_windows_share_are_what_they_covary_by(week):
    timeline = timeline_of(week, window=3)
    arms = Stretches(timeline, (timeline.day(3), timeline.day(4)))
    # The 22nd and the 23rd: windows 20-22 and 21-23 share the 21st and the 22nd.
    counts = week[1][week[1].liked == 1].groupby(["day", "creator_age"]).size().unstack()
    first, second = counts["2024-04-20":"2024-04-22"].sum(), counts["2024-04-21":"2024-04-23"].sum()
    shared = counts["2024-04-21":"2024-04-22"].sum()
    np.testing.assert_allclose(between(arms), np.diag(shared / (first * second)))
    far = Stretches(timeline, (timeline.day(0), timeline.day(5)))
    np.testing.assert_array_equal(between(far), np.zeros((3, 3)))


def test_with_one_random_log_days_are_arms(week):
    for cluster in (None, "user_id"):
        timeline = timeline_of(week, cluster)
        days = Stretches(timeline, (timeline.day(0), timeline.day(1)))
        question = Question.of("liked", "creator_age", cluster, None, None, "refuse")
        logs = [
            question.count(eh.table(week[0][week[0].day == day]))[0] for day in ("2024-04-18", "2024-04-19")
        ]
        arms = Arms.from_logs(logs, question.count(eh.table(week[1]))[0])
        ours, theirs = days.errors(0, 1), arms.errors(0, 1)
        np.testing.assert_allclose(ours.covariance, theirs.covariance)
        assert ours.most == theirs.most
        np.testing.assert_allclose(days.utilities(1), arms.utilities(1))
        theirs = ArmInference(arms, 1, 0).penalty_interval(0.95)
        assert timeline.inference(timeline.day(1), 0).penalty_interval(0.95) == pytest.approx(theirs)


def test_a_day_covaries_with_a_stretch_that_it_is_part_of(week):
    timeline = timeline_of(week)
    arms = Stretches(timeline, (timeline.day(1), timeline.until(1)))
    common = 1 / arms.random_of(0)
    # All rows of the day are in the stretch: A_ij / (A_i A_j) = 1 / A_j.
    np.testing.assert_allclose(np.diag(between(arms)), 1 / arms.positives[1] + common)


def test_users_who_come_back_tie_days_together(week):
    timeline = timeline_of(week, "user_id")
    logs = timeline.positives, timeline.random_positives
    scores = [cluster_scores(logs[0][t]) - cluster_scores(logs[1][0]) for t in (0, 1)]
    arms = Stretches(timeline, (timeline.day(0), timeline.day(1)))
    # Without what is common to all groups, and with what groups learn from each other.
    both = np.stack(scores, axis=1)
    learnt = moderated_scores(both - both.mean(axis=2, keepdims=True), 0.5)
    np.testing.assert_allclose(between(arms), learnt[:, 0].T @ learnt[:, 1])
    assert len(logs[0][0]) == 1024


# Days in many clothes


@pytest.mark.parametrize(
    "write",
    [
        lambda days: pd.to_datetime(days).dt.date,
        lambda days: pd.to_datetime(days) + pd.Timedelta(hours=17),
        lambda days: days + " 17:30:00",
        lambda days: days.str.replace("-", ""),
        lambda days: days.str.replace("-", "").astype(int),
    ],
    ids=["dates", "times", "text with a time", "compact text", "yyyymmdd"],
)
def test_days_may_be_written_in_many_ways(week, write):
    same = [log.assign(day=write(log.day)) for log in week]
    assert eh.opportunity.series(*same, **ASKED).findings == eh.opportunity.series(*week, **ASKED).findings


def test_days_may_be_numbers(week):
    numbered = [log.assign(day=(pd.to_datetime(log.day) - START).dt.days + 1) for log in week]
    result = eh.opportunity.series(*numbered, **ASKED)
    assert [entry.day for entry in result.find("daily_penalty").series.days] == list("124567")
    assert "1 of the 7 days from 1 to 7: 3." in result.findings[0].warnings[0]
    with pytest.raises(InputError, match="weeks need dates"):
        eh.opportunity.series(*numbered, **ASKED, period="week")


def test_weeks_begin_on_monday_and_short_ones_are_named(week):
    result = eh.opportunity.series(*week, **ASKED, period="week")
    penalty = result.find("daily_penalty")
    assert [entry.day for entry in penalty.series.days] == ["2024-04-15", "2024-04-22"]
    assert penalty.details["unit"] == "week"
    assert "Not every day of these weeks has rows: 2024-04-15, 2024-04-22." in penalty.warnings


def test_a_random_log_of_another_time_is_used_and_named_or_left_out_of_windows(week):
    default, random = week
    older = random.assign(day="2024-03-01")
    both = pd.concat([random, older], ignore_index=True)
    shared = eh.opportunity.series(default, both, **ASKED, window="all")
    assert (
        "About 50% of the rows of the random log are of days before or after"
        in shared.findings[0].warnings[1]
    )
    windowed = eh.opportunity.series(default, both, **ASKED, window=7)
    (left,) = [item for item in windowed.findings[0].excluded if "random log" in item.what]
    assert left.count == 30_000
    alone = eh.opportunity.series(default, random, **ASKED, window=7)
    assert windowed.find("daily_penalty").estimate == alone.find("daily_penalty").estimate


def test_a_random_log_without_days_is_shared_by_all(week):
    default, random = week
    without = eh.opportunity.series(default, random.drop(columns="day"), **ASKED)
    assert [f.estimate for f in without.findings] == [
        f.estimate for f in eh.opportunity.series(default, random, **ASKED, window="all").findings
    ]


def test_a_day_is_held_against_random_traffic_of_its_own_unless_told_otherwise(week):
    default, random = week
    own = eh.opportunity.series(default, random, **ASKED)
    assert own.findings == eh.opportunity.series(default, random, **ASKED, window=1).findings
    assert "random traffic of its own" in own.findings[0].assumptions[-1]
    (said,) = [
        text
        for text in eh.opportunity.series(default, random.drop(columns="day"), **ASKED).findings[0].warnings
        if "has no column 'day'" in text
    ]
    assert "a system that is fair on every day may look unfair" in said


def test_random_traffic_of_the_weekday_is_that_of_four_weeks(week):
    default, random = week
    rng = np.random.default_rng(2)
    timeline = timeline_of((dated(default, rng, 42), dated(random, rng, 42)), window="weekday")
    days = np.arange(42)
    age = np.subtract.outer(days, days)
    np.testing.assert_array_equal(timeline.within, np.isin(age, [0, 7, 14, 21]))


def test_a_day_whose_window_has_too_little_is_named_and_is_no_pass(week):
    default, random = week
    scarce = random[random.day >= "2024-04-19"]
    result = eh.opportunity.series(default, scarce, **ASKED, window=1, tolerance=0.99)
    penalty = result.find("daily_penalty")
    assert penalty.series.days[0] == Blank(day="2024-04-18", n=(default.day == "2024-04-18").sum())
    left = penalty.excluded[-1]
    assert left.what == "day 2024-04-18"
    assert "no positive row in the random traffic of its window" in left.why
    assert penalty.details["days"] == penalty.details["days_within"] == 5
    assert penalty.verdict is eh.Verdict.INCONCLUSIVE


def test_a_group_that_is_not_shown_on_a_day_has_the_worst_ratio_and_an_interval(week):
    default, random = week
    hidden = (default.day == "2024-04-19") & (default.creator_age == "18-24")
    result = eh.opportunity.series(default.assign(liked=default.liked.where(~hidden, 0)), random, **ASKED)
    ratio = days_of(result, "daily_worst_ratio").loc["2024-04-19"]
    assert ratio["estimate"] == ratio["low"] == 0
    assert 0 < ratio["high"] < 0.1
    young = days_of(result, "daily_relative_utility", group="18-24").loc["2024-04-19"]
    assert young["estimate"] == young["low"] == -1
    assert young["fixed.high"] <= young["high"] < -0.9


def test_files_of_days_and_one_frame_give_the_same(week, tmp_path):
    default, random = week
    for day, part in default.groupby("day"):
        part.to_parquet(tmp_path / f"{day}.parquet", index=False)
    random.to_parquet(tmp_path / "random-log.pq.parquet", index=False)
    files = eh.opportunity.series(
        str(tmp_path / "2024-*.parquet"), tmp_path / "random-log.pq.parquet", **ASKED, cluster="user_id"
    )
    frame = eh.opportunity.series(default, random, **ASKED, cluster="user_id")
    assert files.findings == frame.findings


def test_without_random_traffic_nothing_can_be_said(week):
    (finding,) = eh.opportunity.series(week[0], None, **ASKED).findings
    assert finding.estimate is None
    assert "Cannot be identified without random traffic" in finding.warnings[0]


def test_progress_is_said(week):
    said = []
    eh.opportunity.series(*week, **ASKED, progress=said.append)
    assert said == ["counting default log", "counting random log", "intervals of 6 days", "changes of 6 days"]


def test_weeks_are_called_weeks(tmp_path):
    rng = np.random.default_rng(2)
    default = pd.concat(
        [
            make_log(rng, 900, {"a": 0.25, "b": 0.2 if week else 0.1, "c": 0.15}).assign(
                day=START + pd.Timedelta(days=7 * week)
            )
            for week in range(4)
        ]
    )
    random = make_log(rng, 2_000, {"a": 0.2, "b": 0.2, "c": 0.2})
    found = eh.opportunity.series(default, random, **ASKED, period="week")
    for finding in found.findings:
        said = sentence(finding)
        assert " day" not in said
        assert "week" in said
    assert "In the week of 15 April 2024, " in sentence(found.find("daily_penalty"))
    changes = [sentence(f) for f in found.findings if f.measure == "penalty_change"]
    assert [re.search(r"than (in the .* ?week.*?) \(", said)[1] for said in changes] == [
        "in the week before",
        "in the first week",
    ]
    found.save(tmp_path)
    assert "by day" not in (tmp_path / "report.html").read_text()


def test_days_with_few_positive_rows_of_a_group_are_said(week, followed):
    """Of all days together there are enough, and of one day there are not."""
    default, random = week
    thin = (default["creator_age"] == "35+") & (default["day"] == "2024-04-19") & (default["liked"] == 1)
    few = default.drop(default.index[thin][4:])
    found = eh.opportunity.series(few, random, **ASKED, window="all")
    said = "Fewer than 10 positive rows in the default log for creator_age = 35+ on 1 of 6 days"
    for finding in found.findings:
        assert any(said in warning for warning in finding.warnings)
    assert not any("Fewer than 10" in warning for f in followed.findings for warning in f.warnings)
