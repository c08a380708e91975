"""A new audit is its declaration and its call: plan and command line have it without being told."""

from __future__ import annotations

import sys
import types
from typing import Annotated, ClassVar, Literal

import pandas as pd
import pytest
from pydantic import Field

import evenhand as eh
from evenhand.asked.audits import AUDITS, Declared
from evenhand.asked.marks import Table
from evenhand.asked.model import Asked
from evenhand.asked.step import Step
from evenhand.asked.types import Level
from evenhand.plan.model import parse
from evenhand.results import AuditResult
from short_findings import short


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
    rows = int(log.run(log.expr.aggregate(rows=log.expr.count())).rows[0])
    found = short(audit="count", measure="rows", subject={}, estimate=float(rows >= asked.least), n=rows)
    return AuditResult((found,), {"log": log.fingerprint(rows)}, rng)


@pytest.fixture
def toy(monkeypatch, tmp_path):
    room = types.ModuleType("toy_room")
    room.count, room.CountStep = count, CountStep
    monkeypatch.setitem(sys.modules, "toy_room", room)
    declared = Declared("toy_room:CountStep", "count", "Toys", "How many rows are there?")
    monkeypatch.setitem(AUDITS, "count", declared)
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"Visitor": [1, 2, 3]}).to_csv("log.csv", index=False)


def test_a_new_audit_is_in_plans_and_on_the_command_line(toy, evenhand):
    step = {"audit": "count", "log": "log"}
    content = {"inputs": {"log": {"path": "log.csv"}}, "columns": {"user_id": "Visitor"}, "audits": [step]}
    planned = eh.plan.run(parse(content, "audit.toml"), base=".")
    assert planned.findings[0].n.count == 3
    ran = evenhand("count", "--log", "log.csv", "--columns", "user_id=Visitor", "--json", "--min-cell", 0)
    assert (ran.code, ran.err) == (0, "")
    assert eh.AuditResult.from_json(ran.out).findings == planned.findings
    assert "How many rows are there?" in evenhand("--help").out
    help_page = evenhand("count", "--help").out
    assert "Rows that there should be." in help_page


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
