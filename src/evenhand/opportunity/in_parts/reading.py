"""The logs of an audit as it was asked, read once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.logs.asked_rows import rows_asked_for
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.logs.preparation import Prepared, count_logs, line_up
from evenhand.opportunity.random_log.findings import checks_of_random


def opened(logs: Mapping[str, Any], asked: Mapping[str, Any]) -> tuple[Question, dict[str, inputs.Table]]:
    """What is counted, and the rows of these logs that it is counted in; refused where users cannot be put
    into parts."""
    if logs.get("random", logs) is None:
        raise InputError("there is no random log, so that nothing can be computed.")
    question = Question.of(
        asked.get("label"), asked["group"], asked["cluster"], asked["attributes"], asked["on"],
        asked["missing"], asked.get("probability"), bins=asked["bins"], where=asked["where"],
        labelled="label" in asked,
    )  # fmt: skip
    if question.item is not None:
        raise InputError(
            "its errors are over users and items at once, and counts by item do not say whose they are; name "
            "the user column alone to try its gate."
        )
    tables = {name: inputs.table(log, name=f"{name} log") for name, log in logs.items()}
    question, rows = rows_asked_for(question, *tables.values())
    return question, dict(zip(tables, rows, strict=True))


def counted(
    logs: Mapping[str, Any], asked: Mapping[str, Any], progress: Callable[[str], None]
) -> tuple[Question, dict[str, LogCounts]]:
    """The counts of these logs by bucket of users."""
    question, tables = opened(logs, asked)
    return question, count_logs(tables, question, progress)[0]


def lined_up(logs: Mapping[str, LogCounts], random: LogCounts, question: Question) -> Prepared:
    return line_up(
        logs, random, question.group, {}, clusters=question.clusters, probability=question.probability
    )


def checks_of(
    asked: Mapping[str, Any], question: Question, audit: str, rng: int, progress: Callable[[str], None]
) -> tuple[Finding, ...]:
    """What the whole random log says of itself, where that is asked: by a log that is far from random no part
    is decided either. Whether draws depend on a column decides nothing, and is not asked."""
    if asked["item"] is None:
        return ()
    random = inputs.table(asked["random"], name="random log")
    return checks_of_random(random, question, asked["item"], asked["catalogue"], None, audit, rng, progress)[
        0
    ]
