"""Times that have a zone, as the local times of one zone: where a day ends is a choice."""

from __future__ import annotations

import difflib
import zoneinfo
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir

from evenhand.errors import InputError


@ibis.udf.scalar.builtin(name="timezone", signature=(("string", "timestamp('UTC')"), "timestamp"))
def _local(zone: str, time: Any) -> Any:
    """The local time there; DuckDB's own."""


def is_zoned(type_: dt.DataType) -> bool:
    # Of nanoseconds with a zone Ibis knows no type.
    return (type_.is_timestamp() and type_.timezone is not None) or "TIMESTAMPTZ" in str(type_)


def in_timezone(expr: ir.Table, backend: Any, timezone: str, name: str) -> tuple[ir.Table, tuple[str, ...]]:
    """`expr` with all times that have a zone as local times of `timezone`, and the names of those columns."""
    known = zoneinfo.available_timezones()
    if not isinstance(timezone, str) or (known and timezone not in known):  # small systems know none
        close = difflib.get_close_matches(str(timezone), known, n=1)
        guess = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(
            f"timezone is {timezone!r}, but must be the name of a zone such as 'Europe/Berlin' or 'UTC'."
            f"{guess}"
        )
    columns = tuple(column for column, type_ in expr.schema().items() if is_zoned(type_))
    if not columns:
        return expr, ()
    if backend.name != "duckdb":
        raise InputError(
            f"{name}: timezone is for the embedded DuckDB, and this table is on {backend.name}; store the "
            "date of your choice in a column."
        )
    local = {column: _local(timezone, expr[column].cast("timestamp('UTC')")) for column in columns}
    return expr.mutate(**local), columns
