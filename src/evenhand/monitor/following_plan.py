"""Which audits of a plan are followed, by what, and what its days must have in common."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from evenhand.asked.step import Step
from evenhand.errors import InputError
from evenhand.following import Following
from evenhand.monitor.days.dates import Period
from evenhand.plan.model import Plan
from evenhand.plan.running import days
from evenhand.store.damage import sound

# What does not change what is counted or how often an interval holds: verdicts alone follow from it.
_JUDGED_BY = {"tolerance"}


@dataclass(frozen=True)
class FollowedStep:
    """One audit of the plan, under the name that its evidence has in the store."""

    key: str
    step: Step
    following: Following

    @property
    def asked(self) -> dict[str, Any]:
        """What it asks, with the names of tables."""
        return {name: getattr(self.step, name) for name in type(self.step).model_fields if name != "audit"}


@dataclass(frozen=True)
class FollowedPlan:
    """A plan, and the steps of it that a monitor follows."""

    plan: Plan
    base: Path
    steps: tuple[FollowedStep, ...]
    left_out: tuple[str, ...]  # audits that cannot be followed
    same_every_day: tuple[str, ...] = ()  # those that could, if a table of theirs were of one day

    @classmethod
    def of(cls, plan: Plan, base: Path) -> FollowedPlan:
        steps, left_out, seen = [], [], Counter[str]()
        same = days.same_every_day(plan)
        if all(step.follows is None or step in same for step in plan.audits):
            same = []  # that nothing is of one day is said when the day is opened
        for step in plan.audits:
            if step in same:
                continue
            if step.follows is None:
                left_out.append(step.audit)
                continue
            seen[step.audit] += 1
            number = f" {seen[step.audit]}" if seen[step.audit] > 1 else ""
            module, _, name = step.follows.partition(":")
            steps.append(FollowedStep(step.audit + number, step, getattr(import_module(module), name)))
        if not steps:
            raise InputError(
                f"None of the plan's audits ({', '.join(left_out)}) can be followed from day to day; "
                "opportunity, series, groups and exposure can."
            )
        return cls(plan, base, tuple(steps), tuple(left_out), tuple(step.audit for step in same))

    @property
    def period(self) -> Period:
        return "day" if self.plan.monitoring is None else self.plan.monitoring.cadence

    @property
    def day_column(self) -> str | None:
        return None if self.plan.monitoring is None else self.plan.monitoring.day

    @property
    def input_names(self) -> list[str]:
        """The tables that are read."""
        return list(dict.fromkeys(name for one in self.steps for _, name in one.step.input_names()))

    def definition(self) -> str:
        """What is counted and how; days that agree on it were counted alike."""
        told = {
            "period": self.period,
            "columns": self.plan.columns,
            "steps": {
                one.key: _without(one.step.model_dump(mode="json", exclude_none=True), _JUDGED_BY)
                for one in self.steps
            },
            "inputs": {
                name: _without_paths(self.plan.inputs[name].model_dump(mode="json", exclude_none=True))
                for name in self.input_names
            },
        }
        return json.dumps(told, sort_keys=True, ensure_ascii=False)


@sound("the question of its days")
def differences(before: str, now: str) -> list[str]:
    """Where two definitions differ, in the words of the plan: "opportunity.label was liked, is shared"."""
    old, new = dict(_flat(json.loads(before))), dict(_flat(json.loads(now)))
    keys = [key for key in dict.fromkeys((*old, *new)) if old.get(key) != new.get(key)]
    return [f"{key} was {_said(old.get(key))} and is {_said(new.get(key))}" for key in keys]


@sound("the plan of its last day")
def other_head(before: str, plan: Plan, key: str) -> tuple[str, str] | None:
    """What the plan of the last day and this one say of what is audited, where both say it and not the same.

    Plans are often called alike, and a monitor by its plan: in a store that several share, days of two
    systems would be counted as one.
    """
    told = json.loads(before).get("scope", {}).get(key)
    now = getattr(plan.scope, key)
    return (told, now) if told and now and told.strip() != now.strip() else None


def _flat(told: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(told, Mapping):
        for key, value in told.items():
            path = at if not at and key in ("steps", "inputs") else f"{at}.{key}".lstrip(".")
            yield from _flat(value, path)
    else:
        yield at, told


def _said(value: Any) -> str:
    return "not given" if value is None else json.dumps(value, ensure_ascii=False)


def _without_paths(told: dict[str, Any]) -> dict[str, Any]:
    """An input wherever it lies, and what is joined to it."""
    joined = {name: _without(one, {"path"}) for name, one in told.get("joined", {}).items()}
    return _without(told, {"path"}) | ({"joined": joined} if joined else {})


def _without(told: dict[str, Any], keys: set[str]) -> dict[str, Any]:
    return {key: value for key, value in told.items() if key not in keys}
