"""`evenhand aa`: how often a gate alarms on users who cannot differ, and which users cannot be split."""

from __future__ import annotations

import json
import os
import signal

import pytest

from evenhand.cli.common import progress_on_terminal

PLAN = """
[inputs]
control = { path = "default.parquet" }
treatment = { path = "treatment.parquet" }
random = { path = "random.parquet" }
users = { path = "users.parquet" }

[[audits]]
audit = "compare"
arms = { control = "control", treatment = "treatment" }
random = "random"
label = "liked"
group = "creator_age"
cluster = "user_id"
tolerance = 0.05
split = "any"

[[audits]]
audit = "opportunity"
name = "as it is"
default = "control"
random = "random"
label = "liked"
group = "creator_age"
cluster = "user_id"

[[audits]]
audit = "opportunity"
default = "treatment"
random = "random"
label = "liked"
group = "creator_age"

[[audits]]
audit = "user_precision"
default = "control"
label = "liked"
group = "gender"
attributes = "users"
on = "user_id"
cluster = "user_id"
tolerance = 0.9
"""


@pytest.fixture
def plan(logs):
    path = logs / "audit.toml"
    path.write_text(PLAN, encoding="utf-8")
    return path


def test_a_trial_says_what_each_kind_of_gate_did(evenhand, plan):
    ran = evenhand("aa", plan, "--times", "30")
    assert (ran.code, ran.err) == (0, "")
    change, level = ran.out.partition("Gates on a level.")[::2]
    assert "Audit 1, comparison\n    Alarmed for nothing in 0 of 30 splits: 0.0% (0.0 to 11.6%)." in change
    assert "An alarm is not for nothing here: all users are beyond the limit. Half of them would not" in level
    assert "Both halves alarmed in 30 of 30 splits, neither in 0." in level
    assert "Alarmed for nothing in 0 of 60 halves (0.0%): all users are within the limit." in level
    assert "Both halves alarmed in 0 of 30 splits, neither in 30." in level
    assert "Audit 2, opportunity (as it is)" in level
    assert "Audit 3, opportunity: no user column is named: name it as its cluster." in level


def test_one_audit_of_the_plan_is_tried_alone_and_keeps_its_number(evenhand, plan):
    ran = evenhand("aa", plan, "--only", "as it is", "--times", "3", "--json")
    (tried,) = json.loads(ran.out)["audits"]
    assert (tried["number"], tried["name"]) == (2, "as it is")
    refused = evenhand("aa", plan, "--only", "envy")
    assert refused.code == 2
    assert "envy" in refused.err


def test_the_same_seed_gives_the_same_trial(evenhand, plan):
    asked = ("aa", plan, "--times", "5", "--fail-on", "inconclusive", "--json")
    first, again = evenhand(*asked), evenhand(*asked)
    assert first.out == again.out
    told = json.loads(first.out)
    assert (told["fail_on"], told["seed"], told["done"]) == ("inconclusive", 0, True)
    compare = told["audits"][0]
    assert (compare["of"], compare["splits"]) == ("change", 5)
    # Five points are less than so few users can show.
    assert compare["alarmed_alone"] >= 3


def test_a_gate_that_asks_for_proof_says_that_data_is_wanting(evenhand, plan):
    ran = evenhand("aa", plan, "--times", "5", "--fail-on", "inconclusive")
    assert "Of 4 alarms 0 say harm; 4 are not decided: there the data does not tell." in ran.out


def test_an_interrupted_trial_says_what_it_found(evenhand, plan, monkeypatch):
    from evenhand.plan.aa import trial

    verdicts, calls = trial._verdicts, []

    def slow(*given):
        calls.append(1)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return verdicts(*given)

    monkeypatch.setattr(trial, "_verdicts", slow)
    ran = evenhand("aa", plan, "--times", "20000")
    assert (ran.code, ran.err) == (130, "Error: Interrupted.\n")
    assert "of 20,000 splits." in ran.out


def test_a_plan_without_a_gate_has_nothing_to_try(evenhand, logs):
    (logs / "plan.toml").write_text(
        '[inputs]\ncontrol = {path = "default.parquet"}\nrandom = {path = "random.parquet"}\n[[audits]]\n'
        'audit = "compare"\narms = {a = "control", b = "random"}\nrandom = "random"\nlabel = "liked"\n'
        'group = "creator_age"\ncluster = "user_id"\n',
        encoding="utf-8",
    )
    ran = evenhand("aa", "plan.toml")
    assert ran.code == 0
    assert "it has no limit (tolerance), so that nothing can alarm" in ran.out
    assert "No audit of this plan could be tried." in ran.out


def test_what_cannot_be_read_is_refused(refused, evenhand, logs):
    assert "There is no plan nowhere.toml" in evenhand("aa", "nowhere.toml").err
    assert "--times is 0, but must be" in evenhand("aa", "nowhere.toml", "--times", "0").err


def test_into_a_pipe_it_says_now_and_then_what_it_does(evenhand, plan, monkeypatch):
    monkeypatch.setattr(progress_on_terminal, "EVERY", 0.0)
    said = evenhand("aa", plan, "--times", "2").err
    assert "audit 1, compare: split 2 of 2\n" in said
    assert evenhand("aa", plan, "--times", "2", "--quiet").err == ""
