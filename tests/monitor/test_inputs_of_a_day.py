"""What a day is read from: files that are whole, rows of the day, weeks, and one random log for all days."""

import pandas as pd
import pytest
from sqlalchemy import select

import evenhand as eh
from evenhand import monitor
from evenhand.monitor.days import tables as day_tables
from evenhand.store.tables import day
from monitor.worlds import PLAN, days, write_day, write_plan

DAYS = days(3)


@pytest.fixture
def store(tmp_path):
    store = monitor.open_store(str(tmp_path / "m.db"))
    yield store
    store.close()


def stored(store):
    with store.reading() as connection:
        return connection.execute(select(day.c.day)).scalars().all()


def test_a_file_that_is_cut_short_is_no_day(tmp_path, store):
    write_day(tmp_path, DAYS[0])
    path = tmp_path / f"default-{DAYS[0]}.parquet"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(eh.InputError, match="default"):
        monitor.add(write_plan(tmp_path), store, DAYS[0])
    assert stored(store) == []


def test_a_file_that_grows_while_it_is_read_is_no_day(tmp_path, store, monkeypatch):
    write_day(tmp_path, DAYS[0])
    for name in ("default", "random"):
        frame = pd.read_parquet(tmp_path / f"{name}-{DAYS[0]}.parquet")
        frame.to_csv(tmp_path / f"{name}-{DAYS[0]}.csv", index=False)
    plan = write_plan(tmp_path, PLAN.replace(".parquet", ".csv"))
    opened = day_tables.inputs.table

    def grows(*given, **more):
        table = opened(*given, **more)
        with (tmp_path / f"default-{DAYS[0]}.csv").open("a") as file:
            file.write("1,a,1\n")
        return table

    monkeypatch.setattr(day_tables.inputs, "table", grows)
    with pytest.raises(eh.InputError, match="changed"):
        monitor.add(plan, store, DAYS[0])
    assert stored(store) == []


def test_a_week_is_its_seven_days(tmp_path, store):
    dates = days(14, "2026-01-05")  # a Monday
    for one in dates:
        write_day(tmp_path, one, rows=600)
    for name in ("default", "random"):
        parts = [pd.read_parquet(tmp_path / f"{name}-{one}.parquet").assign(day=one) for one in dates]
        pd.concat(parts).to_parquet(tmp_path / f"{name}.parquet")
    weekly = PLAN.replace("-{day}", "") + '[monitoring]\nday = "day"\ncadence = "week"\n'
    plan = write_plan(tmp_path, weekly)
    for monday in (dates[0], dates[7]):
        monitor.add(plan, store, monday)
    found = monitor.history(store, "feed")
    assert (found.period, found.gaps, len(found.days)) == ("week", (), 2)
    logs = [pd.read_parquet(tmp_path / f"{name}.parquet") for name in ("default", "random")]
    series = eh.opportunity.series(
        *logs, label="liked", group="group", cluster="user_id", day="day", period="week"
    )
    ours = {one.id: one for one in found.document.findings}
    for theirs in series.findings:
        for one, other in zip(ours[theirs.id].series.days, theirs.series.days, strict=True):
            assert (one.estimate, one.low, one.high) == pytest.approx((other.estimate, other.low, other.high))
    with pytest.raises(eh.InputError, match=r"2026-01-20 is not a Monday.*2026-01-19"):
        monitor.add(plan, store, "2026-01-20")


def test_a_week_of_files_a_day_is_all_seven_of_them(tmp_path, store):
    dates = days(14, "2026-01-05")
    for one in dates:
        write_day(tmp_path, one, rows=600)
    plan = write_plan(tmp_path, PLAN + '[monitoring]\ncadence = "week"\n')
    for monday in (dates[0], dates[7]):
        monitor.add(plan, store, monday)
    found = monitor.over_days(plan, store)
    logs = [
        pd.concat([pd.read_parquet(tmp_path / f"{name}-{one}.parquet") for one in dates])
        for name in ("default", "random")
    ]
    rows = eh.opportunity.audit(*logs, label="liked", group="group", cluster="user_id")
    files = eh.plan.run(plan, days="2026-01-05..2026-01-18")
    for ours, theirs, read in zip(found.findings, rows.findings, files.findings, strict=True):
        assert ours.estimate == pytest.approx(theirs.estimate) == pytest.approx(read.estimate)
    (tmp_path / f"random-{dates[9]}.parquet").unlink()
    with pytest.raises(eh.InputError, match=rf"random: there is no file '.*random-{dates[9]}.parquet'"):
        monitor.correct(plan, store, dates[7], "a file was lost")


def test_a_week_of_one_file_has_the_name_of_its_monday(tmp_path, store):
    mondays = ["2026-01-05", "2026-01-12"]
    for monday in mondays:
        write_day(tmp_path, monday)
    plan = write_plan(tmp_path, PLAN + '[monitoring]\ncadence = "week"\n')
    for monday in mondays:
        assert monitor.add(plan, store, monday).what == "added"
    assert len(eh.plan.run(plan, days="2026-01-05..2026-01-18").plan["inputs"]["default"]["path"]) == 2
    assert len(eh.plan.run(plan, days="all").plan["inputs"]["default"]["path"]) == 2


@pytest.mark.parametrize("kind", ["date", "time", "text", "text with a time", "digits", "number"])
def test_columns_of_days_of_all_kinds(tmp_path, store, kind):
    for one in DAYS:
        write_day(tmp_path, one, rows=600)
    written = {
        "date": lambda one: pd.Timestamp(one).date(),
        "time": lambda one: pd.Timestamp(one) + pd.Timedelta("23:59:59.999999"),
        "text": lambda one: one,
        "text with a time": lambda one: f"{one}T23:59:59",
        "digits": lambda one: one.replace("-", ""),
        "number": lambda one: int(one.replace("-", "")),
    }[kind]
    for name in ("default", "random"):
        parts = [pd.read_parquet(tmp_path / f"{name}-{one}.parquet") for one in DAYS]
        parts = [part.assign(day=written(one)) for part, one in zip(parts, DAYS, strict=True)]
        pd.concat(parts).to_parquet(tmp_path / f"{name}.parquet")
    plan = write_plan(tmp_path, PLAN.replace("-{day}", "") + '[monitoring]\nday = "day"\n')
    monitor.add(plan, store, DAYS[1])
    own = [pd.read_parquet(tmp_path / f"{name}-{DAYS[1]}.parquet") for name in ("default", "random")]
    audit = eh.opportunity.audit(*own, label="liked", group="group", cluster="user_id")
    found = monitor.over_days(plan, store)
    assert found.find("reo_penalty").estimate == audit.find("reo_penalty").estimate


def test_one_random_log_for_all_days(tmp_path, store):
    for one in DAYS:
        write_day(tmp_path, one)
    (tmp_path / f"random-{DAYS[0]}.parquet").rename(tmp_path / "random.parquet")
    plan = write_plan(tmp_path, PLAN.replace("random-{day}", "random"))
    for one in DAYS:
        monitor.add(plan, store, one)
    default = pd.concat([pd.read_parquet(tmp_path / f"default-{one}.parquet") for one in DAYS])
    random = pd.read_parquet(tmp_path / "random.parquet")
    audit = eh.opportunity.audit(default, random, label="liked", group="group", cluster="user_id")
    assert monitor.over_days(plan, store).find("reo_penalty").interval == audit.find("reo_penalty").interval
    random.iloc[:-99].to_parquet(tmp_path / "random.parquet")
    write_day(tmp_path, "2026-01-04")
    with pytest.raises(eh.InputError, match="The random log is not the one"):
        monitor.add(plan, store, "2026-01-04")
