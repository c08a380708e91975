"""A part of a table as an input of its own: some of its rows, with columns that are made of others."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ibis

from evenhand.inputs.columns.made import with_made
from evenhand.inputs.columns.selection import (
    Others,
    Where,
    conditions,
    holds,
    only,
    refuse_unknown,
    said,
    typed,
)
from evenhand.inputs.joined_columns import JoinedFrom, with_joined
from evenhand.inputs.tables import Table

# So many values are looked at; more are those of no tag.
MOST_VALUES = 20


def part_of(
    table: Table,
    where: Where | None = None,
    made: Mapping[str, Mapping[str, Any]] | None = None,
    joined: Mapping[str, JoinedFrom] | None = None,
    *,
    every_value: bool = False,
) -> Table:
    """The rows of `table` that `where` asks for, with the columns that are `joined` from other tables, and
    those that are `made`, of these, too: a log that tags what was random is two logs. One file may be several
    parts, which are different data. Of the values that a label is made of, one must occur in the table, or
    `every_value`."""
    if not where and not made and not joined:
        return table
    found = with_joined(only([table], conditions(where))[0], joined or {})
    part = {"where": dict(where or {}), "made": {name: dict(rule) for name, rule in (made or {}).items()}}
    expr = with_made(found.expr, made or {}, table.name)
    for name, rule in (made or {}).items():
        _refuse_unknown_among(found if rule["column"] in (joined or {}) else table, name, rule, every_value)
    # With joined columns alone, it is the same rows as before.
    origin = replace(found.origin, part=part if where or made else None, whole=table)
    return replace(found, expr=expr, left_out=None, origin=origin)


def _refuse_unknown_among(table: Table, name: str, rule: Mapping[str, Any], every_value: bool) -> None:
    """Raise if a label is made of a value that no row has: it is misspelt, and nobody would see it."""
    given, type_ = rule.get("among"), table.expr[rule["column"]].type()
    if given is None or not (type_.is_string() or type_.is_numeric() or type_.is_boolean()):
        return
    listed = given if isinstance(given, list | tuple) else [given]
    values = [str(one) if type_.is_string() else one for one in listed]
    whole = [int(one) if isinstance(one, float) and one.is_integer() else one for one in values]
    asked = tuple(whole) if every_value else Others(whole)
    refuse_unknown([table], rule["column"], [asked], f"made.{name}")


@dataclass(frozen=True)
class Untaken:
    """Rows of a table that none of its parts takes: how many, and by which values of which columns."""

    rows: int
    of: int
    values: tuple[tuple[str, int], ...] = ()


def untaken(table: Table, parts: Sequence[Where]) -> Untaken:
    """What is in no part of a table. What a part leaves out by name (`not`) is left out on purpose."""
    asked = [typed(table, conditions(where)) for where in parts]
    columns = list(dict.fromkeys(column for where in asked for column in where))
    t = table.expr
    taken = [_all(holds(table, column, values) for column, values in where.items()) for where in asked]
    taken += [
        ~holds(table, column, values)
        for where in asked
        for column, values in where.items()
        if isinstance(values, Others)
    ]
    inside = functools.reduce(operator.or_, taken)
    left = t.filter(~inside)
    counted = left.group_by(*columns).aggregate(evenhand_rows=left.count())
    counted = counted.order_by(ibis.desc("evenhand_rows"), *columns).limit(MOST_VALUES)
    found = table.run(counted)
    totals = table.run(t.aggregate(rows=t.count(), left=ibis.coalesce((~inside).cast("int64").sum(), 0)))
    values = tuple(
        (", ".join(f"{column} {said(row[column])}" for column in columns), int(row["evenhand_rows"]))
        for row in found.to_dict("records")
    )
    return Untaken(int(totals["left"][0]), int(totals["rows"][0]), values)


def in_both(table: Table, one: Where, other: Where) -> int:
    """How many rows are in two parts of a table; a part without conditions is all of it."""
    asked = [typed(table, conditions(where)) for where in (one, other) if where]
    held = [holds(table, column, values) for where in asked for column, values in where.items()]
    rows = table.expr.filter(*held) if held else table.expr
    return int(table.run(rows.aggregate(rows=rows.count()))["rows"][0])


def taken_unnamed(table: Table, columns: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """The values of these columns in a part, the most frequent first, and how many rows have each: what comes
    in because it is none of those that were named, nobody has named. None of a column with very many."""
    t = table.expr
    counted = t.group_by(*columns).aggregate(evenhand_rows=t.count())
    found = table.run(counted.order_by(ibis.desc("evenhand_rows"), *columns).limit(MOST_VALUES))
    if len(found) == MOST_VALUES:
        return ()
    return tuple(
        (", ".join(f"{column} {said(row[column])}" for column in columns), int(row["evenhand_rows"]))
        for row in found.to_dict("records")
    )


def _all(several: Any) -> Any:
    return functools.reduce(operator.and_, several)
