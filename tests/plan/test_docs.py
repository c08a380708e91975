"""The plan and the commands that the docs print run as they are printed, on the data of the demo."""

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evenhand import plan as plans
from evenhand.cli.main import app

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
def test_the_plan_of_the_docs_runs_as_printed(folder):
    text = (DOCS / "reference" / "plan.md").read_text(encoding="utf-8")
    (printed,) = [block for block in re.findall(r"```toml\n(.*?)```", text, re.S) if "[scope]" in block]
    (folder / "plan.toml").write_text(printed, encoding="utf-8")
    result = plans.run(folder / "plan.toml", out=folder / "out")
    asked = set(re.findall(r'^audit = "(\w+)"', printed, re.M))
    assert {finding.audit for finding in result.findings} == asked


def commands(page: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(r"^    (evenhand (?:stages|boost|parity|user-precision) .*)$", text, re.M)


def test_there_is_a_command_for_each_question():
    assert len(commands("explain/creators.md")) == 4


@pytest.mark.parametrize("command", commands("explain/creators.md"))
def test_commands_of_the_docs_run_as_printed(command, data, monkeypatch):
    monkeypatch.chdir(data)
    ran = CliRunner().invoke(app, [*shlex.split(command)[1:], "--json"])
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["findings"]
