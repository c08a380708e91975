"""An attribute of users or items, joined to a log, with nothing lost or doubled on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import ibis
import ibis.expr.datatypes as dt

from evenhand.errors import InputError
from evenhand.inputs.checks import unique_key
from evenhand.inputs.tables import JoinedAttribute, Table
from evenhand.inputs.tables import table as open_table


def join_attribute(
    log: Table,
    attribute_table: Any,
    on: Sequence[str],
    column: str | Sequence[str],
    fill_with: str | int | None = None,
    *,
    may_lack: bool = False,
) -> Table:
    """`log` with `column`, or several, of `attribute_table` (or anything that `table` opens), found by
    the key `on`.

    Checked here: the columns exist, the key types agree, and no key is twice in `attribute_table` (one query
    on that small table). Keys of the log that `attribute_table` lacks are not looked for here, which would
    read the log once more: a marker column says where they are, `problem_counts` counts it in the audit's own
    pass, and `explain_problems` says how many and which. Where keys `may_lack`, their rows have an empty
    value, as those without a key; `problem_counts` counts these as UNSEEN, and most of the rows they may not
    be: see `refuse_unseen`.

    An attribute that is empty for a key that is there is another matter. It stays null, to be excluded and
    counted as the null group of a group-by or refused by `required=[column]`; or it becomes `fill_with`, a
    group of its own.
    """
    keys = [on] if isinstance(on, str) else list(on)
    if not isinstance(attribute_table, Table):
        attribute_table = open_table(attribute_table, name="attributes", engine=log.backend)
    attribute_table = attribute_table.on_backend_of(log)
    columns = [column] if isinstance(column, str) else list(column)
    log.require(*keys)
    attribute_table.require(*keys, *columns)
    for column in columns:
        if column.casefold() in [known.casefold() for known in log.columns]:  # engines ignore case
            raise InputError(
                f"{log.name}: there is a column {column!r} already, so that of {attribute_table.name} "
                "cannot be joined; rename one of them with columns=."
            )
    same_key_types(log, attribute_table, [key for key in keys if not _are_numbers(log, attribute_table, key)])
    unique_key(attribute_table, keys)
    marker = f"evenhand_unseen_{columns[0]}"
    right = attribute_table.expr.select(
        **{f"evenhand_key_{i}": attribute_table.expr[key] for i, key in enumerate(keys)},
        **{name: _filled(attribute_table, name, fill_with) for name in columns},
        **{marker: ibis.literal(False)},
    )
    joined = log.expr.left_join(right, [(key, f"evenhand_key_{i}") for i, key in enumerate(keys)])
    joined = joined.select(*log.columns, *columns, **{marker: joined[marker].isnull()})
    found = JoinedAttribute(attribute_table.name, tuple(keys), tuple(columns), marker, may_lack)
    return replace(log, expr=joined, joined=(*log.joined, found))


def _filled(attribute_table: Table, column: str, fill_with: str | int | None) -> Any:
    values = attribute_table.expr[column]
    if fill_with is None:
        return values
    if not ibis.literal(fill_with).type().castable(values.type()) or values.type().is_boolean():
        raise InputError(
            f"{attribute_table.name}: column {column!r} is of type {values.type()}, which cannot hold "
            f"fill_with={fill_with!r}; choose a value of that type, or convert the column."
        )
    return values.fill_null(fill_with)


def same_key_types(log: Table, other: Table, keys: Sequence[str]) -> None:
    """Raise if a key is of another type in one table than in the other: no id would be found."""
    for key in keys:
        ours, theirs = log.expr[key].type(), other.expr[key].type()
        if _family(ours) != _family(theirs):
            raise InputError(
                f"column {key!r} is of type {ours} in {log.name}, but {theirs} in {other.name}; "
                "ids of different types never match safely, so convert one of them."
            )


def _are_numbers(log: Table, other: Table, key: str) -> bool:
    return are_numbers(log.expr[key].type(), other.expr[key].type())


def are_numbers(ours: dt.DataType, theirs: dt.DataType) -> bool:
    """Whether both write a key as numbers. An engine compares these by what they are: 1.0, which pandas makes
    of a whole number beside an empty cell, is 1. Floats that cannot tell ids apart are refused elsewhere."""
    return all(one.is_integer() or one.is_floating() for one in (ours, theirs))


def _family(type_: dt.DataType) -> str:
    """Integers of any width match each other, other types only themselves (nullable or not)."""
    return "integer" if type_.is_integer() else str(type_(nullable=True))
