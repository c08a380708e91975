"""A new audit is its room, its declaration and its words: whatever shows audits has it without being told."""

from __future__ import annotations

import html
import json
import sys
import types
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import pandas as pd
import pytest
from pydantic import Field

import evenhand as eh
from evenhand import inputs
from evenhand.asked.audits import AUDITS, Declared
from evenhand.asked.marks import Table
from evenhand.asked.model import Asked
from evenhand.asked.step import Step
from evenhand.asked.types import Level
from evenhand.findings import Count, Finding, Interval
from evenhand.plan.model import parse
from evenhand.plan.schema import plan_schema
from evenhand.report import vocabulary
from evenhand.report.vocabulary import names
from evenhand.results import AuditResult


class AskedCount(Asked):
    """What the toy can be asked."""

    least: Annotated[int, Field(ge=1, le=10, description="Rows that there should be.")] = 2
    level: Level = 0.95


class CountStep(Step, AskedCount):
    """How many rows are there?"""

    calls: ClassVar[str] = "toy_room:count"

    audit: Literal["count"] = "count"
    log: Annotated[str, Table(("user_id",)), Field(description="Any table.")]


def count(log, *, least=2, level=0.95, rng=0, progress=None):
    asked = AskedCount.checked(least=least, level=level)
    log = inputs.table(log, name="log")
    rows = int(log.run(log.expr.aggregate(rows=log.expr.count())).rows[0])
    found = Finding(
        audit="count",
        measure="missing_rows",
        estimate=float(max(asked.least - rows, 0)),
        interval=Interval(low=0, high=1, level=asked.level, method="guessed"),
        tolerance=3,
        n=Count(rows, "rows"),
        details={"asked": asked.least},
    )
    return AuditResult((found,), {"log": log.fingerprint(rows)}, rng)


WORDS = """
from evenhand.findings import Verdict
from evenhand.report.vocabulary.measure import Measure
from evenhand.report.vocabulary.room import Audit, Room

ROOM = Room(
    audits={
        "count": Audit(
            title="Counting",
            serves="toys",
            headline="missing_rows",
            advice={Verdict.WITHIN_TOLERANCE: "Leave it at that."},
        )
    },
    measures={
        "missing_rows": Measure(
            title="Rows that are missing", unit="statistic", sentence="of {asked} rows, {size} are missing"
        )
    },
    terms={"asked": "rows that there should be"},
)
"""


@pytest.fixture
def toy(monkeypatch, tmp_path):
    room = types.ModuleType("toy_room")
    room.count, room.CountStep = count, CountStep
    monkeypatch.setitem(sys.modules, "toy_room", room)
    declared = Declared("toy_room:CountStep", "count", "Toys", "How many rows are there?")
    monkeypatch.setitem(AUDITS, "count", declared)
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"Visitor": [1, 2, 3]}).to_csv("log.csv", index=False)
    # A file in the folder of the words, as far as Python can see.
    shelf = tmp_path / "words"
    shelf.mkdir()
    (shelf / "toys.py").write_text(WORDS)
    monkeypatch.setattr(vocabulary, "__path__", [*vocabulary.__path__, str(shelf)])
    names.words.cache_clear()
    yield
    names.words.cache_clear()
    sys.modules.pop("evenhand.report.vocabulary.toys", None)


def test_a_new_audit_is_in_plans_and_on_the_command_line(toy, evenhand):
    step = {"audit": "count", "log": "log"}
    content = {"inputs": {"log": {"path": "log.csv"}}, "columns": {"user_id": "Visitor"}, "audits": [step]}
    planned = eh.plan.run(parse(content, "audit.toml"), base=".")
    assert planned.findings[0].n.count == 3
    ran = evenhand("count", "--log", "log.csv", "--columns", "user_id=Visitor", "--json", "--min-cell", 0)
    assert (ran.code, ran.err) == (0, "")
    assert eh.AuditResult.from_json(ran.out).findings == planned.findings
    assert count("log.csv").findings == planned.findings  # a call takes what a plan names
    assert "How many rows are there?" in evenhand("--help").out
    help_page = evenhand("count", "--help").out
    assert "Rows that there should be." in help_page


def test_a_new_audit_is_in_the_report_and_in_the_schema_with_its_own_words(toy, evenhand):
    command = ("count", "--log", "log.csv", "--columns", "user_id=Visitor", "--least", 5, "--min-cell", 0)
    own = ("Counting", "How many rows are there?", "Rows that are missing", "Leave it at that.")
    said = "Of 5 rows, 2.0 are missing (0 to 1.0; limit 3)."
    printed = evenhand(*command, "--verbose", "--out", "audit")
    assert printed.code == 0
    page = html.unescape(Path("audit/report.html").read_text())
    for text in (" ".join(printed.out.split()), page):
        for words in (*own, said):
            assert words in text
    assert "Rows that there should be" in page
    document = eh.AuditResult.load("audit")
    (found,) = document.findings
    assert (found.question, found.unit, found.family.name) == ("toys", "statistic", "count.missing_rows")
    assert [(answer.question, answer.decided_by) for answer in document.questions] == [
        ("toys", "count.missing_rows")
    ]
    made = json.dumps(plan_schema())
    assert "How many rows are there?" in made
    assert "Rows that there should be." in made


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--least", "0"), "--least is 0, but must be a whole number from 1 to 10."),
        (("--least", "two"), "--least is 'two', but must be a whole number from 1 to 10."),
        (
            ("--columns", "user_id=Visitr"),
            "columns: no table has a column 'Visitr' (did you mean 'Visitor'?)",
        ),
        (
            ("--columns", "user_id"),
            "--columns is 'user_id', but must be NAME=THEIRS, such as user_id=User_ID.",
        ),
        ((), "--columns user_id="),
        (("--least", "1", "--least", "2"), "--least is given 2 times ('1', '2'), but takes one value."),
    ],
)
def test_a_new_audit_refuses_as_all_do(toy, evenhand, words, said):
    ran = evenhand("count", "--log", "log.csv", *words)
    assert ran.code == 2
    assert said in ran.err


def test_tables_that_call_one_thing_by_different_names(toy, evenhand):
    pd.DataFrame({"uid": [1, 2], "Visitor": [1, 2]}).to_csv("both.csv", index=False)
    names = ("--columns", "user_id=Visitor", "--columns", "user_id=uid")
    assert "no table has a column 'uid'" in evenhand("count", "--log", "log.csv", *names).err
    said = "log: Visitor and uid are both named as user_id; name one of them."
    assert said in evenhand("count", "--log", "both.csv", *names).err
    assert evenhand("count", "--log", "both.csv", *names[2:], "--min-cell", 0).code == 0


def test_a_key_that_asks_for_another_audit_is_not_required(evenhand):
    pages = evenhand("opportunity", "--help").out, evenhand("association", "--help").out
    day, attribute = (" ".join(page.split()) for page in pages)
    assert "not all rows at once. --" in day  # no "[required]" behind --day
    assert "such as users.parquet:gender. [required]" in attribute
