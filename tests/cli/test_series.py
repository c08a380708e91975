"""`evenhand opportunity --day`: the same as the call and as a plan, and what it refuses."""

import json

import pandas as pd
import pytest

import evenhand as eh

LOGS = ("--default", "default.parquet", "--random", "random.parquet")
ASKED = ("--label", "liked", "--group", "creator_age", "--day", "day")
WORDS = {"label": "liked", "group": "creator_age", "day": "day"}


@pytest.fixture
def days(logs, frames):
    for name in ("default", "random"):
        frame = frames[name]
        frame.assign(day=[f"2024-04-{18 + i % 3}" for i in range(len(frame))]).to_parquet(
            f"{name}.parquet", index=False
        )


@pytest.mark.parametrize("window", [2, "weekday", "all"])
def test_the_command_the_call_and_the_plan_say_the_same(evenhand, days, window):
    words = ("opportunity", *LOGS, *ASKED, "--window", str(window), "--cluster", "user_id", "--json")
    ran = evenhand(*words)
    assert (ran.code, ran.err) == (0, "")
    options = {"window": window, "cluster": "user_id"}
    by_call = eh.opportunity.series("default.parquet", "random.parquet", **WORDS, **options)
    assert eh.AuditResult.from_json(ran.out).findings == by_call.findings
    inputs = {name: {"path": f"{name}.parquet"} for name in ("default", "random")}
    step = {"audit": "series", "default": "default", "random": "random", **WORDS, **options}
    plan = eh.plan.model.parse({"inputs": inputs, "audits": [step]}, "audit.toml")
    assert eh.plan.run(plan).findings == by_call.findings
    series = json.loads(ran.out)["findings"][1]["pictures"][0]["days"]
    assert pd.json_normalize(series)["day"].tolist() == ["2024-04-18", "2024-04-19", "2024-04-20"]


def test_a_probability_column_weights_random_rows(evenhand, days):
    log = pd.read_parquet("random.parquet")
    log.assign(p=[0.1 + 0.1 * (i % 9) for i in range(len(log))]).to_parquet("random.parquet", index=False)
    ran = evenhand("opportunity", *LOGS, *ASKED, "--probability", "p", "--json")
    assert (ran.code, ran.err) == (0, "")
    options = {"probability": "p"}
    by_call = eh.opportunity.series("default.parquet", "random.parquet", **WORDS, **options)
    assert eh.AuditResult.from_json(ran.out).findings == by_call.findings
    assert "'p'" in by_call.findings[0].assumptions[0]
    inputs = {name: {"path": f"{name}.parquet"} for name in ("default", "random")}
    step = {"audit": "series", "default": "default", "random": "random", **WORDS, **options}
    plan = eh.plan.model.parse({"inputs": inputs, "audits": [step]}, "audit.toml")
    assert eh.plan.run(plan).findings == by_call.findings


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tolerance", "-0.1"), "--tolerance"),
        (("--window", "0"), "--window"),
        (("--window", "2.5"), "--window"),
        (("--window", "month"), "--window"),
        (("--period", "month"), "--period"),
        (("--baseline", "3"), "baseline is 3, but there are only 3 days"),
        (("--judge", "last"), "--judge is 'last', but must be one of any, latest"),
        (("--interval", "delta"), "--interval cannot stand beside --day"),
        (("--probability", "p"), "random log: there is no column 'p'"),
        (("--probability", "day"), "'day' is the day and something else too"),
    ],
)
def test_what_a_series_refuses(evenhand, days, words, said):
    ran = evenhand("opportunity", *LOGS, *ASKED, *words)
    assert ran.code == 2
    assert ran.err.startswith("Error: ")
    assert said in ran.err


def test_after_a_bad_day_only_the_latest_may_fail(evenhand, days):
    log = pd.read_parquet("default.parquet")
    bad = (log.day == "2024-04-18") & (log.creator_age == log.creator_age.max()) & (log.liked == 1)
    log[~bad].to_parquet("default.parquet", index=False)
    asked = ("opportunity", *LOGS, *ASKED, "--tolerance", ".6", "--fail-on", "violation", "--quiet")
    assert evenhand(*asked).code == 1
    assert evenhand(*asked, "--judge", "latest").code == 0


def test_a_window_without_days(evenhand, days):
    ran = evenhand("opportunity", *LOGS, *ASKED[:4], "--window", "7")
    assert ran.code == 2
    assert "add --day" in ran.err


def test_a_gate_does_not_open_for_what_is_hidden(evenhand, days):
    log = pd.read_parquet("default.parquet")
    last = log[log.day == "2024-04-20"].groupby("creator_age").head(1)
    pd.concat([log[log.day < "2024-04-20"], last]).to_parquet("default.parquet", index=False)
    asked = ("opportunity", *LOGS, *ASKED, "--judge", "latest", "--fail-on", "violation")
    ran = evenhand(*asked)
    assert ran.code == 1
    assert "the latest day, opportunity could not be judged" in " ".join(ran.out.split())
    assert evenhand(*asked, "--min-cell", "0").code == 0


def test_a_time_zone_by_command_plan_and_call(evenhand, frames, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("default", "random"):
        times = pd.date_range("2024-04-18 23:00", periods=len(frames[name]), freq="7min", tz="UTC")
        frames[name].assign(day=times).to_csv(f"{name}.csv")
    logs = ("--default", "default.csv", "--random", "random.csv", "--window", "all")
    ran = evenhand("opportunity", *logs, *ASKED)
    assert ran.code == 2
    assert "--timezone" in ran.err
    ran = evenhand("opportunity", *logs, *ASKED, "--timezone", "Europe/Berlin", "--json")
    assert (ran.code, ran.err) == (0, "")
    tables = [eh.table(f"{name}.csv", timezone="Europe/Berlin") for name in ("default", "random")]
    by_call = eh.opportunity.series(*tables, **WORDS, window="all")
    assert eh.AuditResult.from_json(ran.out).findings == by_call.findings
    series = json.loads(ran.out)["findings"][1]["pictures"][0]["days"]
    assert series[0]["day"] == "2024-04-19"
    inputs = {name: {"path": f"{name}.csv", "timezone": "Europe/Berlin"} for name in ("default", "random")}
    step = {"audit": "series", "default": "default", "random": "random", **WORDS, "window": "all"}
    plan = eh.plan.model.parse({"inputs": inputs, "audits": [step]}, "audit.toml")
    assert eh.plan.run(plan).findings == by_call.findings
