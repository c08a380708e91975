"""Columns that a plan makes of others, as data and not as code: liked is a rating of at least 4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ibis
import ibis.expr.types as ir

from evenhand.errors import InputError

RULES = ("at_least", "at_most", "among", "known")
FORM = (
    'must say its column and one rule: {column = "rating", at_least = 4}, or at_most, among = [...], or '
    "known = true"
)


def with_made(expr: ir.Table, made: Mapping[str, Mapping[str, Any]], name: str) -> ir.Table:
    """The table with a column of 0 and 1 for each that is made. A row where the other column is empty is
    empty here, too, unless `empty` says what it is; whether it is `known` is never empty."""
    return expr.mutate(**{new: _column(expr, new, rule, name) for new, rule in made.items()})


def _column(expr: ir.Table, new: str, rule: Mapping[str, Any], name: str) -> ir.Value:
    asked = [key for key in RULES if rule.get(key) is not None]
    if "column" not in rule or len(asked) != 1 or not set(rule) <= {"column", "empty", *RULES}:
        raise InputError(f"{name}: made column {new!r} is {dict(rule)!r}, but {FORM}.")
    if new in expr.columns:
        raise InputError(f"{name}: there is a column {new!r} already; give what is made another name.")
    if rule["column"] not in expr.columns:
        raise InputError(
            f"{name}: {new!r} is made of {rule['column']!r}, and there is no such column. It has: "
            f"{', '.join(expr.columns)}."
        )
    column, kind = expr[rule["column"]], asked[0]
    if kind == "known":
        found = column.notnull() if rule["known"] else column.isnull()
        return found.cast("int8")
    if kind in ("at_least", "at_most") and not column.type().is_numeric():
        raise InputError(
            f"{name}: {new!r} is made of {rule['column']!r}, which is of type {column.type()}, but {kind} is "
            "for numbers."
        )
    holds = {
        "at_least": lambda: column >= rule["at_least"],
        "at_most": lambda: column <= rule["at_most"],
        "among": lambda: column.isin(_values(rule["among"], column)),
    }[kind]()
    found = holds.cast("int8")
    return found if rule.get("empty") is None else ibis.coalesce(found, int(rule["empty"]))


def _values(given: Any, column: ir.Value) -> list[Any]:
    several = list(given) if isinstance(given, list | tuple) else [given]
    return [str(one) for one in several] if column.type().is_string() else several
