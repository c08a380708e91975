"""All questions of a plan at once: Holm over questions, each asked again at the level that it gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from evenhand.asked.step import Step
from evenhand.findings import Finding, Verdict
from evenhand.report.answers import answers
from evenhand.report.completed import beside, completed
from evenhand.report.vocabulary.names import headlines, serves
from evenhand.stats.multiplicity import ROUNDING, answers_together

# Runs the step of a number, counted from 1, and gives what it made and its findings.
Run = Callable[[int, Step], tuple[Any, Sequence[Finding]]]


def run_together(steps: Sequence[Step], run: Run) -> list[Any]:
    """What each step made, at a level at which no violation of any question is false, all at once.

    A question is all steps that serve it, and it claims a violation by its headline. Of several families in
    the headline each may miss by itself, so that they share what the question may. A step is run once for
    each level; one without a level, or without a question, once.
    """
    made: dict[tuple[int, float | None], tuple[Any, Sequence[Finding]]] = {}

    def once(number: int, level: float | None) -> tuple[Any, Sequence[Finding]]:
        step = steps[number - 1]
        level = level if "level" in type(step).model_fields else None
        if (number, level) not in made:
            asked = step if level is None else step.model_copy(update={"level": level})
            made[number, level] = run(number, asked)
        return made[number, level]

    questions: dict[str, list[int]] = {}
    for number, step in enumerate(steps, start=1):
        if headlines(serves(step.audit)):
            questions.setdefault(serves(step.audit), []).append(number)

    def ask(question: str, level: float) -> dict[int, tuple[Any, Sequence[Finding]]]:
        ran = {number: once(number, level) for number in questions[question]}
        holds = _level(question, ran)
        if holds is not None and holds < level - ROUNDING:
            share = 1 - (1 - level) ** 2 / (1 - holds)
            ran = {number: once(number, share) for number in questions[question]}
        return ran

    level = min((getattr(step, "level", 1.0) for step in steps), default=0.95)
    asked = [partial(ask, question) for question in questions]
    told = answers_together(asked, lambda ran: any(_claims(ran)), level)
    chosen = {number: what for _, ran in told for number, what in ran.items()}
    return [(chosen.get(number) or once(number, None))[0] for number in range(1, len(steps) + 1)]


def _findings(ran: dict[int, tuple[Any, Sequence[Finding]]]) -> tuple[Finding, ...]:
    """Those of all steps: what two steps ask alike of different logs are two families, as in the report."""
    joined: tuple[Finding, ...] = ()
    for _, findings in ran.values():
        joined += beside(joined, completed(findings))
    return joined


def _level(question: str, ran: dict[int, tuple[Any, Sequence[Finding]]]) -> float | None:
    return next((one.level for one in answers(_findings(ran)) if one.question == question), None)


def _claims(ran: dict[int, tuple[Any, Sequence[Finding]]]) -> list[bool]:
    return [answer.verdict is Verdict.VIOLATION for answer in answers(_findings(ran))]
