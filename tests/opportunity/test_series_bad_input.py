"""What a series cannot use is refused in one sentence."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from opportunity.conftest import make_log

ASKED = {"label": "liked", "group": "creator_age", "day": "day"}


@pytest.fixture
def week():
    rng = np.random.default_rng(0)
    rates = {"a": 0.2, "b": 0.2}
    return tuple(
        make_log(rng, 700, rates).assign(day=[f"2024-04-{18 + i % 7}" for i in range(700)]) for _ in range(2)
    )


def refused(default, random, **options):
    with pytest.raises(InputError) as error:
        eh.opportunity.series(default, random, **(ASKED | options))
    return str(error.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tolerance": -0.1}, "tolerance is -0.1, but must be a number above 0 and below 1"),
        ({"tolerance": 0}, "tolerance is 0, but must be a number above 0 and below 1"),
        ({"level": 1.5}, "level is 1.5, but must be a finite number"),
        ({"period": "month"}, "period is 'month', but must be one of day, week."),
        ({"window": 0}, "window is 0, but must be a whole number of at least 1 or one of weekday, all."),
        ({"window": 2.5}, "window is 2.5, but must be a whole number"),
        (
            {"window": "month"},
            "window is 'month', but must be a whole number of at least 1 or one of weekday, all.",
        ),
        ({"window": "weekday", "period": "week"}, "window is 'weekday', but period is 'week'"),
        ({"baseline": 0}, "baseline is 0, but must be a whole number of at least 1."),
        ({"window": True}, "window is True, but must be a whole number"),
        ({"baseline": True}, "baseline is True, but must be a whole number"),
        ({"day": 3}, "day is 3, but must be the name of a column."),
        ({"day": None}, "day is None, but must be the name of a column"),
        ({"baseline": 7}, "baseline is 7, but there are only 7 days with rows"),
        ({"day": "date"}, "default log: there is no column 'date'"),
        ({"day": "liked"}, "'liked' is the day and something else too"),
        ({"day": "creator_age"}, "'creator_age' is the day and something else too"),
    ],
)
def test_options(week, options, said):
    assert said in refused(*week, **options)


@pytest.mark.parametrize("which", ["default", "random"])
def test_empty_logs(week, which):
    logs = [log[:0] if name == which else log for name, log in zip(("default", "random"), week, strict=True)]
    assert refused(*logs) == f"{which} log: the log is empty, so there is nothing to audit."


def test_dates_that_cannot_be_read_are_counted_and_shown(week):
    default, random = week
    default.loc[[3, 5], "day"] = "yesterday"
    said = refused(default, random)
    assert said == (
        "default log: column 'day' cannot be read as a date in 2 rows, for example 'yesterday'; write dates "
        "as 2024-04-18, as a column of dates, or as whole numbers of days."
    )
    assert "random log: column 'day' cannot be read as a date in 700 rows" in refused(
        random, default.assign(day="18/04/2024")
    )


def test_days_that_are_empty(week):
    default, random = week
    default.loc[:4, "day"] = None
    assert "default log: column 'day' is empty in 5 of 700 rows" in refused(default, random)


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (lambda n: np.linspace(0, 1, n), "column 'day' is of type float64, which holds no days"),
        (lambda n: np.arange(n) % 2 == 0, "column 'day' is of type boolean, which holds no days"),
        (lambda n: 1_713_398_400 + 86_400 * (np.arange(n) % 7), "cannot be read as a date in 700 rows"),
        (
            lambda n: (
                pd.Timestamp("2024-04-18", tz="Asia/Tokyo") + pd.to_timedelta(np.arange(n) % 7, unit="D")
            ),
            "holds times of a time zone (Asia/Tokyo)",
        ),
        (lambda n: np.arange(n) * 1_000, "which are hardly days"),
    ],
    ids=["fractions", "truth values", "seconds", "time zone", "far apart"],
)
def test_columns_that_hold_no_days(week, days, said):
    default, random = week
    assert said in refused(default.assign(day=days(700)), random)


def test_one_day_is_no_series(week):
    default, random = week
    said = refused(default.assign(day="2024-04-18"), random)
    assert "has only one day, 2024-04-18; a series needs at least two" in said
    assert "only one week, 2024-04-15" in refused(default[default.day < "2024-04-22"], random, period="week")


def test_a_random_log_outside_its_windows(week):
    default, random = week
    said = refused(default, random.assign(day="2023-01-01"), window=7)
    assert "none of the 700 rows of the random log is in the window of a day of the default log" in said
    assert "from 2023-01-01 to 2023-01-01, default traffic from 2024-04-18 to 2024-04-24" in said
    # Random traffic of the day after is not yet there when a day is judged.
    assert "none of the 700 rows" in refused(default, random.assign(day="2024-04-25"), window=3)


def test_a_window_needs_the_days_of_the_random_log(week):
    default, random = week
    without = random.drop(columns="day")
    for window in (7, "weekday"):
        assert "the random log has no column 'day'" in refused(default, without, window=window)


def test_days_written_in_two_ways(week):
    default, random = week
    assert "holds dates in the default log but numbers of days in the random log" in refused(
        default, random.assign(day=3)
    )


def test_one_group_only(week):
    default, random = week
    assert "has only one value, 'a'" in refused(*(log.assign(creator_age="a") for log in (default, random)))


def _zoned(log, kind, tmp_path, name):
    """Noon in Tokyo is the day before in Honolulu."""
    times = pd.to_datetime(log["day"] + " 12:00:00").dt.tz_localize("Asia/Tokyo")
    zoned = log.assign(day=times)
    if kind == "csv":
        zoned.to_csv(tmp_path / f"{name}.csv", index=False)
        return tmp_path / f"{name}.csv"
    if kind == "parquet":
        zoned.to_parquet(tmp_path / f"{name}.parquet")
        return tmp_path / f"{name}.parquet"
    return zoned


@pytest.mark.parametrize("kind", ["frame", "csv", "parquet"])
def test_times_with_a_zone_have_the_days_of_the_zone_that_is_named(week, kind, tmp_path):
    plain = eh.opportunity.series(*week, **ASKED)
    files = [_zoned(log, kind, tmp_path, name) for log, name in zip(week, ("d", "r"), strict=True)]
    assert "holds times of a time zone" in refused(*files)
    there = eh.opportunity.series(*(eh.table(log, timezone="Asia/Tokyo") for log in files), **ASKED)
    assert there.findings == plain.findings
    far = eh.opportunity.series(*(eh.table(log, timezone="Pacific/Honolulu") for log in files), **ASKED)
    assert far.findings[1].series.days[0].day == "2024-04-17"


def test_zones_that_cannot_be_meant(week):
    default, random = week
    with pytest.raises(InputError, match=r"timezone is 'Europe/Berlim'.*Did you mean 'Europe/Berlin'"):
        eh.table(default, timezone="Europe/Berlim")
    local = default.assign(day=pd.to_datetime(default["day"]))
    said = refused(eh.table(local, name="default log", timezone="UTC"), random)
    assert "default log: column 'day' holds times without a zone" in said
    text = default.assign(day=default["day"] + "T23:30:00-05:00")
    assert "cannot be read as a date in 700 rows, for example 'a time with a zone'" in refused(text, random)


def test_days_on_which_nothing_was_liked_are_answered(week):
    result = eh.opportunity.series(*(log.assign(liked=0) for log in week), **ASKED)
    assert [finding.estimate for finding in result.findings] == [None]
    assert result.findings[0].verdict == "not_applicable"
