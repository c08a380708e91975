"""Whether the draft runs: every step is checked against the tables, and whether they are enough is asked."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from evenhand import opportunity
from evenhand.asked.step import Step
from evenhand.errors import InputError
from evenhand.plan.init.drafts import Cannot, Draft, StepDraft
from evenhand.plan.init.writing import plan_text
from evenhand.plan.model import Plan, parse
from evenhand.plan.opening import located, open_tables

Progress = Callable[[str], None]
# Beyond so many rows, whether the logs are enough is not asked: they are, or it takes too long.
MOST_ROWS = 20_000_000
MOST_TRIED = 2_000_000
TOLERANCE = 1 / 9


def checked(
    draft: Draft, home: Path, rows: dict[str, int], progress: Progress = lambda message: None
) -> Draft:
    """The draft with the steps that run, and how much each can tell; what is refused is said.

    Where the tables are small each step is run once, as some faults show in rows alone (an item that no table
    describes). What it found is not looked at: a plan is agreed on before.
    """
    kept: list[StepDraft] = []
    cannot = list(draft.cannot)
    for number, step in enumerate(draft.steps, start=1):
        progress(f"trying audit {number} of {len(draft.steps)}, {step.keys['audit']}")
        alone = replace(draft, steps=[step])
        try:
            plan = _plan(alone, home)
            tables = open_tables(_only_inputs(plan, draft), home)
            made = plan.audits[0].at_home(partial(located, base=home, inputs=tables))
            made.check(tables)
            size = sum(rows.get(name, 0) for name in _names(step.keys, draft))
            ran = made.run(tables, 0, lambda message: None) if size <= MOST_TRIED else None
        except InputError as error:
            question, why = f"The audit {step.keys['audit']} was left out.", str(error).rstrip(".")
            cannot.append(Cannot(question, why, "", "docs/init.md"))
            continue
        kept.append(replace(step, comments=(*step.comments, *_power(made, tables, rows, ran))))
    used = {name for step in kept for name in _names(step.keys, draft)}
    inputs = {name: one for name, one in draft.inputs.items() if name in used}
    return replace(draft, steps=kept, cannot=cannot, inputs=inputs)


def _plan(draft: Draft, home: Path) -> Plan:
    return parse(tomllib.loads(plan_text(draft, home, "draft")), "audit.toml")


def _only_inputs(plan: Plan, draft: Draft) -> Plan:
    used = {name for step in plan.audits for name in _names(step.model_dump(), draft)}
    return plan.model_copy(
        update={"inputs": {name: one for name, one in plan.inputs.items() if name in used}}
    )


def _names(value: Any, draft: Draft) -> set[str]:
    """The inputs that a step names, wherever it does."""
    if isinstance(value, str):
        return {name for name in (value, value.rpartition(":")[0]) if name in draft.inputs}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {name for one in inner for name in _names(one, draft)}


def _power(step: Step, tables: dict[str, Any], rows: dict[str, int], ran: Any) -> tuple[str, ...]:
    """What the data can tell at the default tolerance, in a sentence."""
    if step.audit == "groups" and ran is not None:
        gap = ran.find("uf").details["detectable_gap"]["gap"]
        return (f"With these users a group must be about {gap:.2f} away from the others to be found.",)
    if step.audit != "opportunity":
        return ()
    given = step.arguments(tables)
    sizes = {key: rows.get(str(getattr(step, key)), 0) for key in ("default", "random")}
    if sum(sizes.values()) > MOST_ROWS or not all(sizes.values()):
        return ()
    asked = {
        key: given[key]
        for key in ("label", "group", "cluster", "attributes", "on", "missing", "bins", "probability")
    }
    try:
        planned = opportunity.plan_traffic(
            given["default"], given["random"], rows_a_day=sizes["default"], random_rows_a_day=sizes["random"],
            half_width=TOLERANCE, **asked,
        )  # fmt: skip
        times = planned.find("days_needed").estimate
    except (InputError, LookupError) as error:
        return (f"Whether the logs are enough could not be told: {error}",)
    if times is None:
        return ("Some groups have too few liked rows in random traffic to tell anything: expect no verdict.",)
    if times <= 1:
        return (
            "The logs are enough to know the penalty to within 11 points (the default tolerance is 1/9).",
        )
    return (
        "To know the penalty to within 11 points (the default tolerance is 1/9) takes about "
        f"{times:.1f} times these logs.",
    )
