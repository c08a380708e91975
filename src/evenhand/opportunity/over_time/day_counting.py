"""From a log to the counts of each of its days, in one pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ibis.expr.types as ir

from evenhand import inputs
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.logs.counting import MOST_COUNTS, Question


def count_days(
    question: Question,
    log: inputs.Table,
    day: str,
    key_of: Callable[[ir.Column], ir.Value],
    weighted: bool = False,
) -> tuple[dict[Any, LogCounts], Fingerprint]:
    """Read `log` once: its counts by the value of `key_of(day)`, and its fingerprint."""
    log = question.joined(log, weighted)
    log.require(day)
    made = log.expr.group_by(day=key_of(log.expr[day]), **question.keys(log)).aggregate(
        **question.counts(log, weighted, also_required=[day])
    )
    counted = log.run(question.by_group(made).limit(MOST_COUNTS + 1))
    counted = question.checked(counted, log, weighted, also_required=[day])
    if len(counted) > MOST_COUNTS:
        raise InputError(
            f"{log.name}: {day!r}, {question.group!r} and the buckets of users make more than "
            f"{MOST_COUNTS:,} cells; a series counts whole days of a few groups, so name a column of "
            "days, or one of fewer groups."
        )
    items = question.count_by_item(log, weighted, lambda rows: {"day": key_of(rows[day])})
    of_days = {} if items is None else dict(list(items.groupby("day")))
    nothing = None if items is None else items.iloc[:0]
    days = {
        value: question.tabulate(part, of_days.get(value, nothing))
        for value, part in counted.groupby("day", sort=True)
    }
    return days, log.fingerprint(rows=int(counted["rows"].sum()))
