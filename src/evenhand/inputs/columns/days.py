"""Columns of days: how rows are grouped by day within a query, and those of one day alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import ibis
import ibis.expr.types as ir
import pandas as pd

from evenhand.errors import InputError
from evenhand.inputs.columns.times import is_zoned
from evenhand.inputs.tables import Table

HOW_DAYS = "write dates as 2024-04-18, as a column of dates, or as whole numbers of days"


def day_key(log: Table, column: str) -> Callable[[ir.Column], ir.Value]:
    """How to group by day within a query; a column that cannot hold days is refused."""
    type_ = log.expr[column].type()
    zone = type_.timezone if type_.is_timestamp() else None
    if is_zoned(type_):
        raise InputError(
            f"{log.name}: column {column!r} holds times of a time zone{f' ({zone})' if zone else ''}, and "
            "where a day ends depends on which one is meant; name it (--timezone Europe/Berlin, timezone of "
            "the input in a plan, eh.table(..., timezone=...)), or store the date in a column."
        )
    if log.timezone is not None and type_.is_timestamp() and column not in log.local:
        raise InputError(
            f"{log.name}: column {column!r} holds times without a zone, so it is not known what they are in "
            f"{log.timezone}; leave timezone out if they are local times."
        )
    if type_.is_timestamp() and (type_.scale or 0) > 6:
        # DuckDB rounds nanoseconds before it takes the date: the last one of a day would be the next day's.
        return lambda values: values.strftime("%Y-%m-%d")
    if type_.is_timestamp():
        return lambda values: values.date()
    if type_.is_string():
        return _written_day
    if type_.is_date() or type_.is_integer():
        return lambda values: values
    if log.run(log.expr.limit(1)).empty:  # columns of a table without rows may have no type
        raise InputError(f"{log.name}: the log is empty, so there is nothing to audit.")
    raise InputError(f"{log.name}: column {column!r} is of type {type_}, which holds no days; {HOW_DAYS}.")


def _written_day(values: ir.Column) -> ir.Value:
    """A date, and what parts it from a time; a zone behind it would make it another day elsewhere."""
    zoned = values.re_search(r":[0-9]{2}([.][0-9]+)? *(Z|[+-][0-9]{2}(:?[0-9]{2})?)$")
    return ibis.ifelse(zoned, "a time with a zone", values.substr(0, 11))  # which is no date


def require_dates(table: Table, column: str) -> None:
    """Raise if a column holds whole numbers of which none is a date, such as days 1 to 14 or microseconds."""
    if not table.expr[column].type().is_integer():
        return
    values = table.expr[column]
    ends = table.run(table.expr.aggregate(first=values.min(), last=values.max())).iloc[0]
    if pd.isna(ends["first"]) or (ends["first"] <= 9999_12_31 and ends["last"] >= 1000_01_01):
        return
    raise InputError(
        f"{table.name}: column {column!r} holds {ends['first']:.0f} to {ends['last']:.0f}, which are no "
        "dates; write them as 2024-04-18 or 20240418, or as a column of dates."
    )


def rows_of_days(table: Table, column: str, first: date, days: int = 1) -> Table:
    """The rows of these days alone; refused where there is none."""
    table.require(column)
    key = day_key(table, column)(table.expr[column])
    wanted = [first + timedelta(each) for each in range(days)]
    type_ = key.type()
    if type_.is_date():
        chosen = key.isin(wanted)
    elif type_.is_integer():
        chosen = key.isin([int(day.strftime("%Y%m%d")) for day in wanted])
    else:
        # A date may be followed by a time; eight digits may, too, and by no ninth.
        plain = key.re_search("^[0-9]{8}([T ]|$)")
        chosen = key.substr(0, 10).isin([day.isoformat() for day in wanted]) | (
            plain & key.substr(0, 8).isin([day.strftime("%Y%m%d") for day in wanted])
        )
    # The footers of the files count the rows of all days.
    files = None if table.origin.files is None else replace(table.origin.files, rows=None)
    of_days = replace(table, expr=table.expr.filter(chosen), origin=replace(table.origin, files=files))
    if of_days.run(of_days.expr.select(column).limit(1)).empty:
        require_dates(table, column)
        last = f" to {wanted[-1].isoformat()}" if days > 1 else ""
        raise InputError(
            f"{table.name}: no row has {column!r} = {first.isoformat()}{last}; check the day, and that its "
            "rows were written."
        )
    return of_days


def first_and_last_day(table: Table) -> tuple[str, str] | None:
    """The days that a log has: by its one column of dates or times (of a time with a zone, the day by UTC,
    unless the table says whose), else by the dates in the names of its files; None where neither tells."""
    timed = [name for name, type_ in table.expr.schema().items() if type_.is_date() or type_.is_timestamp()]
    if len(timed) == 1:
        column = table.expr[timed[0]]
        found = table.run(table.expr.aggregate(first=column.min(), last=column.max())).iloc[0]
        if not pd.isna(found["first"]):
            return _day(found["first"]), _day(found["last"])
    paths = table.origin.files.paths if table.origin.files else ()
    named = [set(re.findall(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)", str(path))) for path in paths]
    if not named or any(len(days) != 1 for days in named):
        return None
    days = sorted(set.union(*named))
    return days[0], days[-1]


def _day(value: date) -> str:
    """Of a date, or a time, whose zone may be another than UTC."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC)
    # By its parts: pandas formats no times outside the years of datetime.
    return f"{value.year:04}-{value.month:02}-{value.day:02}"
