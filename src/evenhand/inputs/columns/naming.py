"""Columns whose values name groups: one name for what is equal, no name for what is an amount."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import ibis
import ibis.expr.types as ir

from evenhand.errors import InputError
from evenhand.inputs.stored.parquet_files import LARGEST_EXACT
from evenhand.inputs.tables import Table

# So many different numbers with fractions are amounts; a few, such as half stars, may be names.
MOST_FRACTIONS = 20


def as_groups(table: Table, *columns: str, advice: str = "cut them into bands first") -> Table:
    """`table` with `columns` as names of groups: NaN is empty, -0.0 is 0, and whole numbers are 1 and not 1.0
    (pandas makes floats of them beside an empty value). Many different fractions are refused.

    Text, whole numbers, dates and booleans are names as they are, so only floats cost a query.
    """
    table.require(*columns)
    for name in columns:
        type_ = table.expr[name].type()
        if type_.is_binary() or type_.is_struct() or type_.is_map() or type_.is_interval():
            raise InputError(
                f"{table.name}: column {name!r} is of type {type_}, which names no group; store it as text."
            )
    numbers = [name for name in columns if (t := table.expr[name].type()).is_floating() or t.is_decimal()]
    for name in numbers:
        values = table.expr[name].cast("float64")
        values = ibis.ifelse(values.isnan(), None, values + 0.0)
        broken = values != values.floor()
        found = table.run(
            table.expr.aggregate(
                fractions=values.nunique(where=broken),
                least=values.min(where=broken),
                most=ibis.coalesce(values.abs().max(), 0.0),
            )
        ).iloc[0]
        if found["fractions"] > MOST_FRACTIONS:
            raise InputError(
                f"{table.name}: column {name!r} holds fractions, which make no groups as they are; {advice}. "
                f"There are {int(found['fractions']):,} different ones, such as {found['least']:g}."
            )
        whole = not found["fractions"] and found["most"] <= LARGEST_EXACT
        made = values.cast("int64") if whole else values
        table = replace(table, expr=table.expr.mutate(**{name: made}))
    return table


def together(columns: Sequence[Any], keep_empty: bool) -> ir.StringValue:
    """One column for several, whose text `apart` takes to pieces again; empty where one of them is, unless
    `keep_empty` says otherwise.

    Values and no names: names are made of values in one place, whatever engine has added them up.
    """
    text, *others = (_as_text(column, keep_empty) for column in columns)
    for other in others:
        text = text + BETWEEN + other
    return text


def _as_text(column: Any, keep_empty: bool) -> Any:
    """The first letter says the type."""
    type_, text = column.type(), column.cast("string")
    if type_.is_boolean():
        kind = "b"
    elif type_.is_integer() or type_.is_floating():
        kind = "i" if type_.is_integer() else "f"
    else:
        kind, text = "t", text.replace("%", "%25").replace(BETWEEN, "%7C")
    text = ibis.literal(kind) + text
    return ibis.coalesce(text, "") if keep_empty else text


def apart(text: str) -> tuple[Any, ...]:
    """The values of a combination, None for a missing one."""
    return tuple(_READ[part[0]](part[1:]) if part else None for part in text.split(BETWEEN))


def _as_it_was(text: str) -> str:
    return text.replace("%7C", BETWEEN).replace("%25", "%")


BETWEEN = "|"
_READ: dict[str, Callable[[str], Any]] = {"b": "true".__eq__, "i": int, "f": float, "t": _as_it_was}


def told_apart(where: str, names: Iterable[Any]) -> None:
    """Raise if a reader would take two names for one: blanks at the ends, characters that cannot be seen, or
    one letter in two ways of writing it (é, and e with an accent). They are one group, torn in two."""
    seen: dict[str, str] = {}
    for name in names:
        if isinstance(name, bytes):
            raise InputError(f"{where} has bytes for names of groups, such as {name!r}; decode them to text.")
        if not isinstance(name, str):
            continue
        appearance = name if name.isascii() else unicodedata.normalize("NFC", name)
        appearance = "".join(char for char in appearance if unicodedata.category(char) != "Cf")
        appearance = " ".join(appearance.split())
        other = seen.setdefault(appearance, name)
        if appearance and other != name:
            raise InputError(
                f"{where} has the groups {other!a} and {name!a}, which look the same: they differ in blanks, "
                "in characters that cannot be seen, or in how a letter is stored; write them in one way."
            )


def word(value: Any) -> str:
    """The name of a group as it is shown: 1 and not 1.0, whatever type the column had."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
