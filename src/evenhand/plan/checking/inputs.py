"""Every mistake of one input: what is wrong with a part of it does not hide what is wrong with another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

from evenhand.errors import InputError
from evenhand.inputs import Table
from evenhand.plan.checking.mistakes import Mistake
from evenhand.plan.model import InputSpec

QUOTED = re.compile(r"'([^']*)'")
# Parts that are tried one by one, in the order in which a table is made of them.
_PARTS = ("columns", "where", "joined", "made")
# What a table can be opened without, and how that is said.
_WITHOUT: dict[str, Any] = {"folders": False, "timezone": None}


class Looked(NamedTuple):
    """The table with all that is right of it, if it can be opened at all; what is wrong; and the columns that
    it would have if that were mended."""

    table: Table | None
    wrong: list[Mistake]
    meant: frozenset[str]


def looked_at(name: str, spec: InputSpec, open_it: Callable[[InputSpec], Table]) -> Looked:
    """One input, part by part."""
    try:
        return Looked(open_it(spec), [], frozenset())
    except InputError as error:
        whole = sentence(error)
    right = spec.model_copy(update=dict.fromkeys(_PARTS))
    wrong: list[Mistake] = []
    meant: set[str] = set()
    try:
        table, right, wrong = _opened_without(name, right, open_it)
        meant |= _in_folders(spec) if spec.folders and not right.folders else set()
    except InputError as error:
        said = sentence(error)
        key = key_about(said, right.model_dump(exclude_none=True)) or "path"
        if key == "path" and re.search(r"\{(?!day[:}])", str(spec.path)):
            said += "; {day} is what stands for a day"
        return Looked(None, [Mistake(("inputs", name, key), said)], frozenset())
    for part in _PARTS:
        given = getattr(spec, part) or {}
        for entries in ([given], [{key: value} for key, value in given.items()]):
            failed: list[tuple[dict[str, Any], str]] = []
            for entry in entries:
                if not entry or meant & {*entry, *_columns_of(part, entry)}:
                    continue
                attempt = right.model_copy(update={part: {**(getattr(right, part) or {}), **entry}})
                try:
                    table, right = open_it(attempt), attempt
                except InputError as error:
                    failed.append((entry, sentence(error)))
            if not failed:
                break
        for entry, said in failed:
            wrong += [Mistake(("inputs", name, part, key), _named(name, said)) for key in entry]
        if part != "where":
            meant |= given.keys() - (getattr(right, part) or {}).keys()
    return Looked(table, wrong or [Mistake(("inputs", name), whole)], frozenset(meant))


def _opened_without(
    name: str, spec: InputSpec, open_it: Callable[[InputSpec], Table]
) -> tuple[Table, InputSpec, list[Mistake]]:
    """The table; where names of folders cannot be columns, or the zone is none, without these, and why."""
    told = [key for key, nothing in _WITHOUT.items() if getattr(spec, key) != nothing]
    first: InputError | None = None
    for left_out in (keys for count in range(len(told) + 1) for keys in combinations(told, count)):
        right = spec.model_copy(update={key: _WITHOUT[key] for key in left_out})
        try:
            table = open_it(right)
        except InputError as error:
            first = first or error
            continue
        wrong = []
        for key in left_out:
            try:
                open_it(right.model_copy(update={key: getattr(spec, key)}))
            except InputError as error:
                wrong.append(Mistake(("inputs", name, key), sentence(error)))
        return table, right, wrong
    assert first is not None
    raise first


def _in_folders(spec: InputSpec) -> set[str]:
    """The columns that the folders of its paths name."""
    return set(re.findall(r"([^/=]+)=", " ".join(texts(spec.path))))


def _columns_of(part: str, entry: Mapping[str, Any]) -> set[str]:
    """The columns that what is made is made of, and by which what is joined is found."""
    if part == "joined":
        return {one.on for one in entry.values()}
    if part != "made":
        return set()
    return {str(rule["column"]) for rule in entry.values() if isinstance(rule, dict) and "column" in rule}


def _named(name: str, said: str) -> str:
    """What is said, with the input that it is about."""
    return said if said.startswith(f"{name}:") else f"{name}: {said}"


def sentence(error: InputError) -> str:
    return str(error).removesuffix(".")


def key_about(said: str, given: Mapping[str, Any]) -> str | None:
    """The key of a step, or of an input, whose value is a word that stands in quotes in what is said."""
    words = set(QUOTED.findall(said))
    return next((key for key, value in given.items() if words & set(texts(value))), None)


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, of `table:column` the column, too."""
    if isinstance(value, str):
        yield from {value, value.rpartition(":")[2]}
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
