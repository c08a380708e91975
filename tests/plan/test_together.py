"""Questions of a plan that hold at once: which level each step is asked at, and how often."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from evenhand.findings import Interval, Verdict
from evenhand.plan.running.together import run_together
from evenhand.report.answers import answers
from evenhand.report.completed import completed
from short_findings import short


class Step(SimpleNamespace):
    """A step with a level, as those of a plan have."""

    model_fields = ("level",)

    def model_copy(self, update):
        return Step(**{**vars(self), **update})


MEASURES = {"opportunity": "relative_utility", "exposure": "pair_exposure", "stages": "relative_utility"}


def asked_at(steps, half_widths, families=1):
    """The levels at which each step was run, and what the last ones say."""
    asked = []

    def run(number, step):
        asked.append((number, round(step.level, 6)))
        half = half_widths[number] / (1 - step.level)
        interval = Interval(low=0.5 - half, high=0.5 + half, level=step.level, method="made up")
        found = [
            short(
                audit=step.audit, measure=MEASURES[step.audit], subject={"group": "a", "beta": beta},
                estimate=0.5, interval=interval, tolerance=0.1, harm="outside",
            )
            for beta in range(families if step.audit == "exposure" else 1)
        ]  # fmt: skip
        return found, found

    ran = run_together(steps, run)
    told = answers(completed(finding for findings in ran for finding in findings))
    return asked, {answer.question: answer for answer in told}


def test_two_questions_begin_at_half_the_error_and_the_second_gets_what_the_first_leaves():
    steps = [Step(audit="opportunity", level=0.95), Step(audit="exposure", level=0.95)]
    # The first is told at 97.5%, the second only at 95%.
    asked, told = asked_at(steps, {1: 0.001, 2: 0.015})
    assert asked == [(1, 0.975), (2, 0.975), (2, 0.95)]
    assert told["creators"].verdict is told["exposure"].verdict is Verdict.VIOLATION
    assert told["exposure"].level == pytest.approx(0.95)


def test_several_families_share_the_error_of_their_question():
    asked, told = asked_at([Step(audit="exposure", level=0.95)], {1: 0.001}, families=2)
    assert asked == [(1, 0.95), (1, 0.975)]
    assert told["exposure"].level == pytest.approx(0.95)


def test_audits_of_one_question_are_asked_at_one_level():
    steps = [
        Step(audit="opportunity", level=0.95),
        Step(audit="stages", level=0.95),
        Step(audit="exposure", level=0.95),
    ]
    asked, _ = asked_at(steps, {1: 10.0, 2: 10.0, 3: 10.0})
    assert asked == [(1, 0.975), (2, 0.975), (3, 0.975)]
