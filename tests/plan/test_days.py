"""A plan with {day} in its paths: which files are meant, and what is said where they are not there."""

from __future__ import annotations

import shutil
from datetime import date

import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.plan.model import InputSpec
from evenhand.plan.running import days

PLAN = """\
[inputs.log]
path = "logs/log_{day}.parquet"
[inputs.random]
path = "data/random.parquet"
[[audits]]
audit = "opportunity"
default = "log"
random = "random"
label = "liked"
group = "creator_age"
"""


@pytest.fixture
def daily(folder):
    """Two days with the same rows each, and files that are of no day."""
    (folder / "logs").mkdir()
    for name in ("log_2026-01-03", "log_2026-01-04", "log_all", "log_2026-13-01"):
        shutil.copy(folder / "data" / "control.parquet", folder / "logs" / f"{name}.parquet")
    path = folder / "daily.toml"
    path.write_text(PLAN, encoding="utf-8")
    return path


def test_days_together_are_the_audit_over_all_files(daily):
    whole = daily.with_name("whole.toml")
    whole.write_text(PLAN.replace("{day}", "2026-01-0*"), encoding="utf-8")
    expected = eh.plan.run(whole).findings
    assert eh.plan.run(daily, days="all").findings == expected
    assert eh.plan.run(daily, days="2026-01-03..2026-01-04").findings == expected
    one = eh.plan.run(daily, days="2026-01-04")
    assert one.findings != expected
    assert one.plan["inputs"]["log"]["path"] == "logs/log_2026-01-04.parquet"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            None,
            r"line 2: the path of log has \{day\} in it.*--days 2026-01-03\.\.2026-01-04, or --days all \(2",
        ),
        ("2026-01-04..2026-01-06", r"log: there is no file of 2026-01-05, 2026-01-06; .*from 2026-01-03 to"),
        ("2026-01-04..2026-01-03", "ends before it begins"),
        ("January", "must be two dates, such as"),
    ],
)
def test_what_is_wrong_with_days_is_one_sentence(daily, asked, said):
    with pytest.raises(InputError, match=said):
        eh.plan.run(daily, days=asked)


def test_days_of_a_plan_without_them_are_refused(plan):
    with pytest.raises(InputError, match="reads its files whole"):
        eh.plan.run(plan(), days="all")


def test_an_input_that_lacks_a_day_of_another_is_named(daily):
    text = PLAN.replace("data/random.parquet", "logs/random_{day}.parquet")
    daily.write_text(text, encoding="utf-8")
    shutil.copy(daily.parent / "data" / "random.parquet", daily.parent / "logs" / "random_2026-01-04.parquet")
    with pytest.raises(InputError, match="random: there is no file of 2026-01-03"):
        eh.plan.run(daily, days="all")


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("{day:%Y/%m/%d}/log.csv", "2026/01/03/log.csv"),
        ("{day:%Y}/{day:%m}/{day}.csv", "2026/01/2026-01-03.csv"),
        ("{day:%Y}/{day:%m%d}.csv", "2026/0103.csv"),
        ("d={day}/*.csv", "d=2026-01-03/part-0.csv"),
    ],
)
def test_days_are_found_however_they_are_written(tmp_path, path, file):
    for name in (file, "other.csv", "2026/02/2026-01-03.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    spec = InputSpec(path=path)
    assert days.there(spec, tmp_path) == [date(2026, 1, 3)]
    assert days.latest(spec, tmp_path) == days.of_day(spec, date(2026, 1, 3))
