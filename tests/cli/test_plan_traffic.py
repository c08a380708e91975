"""`evenhand plan-traffic`: the same words as the call, one sentence for what cannot be."""

import json

import pytest

import evenhand as eh

ASSUMED = [
    "plan-traffic", "--rows-a-day", "100000", "--random-share", "0.01", "--rate", "young=.02",
    "--rate", "old=.03", "--utility", "young=2.4", "--utility", "old=2",
]  # fmt: skip


def test_the_command_equals_the_call(evenhand):
    ran = evenhand(*ASSUMED, "--half-width", "0.05", "--json")
    called = eh.opportunity.plan_traffic(
        rates={"young": 0.02, "old": 0.03}, utilities={"young": 2.4, "old": 2.0}, rows_a_day=100_000,
        random_share=0.01, half_width=0.05,
    )  # fmt: skip
    assert json.loads(ran.out)["findings"] == json.loads(called.to_json())["findings"]


def test_sentences_that_a_manager_understands(evenhand, tmp_path):
    ran = evenhand(*ASSUMED, "--half-width", "0.05", "--out", str(tmp_path / "plan"))
    assert (
        "31 days of logs with 1% random traffic (1,010 random rows a day) tell the penalty to ±5 points."
        in (ran.out)
    )
    assert "Users are shown 0.54% fewer items that they like" in ran.out
    assert (tmp_path / "plan" / "report.html").exists()


def test_the_share_for_the_days_that_there_are(evenhand):
    asked = [*ASSUMED[:3], *ASSUMED[5:], "--days", "14", "--half-width", "0.05", "--importance", "0.2"]
    ran = evenhand(*asked)
    assert (
        "To tell the penalty to ±5 points in 14 days takes 2.2% random traffic (2,249 random rows a day)."
        in ran.out
    )
    assert (
        "1.3% random traffic for 14 days (1,275 random rows a day) is the best balance where accuracy"
        in ran.out
    )
    called = eh.opportunity.plan_traffic(
        rates={"young": 0.02, "old": 0.03}, utilities={"young": 2.4, "old": 2.0}, rows_a_day=100_000,
        days=14, half_width=0.05, importance=0.2,
    )  # fmt: skip
    assert json.loads(evenhand(*asked, "--json").out)["findings"] == json.loads(called.to_json())["findings"]


def test_a_pilot_from_files(evenhand, logs):
    ran = evenhand(
        "plan-traffic", "--default", str(logs / "default.parquet"), "--random", str(logs / "random.parquet"),
        "--label", "liked", "--group", "creator_age", "--cluster", "user_id", "--rows-a-day", "50000",
        "--random-rows-a-day", "500", "--half-width", "0.05",
    )  # fmt: skip
    assert ran.code == 0
    assert "random rows a day" in ran.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--half-width", "0.05", "--rate", "middle"], "--rate is 'middle', but must be GROUP=NUMBER"),
        (["--half-width", "0.05", "--rate", "old=.1"], "--rate names a group twice"),
        (["--treatment", "nobody=2"], "names the group 'nobody'"),
        ([], "half_width or treatment must be given"),
        (["--half-width", "0.05", "--importance", ".2"], "name the days"),
    ],
)
def test_refusals(evenhand, options, said):
    ran = evenhand(*ASSUMED, *options)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err
