"""Whether the draft runs: every step is checked against the tables, and whether they are enough is asked."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from evenhand.arrays import Progress
from evenhand.errors import InputError
from evenhand.plan.init import power
from evenhand.plan.init.drafts import Cannot, Draft, StepDraft
from evenhand.plan.init.writing import plan_text
from evenhand.plan.model import Plan, parse
from evenhand.plan.running.opening import located, open_tables

MOST_TRIED = 2_000_000


def checked(
    draft: Draft, home: Path, rows: dict[str, int], progress: Progress = lambda message: None
) -> Draft:
    """The draft with the steps that run, and how much each can tell; what is refused is said.

    Where the tables are small each step is run once, as some faults show in rows alone (an item that no table
    describes). What it found is not looked at: a plan is agreed on before.
    """
    kept: list[StepDraft] = []
    lost: list[Cannot] = []
    for number, step in enumerate(draft.steps, start=1):
        trying = f"trying audit {number} of {len(draft.steps)}, {step.keys['audit']}"
        progress(f"{trying}; the first on a machine is compiled, which may take some minutes")
        try:
            kept += _tried_or_alone(step, draft, home, rows, partial(_beside, progress, trying))
        except InputError as error:
            question = f"{step.comments[0]} The data are here, but {step.keys['audit']} cannot use them yet."
            lost.append(Cannot(question, str(error).rstrip("."), "", "docs/howto/from-files-to-a-plan.md"))
            instead = _otherwise(step, draft, home, rows, partial(_beside, progress, trying))
            kept += instead
            marks = dict.fromkeys([*draft.marks, *(mark for one in instead for mark in one.marks)])
            draft = replace(draft, marks=list(marks))
    used = {name for step in kept for name in _names(step.keys, draft)}
    used |= draft.spare if kept else set()
    inputs = {name: one for name, one in draft.inputs.items() if name in used}
    return replace(draft, steps=kept, cannot=[*lost, *draft.cannot], inputs=inputs)


def _beside(progress: Progress, trying: str, message: str) -> None:
    progress(f"{trying}: {message}")


def _otherwise(
    step: StepDraft, draft: Draft, home: Path, rows: dict[str, int], progress: Progress
) -> list[StepDraft]:
    """Those of the steps in the place of a refused one that run."""
    found = []
    for one in step.otherwise:
        with suppress(InputError):
            found.append(_tried(one, draft, home, rows, progress))
    return found


def _tried_or_alone(
    step: StepDraft, draft: Draft, home: Path, rows: dict[str, int], progress: Progress
) -> list[StepDraft]:
    """The step; or, where attributes that are crossed cannot tell anything and one by itself can, those that
    can."""
    tried = _tried(step, draft, home, rows, progress)
    if not step.alone or not power.tells_nothing(tried.comments):
        return [tried]
    alone = [_tried(one, draft, home, rows, progress) for one in step.alone]
    telling = [one for one in alone if not power.tells_nothing(one.comments)]
    names = step.keys["attributes"]
    asked = [name for one in telling for name in one.keys["attributes"]]
    why = f"No limit would be wide enough for {' and '.join(names)} together"
    left = [name for name in names if name not in asked]
    why += f", nor for {' and '.join(left)} alone." if left else "."
    return [replace(one, comments=(*one.comments, why)) for one in telling] or [tried]


def _tried(step: StepDraft, draft: Draft, home: Path, rows: dict[str, int], progress: Progress) -> StepDraft:
    """The step with how much it can tell; raise what is wrong with it."""
    plan = _plan(replace(draft, steps=[step]), home)
    tables = open_tables(_only_inputs(plan, draft), home)
    made = plan.audits[0].at_home(partial(located, base=home, inputs=tables))
    made.check(tables)
    size = sum(rows.get(name, 0) for name in _names(step.keys, draft))
    ran = made.run(tables, 0, progress) if size <= MOST_TRIED else None
    return replace(step, comments=(*step.comments, *power.told(made, tables, rows, ran)))


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
