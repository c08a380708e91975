"""The draft as `audit.toml`: a plan with comments that say what was chosen, and what could not be asked."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.plan.init.drafts import Draft, InputDraft, StepDraft
from evenhand.plan.init.labelling.labels import Label
from evenhand.plan.init.meaning.recognised import Joined

WIDTH = 100
# Keys of steps that name files and not inputs.
_PLACES = ("model", "users", "items")


def plan_text(draft: Draft, home: Path, title: str, command: str = "evenhand audit audit.toml") -> str:
    """The content of the file; `home` is the folder that it will lie in, and `command` runs it."""
    lines = [
        "# An audit plan, written by `evenhand init`. It runs as it stands:",
        f"#     {command}",
        "# Lines that begin with CHECK say what was guessed. Change them, or delete the mark once you agree.",
        "",
        *(line for mark in draft.marks for line in _comment(f"CHECK: {mark}")),
        *(line for one in draft.first for line in _comment(f"More can be asked if you say: {one}")),
        *(line for one in draft.agreed for line in _comment(f"Chosen by whoever was asked: {one}")),
        "",
        "[scope]",
        f"title = {_value(title)}",
        '# question = "Why do you ask?"',
        '# system = "Which system is it?"',
        '# owner = "Who agreed on this plan?"',
        "",
    ]
    for one in draft.inputs.values():
        lines += [*_input(one, home), ""]
    for step in draft.steps:
        lines += [*_step(step, draft, home), ""]
    if draft.day is not None:
        lines += ["# To follow this plan from day to day (`evenhand monitor add`):", "# [monitoring]"]
        lines += [f"# day = {_value(draft.day)}"]
        lines += _comment(
            "Or write {day} in the place of the day into the paths of logs that have a file a day."
        )
        lines.append("")
    if draft.codes:
        lines += ["# What the report should call codes:", "# [labels]"]
        lines += [f'# {_key(name)}.{code} = "..."' for name, codes in draft.codes.items() for code in codes]
        lines.append("")
    if draft.groups:
        lines += [
            "# Groups that there could be:",
            *(line for one in draft.groups for line in _comment(f"- {one}")),
            "",
        ]
    if draft.cannot:
        lines.append("# What these data do not answer, and what to log for it:")
        for lack in draft.cannot:
            lines += _comment(f"- {lack.told()}")
        lines.append("")
    if draft.notes:
        lines += ["# Also seen:", *(line for note in draft.notes for line in _comment(f"- {note}")), ""]
    return "\n".join(lines)


def _input(one: InputDraft, home: Path) -> Iterator[str]:
    for comment in one.comments:
        yield from _comment(comment)
    yield f"[inputs.{one.name}]"
    files = one.files
    if files.table is not None:
        yield f"path = {_value(placed(files.source, home))}"
        yield f"table = {_value(files.table)}"
    else:
        paths = [files.pattern] if files.pattern else [str(path) for path in files.paths]
        located = [placed(path, home) for path in paths]
        yield f"path = {_value(located[0] if len(located) == 1 else located)}"
    if files.folders:
        yield f"folders = true  # {', '.join(files.folders)}: from the names of folders"
    if one.columns:
        yield f"columns = {_value(one.columns)}  # our name = yours"
    if one.where:
        yield f"where = {_value(one.where)}  # {_rows(one)}"
    for new, rule in one.made.items():
        yield f"made.{_key(new)} = {_value(rule)}  # CHECK: a column of 0 and 1, made of yours"
    for new, found in one.joined.items():
        yield f"joined.{_key(new)} = {_value(_rule(new, found, home))}"
    for label in one.other_labels:
        if label.rule:
            made = _value(label.made[label.name])
            named = _value(label.name)
            yield f"# made.{_key(label.name)} = {made}  # instead, with label = {named}{_too(label)}"
        else:
            yield f"# Instead: label = {_value(label.column)} in the audits below{_too(label)}; {label.why}"
    if one.label_definition:
        yield f"label_definition = {_value(one.label_definition)}"


def _rule(new: str, found: Joined, home: Path) -> dict[str, str]:
    """How a column is found in another table."""
    path = found.files.pattern or str(found.files.paths[0])
    rule = {"path": placed(path, home), "on": found.on}
    rule |= {"key": found.key} if found.key != found.on else {}
    return rule | ({"column": found.column} if found.column != new else {})


def _too(label: Label) -> str:
    """The report says what counts as liked in these words."""
    return f", and label_definition = {_value(label.meaning)}"


def _rows(one: InputDraft) -> str:
    others = any(isinstance(value, dict) for value in one.where.values())
    return "all rows but these, also what is new" if others else "these rows"


def _step(step: StepDraft, draft: Draft, home: Path) -> Iterator[str]:
    for comment in step.comments:
        yield from _comment(comment)
    yield "[[audits]]"
    for key, value in step.keys.items():
        if key in _PLACES and isinstance(value, str) and value not in draft.inputs:
            value = placed(value, home)
        beside = step.beside.get(key)
        yield f"{_key(key)} = {_value(value)}{f'  # CHECK: {beside}' if beside else ''}"
    for key, value in step.possible.items():
        yield f"# {_key(key)} = {_value(value)}  # CHECK: {step.beside[key]}"


def placed(path: str, home: Path) -> str:
    """A path as the plan says it: from its own folder, where that is not far away."""
    if "://" in path:
        return path
    near = os.path.relpath(os.path.abspath(path), os.path.abspath(home))
    return near if near.count("..") <= 3 else os.path.abspath(path)


def _comment(text: str) -> list[str]:
    plain = " ".join(text.split())
    return textwrap.wrap(plain, WIDTH, initial_indent="# ", subsequent_indent="#   ", break_long_words=False)


def _key(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() and key.isascii() else json.dumps(key)


def _value(value: Any) -> str:
    """A value as TOML writes it; strings of JSON are strings of TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(str(key))} = {_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if hasattr(value, "item"):
        return _value(value.item())
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return repr(value)
