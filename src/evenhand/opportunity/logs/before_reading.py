"""What can be known of logs before any is read: whether their columns are there, and fit each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.inputs import Table, same_label_definition
from evenhand.opportunity.ab_tests.planned_split import planned, planned_values
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.random_log.by_column_findings import columns_of


def check_before_reading(
    *,
    group: Any,
    label: Any = None,
    cluster: Any = None,
    attributes: Table | None = None,
    on: Any = None,
    missing: Any = "refuse",
    bins: Any = None,
    where: Any = None,
    probability: str | None = None,
    default: Table | None = None,
    random: Table | None = None,
    arms: Mapping[str, Table] | None = None,
    logs: Mapping[str, Table] | None = None,
    catalogue: Table | None = None,
    item: str | None = None,
    item_by: Any = None,
    day: str | None = None,
    window: Any = None,
    columns: Any = (),
    split: Any = None,
    split_by: str | None = None,
    **others: Any,
) -> None:
    """Raise what is wrong with the arguments of any call of this room, `others` being those that have no
    columns."""
    question = Question.of(
        label, group, cluster, attributes, on, missing, probability, bins=bins, where=where,
        labelled=label is not None,
    )  # fmt: skip
    if arms is not None:
        planned(split, list(arms), split_by)
    elif isinstance(split, Mapping):
        for column, shares in split.items():
            planned_values(shares, split_by, f"split of {column}")
    several = arms or logs or ({} if default is None else {"default": default})
    shown = [log for name, log in several.items() if name != "random"]
    random = (logs or {}).get("random", random)
    for log in shown:
        log.require(*columns, *([day] if day else []))
        question.joined(log)
    if random is None:
        if catalogue is not None and label is None:
            catalogue.require(*question.groups)
        return
    question.joined(random, weighted=True)
    same_label_definition(*shown, random)
    if day and window not in (None, "all"):
        random.require(day)
    if item:
        random.require(item)
        if catalogue is not None:
            catalogue.require(item)
    random.require(*columns_of(item_by, item))
