"""Hold a plan that init wrote against what was expected of it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from plan.init.folders import Expected


def faults(plan_file: Path, told: str, expected: Expected) -> list[str]:
    """What is wrong: a question, a table or a column; nothing where all is right."""
    text = plan_file.read_text()
    plan = tomllib.loads(text)
    found = []
    for wanted in expected.steps:
        if not any(_has(step, wanted) for step in plan["audits"]):
            like = [step for step in plan["audits"] if step["audit"] == wanted["audit"]]
            found.append(f"no step {wanted}; there is {like}")
    found += [f"{step['audit']} is asked" for step in plan["audits"] if step["audit"] in expected.not_asked]
    for name, file in expected.files.items():
        path = plan["inputs"].get(name, {}).get("path", "")
        if not str(path).endswith(file):
            found.append(f"{name} is {path!r}, not {file}")
    for key in ("where", "columns"):
        for name, wanted in getattr(expected, key).items():
            given = plan["inputs"].get(name, {}).get(key, {})
            if not _has(given, wanted):
                found.append(f"{key} of {name} is {given}, not {wanted}")
    for name, rule in expected.made.items():
        given = list(plan["inputs"].get(name, {}).get("made", {}).values())
        if not any(_has(one, rule) for one in given):
            found.append(f"{name} makes {given}, not {rule}")
    found += [f"says nothing of {words!r}" for words in expected.says if words not in " ".join(told.split())]
    return found + silent_labels(plan, text, told, expected)


def silent_labels(plan: dict[str, Any], text: str, told: str, expected: Expected) -> list[str]:
    """Labels that are none, or that nobody was told were chosen."""
    comment = " ".join(line.lstrip("# ") for line in text.splitlines() if line.startswith("#"))
    found = []
    for column in labels_of(plan):
        if column not in expected.labels:
            found.append(f"{column} is read as a label")
        for place, said in (("plan", comment), ("terminal", " ".join(told.split()))):
            if f"{column} is" not in said or "Chosen by init: check it" not in said:
                found.append(f"the {place} does not say that the label {column} was chosen")
    return found


def labels_of(plan: dict[str, Any]) -> set[str]:
    """The columns of the data that are read as labels, by their own names."""
    labels = set()
    for step in plan["audits"]:
        for key in ("default", "candidates"):
            one = plan["inputs"].get(step.get(key, ""), {})
            named = "label" if key == "candidates" else step.get("label")
            if not one or named is None:
                continue
            if named in one.get("made", {}):
                made = one["made"][named]["column"]
                labels.add(one.get("columns", {}).get(made, made))
            else:
                labels.add(one.get("columns", {}).get(named, named))
    return labels


def _has(given: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return all(_same(given.get(key), value) for key, value in wanted.items())


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    return bool(one == other)
