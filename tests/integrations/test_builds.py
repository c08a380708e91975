"""What runs in a build: the steps of the GitHub action and of the GitLab template, executed as they are
written."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from integrations.conftest import RECIPES

yaml = pytest.importorskip("yaml")
EXPRESSION = re.compile(r"\$\{\{ *inputs\.([\w-]+) *\}\}")


class Action:
    """The composite action, with the inputs of a workflow."""

    def __init__(self, **given):
        self.content = yaml.safe_load((RECIPES / "github/action.yml").read_text())
        declared = self.content["inputs"]
        assert given.keys() <= declared.keys()
        assert {name for name, one in declared.items() if one.get("required")} <= given.keys()
        self.inputs = {name: one.get("default", "") for name, one in declared.items()} | given
        self.steps = self.content["runs"]["steps"]

    def told(self, text):
        return EXPRESSION.sub(lambda found: self.inputs[found[1]], text)

    def run(self, shell, folder):
        """Every step that has a script, in order, until one fails, as a runner does; the exit codes."""
        codes = []
        for step in (step for step in self.steps if "run" in step):
            assert step["shell"] == "bash"
            environment = {name: self.told(value) for name, value in step["env"].items()}
            done = shell(
                step["run"], folder, **environment,
                GITHUB_OUTPUT=str(folder / "output"), GITHUB_STEP_SUMMARY=str(folder / "summary.md"),
            )  # fmt: skip
            codes.append(done.returncode)
            if done.returncode:
                return codes, done.stderr
        return codes, ""


@pytest.mark.slow
def test_the_action_runs_a_plan_and_says_what_was_found(clean_folder, shell):
    codes, error = Action(plan="our audit.toml", out="what was found").run(shell, clean_folder)
    assert (codes, error) == ([0, 0], "")
    assert "beyond the limit" in (clean_folder / "summary.md").read_text()
    assert (clean_folder / "output").read_text() == "report=what was found/report.html\n"
    assert "<title>Home feed</title>" in (clean_folder / "what was found/report.html").read_text()


@pytest.mark.slow
def test_the_action_fails_where_it_was_asked_to_and_still_says_why(clean_folder, shell):
    action = Action(plan="our audit.toml", **{"fail-on": "violation"})
    codes, _ = action.run(shell, clean_folder)
    assert codes == [0, 1]
    assert "beyond the limit" in (clean_folder / "summary.md").read_text()
    kept = action.steps[-1]
    assert kept["uses"].startswith("actions/upload-artifact@")
    assert kept["if"] == "always()"
    assert action.told(kept["with"]["path"]) == "audit"
    assert (clean_folder / "audit/report.html").is_file()


def test_no_input_of_the_action_becomes_a_part_of_a_script():
    """A workflow may pass on what a stranger wrote."""
    for step in Action(plan="x").steps:
        assert "${{" not in step.get("run", "")


@pytest.mark.slow
def test_bad_input_is_told_from_a_violation_and_never_executed(clean_folder, shell):
    codes, error = Action(plan="$(touch broken) `touch broken`; touch broken #").run(shell, clean_folder)
    assert codes == [0, 2]
    assert error.startswith("Error: There is no plan $(touch broken)")
    assert not (clean_folder / "broken").exists()


@pytest.mark.slow
def test_the_gitlab_job_runs_a_plan_and_leaves_a_test_report(clean_folder, shell):
    job = yaml.safe_load((RECIPES / "gitlab/evenhand.gitlab-ci.yml").read_text())["evenhand"]
    variables = job["variables"] | {"EVENHAND_PLAN": "our audit.toml"}
    done = shell("\n".join(job["script"]), clean_folder, **variables)
    assert (done.returncode, done.stderr) == (1, "")
    cases = list(ElementTree.parse(clean_folder / job["artifacts"]["reports"]["junit"]).iter("testcase"))
    assert len(cases) == 1
    assert cases[0].find("failure") is not None
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["paths"] == ["$EVENHAND_OUT"]
    assert (clean_folder / variables["EVENHAND_OUT"] / "report.html").is_file()
