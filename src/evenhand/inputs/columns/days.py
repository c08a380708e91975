"""Columns of days: how rows are grouped by day within a query, and those of one day alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import ibis
import ibis.expr.types as ir

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
    of_days = replace(table, expr=table.expr.filter(chosen))
    if of_days.run(of_days.expr.select(column).limit(1)).empty:
        last = f" to {wanted[-1].isoformat()}" if days > 1 else ""
        raise InputError(
            f"{table.name}: no row has {column!r} = {first.isoformat()}{last}; check the day, and that its "
            "rows were written."
        )
    return of_days
