"""The tables of a plan, opened, and its steps held against them: everything that is wrong, not the first."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any

from evenhand import inputs
from evenhand.asked.marks import COLUMN, Location, Written
from evenhand.asked.step import Step
from evenhand.errors import InputError
from evenhand.parameters import plain_path
from evenhand.plan.mistakes import Mistake
from evenhand.plan.model import InputSpec, Plan

_QUOTED = re.compile(r"'([^']*)'")


def open_tables(plan: Plan, base: Path) -> dict[str, inputs.Table]:
    """The tables of a plan, or the first thing that is wrong with them."""
    tables, wrong = opened(plan.inputs, base, plan.engine, plan.columns)
    if wrong:
        raise InputError(f"{wrong[0].said}.")
    return tables


def opened(
    specs: Mapping[str, InputSpec],
    base: Path,
    engine: str | None = None,
    columns: Mapping[str, str | list[str]] | None = None,
) -> tuple[dict[str, inputs.Table], list[Mistake]]:
    """The tables that can be opened, by name, and what is wrong with the others."""
    tables: dict[str, inputs.Table] = {}
    wrong: list[Mistake] = []
    for name, spec in specs.items():
        try:
            tables[name] = open_input(name, spec, base, engine)
        except InputError as error:
            said = _sentence(error)
            key = _key_about(said, spec.model_dump()) or "path"
            about_engine = engine is not None and engine in _QUOTED.findall(said)
            one = Mistake(("engine",) if about_engine else ("inputs", name, key), said)
            wrong += [one] if one not in wrong else []
    try:
        return inputs.renamed(tables, columns or {}), wrong
    except InputError as error:
        return tables, wrong if wrong else [Mistake(("columns",), _sentence(error))]


def open_input(name: str, spec: InputSpec, base: Path, engine: str | None) -> inputs.Table:
    """One input, with the rows and the columns that its part of the plan says."""
    paths = [spec.path] if isinstance(spec.path, str) else spec.path
    places = [located(path, base) for path in paths]
    whole = places[0] if len(places) == 1 else places
    found = inputs.table(
        whole if spec.table is None else inputs.stored_table(places[0], spec.table, name),
        name=name,
        columns=spec.columns,
        engine=engine,
        label_definition=spec.label_definition,
        timezone=spec.timezone,
        folders=spec.folders,
    )
    return inputs.part_of(found, spec.where, spec.made)


def of_one_day(spec: InputSpec) -> bool:
    """Whether its files are those of a day that the plan does not name: only the monitor knows which."""
    return any("{day" in path for path in ([spec.path] if isinstance(spec.path, str) else spec.path))


def checked(steps: Mapping[int, Step], tables: Mapping[str, inputs.Table], of: int) -> list[Mistake]:
    """What is wrong with steps, by their places in a plan of so many, that name only tables which are
    open."""
    wrong: list[Mistake] = []
    for place, step in steps.items():
        if any(name not in tables for _, name in step.input_names()):
            continue
        try:
            step.check(tables)
        except InputError as error:
            said = _sentence(error)
            given = step.model_dump(mode="json")
            absent = without_columns(place, step, tables)
            told = set(_QUOTED.findall(said)) & set(_texts(given))
            each = told <= absent.keys() and len(told) > 1
            if not each:  # columns that are nowhere are told one by one
                absent = {column: one for column, one in absent.items() if column not in told}
                key = _key_about(said, given)
                number = f"audit {place + 1} of {of} ({step.audit}): " if of > 1 else ""
                # What is about no key of a step, but about the tables, is one mistake in all steps.
                if key is not None or not any(one.said.endswith(said) for one in wrong):
                    wrong.append(Mistake(("audits", place, *([key] if key else [])), number + said))
            wrong += absent.values()
    return wrong


def without_columns(place: int, step: Step, tables: Mapping[str, inputs.Table]) -> dict[str, Mistake]:
    """Columns that a step names and that none of its tables has; an audit tells of the first alone."""
    named = [tables[name] for _, name in step.input_names() if name in tables]
    in_a_model = any(getattr(step, key, None) for key, _ in step.marked(Location))
    if in_a_model or not named or any(name not in tables for _, name in step.input_names()):
        return {}
    there = {column for table in named for column in table.columns}
    absent: dict[str, Mistake] = {}
    for key, mark in step.marked(Written):
        value = getattr(step, key, None) if mark.metavar == COLUMN.metavar else None
        for column in value if isinstance(value, list) else [value]:
            if isinstance(column, str) and column not in there:
                try:
                    named[0].require(column)
                except InputError as error:
                    absent.setdefault(column, Mistake(("audits", place, key), _sentence(error)))
    return absent


def _sentence(error: InputError) -> str:
    return str(error).removesuffix(".")


def _key_about(said: str, given: Mapping[str, Any]) -> str | None:
    """The key of a step, or of an input, whose value is a word that stands in quotes in what is said."""
    words = set(_QUOTED.findall(said))
    return next((key for key, value in given.items() if words & set(_texts(value))), None)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from {value, value.rpartition(":")[2]}
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def located(path: str, base: Path, inputs: Container[str] = ()) -> str:
    """`path` from the folder of the plan; addresses, absolute paths and names of inputs stay as they are."""
    return path if "://" in path or path in inputs else str(base / plain_path("a path of the plan", path))
