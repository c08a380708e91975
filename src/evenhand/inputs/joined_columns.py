"""Columns of other tables, which an input of a plan is given by a key: items know their show, shows their
host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from evenhand.errors import InputError
from evenhand.inputs.checks import unique_key, usable_key
from evenhand.inputs.joins import are_numbers, same_key_types
from evenhand.inputs.tables import JoinedColumn, Table
from evenhand.inputs.tables import table as open_table

_KEY = "evenhand_key"


class JoinedFrom(NamedTuple):
    """Where a column is: in which table (or anything that `table` opens, then called `called`), and by which
    key it is found. `key` and `column` are what the key and the column are called there, where that is
    another name."""

    source: Any
    on: str
    key: str | None = None
    column: str | None = None
    called: str = "joined table"


def with_joined(table: Table, wanted: Mapping[str, JoinedFrom]) -> Table:
    """The table with a column for each that is `wanted`; the next may be found by the one before.

    No row is lost or doubled: no two rows of the other table may have one key. Where a key is empty, or is
    not there, the column is empty. Where most keys are not there, it is refused: it is the wrong key.
    """
    for name, one in wanted.items():
        table = _with_one(table, name, one)
    return table


def _with_one(table: Table, name: str, wanted: JoinedFrom) -> Table:
    if name.casefold() in [known.casefold() for known in table.columns]:  # engines ignore case
        raise InputError(
            f"{table.name}: there is a column {name!r} already; call what is joined otherwise, and say with "
            "`column` what it is called in its own table."
        )
    on, key, column = wanted.on, wanted.key or wanted.on, wanted.column or name
    table.require(on)
    other = wanted.source
    if not isinstance(other, Table):
        other = open_table(other, name=wanted.called, engine=table.backend)
    _require(other, key, "key" if wanted.key is None else "")
    _require(other, column, "column" if wanted.column is None else "")
    known = other.expr.filter(other.expr[key].notnull())
    known = known.filter(~known[key].isnan()) if known[key].type().is_floating() else known
    keyed = replace(other, expr=known)
    # By the name that the key has in the table that is said of it.
    called = replace(other, expr=known.select(**{on: known[key]}))
    if not are_numbers(table.expr[on].type(), known[key].type()):
        same_key_types(table, called, [on])
    usable_key(table, [on])
    unique_key(keyed, [key])
    right = known.select(**{_KEY: known[key], name: known[column]})
    _refuse_wrong_key(table, on, key, other.name, right)
    rows = int(other.run(other.expr.aggregate(rows=other.expr.count()))["rows"][0])
    joined = table.expr.left_join(right, [(on, _KEY)]).select(*table.columns, name)
    added = JoinedColumn(name, on, key, column, other, rows)
    return replace(table, expr=joined, origin=replace(table.origin, joined=(*table.origin.joined, added)))


def _require(other: Table, column: str, said_by: str) -> None:
    try:
        other.require(column)
    except InputError as error:
        more = f" If it is called otherwise there, say so with `{said_by}`." if said_by else ""
        raise InputError(f"{error}{more}") from error


def _refuse_wrong_key(table: Table, on: str, key: str, other: str, right: Any) -> None:
    """Raise where fewer than half of the different keys are in the other table."""
    t = table.expr
    wanted = t.filter(t[on].notnull()).select(wanted=t[on]).distinct()
    both = wanted.left_join(right.select(there=right[_KEY]), [("wanted", "there")])
    counted = table.run(both.aggregate(keys=both["wanted"].count(), found=both["there"].count())).iloc[0]
    keys, found = int(counted["keys"]), int(counted["found"])
    if 2 * found < keys:
        called = f" (as {key!r})" if key != on else ""
        raise InputError(
            f"{table.name}: of {keys:,} different values of {on!r}, {found:,} "
            f"{'is' if found == 1 else 'are'} in {other}{called}: it is not the key. Name another with `on`, "
            "and with `key` what that is called there."
        )
