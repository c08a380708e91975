"""Which rows of a table are looked at: a column has one of some values, or none. Data, and no code."""

from __future__ import annotations

import difflib
import functools
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from evenhand.errors import InputError
from evenhand.inputs.checks import refuse_unseen, unseen_rows
from evenhand.inputs.columns.buckets import BUCKETS, bucket
from evenhand.inputs.tables import LeftOut, Table
from evenhand.parameters import shown

Value = str | int | bool
Where = Mapping[str, Value | Sequence[Value] | Mapping[str, Value | Sequence[Value]]]

FORM = "must be a value or several by column, such as {'country': ['DE', 'AT'], 'premium': True}"
NOT = "not"
# So many of a column's values are named where one that is asked for never occurs.
NAMED = 5
_PLAIN = re.compile(r"[\w.+-]+")


class Others(tuple[Value, ...]):
    """All values but these: what comes later, and a row without a value, are among them."""


def conditions(where: Any) -> dict[str, tuple[Value, ...]]:
    """What `where` asks for, by column: all columns must hold, each with any of its values, or with none of
    `Others`."""
    if where is None:
        return {}
    if not isinstance(where, Mapping) or not all(isinstance(column, str) and column for column in where):
        raise InputError(f"where is {shown(where)}, but {FORM}.")
    return {column: _values(column, given) for column, given in where.items()}


def _values(column: str, given: Any) -> tuple[Value, ...]:
    if isinstance(given, Mapping):
        if list(given) != [NOT] or isinstance(given[NOT], Mapping):
            raise InputError(
                f"where of {column!r} is {shown(given)}, but must be values, or {{not = values}} for all "
                "others."
            )
        return Others(_values(column, given[NOT]))
    listed = isinstance(given, Sequence | set | frozenset) and not isinstance(given, str | bytes)
    plain = [_plain(value) for value in (given if listed else [given])]
    if not plain or not all(isinstance(value, str | int | bool) for value in plain):
        raise InputError(
            f"where of {column!r} is {shown(given)}, but must be text, a whole number, true or false, or "
            "several of them."
        )
    for value in plain:
        if isinstance(value, str) and ("\0" in value or value != value.encode(errors="ignore").decode()):
            raise InputError(f"where of {column!r} is {shown(value)}, which is no text.")
    return tuple(plain)


def typed(table: Table, where: Mapping[str, Sequence[Value]]) -> dict[str, tuple[Value, ...]]:
    """`where` with values of the types that the columns have; nothing is read."""
    table.require(*where)
    types = {column: table.expr[column].type() for column in where}
    return {
        column: _like(values, dict.fromkeys(_typed(table.name, column, types[column], one) for one in values))
        for column, values in where.items()
    }


def _like(values: Sequence[Value], new: Iterable[Value]) -> tuple[Value, ...]:
    return Others(new) if isinstance(values, Others) else tuple(new)


def _typed(table: str, column: str, type_: dt.DataType, value: Value) -> Value:
    if type_.is_string():
        if isinstance(value, str):
            return value
        wanted = "text: write the value in quotes"
    elif type_.is_boolean():
        found = {"true": True, "false": False}.get(str(value).lower()) if not _is_number(value) else None
        if found is not None:
            return found
        wanted = "true or false"
    elif type_.is_numeric():
        # A plain number of digits; Python would also take 1_000 and the digits of other scripts.
        if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,19}", value):
            value = int(value)
        if _is_number(value) and -(2**63) <= int(value) < 2**63:
            return int(value)
        wanted = "numbers, and is looked for by a whole one"
    elif type_.is_null():
        raise InputError(
            f"{table}: column {column!r} is empty in all rows, so that no row can be asked for by it."
        )
    else:
        raise InputError(
            f"{table}: column {column!r} is of type {type_}, but where is for text, whole numbers and "
            "true/false; store what you ask for as one of these."
        )
    raise InputError(f"{table}: where of {column!r} is {shown(value)}, but the column holds {wanted}.")


def _is_number(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def in_words(where: Mapping[str, Sequence[Value]]) -> str:
    """ "country = DE or AT, premium other than true"; what could be read in two ways is in quotes."""
    return ", ".join(
        f"{_quoted(column)} {'other than' if isinstance(values, Others) else '='} "
        f"{' or '.join(map(_quoted, values))}"
        for column, values in where.items()
    )


def _quoted(value: Value) -> str:
    said = str(value).lower() if isinstance(value, bool) else str(value)
    return said if _PLAIN.fullmatch(said) else '"' + said.replace('"', '""') + '"'


def only(
    tables: Sequence[Table], where: Mapping[str, Sequence[Value]], people: str | None = None
) -> list[Table]:
    """The tables with the rows that `where` asks for, knowing how many others they had.

    A value must occur in one of the tables (of values to be left out, one), and each must keep a row. Rows
    whose key an attribute table lacks are kept where it has the column, to be refused by the checks of the
    audit; where it may lack keys, these have no value. `people` is the column by which those behind the rows
    that are left out are counted.
    """
    if not where:
        return list(tables)
    wanted = [typed(table, where) for table in tables]
    for column in where:
        refuse_unknown(tables, column, [each[column] for each in wanted])
    return [kept(table, each, people) for table, each in zip(tables, wanted, strict=True)]


def kept(table: Table, wanted: Mapping[str, Sequence[Value]], people: str | None = None) -> Table:
    """One table with the rows that are asked for by values of its types; some of these may not occur."""
    if not wanted:
        return table
    t = table.expr
    inside = functools.reduce(operator.and_, (holds(table, column, wanted[column]) for column in wanted))
    outside = (~inside).cast("int64")
    counted = {"rows": t.count(), "left": ibis.coalesce(outside.sum(), 0)}
    if people is not None:
        table.require(people)
        buckets = bucket(t[people], within=table.integer_range(people))
        counted["people"] = buckets.nunique(where=~inside)
    unseen = unseen_rows(table)
    found = table.run(t.aggregate(**counted, **({} if unseen is None else {"unseen": unseen}))).iloc[0]
    rows, left = int(found["rows"]), int(found["left"])
    if unseen is not None:
        refuse_unseen(table, rows, int(found["unseen"]))
    if rows and rows == left:
        raise InputError(
            f"{table.name}: none of its {rows:,} rows has {in_words(wanted)}, so that nothing is left to "
            "look at: ask for less, or for other values."
        )
    out = LeftOut(left, int(found["people"]) if people is not None else left)
    return replace(table, expr=t.filter(inside), left_out=out)


def of_users(table: Table, column: str, buckets: Sequence[int]) -> Table:
    """The rows of those users whose id, in `column`, falls into these of the 1,024 buckets."""
    table.require(column)
    found = bucket(table.expr[column], within=table.integer_range(column))
    chosen = set(map(int, buckets))
    # One text of 0 and 1: hundreds of numbers take longer to be compiled than the rows to be read.
    mask = "".join("1" if one in chosen else "0" for one in range(BUCKETS))
    return replace(table, expr=table.expr.filter(ibis.literal(mask).substr(found, 1) == "1"))


def holds(table: Table, column: str, values: Sequence[Value]) -> ir.BooleanValue:
    """Whether a row has one of these values; of `Others`, whether it has none of them."""
    found = ibis.coalesce(table.expr[column].isin(list(values)), False)
    if isinstance(values, Others):
        found = ~found
    for joined in table.joined:
        if column in joined.columns and not joined.may_lack:
            found = found | table.expr[joined.marker]
    return found


def refuse_unknown(
    tables: Sequence[Table], column: str, values: Sequence[Sequence[Any]], asked_by: str = "where"
) -> None:
    """Raise if a value is in no table: it is misspelt, or what it asks for is not there."""
    known: set[str] = set()
    for table, wanted in zip(tables, values, strict=True):
        t = table.expr
        found = table.run(t.filter(t[column].isin(list(wanted))).select(column).distinct())
        known |= {_quoted(said(value)) for value in found[column]}
    missing = [value for value in values[0] if _quoted(value) not in known]
    # One of several that are left out may be away for a day.
    if not missing or (isinstance(values[0], Others) and len(missing) < len(values[0])):
        return
    there = _most_frequent(tables[0], column)
    if not there and tables[0].run(tables[0].expr.limit(1)).empty:
        raise InputError(f"{tables[0].name}: the log is empty, so there is nothing to audit.")
    close = difflib.get_close_matches(str(missing[0]), there, n=1)
    guess = f" Did you mean {close[0]!r}?" if close else ""
    have = f"Its most frequent values are: {', '.join(there)}." if there else "It is empty in all rows."
    raise InputError(f"{asked_by}: no row has {in_words({column: missing[:1]})}.{guess} {have}")


def _plain(value: Any) -> Any:
    """A value as Python's own."""
    return value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value


def _most_frequent(table: Table, column: str) -> list[str]:
    t = table.expr.filter(table.expr[column].notnull())
    counted = t.group_by(value=t[column]).aggregate(rows=t.count())
    # By the value too, so that two engines name the same.
    found = table.run(counted.order_by(ibis.desc("rows"), "value").limit(NAMED))
    return [said(value) for value in found["value"]]


def said(value: Any) -> str:
    """A value that the engine gave back: 1.0 of a column of floats is 1; none is "(empty)"."""
    value = _plain(value)
    if value is None or value != value:
        return "(empty)"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
