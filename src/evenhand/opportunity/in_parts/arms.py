"""Comparisons, asked of arms among which their users are dealt out anew. The random log, which all arms
share, stays whole. Each function gets what the call gets, and reads its logs once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from evenhand.about import About
from evenhand.arrays import Progress
from evenhand.asked.declared.ab_tests import AskedOfDifferences
from evenhand.opportunity.ab_tests.arm_counting import count_arms
from evenhand.opportunity.ab_tests.findings import ABTest, findings_of
from evenhand.opportunity.ab_tests.how import How
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.experiments import arms_chosen, arms_wanted
from evenhand.opportunity.in_parts.parts import Arms, ArmsAtRandom, Findings
from evenhand.opportunity.in_parts.reading import counted, lined_up, opened
from evenhand.opportunity.logs.counting import Question


def arms_at_random(*, rng: int, progress: Progress, **asked: Any) -> ArmsAtRandom:
    """`compare`."""
    question, arms = counted({**asked["arms"], "random": asked["random"]}, asked, progress)
    random = arms.pop("random")
    return ArmsAtRandom({"": arms}, _compared(random, question, asked, rng, "compare"))


def experiments_at_random(*, rng: int, progress: Progress, **asked: Any) -> ArmsAtRandom:
    """`experiments`: each deals out the users of its arms for itself."""
    question, logs = opened({"default": asked["default"], "random": asked["random"]}, asked)
    wanted = arms_wanted(asked["columns"])
    progress(f"counting {logs['default'].name}")
    found = count_arms(question, logs["default"], wanted).logs
    random, _ = question.count(logs["random"], weighted=True)
    arms = {name: arms_chosen(found[name], name, wanted[name], logs["default"].name) for name in wanted}
    return ArmsAtRandom(arms, _compared(random, question, asked, rng, "experiments"))


def _compared(
    random: LogCounts, question: Question, asked: Mapping[str, Any], rng: int, audit: str
) -> Callable[[Mapping[str, Arms]], Findings]:
    """From the arms of every comparison to findings; what more data would decide is not asked."""
    told = AskedOfDifferences(**{key: asked[key] for key in AskedOfDifferences.model_fields})
    how = replace(How.of(told, rng), more_data=False)

    def found(comparisons: Mapping[str, Arms]) -> Findings:
        tests = []
        for name, arms in comparisons.items():
            about: About = {"by": {"creators": question.group}}
            if name:
                about["experiment"] = name
            tests.append(ABTest(lined_up(arms, random, question), tuple(arms), about))
        return findings_of(tests, how, audit)

    return found
