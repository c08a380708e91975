"""`evenhand monitor`: days by command, in words and as JSON, and one sentence for what is wrong."""

from __future__ import annotations

import json
import os
import re

import pandas as pd
import pytest

from evenhand.cli.monitors import words as told_words
from evenhand.errors import InputError
from evenhand.findings import Finding, Interval
from evenhand.following import Promise
from evenhand.monitor import History, Store, delivery
from evenhand.monitor.days.asked import days_in_it
from evenhand.monitor.looking import Looked
from evenhand.results import AuditResult
from monitor.worlds import PLAN, days, write_day, write_plan

DAYS = days(3, "2024-01-01")


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVENHAND_STORE", raising=False)
    for one in DAYS:
        write_day(tmp_path, one)
    return write_plan(tmp_path)


def add(evenhand, day, *more):
    return evenhand("monitor", "add", "feed.toml", "--day", day, *more)


def test_days_are_added_shown_corrected_and_forgotten(evenhand, plan):
    first = add(evenhand, DAYS[0])
    assert first.code == 0
    assert f"{DAYS[0]}: added." in first.out
    assert "not decided: all groups: typically" in first.out or "beyond the limit" in first.out
    assert (plan.parent / "feed.monitor.db").exists()
    assert f"{DAYS[0]}: there already." in add(evenhand, DAYS[0]).out
    assert add(evenhand, DAYS[2], "--quiet").out == ""
    shown = evenhand("monitor", "show", "feed.toml")
    assert "No flag is open." in shown.out
    assert "Intervals of single days are wider from look to look" in shown.out
    assert "running_penalty, all days so far: were it 16.7% (limit 11.1%), " in shown.out
    assert "all days together" in shown.out
    missing = evenhand("monitor", "show", "feed.toml", "--from", DAYS[1], "--to", DAYS[1])
    assert f"No day of {DAYS[1]} was ever added" in missing.err
    assert f"2 days, from {DAYS[0]} to {DAYS[2]}." in shown.out
    assert f"Missing: {DAYS[1]}." in shown.out
    write_day(plan.parent, DAYS[2], seed=9)
    refused = add(evenhand, DAYS[2])
    assert refused.code == 2
    assert "evenhand monitor correct" in refused.err
    asked = ("monitor", "correct", "feed.toml", "--day", DAYS[2], "--reason", "late rows")
    corrected = evenhand(*asked).out
    assert f"{DAYS[2]}: corrected." in corrected
    assert re.search(r"January 2024.*[.] Before: (not decided|beyond the limit): typically", corrected)
    assert "later look" not in corrected
    write_day(plan.parent, DAYS[0], seed=9)
    earlier = evenhand("monitor", "correct", "feed.toml", "--day", DAYS[0], "--reason", "late rows").out
    assert "on 1 January 2024" in earlier.splitlines()[1]
    assert "1 later look was made again; " in earlier
    told = json.loads(evenhand("monitor", "show", "feed.toml", "--json").out)
    assert [(one["day"], one["revision"], one["reason"]) for one in told["days"]] == [
        (DAYS[0], 2, "late rows"),
        (DAYS[2], 2, "late rows"),
    ]
    assert told["gaps"] == [DAYS[1]]
    measures = {one["measure"]: one for one in told["document"]["findings"]}
    assert len(measures["daily_penalty"]["pictures"][0]["days"]) == 2
    forgotten = evenhand("monitor", "forget", "feed.toml", "--before", DAYS[1])
    assert "Forgot the evidence of 1 day; 1 day is left." in forgotten.out
    together = evenhand("monitor", "show", "feed.toml", "--from", DAYS[2], "--json")
    assert {one["measure"] for one in json.loads(together.out)["findings"]} >= {"reo_penalty", "worst_ratio"}


def test_some_days_say_which_they_are_and_which_are_missing(evenhand, plan):
    for one in (DAYS[0], DAYS[2]):
        add(evenhand, one, "--quiet")
    evenhand("monitor", "forget", "feed.toml", "--before", DAYS[1])
    asked = ("monitor", "show", "feed.toml", "--from", DAYS[0], "--to", "2024-01-05")
    said = (
        "The monitor feed: 1 day, 2024-01-03; of the 5 asked for 1 was forgotten (2024-01-01) and 3 were "
        "never added (2024-01-02, 2024-01-04, 2024-01-05)"
    )
    assert evenhand(*asked).out.splitlines()[0] == f"{said}."
    assert json.loads(evenhand(*asked, "--json").out)["inputs"]["days"]["source"] == said
    evenhand(*asked, "--out", "report")
    assert said in (plan.parent / "report" / "report.html").read_text()
    assert add(evenhand, DAYS[0]).out.startswith(f"{DAYS[0]}: there already; its evidence was forgotten, ")
    alone = evenhand("monitor", "show", "feed.toml", "--from", DAYS[2])
    assert alone.out.splitlines()[0] == "The monitor feed: 1 day, 2024-01-03."


@pytest.mark.parametrize(
    ("there", "known", "bounds", "period", "said"),
    [
        (["2024-01-01"], {}, (None, None), "day", "1 day, 2024-01-01"),
        (
            ["2024-01-08", "2024-01-15"],
            {"2024-01-01": False},
            ("2023-12-30", "2024-01-30"),
            "week",
            "2 weeks, 2024-01-08 to 2024-01-15; of the 5 asked for 1 was counted in another way (2024-01-01) "
            "and 2 were never added (2024-01-22 to 2024-01-29)",
        ),
    ],
)
def test_days_that_are_in_a_question(there, known, bounds, period, said):
    assert days_in_it(there, known, bounds, period) == said


def test_an_audit_of_tables_that_never_change_does_not_stop_the_others(evenhand, plan):
    pd.DataFrame({"user_id": range(40), "sex": ["f", "m"] * 20}).to_parquet("users.parquet")
    pd.DataFrame(
        {"user_id": [u for u in range(40) for _ in range(3)], "item_id": list(range(3)) * 40, "score": 0.5}
    ).assign(label=1).to_parquet("candidates.parquet")
    more = """
[inputs.users]
path = "users.parquet"

[inputs.candidates]
path = "candidates.parquet"
"""
    asked = """
[[audits]]
audit = "groups"
users = "users"
candidates = "candidates"
attributes = ["sex"]
metric = "ndcg"
"""
    write_plan(plan.parent, more + PLAN + asked + asked.replace("ndcg", "hit"))
    said = "Not followed from day to day: groups, as its tables are the same on every day; to follow it, "
    checked = evenhand("plan", "check", "feed.toml")
    assert (checked.err, checked.out.count(said)) == ("", 1)
    added = add(evenhand, DAYS[0])
    assert f"{DAYS[0]}: added." in added.out
    assert added.out.count(said) == 1
    # It has its own number in the plan alone: the days are those of the same question without it.
    write_plan(plan.parent, PLAN)
    assert f"{DAYS[1]}: added." in add(evenhand, DAYS[1]).out


def test_audits_that_are_of_no_day_are_named_by_check_and_add(evenhand, plan):
    asked = """
[[audits]]
audit = "compare"
arms = { one = "default", other = "random" }
random = "random"
label = "liked"
group = "group"
cluster = "user_id"
"""
    write_plan(plan.parent, PLAN + asked)
    said = "Not followed from day to day: compare."
    assert evenhand("plan", "check", "feed.toml").out.count(said) == 1
    assert add(evenhand, DAYS[0]).out.count(said) == 1
    # Of a plan that nobody wants to follow, nothing is said of following.
    write_plan(plan.parent, (PLAN + asked).replace("{day}", DAYS[0]))
    assert said not in evenhand("plan", "check", "feed.toml").out


def test_verdicts_that_a_correction_changed_say_why():
    def document(low):
        interval = Interval(low=low, high=0.3, level=0.95, method="hull", validity="anytime")
        about = {"by": {"creators": ("sex",)}}
        found = Finding(
            audit="opportunity", measure="reo_penalty", about=about, estimate=0.2, interval=interval,
            tolerance=0.1,
        )  # fmt: skip
        return AuditResult((found,)).document

    before, now = document(0.12), document(0.08)
    said = list(told_words._without([Looked("2024-01-02", now, frozenset(), before, now)], ["withdrawn"]))
    assert said[:2] == [
        "1 later look was made again; these verdicts changed (flags: 1 withdrawn):",
        "  2024-01-02: creators by sex: not decided; it was beyond the limit",
    ]
    assert said[2].startswith("A look that is made again spends a part of the error of its own")
    (same,) = told_words._without([Looked("2024-01-02", before, frozenset(), before, before)], ["moved"] * 2)
    assert same == "1 later look was made again; no verdict changed (flags: 2 of other days)."
    still = [Looked(day, found, frozenset(), found, found) for day, found in (("1", before), ("2", now))]
    assert [*told_words._still_beyond(still)] == ["By itself still beyond the limit: 1."]


def test_of_two_groups_that_mirror_each_other_one_is_said(evenhand, plan):
    write_day(plan.parent, DAYS[0], groups="aab")
    out = add(evenhand, DAYS[0]).out
    assert "those in group b: shown" in out
    assert "those in group a: shown" not in out
    # Of three groups all are said.
    assert "those in group a: shown" in add(evenhand, DAYS[1], "--new-regime", "three groups").out


def test_a_promise_says_for_whom_it_is():
    age, sex = (
        Finding(audit="series", measure="running_penalty", about={"by": {"creators": name}}, estimate=None)
        for name in ("age", "sex")
    )
    found = History("feed", "day", (), (), (), AuditResult((age, sex)).document)
    promised = [Promise(age.id, 0.17, 0.11, 1), Promise(sex.id, 0.17, 0.11, None)]
    _, said = told_words.of_promises(promised, found)
    assert said.endswith("within 1 day for creators by age; for the other too seldom to be promised.")


def test_what_cannot_be_promised_is_not_said_to_be_missed():
    running, daily = (
        Promise(f"series.{name}/by:creators=sex", 0.165, 0.11, None)
        for name in ("running_penalty", "daily_penalty")
    )
    _, *said = told_words.of_promises([daily, running], History("feed", "day", (), (), (), None))
    assert said == [
        "  daily_penalty, each day by itself: were it 16.5% (limit 11%), too seldom to be promised: a day "
        "has too little traffic for that.",
        "  running_penalty, all days so far: were it 16.5% (limit 11%), no number of days can be promised; "
        "it may still be seen.",
    ]


def test_several_regimes_are_wrong_more_often_and_say_so(evenhand, plan):
    add(evenhand, DAYS[0])
    assert "regime" not in evenhand("monitor", "show", "feed.toml").out
    add(evenhand, DAYS[1], "--new-regime", "shares count as likes now")
    shown = evenhand("monitor", "show", "feed.toml").out
    assert "with 2 of them, the chance of a false flag is up to 2 times as large." in shown


def test_a_day_that_lost_its_rows_or_a_group_says_so(evenhand, plan):
    add(evenhand, DAYS[0], "--quiet")
    write_day(plan.parent, DAYS[1], rows=300)
    thin = add(evenhand, DAYS[1]).out
    assert "! default has 300 rows, and the quietest day before had 3,000" in thin
    assert f"! {DAYS[1]}: default has 300 rows" in evenhand("monitor", "show", "feed.toml").out
    for name in ("default", "random"):
        path = plan.parent / f"{name}-{DAYS[2]}.parquet"
        rows = pd.read_parquet(path)
        path.write_bytes(rows.drop(rows.index[rows.group == "c"][10:]).to_parquet())
    first = evenhand("monitor", "add", "feed.toml", "--day", DAYS[2], "--name", "other").out
    assert f"On {DAYS[2]} group = c (" in first


def test_a_day_that_lost_its_rows_in_a_log_of_all_days_says_so(evenhand, plan):
    """A footer counts the rows of all days."""
    for name in ("default", "random"):
        paths = {day: plan.parent / f"{name}-{day}.parquet" for day in DAYS[:2]}
        write_day(plan.parent, DAYS[1], rows=300)
        parts = [pd.read_parquet(path).assign(day=day) for day, path in paths.items()]
        pd.concat(parts).to_parquet(plan.parent / f"{name}-all.parquet")
    plan.write_text(PLAN.replace("{day}", "all") + '[monitoring]\nday = "day"\n')
    first = json.loads(add(evenhand, DAYS[0], "--json").out)["document"]["inputs"]
    assert {name: one["rows"] for name, one in first.items()} == {"default": 3000, "random": 1500}
    assert "! default has 300 rows, and the quietest day before had 3,000" in add(evenhand, DAYS[1]).out


def test_a_column_of_the_day_without_dates_is_refused_before_a_day_is_added(evenhand, plan):
    for name in ("default", "random"):
        log = pd.read_parquet(plan.parent / f"{name}-{DAYS[0]}.parquet").assign(day=1)
        log.to_parquet(plan.parent / f"{name}-all.parquet")
    plan.write_text(PLAN.replace("{day}", "all") + '[monitoring]\nday = "day"\n')
    for ran in (evenhand("plan", "check", plan), add(evenhand, DAYS[0])):
        assert ran.code == 2
        assert "column 'day' holds 1 to 1, which are no dates; write them as 2024-04-18" in ran.err


def test_json_of_an_added_day(evenhand, plan):
    told = json.loads(add(evenhand, DAYS[0], "--json").out)
    assert (told["day"], told["what"], told["flags"]) == (DAYS[0], "added", [])
    assert told["document"]["schema"] == "evenhand.findings/2"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "feed.toml", "--day", "tomorrow"], "'tomorrow' is not a day; write it as 2026-01-03."),
        (["add", "feed.toml", "--day", "2999-01-01"], "is not over anywhere"),
        (["add", "feed.toml", "--day", "2024-02-01"], "there is no file"),
        (["add", "feed.toml", "--day", "2024-01-01", "--store", "x://y"], "no store of the kind 'x'"),
        (["add", "feed.toml", "--day", "2024-01-01", "--store", "."], "is a folder"),
        (["show", "feed.toml"], "There is no store"),
        (["show", "nothing.toml"], "There is no plan nothing.toml"),
        (["forget", "feed.toml", "--before", "2024-01-01"], "There is no store"),
        (["correct", "feed.toml", "--day", "2024-01-01"], "--reason"),
    ],
)
def test_one_sentence_for_what_is_wrong(evenhand, plan, words, said):
    ran = evenhand("monitor", *words)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_password_has_no_place_in_a_plan(evenhand, plan):
    plan.write_text(PLAN + '[monitoring]\nstore = "postgresql://me:secret@host/days"\n')
    ran = add(evenhand, DAYS[0])
    assert ran.code == 2
    assert "store has a password" in ran.err
    assert "secret" not in ran.err


def test_no_terminal_obeys_why_a_day_was_corrected_or_a_regime_begun(evenhand, plan):
    add(evenhand, DAYS[0])
    add(evenhand, DAYS[1], "--new-regime", "new\x1b[2J\nlabels")
    write_day(plan.parent, DAYS[1], seed=9)
    evenhand("monitor", "correct", "feed.toml", "--day", DAYS[1], "--reason", "late\x1b[2J\nrows")
    shown = evenhand("monitor", "show", "feed.toml").out
    assert f"{DAYS[1]} was corrected: late␛[2J␊rows\n" in shown
    assert "not taken together with those since: new␛[2J␊labels\n" in shown


def test_the_store_of_a_plan_may_be_in_the_home_folder(evenhand, plan, monkeypatch, tmp_path):
    (home := tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(home))
    plan.write_text(PLAN + '[monitoring]\nstore = "~/days.db"\n')
    assert add(evenhand, DAYS[0]).code == 0
    assert (home / "days.db").is_file()


def test_the_plan_and_the_environment_name_the_store(evenhand, plan, monkeypatch):
    plan.write_text(PLAN + '[monitoring]\nstore = "days.db"\n')
    assert add(evenhand, DAYS[0], "--quiet").code == 0
    assert (plan.parent / "days.db").exists()
    monkeypatch.setenv("EVENHAND_STORE", str(plan.parent / "other.db"))
    assert add(evenhand, DAYS[0], "--quiet").code == 0
    assert (plan.parent / "other.db").exists()


def test_forget_never_says_so_while_the_file_still_has_it(evenhand, plan, monkeypatch):
    add(evenhand, DAYS[0])
    add(evenhand, DAYS[1])
    words = ("monitor", "forget", "feed.toml", "--before", DAYS[1])
    for why in ("another program is reading or writing the store", "database or disk is full"):
        with monkeypatch.context() as patched:
            patched.setattr(Store, "erase", lambda store, why=why: why)
            kept = evenhand(*words)
        assert (kept.code, kept.out) == (2, "")
        assert "could not be overwritten" in kept.err
        assert why in kept.err
    assert evenhand(*words).code == 0


def test_a_forgotten_day_with_other_numbers_is_sent_nowhere(evenhand, plan):
    add(evenhand, DAYS[0])
    evenhand("monitor", "forget", "feed.toml", "--before", DAYS[1])
    write_day(plan.parent, DAYS[0], seed=9)
    refused = add(evenhand, DAYS[0])
    assert "its evidence was forgotten" in refused.err
    assert "correct" not in refused.err


def test_a_week_at_the_end_of_the_calendar_is_not_over(evenhand, plan):
    write_plan(plan.parent, PLAN + '[monitoring]\ncadence = "week"\n')
    refused = add(evenhand, "9999-12-27")
    assert refused.code == 2
    assert "is not over anywhere" in refused.err


def test_a_day_of_another_year_is_said(evenhand, plan):
    write_day(plan.parent, "1926-01-01")
    add(evenhand, "1926-01-01")
    assert "! The day before it in the store is 1926-01-01, 35,794 days earlier" in add(evenhand, DAYS[0]).out


@pytest.mark.parametrize("gone", [BrokenPipeError(), OSError(28, "No space left on device")])
def test_messages_are_sent_whatever_becomes_of_what_is_said(evenhand, plan, monkeypatch, gone):
    sent = []

    def leave(added):
        raise gone
        yield

    monkeypatch.setattr(delivery, "deliver", lambda *_: sent.append(1) or delivery.Told(0, (), (), ()))
    monkeypatch.setattr(told_words, "of_added", leave)
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    add(evenhand, DAYS[0])
    assert sent == [1]


def test_a_day_that_is_stored_is_said_to_be_where_its_messages_cannot_be(evenhand, plan, monkeypatch):
    def full(*_):
        raise InputError("The disk is full.")

    monkeypatch.setattr(delivery, "deliver", full)
    ran = add(evenhand, DAYS[0])
    assert ran.code == 2
    assert f"{DAYS[0]} is stored, but messages may wait still" in ran.err


SCOPE = '[scope]\ntitle = "Feed"\nsystem = "{}"\n'


def _another(plan, text):
    """A plan of the same name in another folder, beside the same store."""
    other = plan.parent / "other" / plan.name
    other.parent.mkdir(exist_ok=True)
    other.write_text(text)
    for one in DAYS:
        write_day(other.parent, one, seed=5)
    return str(other)


def test_a_plan_of_another_system_does_not_see_the_days_of_this_one(evenhand, plan):
    plan.write_text(SCOPE.format("the shop") + PLAN)
    store = ("--store", "shared.db")
    assert evenhand("monitor", "add", "feed.toml", "--day", DAYS[0], *store).code == 0
    other = _another(plan, SCOPE.format("the radio") + PLAN)
    for asked in (
        ("show",),
        ("show", "--from", DAYS[0]),
        ("flags",),
        ("deliver",),
        ("export", "--out", "x.prom"),
        ("forget", "--before", DAYS[1]),
        ("correct", "--day", DAYS[0], "--reason", "slip", "--remove"),
    ):
        told = evenhand("monitor", asked[0], other, *asked[1:], *store)
        assert told.code == 2, asked
        assert "'feed' follows 'the shop', and this plan is of 'the radio'" in told.err
        assert "--name" in told.err
        assert told.out == ""
    assert not (plan.parent / "x.prom").exists()
    shown = evenhand("monitor", "show", "feed.toml", *store)
    assert shown.code == 0
    assert "Warning" not in shown.err


def test_a_plan_that_asks_something_else_is_told_whose_days_it_sees(evenhand, plan):
    store = ("--store", "shared.db")
    assert evenhand("monitor", "add", "feed.toml", "--day", DAYS[1], *store).code == 0
    other = _another(plan, PLAN + "level = 0.9\n")
    for asked in (("show",), ("flags",)):
        told = evenhand("monitor", *asked, other, *store)
        assert told.code == 0
        assert "opportunity.level was 0.95 and is 0.9" in told.err
        assert "What is shown is of those days." in told.err
        assert "--name" in told.err
    refused = evenhand("monitor", "add", other, "--day", DAYS[2], *store)
    assert "--new-regime" in refused.err
    assert "a monitor of its own: --name" in refused.err
    same = _another(plan, PLAN)
    for day, why in ((DAYS[0], "is before"), (DAYS[1], "with other numbers")):
        refused = evenhand("monitor", "add", same, "--day", day, *store)
        assert why in refused.err
        assert "a monitor of its own: --name" in refused.err


def test_a_plan_with_other_paths_is_remarked_on(evenhand, plan):
    add(evenhand, DAYS[0])
    for one in DAYS:
        (plan.parent / f"default-{one}.parquet").rename(plan.parent / f"moved-{one}.parquet")
    plan.write_text(PLAN.replace('"default-{day}', '"moved-{day}'))
    said = "default was read from default-{day}.parquet, and is now from moved-{day}.parquet"
    assert said in evenhand("monitor", "show", "feed.toml").err
    told = add(evenhand, DAYS[1])
    assert said in told.out
    assert "--name" in told.out
    assert said not in add(evenhand, DAYS[2]).out
