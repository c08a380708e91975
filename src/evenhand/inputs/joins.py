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
    attributes: Any,
    on: Sequence[str],
    column: str | Sequence[str],
    missing: str | int | None = None,
) -> Table:
    """`log` with `column`, or several, of the `attributes` table (or anything that `table` opens), found by
    the key `on`.

    Checked here: the columns exist, the key types agree, and no key is twice in `attributes` (one query on
    that small table). Keys of the log that `attributes` lacks are not looked for here, which would read the
    log once more: a marker column says where they are, `problem_counts` counts it in the audit's own pass,
    and `explain_problems` says how many and which.

    An attribute that is empty for a key that is there is another matter. It stays null, to be excluded and
    counted as the null group of a group-by or refused by `required=[column]`; or it becomes `missing`, a
    group of its own.
    """
    keys = [on] if isinstance(on, str) else list(on)
    if not isinstance(attributes, Table):
        attributes = open_table(attributes, name="attributes", engine=log.backend)
    attributes = attributes.on_backend_of(log)
    columns = [column] if isinstance(column, str) else list(column)
    log.require(*keys)
    attributes.require(*keys, *columns)
    for column in columns:
        if column.casefold() in [known.casefold() for known in log.columns]:  # engines ignore case
            raise InputError(
                f"{log.name}: there is a column {column!r} already, so that of {attributes.name} cannot be "
                "joined; rename one of them with columns=."
            )
    same_key_types(log, attributes, keys)
    unique_key(attributes, keys)
    marker = f"evenhand_unseen_{columns[0]}"
    right = attributes.expr.select(
        **{f"evenhand_key_{i}": attributes.expr[key] for i, key in enumerate(keys)},
        **{name: _filled(attributes, name, missing) for name in columns},
        **{marker: ibis.literal(False)},
    )
    joined = log.expr.left_join(right, [(key, f"evenhand_key_{i}") for i, key in enumerate(keys)])
    joined = joined.select(*log.columns, *columns, **{marker: joined[marker].isnull()})
    found = JoinedAttribute(attributes.name, tuple(keys), tuple(columns), marker)
    return replace(log, expr=joined, joined=(*log.joined, found))


def _filled(attributes: Table, column: str, missing: str | int | None) -> Any:
    values = attributes.expr[column]
    if missing is None:
        return values
    if not ibis.literal(missing).type().castable(values.type()) or values.type().is_boolean():
        raise InputError(
            f"{attributes.name}: column {column!r} is of type {values.type()}, which cannot hold "
            f"missing={missing!r}; choose a value of that type, or convert the column."
        )
    return values.fill_null(missing)


def same_key_types(log: Table, attributes: Table, keys: Sequence[str]) -> None:
    """Raise if a key is of another type in one table than in the other: no id would be found."""
    for key in keys:
        ours, theirs = log.expr[key].type(), attributes.expr[key].type()
        if _family(ours) != _family(theirs):
            raise InputError(
                f"column {key!r} is of type {ours} in {log.name}, but {theirs} in {attributes.name}; "
                "ids of different types never match safely, so convert one of them."
            )


def _family(type_: dt.DataType) -> str:
    """Integers of any width match each other, other types only themselves (nullable or not)."""
    return "integer" if type_.is_integer() else str(type_(nullable=True))
