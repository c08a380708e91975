"""A part of a table as an input of its own: some of its rows, with columns that are made of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evenhand.inputs.columns.made import with_made
from evenhand.inputs.columns.selection import Where, conditions, only
from evenhand.inputs.tables import Table


def part_of(
    table: Table, where: Where | None = None, made: Mapping[str, Mapping[str, Any]] | None = None
) -> Table:
    """The rows of `table` that `where` asks for, with the columns that are `made`: a log that tags what was
    random is two logs. One file may be several parts, which are different data."""
    if not where and not made:
        return table
    found = only([table], conditions(where))[0]
    told = {"where": dict(where or {}), "made": {name: dict(rule) for name, rule in (made or {}).items()}}
    expr = with_made(found.expr, made or {}, table.name)
    return replace(found, expr=expr, left_out=None, origin=replace(found.origin, part=told))
