"""A day of both logs, read once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.following import CountedDay
from evenhand.inputs.columns.buckets import sign_of
from evenhand.opportunity.followed_days.packing import Packed
from evenhand.opportunity.logs.asked_rows import rows_asked_for
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.logs.preparation import count_logs, family, known_columns

# The counts of a day, and their totals, which every later look reads.
COUNTS, TOTALS = "counts", "totals"


def count_day(
    asked: Mapping[str, Any], daily: Collection[str], progress: Callable[[str], None]
) -> CountedDay:
    """The evidence of a day. `daily` are the tables that hold that day alone; a random log that is not among
    them is one that all days share."""
    if asked["random"] is None:
        raise InputError(
            "An audit without a random log cannot be followed: nothing can be told without random traffic. "
            "Name its log as random."
        )
    if "default" not in daily:
        raise InputError(
            "The default log is the same on every day: write {day} into its path, or name the column of the "
            "day in the plan ([monitoring] day)."
        )
    if asked.get("window") == "all" and "random" in daily:
        raise InputError(
            "window is 'all', but a day that is looked at today cannot be held against random traffic of "
            "days to come: leave window out, or say how many days."
        )
    keys = "label", "group", "cluster", "attributes", "on", "missing", "probability"
    question = Question.of(*(asked[key] for key in keys), bins=asked.get("bins"), where=asked.get("where"))
    default = inputs.table(asked["default"], name="default log")
    random = inputs.table(asked["random"], name="random log")
    question, logs = rows_asked_for(question, default, random)
    counted, fingerprints = count_logs({"default": logs[0], "random": logs[1]}, question, progress)
    known = known_columns(random)
    ids = [family(random.expr[name].type()) for name in question.clusters]  # those of both logs
    about = {
        "group": question.group,
        "clusters": question.clusters,
        "ids": ids,
        "sign": None if set(ids) <= {"integer"} else int(random.run(sign_of(random.expr))["sign"][0]),
        "probability": question.probability,
        "known": [known.user, known.item],
        "shared": "random" not in daily,
        "where": inputs.in_words(inputs.typed(logs[0], question.where)) if question.where else None,
        "left_out": [[log.left_out.rows, log.left_out.people] for log in logs if log.left_out is not None],
    }
    whole = Packed(about, counted)
    return CountedDay({COUNTS: whole.to_bytes(), TOTALS: totals_of(whole)}, fingerprints)


def totals_of(day: Packed) -> bytes:
    """What later looks have to know of a day: positives of both logs, and squared weights of those of the
    random log, by group; and the rows of both."""
    default, random = day.logs["default"], day.logs["random"]
    told = {
        "positives": dict(zip(default.groups, default.positives.sum(axis=0).tolist(), strict=True)),
        "random": dict(zip(random.groups, random.weighted_positives.sum(axis=0).tolist(), strict=True)),
        "squares": dict(zip(random.groups, random.squared_positives.sum(axis=0).tolist(), strict=True)),
        "rows": [default.total, random.weighted_total],
    }
    return Packed(told, {}).to_bytes()
