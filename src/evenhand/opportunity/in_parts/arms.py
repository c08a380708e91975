"""Comparisons, asked of arms among which their users are dealt out anew. The random log, which all arms
share, stays whole. Each function gets what the call gets, and reads its logs once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from evenhand.about import About
from evenhand.arrays import Progress
from evenhand.asked.declared.ab_tests import AskedOfDifferences
from evenhand.errors import InputError
from evenhand.opportunity.ab_tests.arm_counting import count_arms
from evenhand.opportunity.ab_tests.findings import ABTest, findings_of
from evenhand.opportunity.ab_tests.how import How
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.experiments import arms_chosen, arms_wanted
from evenhand.opportunity.in_parts.parts import Arms, ArmsAtRandom, Findings, buckets_of
from evenhand.opportunity.in_parts.reading import checks_of, counted, lined_up, opened
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.random_log.findings import doubted

# A dealt-out arm has fewer clusters than the real one, whose users are in many more buckets. Of fewer it
# cannot be computed, or hardly, where the real one can.
_LEAST_BUCKETS = 20


def arms_at_random(*, rng: int, progress: Progress, **asked: Any) -> ArmsAtRandom:
    """`compare`."""
    question, arms = counted({**asked["arms"], "random": asked["random"]}, asked, progress)
    random = arms.pop("random")
    _refuse_small(arms)
    return ArmsAtRandom({"": arms}, _compared(random, question, asked, rng, "compare", progress))


def experiments_at_random(*, rng: int, progress: Progress, **asked: Any) -> ArmsAtRandom:
    """`experiments`: each deals out the users of its arms for itself."""
    question, logs = opened({"default": asked["default"], "random": asked["random"]}, asked)
    wanted = arms_wanted(asked["columns"])
    progress(f"counting {logs['default'].name}")
    found = count_arms(question, logs["default"], wanted).logs
    random, _ = question.count(logs["random"], weighted=True)
    arms = {name: arms_chosen(found[name], name, wanted[name], logs["default"].name) for name in wanted}
    for of_one in arms.values():
        _refuse_small(of_one)
    return ArmsAtRandom(arms, _compared(random, question, asked, rng, "experiments", progress))


def _refuse_small(arms: Arms) -> None:
    """Refuse an arm of so few of the users that dealing out buckets would make another test of it."""
    total = sum(log.total for log in arms.values())
    for (name, log), buckets in zip(arms.items(), buckets_of(arms), strict=True):
        if buckets < _LEAST_BUCKETS:
            raise InputError(
                f"arm {name!r} has {log.total / total:.1%} of the rows, which is {buckets} of the 1,024 "
                "parts that users are dealt out in; its own users are in more, so that the gate would seem "
                "worse than it is. Try it on arms of at least 2%."
            )


def _compared(
    random: LogCounts,
    question: Question,
    asked: Mapping[str, Any],
    rng: int,
    audit: str,
    progress: Progress,
) -> Callable[[Mapping[str, Arms]], Findings]:
    """From the arms of every comparison to findings; what more data would decide is not asked."""
    told = AskedOfDifferences(**{key: asked[key] for key in AskedOfDifferences.model_fields})
    how = replace(How.of(told, rng), more_data=False)
    checks = checks_of(asked, question, audit, rng, progress)

    def found(comparisons: Mapping[str, Arms]) -> Findings:
        tests = []
        for name, arms in comparisons.items():
            about: About = {"by": {"creators": question.group}}
            if name:
                about["experiment"] = name
            tests.append(ABTest(lined_up(arms, random, question), tuple(arms), about))
        return doubted(findings_of(tests, how, audit), checks)

    return found
