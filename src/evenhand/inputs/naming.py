"""Columns whose values name groups: one name for what is equal, no name for what is an amount."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ibis

from evenhand.errors import InputError
from evenhand.inputs.parquet_files import LARGEST_EXACT
from evenhand.inputs.tables import Table

# So many different numbers with fractions are amounts; a few, such as half stars, may be names.
MOST_FRACTIONS = 20


def as_groups(table: Table, *columns: str, advice: str = "cut them into bands first") -> Table:
    """`table` with `columns` as names of groups: NaN is empty, -0.0 is 0, and whole numbers are 1 and not 1.0
    (pandas makes floats of them beside an empty value). Many different fractions are refused.

    Text, whole numbers, dates and booleans are names as they are, so only floats cost a query.
    """
    table.require(*columns)
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


def word(value: Any) -> str:
    """The name of a group as it is shown: 1 and not 1.0, whatever type the column had."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
