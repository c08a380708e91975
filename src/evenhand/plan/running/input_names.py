"""What the data of a result are called: as the plan calls its tables, whatever an audit calls them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evenhand.asked.marks import Table, TableColumn, Tables
from evenhand.asked.step import Step
from evenhand.documents import Fingerprint
from evenhand.inputs import Table as OpenedTable
from evenhand.inputs import first_and_last_day

# Keys of steps that name logs, whose days are those of the audit.
_LOGS = ("default", "random", "arms", "stages")


def named(
    ran: Iterable[tuple[Step, Mapping[str, Fingerprint]]], tables: Mapping[str, OpenedTable]
) -> dict[str, Fingerprint]:
    """The data of all steps by the names of the plan, every table that a step names among them, and logs
    with their days; what no table is (vectors in arrays, models) by what the audit calls it."""
    told: dict[str, Fingerprint] = {}
    steps = []
    for step, inputs in ran:
        steps.append(step)
        for role, found in inputs.items():
            name = _in_the_plan(step, found, tables) or role
            if name == role and role in tables and not _is(found, tables[role]):
                name = f"{step.audit} {role}"  # the plan has another table of that name
            _tell(told, name, found)
    for step in steps:
        for key, name in step.input_names():
            known = _known(told, tables[name])
            if known is None:  # a table of attributes, say, that the audit only looks values up in
                _tell(told, name, tables[name].fingerprint())
            elif key.partition(".")[0] in _LOGS and told[known].period is None:
                told[known] = told[known].amended(period=first_and_last_day(tables[name]))
        for name in dict(step.input_names()).values():
            for one in tables[name].origin.joined:
                _tell(told, f"{name}.{one.name}", one.table.fingerprint(one.rows))
    return told


def _known(told: Mapping[str, Fingerprint], table: OpenedTable) -> str | None:
    """By which name a table is told already."""
    return next((name for name, one in told.items() if _is(one, table)), None)


def _in_the_plan(step: Step, found: Fingerprint, tables: Mapping[str, OpenedTable]) -> str:
    """What the plan calls the table that a step has read; nothing where the name was not chosen by anybody,
    as where a command makes the plan."""
    usual = dict(_usual_names(step))
    for key, name in step.input_names():
        if name != usual.get(key) and _is(found, tables[name]):
            return name
    return ""


def _usual_names(step: Step) -> Iterable[tuple[str, str]]:
    """What a command calls the tables, by their keys."""
    for key, mark in step.marked(Table):
        yield key, mark.called or key
    for key, mark in step.marked(Tables):
        yield from ((f"{key}.{each}", f"{each} {mark.called}") for each in getattr(step, key))
    for key, _ in step.marked(TableColumn):
        yield key, key


def _is(found: Fingerprint, table: OpenedTable) -> bool:
    return table.fingerprint(found.rows).sha256 == found.sha256


def _tell(told: dict[str, Fingerprint], name: str, found: Fingerprint) -> None:
    """Add what was found to what is known of these data; other data of the name get a number."""
    free, number = name, 1
    while free in told and not _are_the_same(told[free], found):
        number += 1
        free = f"{name} {number}"
    told[free] = _both(told[free], found) if free in told else found


def _are_the_same(one: Fingerprint, other: Fingerprint) -> bool:
    """Of a CSV file, a step that has not counted the rows has another digest than one that has."""
    counted = None not in (one.rows, other.rows)
    return one.sha256 == other.sha256 or (
        not counted and one.bytes is not None and (one.source, one.bytes) == (other.source, other.bytes)
    )


def _both(one: Fingerprint, other: Fingerprint) -> Fingerprint:
    """What two say of the same data: one may know the rows, the period or the label that the other does
    not."""
    more, less = (one, other) if one.rows is not None else (other, one)
    known = {key: value for key, value in more if value is not None}
    return less.amended(**known)
