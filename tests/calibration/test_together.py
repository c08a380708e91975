"""A plan whose questions are asked together: how often its report has any violation that is none."""

from types import SimpleNamespace

import pytest

from calibration.question_worlds import TOLERANCE, plan
from calibration.rates import can_be_at_least, can_be_at_most
from evenhand.findings import Verdict
from evenhand.plan.running.together import run_together
from evenhand.report.answers import answers
from evenhand.report.completed import completed

# The audit that answers each question, and the measure that it answers with.
ASKED = {
    "opportunity": "relative_utility",
    "groups": "confirmed_gap",
    "exposure": "pair_exposure",
    "envy": "envious_users",
    "association": "geaa",
}


class Step(SimpleNamespace):
    """A step with a level, as those of a plan have."""

    model_fields = ("level",)

    def model_copy(self, update):
        return Step(**{**vars(self), **update})


def violated(gaps, seed, together):
    """Whether the report of one plan says of any question that its limit is broken."""
    worlds = plan(gaps, seed)
    steps = [Step(audit=audit, level=0.95) for audit in list(ASKED)[: len(gaps)]]

    def run(number, step):
        found = [
            finding.amended(audit=step.audit, measure=ASKED[step.audit])
            for finding in worlds[number - 1](step.level)
        ]
        return found, found

    ran = run_together(steps, run) if together else [run(n, s)[0] for n, s in enumerate(steps, start=1)]
    told = answers(completed(finding for findings in ran for finding in findings))
    assert len(told) == len(gaps)
    return any(answer.verdict is Verdict.VIOLATION for answer in told)


@pytest.mark.parametrize("runs", [200, pytest.param(1_000, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_reports_with_all_truths_at_their_limits(runs):
    alone, together = (
        sum(violated([TOLERANCE] * 5, seed, asked) for seed in range(runs)) for asked in (False, True)
    )
    assert can_be_at_least(alone, runs, 0.11)
    assert can_be_at_most(together, runs, 0.05)


@pytest.mark.parametrize("runs", [150, pytest.param(1_000, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_audits_that_ask_one_question_of_several_logs_share_its_error(runs):
    """Five countries, asked alike, each exactly at its limit: any would be the question's violation."""
    steps, false = [Step(audit="opportunity", level=0.95) for _ in range(5)], 0
    for seed in range(runs):
        worlds = plan([TOLERANCE] * 5, seed)

        def run(number, step, worlds=worlds):
            found = completed(worlds[number - 1](step.level))
            return found, found

        found = [finding for findings in run_together(steps, run) for finding in findings]
        false += any(finding.verdict is Verdict.VIOLATION for finding in found)
    assert can_be_at_most(false, runs, 0.05)


def test_where_all_is_fair_no_report_has_a_violation():
    assert not any(violated([0.0] * 5, seed, together=True) for seed in range(50))


def test_what_is_plainly_unfair_is_still_said():
    assert all(violated([0.3, 0.0, 0.0, 0.0, 0.0], seed, together=True) for seed in range(20))
