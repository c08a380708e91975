"""The tables of a plan, opened, and its steps held against them: everything that is wrong, not the first."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from evenhand import inputs
from evenhand.asked.marks import COLUMN, Location, Written
from evenhand.asked.step import Step
from evenhand.errors import InputError
from evenhand.parameters import plain_path
from evenhand.plan.checking.inputs import QUOTED, key_about, looked_at, sentence, texts
from evenhand.plan.checking.mistakes import Mistake
from evenhand.plan.model import InputSpec, JoinedSpec, Plan


class Opened(NamedTuple):
    """The tables that can be opened, by name; what is wrong with these and others; and, of those with a wrong
    part, the columns that they would have."""

    tables: dict[str, inputs.Table]
    wrong: list[Mistake]
    meant: dict[str, frozenset[str]]


def open_tables(plan: Plan, base: Path) -> dict[str, inputs.Table]:
    """The tables of a plan, or the first thing that is wrong with them."""
    found = opened(plan.inputs, base, plan.engine, plan.columns)
    if found.wrong:
        raise InputError(f"{found.wrong[0].said}.")
    return found.tables


def opened(
    specs: Mapping[str, InputSpec],
    base: Path,
    engine: str | None = None,
    columns: Mapping[str, str | list[str]] | None = None,
) -> Opened:
    """Every table, as far as it can be opened, and all that is wrong; where nobody knows the engine, as the
    one inside reads it."""
    tables: dict[str, inputs.Table] = {}
    wrong: list[Mistake] = []
    meant: dict[str, frozenset[str]] = {}
    if engine is not None and (unknown := inputs.unknown_engine(engine)):
        wrong.append(Mistake(("engine",), unknown.removesuffix(".")))
        engine = None
    for name, spec in specs.items():
        looked = looked_at(name, spec, lambda one, name=name: open_input(name, one, base, engine))  # type: ignore[misc]
        if looked.table is not None:
            tables[name] = looked.table
        if looked.meant:
            meant[name] = looked.meant
        for one in looked.wrong:
            # That its library is not installed is said of each input.
            about_engine = engine is not None and f'engine="{engine}"' in one.said
            one = one._replace(place=("engine",)) if about_engine else one
            wrong += [one] if one not in wrong else []
    try:
        return Opened(inputs.renamed(tables, columns or {}), wrong, meant)
    except InputError as error:
        return Opened(tables, wrong if wrong else [Mistake(("columns",), sentence(error))], meant)


def open_input(
    name: str, spec: InputSpec, base: Path, engine: str | None, every_value: bool = True
) -> inputs.Table:
    """One input, with the rows and the columns that its part of the plan says. With `every_value`, each that
    a label is made of must occur."""
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
    joined = {new: _joined(one, base) for new, one in (spec.joined or {}).items()}
    return inputs.part_of(found, spec.where, spec.made, joined, every_value=every_value)


def _joined(spec: JoinedSpec, base: Path) -> inputs.JoinedFrom:
    """What is joined, called by the name of its file."""
    paths = [spec.path] if isinstance(spec.path, str) else spec.path
    places = [located(path, base) for path in paths]
    whole = places[0] if isinstance(spec.path, str) else places
    return inputs.JoinedFrom(whole, spec.on, spec.key, spec.column, Path(paths[0]).name if paths else "")


def checked(
    steps: Mapping[int, Step],
    tables: Mapping[str, inputs.Table],
    of: int,
    meant: Mapping[str, frozenset[str]] | None = None,
) -> list[Mistake]:
    """What is wrong with steps, by their places in a plan of so many, that name only tables which are open,
    or others that no other key is about; `meant` are columns that some of these would have."""
    wrong: list[Mistake] = []
    for place, step in steps.items():
        unopened = {key for key, name in step.input_names() if name not in tables}
        if not unopened <= {*step.dispensable}:
            continue
        step = step.model_copy(update=dict.fromkeys(unopened))
        names = {name for _, name in step.input_names()}
        if meant and names & meant.keys():
            wrong += without_columns(place, step, tables, of, meant).values()
            continue
        try:
            step.check(tables)
        except InputError as error:
            said = _of_its_table(sentence(error), {name: tables[name] for name in names})
            given = step.model_dump(mode="json")
            absent = without_columns(place, step, tables, of)
            lacking = absent.keys()
            told = set(QUOTED.findall(said)) & set(texts(given))
            each = told <= absent.keys() and len(told) > 1
            if not each:  # columns that are nowhere are told one by one
                absent = {column: one for column, one in absent.items() if column not in told}
                key = key_about(said, given)
                if len(told) == 1:
                    said += "".join(_elsewhere(one, names, tables) for one in told & lacking)
                # What is about no key of a step, but about the tables, is one mistake in all steps.
                if key is not None or not any(one.said.endswith(said) for one in wrong):
                    said = f"{_number(place, of, step)}{said}"
                    wrong.append(Mistake(("audits", place, *([key] if key else [])), said))
            wrong += absent.values()
    return wrong


def without_columns(
    place: int,
    step: Step,
    tables: Mapping[str, inputs.Table],
    of: int,
    meant: Mapping[str, frozenset[str]] | None = None,
) -> dict[str, Mistake]:
    """Columns that a step names and that none of its tables has; an audit tells of the first alone."""
    names = [name for _, name in step.input_names()]
    in_a_model = any(getattr(step, key, None) for key, _ in step.marked(Location))
    if in_a_model or not names or any(name not in tables for name in names):
        return {}
    named = [tables[name] for name in names]
    there = {column for table in named for column in table.columns}
    there |= {column for name in names for column in (meant or {}).get(name, ())}
    absent: dict[str, Mistake] = {}
    for key, mark in step.marked(Written):
        value = getattr(step, key, None) if mark.metavar == COLUMN.metavar else None
        for column in value if isinstance(value, list) else [value]:
            if isinstance(column, str) and column not in there:
                # Of the table that has one of nearly that name, which is the one that was meant.
                like = next((one for one in named if get_close_matches(column, one.columns)), named[0])
                try:
                    like.require(column)
                except InputError as error:
                    said = f"{_number(place, of, step)}{sentence(error)}"
                    said += _elsewhere(column, names, tables)
                    absent.setdefault(column, Mistake(("audits", place, key), said))
    return absent


def _elsewhere(column: str, names: Collection[str], tables: Mapping[str, inputs.Table]) -> str:
    """Which other input of the plan has a column that none of an audit's own has."""
    others = [name for name, table in tables.items() if name not in names and column in table.columns]
    return f" The input {others[0]!r} has it, which this audit does not name." if others else ""


def _number(place: int, of: int, step: Step) -> str:
    """Which audit it is, where there are several."""
    return f"audit {place + 1} ({step.audit}): " if of > 1 else ""


def _of_its_table(said: str, tables: Mapping[str, inputs.Table]) -> str:
    """What is said of a column, with the table that has it: where tables were joined, the log is named."""
    name, _, rest = said.partition(": ")
    column = (QUOTED.findall(rest) or [""])[0]
    owners = [other for other, table in tables.items() if column in table.columns]
    is_of_another = rest.startswith(f"column {column!r} ") and name in tables and name not in owners
    return f"{owners[0]}: {rest}" if is_of_another and len(owners) == 1 else said


def located(path: str, base: Path, inputs: Container[str] = ()) -> str:
    """`path` from the folder of the plan; addresses, absolute paths and names of inputs stay as they are."""
    return path if "://" in path or path in inputs else str(base / plain_path("a path of the plan", path))
