"""`evenhand plan check` and `evenhand plan log`, and what `evenhand audit` does with a part of a plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PLAN = """
seed = 1
[inputs.default]
path = "default.parquet"
[inputs.random]
path = "random.parquet"
[[audits]]
audit = "opportunity"
default = "default"
random = "random"
label = "liked"
group = "creator_age"
[[audits]]
audit = "parity"
default = "default"
catalogue = "items"
group = "age"
tolerance = 0.2
[inputs.items]
path = "items.parquet"
"""


PLAIN = """
[[audits]]
audit = "parity"
name = "second"
default = "default"
catalogue = "items"
group = "age"
attributes = "items"
on = "item_id"
"""


@pytest.fixture
def plan(logs) -> Path:
    path = Path("plan.toml")
    path.write_text(PLAN.replace('group = "age"', 'group = "age"\nattributes = "items"\non = "item_id"'))
    return path


def test_a_plan_that_is_fine(evenhand, plan):
    ran = evenhand("plan", "check", plan)
    assert (ran.code, ran.out, ran.err) == (0, "plan.toml is fine: 2 audits, 3 inputs.\n", "")


def test_a_gate_says_which_audits_have_no_limit_and_so_no_gate(evenhand, plan):
    said = "No limit, and so no gate: second."
    plan.write_text(plan.read_text() + PLAIN)
    words = ("audit", plan, "--only", "parity", "--only", "second")
    ran = evenhand(*words, "--fail-on", "violation", "--out", "gate")
    assert said in ran.out
    assert said in evenhand(*words, "--fail-on", "violation", "--format", "markdown").out
    assert "no gate" not in evenhand(*words).out
    assert "no gate" not in evenhand(*words[:-2], "--fail-on", "violation").out
    alone = evenhand("audit", plan, "--only", "second", "--fail-on", "violation")
    assert alone.code == 2
    assert "add the key `tolerance` to an audit" in alone.err
    assert "--tolerance" not in alone.err


def test_a_run_that_concludes_nothing_says_that_the_report_in_its_folder_is_older(evenhand, plan):
    words = ("audit", plan, "--only", "parity", "--out", "gate")
    plan.write_text(plan.read_text().replace("seed = 1", "seed = -1"))
    assert "earlier" not in evenhand(*words).err
    plan.write_text(plan.read_text().replace("seed = -1", "seed = 1"))
    assert evenhand(*words).code == 0
    Path("items.parquet").unlink()
    ran = evenhand(*words)
    assert ran.code == 2
    assert f"{Path('gate') / 'report.html'} is of an earlier run." in ran.err


def test_mistakes_are_told_a_line_each(evenhand, plan):
    plan.write_text(PLAN.replace('"liked"', '"like"').replace("seed = 1", "seed = -1"))
    ran = evenhand("plan", "check", plan)
    assert (ran.code, ran.out) == (2, "")
    head, *lines = ran.err.splitlines()
    assert head == "Error: plan.toml has 3 mistakes:"
    assert [line.split(":")[0] for line in lines] == ["  line 2", "  line 11", "  line 17"]


def test_files_of_a_day_are_not_looked_at(evenhand, plan):
    plan.write_text(PLAN.replace("default.parquet", "{day}.parquet").replace('group = "age"', 'group = "x"'))
    ran = evenhand("plan", "check", plan)
    assert ran.code == 0
    assert (
        ran.out.splitlines()[1] == "default has {day} in its path: not looked at, as no day of it is there."
    )


def test_a_change_is_written_down_and_shown(evenhand, plan):
    assert evenhand("plan", "log", plan).out == "No revision is written down.\n"
    ran = evenhand("plan", "log", plan, "--add", "Ada", "The first plan", "--when", "2026-03-01")
    assert (ran.code, ran.out) == (0, "2026-03-01  Ada: The first plan\n")
    plan.write_text(plan.read_text().replace("seed = 1", "seed = 2"))
    assert "The plan has been changed since" in evenhand("plan", "log", plan).out
    assert "changed since its last revision" in evenhand("audit", plan, "--only", "parity").out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--when", "2026-03-01"), "--when is the day of a change that is written down; give --add WHO WHAT"),
        (("--add", "A", "B", "--when", "May"), "--when is 'May', but must be a date, such as 2026-03-01."),
        (("--add", "A", ""), "what is empty; say what changed."),
    ],
)
def test_changes_that_cannot_be_written_down(evenhand, plan, words, says):
    before = plan.read_text()
    ran = evenhand("plan", "log", plan, *words)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert plan.read_text() == before


def test_a_part_of_a_plan_says_what_was_left_out(evenhand, plan):
    ran = evenhand("audit", plan, "--only", "2", "--json")
    document = json.loads(ran.out)
    assert {finding["audit"] for finding in document["findings"]} == {"parity"}
    assert document["plan"]["left_out"] == ["opportunity"]
    shown = " ".join(evenhand("audit", plan, "--only", "parity").out.split())
    assert "Only 1 of the 2 audits of the plan were run; left out: opportunity." in shown


def test_a_step_that_is_none(refused, plan):
    assert refused("audit", plan, "--only", "partiy") == (
        "only: the plan has no audit 'partiy' (did you mean 'parity'?); it has 1 opportunity, 2 parity."
    )


def test_what_changed_since_a_folder_or_a_file(evenhand, plan):
    assert evenhand("audit", plan, "--only", "parity", "--out", "old", "-q").code == 0
    for old in ("old", "old/findings.json"):
        ran = evenhand("audit", plan, "--only", "parity", "--compare", old, "--json")
        compared = json.loads(ran.out)["compared"]
        assert {change["change"] for change in compared["changes"]} == {"same"}


def test_an_earlier_report_that_is_none(refused, plan):
    assert "nowhere/findings.json cannot be read" in refused("audit", plan, "--compare", "nowhere")


def test_an_interrupt_says_that_the_same_command_goes_on(evenhand, plan, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("evenhand.results.AuditResult.save", interrupted)
        ran = evenhand("audit", plan, "--out", "out")
    assert (ran.code, ran.err) == (
        130,
        "What is finished is kept: the same command goes on from there.\nError: Interrupted.\n",
    )
    assert evenhand("audit", plan, "--out", "out").code == 0
    assert "kept from a run that was interrupted" in Path("out/run.log").read_text()
