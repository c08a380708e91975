"""The plan that the docs print runs as it is printed, on the data of the demo."""

import re
from pathlib import Path

import pytest

from evenhand import plan as plans

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
def test_the_plan_of_the_docs_runs_as_printed(folder):
    text = (DOCS / "reference" / "plan.md").read_text(encoding="utf-8")
    (printed,) = [block for block in re.findall(r"```toml\n(.*?)```", text, re.S) if "[scope]" in block]
    (folder / "plan.toml").write_text(printed, encoding="utf-8")
    result = plans.run(folder / "plan.toml", out=folder / "out")
    asked = set(re.findall(r'^audit = "(\w+)"', printed, re.M))
    assert {finding.audit for finding in result.findings} == asked
