"""What is said of a plan: how a label is made, and which limits it names."""

from __future__ import annotations

from evenhand.findings import Finding
from evenhand.report.annex.told import has_tested_changes
from evenhand.report.words import agreed, overall
from evenhand.results import AuditResult

FOUND = Finding(audit="opportunity", measure="reo_penalty", about={"by": {"creators": "age"}}, estimate=0.2)
STEP = {"audit": "opportunity", "label": "liked", "tolerance": 0.2}
AMONG = {"column": "answer", "among": ["like", "love"]}
PLAN = {
    "inputs": {name: {"path": "a.csv", "made": {"liked": AMONG}} for name in ("default", "random")},
    "audits": [
        {**STEP, "group": "age", "name": "age"},
        {**STEP, "group": "sex", "name": "sex", "tolerance": 1 / 9},
    ],
    "default_limits": [2],
}
DOCUMENT = AuditResult((FOUND,), plan=PLAN).document


def test_what_counts_as_liked_is_how_the_plan_makes_it():
    assert dict(overall.scope(DOCUMENT))["What counts as liked"] == "answer is like or love"


def test_a_limit_that_one_step_has_is_not_missing_for_all():
    (said,) = agreed.notes(DOCUMENT)
    assert said == "The plan names no limit for sex: the default is taken, on which nobody has agreed."
    assert agreed.limit_of("opportunity", DOCUMENT) == "limit"
    assert dict(agreed.agreed(DOCUMENT))["Identify"] == (("age", "tolerance 0.2"), ("sex", "Opportunity"))


def test_what_nobody_tested_is_not_said_to_mend_nothing():
    assert not has_tested_changes([FOUND])
    assert has_tested_changes([FOUND.amended(audit="mitigate")])
