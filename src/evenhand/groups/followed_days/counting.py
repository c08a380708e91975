"""A day of the group audit, read once and kept as a row a user."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.arrays import Progress
from evenhand.asked.declared.groups import AskedGroups
from evenhand.findings import Exclusion
from evenhand.groups.followed_days.other_days import DayTotals
from evenhand.groups.lists.several import EACH_USER_ONCE
from evenhand.groups.measuring import Question, Values, values_of
from evenhand.groups.tables import Tables
from evenhand.user_days.rows import UserRows


@dataclass(frozen=True)
class GroupsDay:
    """One day, or several added up: the rows, between which values each metric lies, who was left out, and
    the totals of each day, of one day none but its rows. `lists` are those that were left out by metric, of
    users who have several; None where users have one."""

    rows: UserRows
    bounds: dict[str, tuple[float, float] | None]
    excluded: tuple[Exclusion, ...] = ()
    several: tuple[DayTotals, ...] = ()
    lists: dict[str, tuple[Exclusion, ...]] | None = None

    @property
    def days(self) -> tuple[DayTotals, ...]:
        return self.several or (DayTotals.of(self.rows),)

    @classmethod
    def of(cls, question: Question, values: Values, key: bytes) -> GroupsDay:
        population, cells = values.population, values.population.cells
        names = tuple(
            tuple(words[code] for words, code in zip(cells.values, codes, strict=True))
            for codes in cells.codes
        )
        of_metrics = {one.label: one.values[population.who] for one in values.of_metrics}
        rows = UserRows.of(values.ids[population.who], key, names, cells.of_user, of_metrics)
        bounds = {one.label: one.bounds for one in values.of_metrics}
        several = [one for one in values.of_metrics if EACH_USER_ONCE in one.assumptions]
        lists = {one.label: one.excluded for one in several} if several else None
        return cls(rows, bounds, population.excluded, lists=lists)

    def evidence(self) -> dict[str, bytes]:
        told = {
            "bounds": self.bounds,
            "excluded": [one.model_dump(mode="json") for one in self.excluded],
            "several": [day.told() for day in self.several],
        }
        if self.lists is not None:
            told["lists"] = {
                label: [one.model_dump(mode="json") for one in left_out]
                for label, left_out in self.lists.items()
            }
        return {"users": self.rows.content(), "told": json.dumps(told, ensure_ascii=False).encode()}

    @classmethod
    def read(cls, evidence: Mapping[str, bytes]) -> GroupsDay:
        told = json.loads(evidence["told"])
        bounds = {name: None if each is None else (each[0], each[1]) for name, each in told["bounds"].items()}
        excluded = tuple(Exclusion.model_validate(one) for one in told["excluded"])
        several = tuple(DayTotals.read(day) for day in told["several"])
        lists = told.get("lists") and {
            label: tuple(Exclusion.model_validate(one) for one in left_out)
            for label, left_out in told["lists"].items()
        }
        return cls(UserRows.read(evidence["users"]), bounds, excluded, several, lists)

    def __add__(self, other: GroupsDay) -> GroupsDay:
        # Who was left out on one day may be there on another: only of one day it is known how many they are.
        both = (self.lists or {}).keys() | (other.lists or {}).keys()
        lists: dict[str, tuple[Exclusion, ...]] | None = dict.fromkeys(sorted(both), ()) if both else None
        return GroupsDay(self.rows + other.rows, self.bounds, several=self.days + other.days, lists=lists)


def question_of(asked: Mapping[str, Any], seed: int) -> Question:
    """From the arguments of the audit, of which some are tables."""
    own = {key: value for key, value in asked.items() if key in AskedGroups.model_fields}
    return Question.of(AskedGroups.checked(**own), seed)


def count(asked: Mapping[str, Any], key: bytes, progress: Progress) -> tuple[GroupsDay, dict[str, Any]]:
    """Read one day, and the fingerprints of its tables."""
    question = question_of(asked, 0)
    given = {name: asked.get(name) for name in ("history", "items", "recommender", "engine")}
    tables = Tables.of(asked["candidates"], asked["users"], **given)
    values = values_of(question, tables, progress, with_ids=True)
    return GroupsDay.of(question, values, key), values.fingerprints
