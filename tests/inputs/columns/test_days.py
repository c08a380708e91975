"""Which days a log has."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from evenhand import inputs
from evenhand.errors import InputError

FIRST = date(2026, 1, 1)
NIGHT = pd.to_datetime(["2026-01-03 23:30", "2026-01-05 00:10"])


@pytest.mark.parametrize(
    ("columns", "days"),
    [
        ({"at": NIGHT}, ("2026-01-03", "2026-01-05")),
        ({"at": NIGHT.tz_localize("UTC")}, ("2026-01-03", "2026-01-05")),
        ({"at": NIGHT.date}, ("2026-01-03", "2026-01-05")),
        ({"at": NIGHT, "made": NIGHT}, None),
        ({"at": [None, None]}, None),
        ({"day": [1, 2]}, None),
    ],
)
def test_the_one_column_of_times_tells_the_days(columns, days):
    assert inputs.first_and_last_day(inputs.table(pd.DataFrame(columns), name="log")) == days


def test_without_one_the_names_of_files_do(tmp_path):
    for name in ("log_2026-01-04", "log_2026-01-03"):
        pd.DataFrame({"user_id": [1]}).to_parquet(tmp_path / f"{name}.parquet")
    log = inputs.table(str(tmp_path / "log_*.parquet"), name="log")
    assert inputs.first_and_last_day(log) == ("2026-01-03", "2026-01-04")
    (tmp_path / "log_2026-01-04.parquet").rename(tmp_path / "log_more.parquet")
    assert inputs.first_and_last_day(inputs.table(str(tmp_path / "log_*.parquet"), name="log")) is None


@pytest.mark.parametrize(
    ("days", "held"), [([1, 14], "1 to 14"), ([1767225600000000] * 2, "1767225600000000 to 1767225600000000")]
)
def test_whole_numbers_that_are_no_dates_are_refused(days, held):
    log = inputs.table(pd.DataFrame({"day": days}), name="log")
    for ask in (lambda: inputs.require_dates(log, "day"), lambda: inputs.rows_of_days(log, "day", FIRST)):
        with pytest.raises(InputError, match=f"log: column 'day' holds {held}, which are no dates"):
            ask()


@pytest.mark.parametrize("days", [[20260101, 20260102], [0, 20260102], ["1", "2"], []])
def test_a_column_that_may_hold_dates_is_not_refused(days):
    inputs.require_dates(inputs.table(pd.DataFrame({"day": days, "at": days}), name="log"), "day")
