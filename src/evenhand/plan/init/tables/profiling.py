"""What the columns of a table hold: kinds, ranges, values with their counts, empty cells. By aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import ibis
import ibis.expr.types as ir
import pandas as pd

from evenhand import inputs
from evenhand.plan.init.meaning.words import known
from evenhand.plan.init.tables.opening import Opened

MOST_VALUES = 60
MOST_COLUMNS = 400
AT_ONCE = 40


@dataclass(frozen=True)
class Column:
    """One column as it is in the rows that were looked at. `values` are counted where there are few."""

    name: str
    kind: str  # truth, integer, number, text, time, date, list, other
    rows: int
    missing: int
    distinct: int
    low: Any = None
    high: Any = None
    mean: float | None = None
    values: dict[Any, int] = field(default_factory=dict)
    bars: bool = False  # text with | between, as where an item is in several groups

    @property
    def known(self) -> int:
        return self.rows - self.missing

    @property
    def constant(self) -> bool:
        return self.distinct <= 1

    @property
    def is_binary(self) -> bool:
        """0 and 1, or true and false, both of which occur."""
        return (self.kind == "truth" and self.distinct == 2) or (
            self.kind in ("integer", "number") and self.distinct == 2 and (self.low, self.high) == (0, 1)
        )

    def told(self) -> str:
        """Its values, each with its rows."""
        none = [f"none ({self.missing:,})"] if self.missing else []
        return ", ".join([f"{str(value)!r} ({rows:,})" for value, rows in self.values.items()] + none)

    @property
    def numeric(self) -> bool:
        return self.kind in ("integer", "number")


@dataclass(eq=False)
class Profile:
    """A table with its columns; what takes a query of its own is asked when it is needed."""

    opened: Opened
    columns: dict[str, Column]
    left_out: int = 0  # columns of a very wide table that were not looked at

    @property
    def name(self) -> str:
        return self.opened.name

    @property
    def rows(self) -> int:
        """About how many rows the whole table has."""
        return self.opened.rows

    @cached_property
    def looked_at(self) -> int:
        return next((column.rows for column in self.columns.values()), 0)

    @property
    def table(self) -> inputs.Table:
        return self.opened.table

    def run(self, expr: ir.Table) -> pd.DataFrame:
        return self.table.run(expr)

    def different(self, *columns: str) -> int:
        """How many different combinations of values there are."""
        t = self.table.expr
        return int(self.run(t.select(*columns).distinct().aggregate(n=ibis._.count())).n[0])

    def some(self, column: str, most: int = 200) -> list[Any]:
        """Some values of a column."""
        t = self.table.expr
        found = self.run(t.filter(t[column].notnull()).select(value=t[column]).distinct().limit(most))
        return list(found["value"].tolist())

    def quantiles(self, column: str, places: Sequence[float]) -> list[float]:
        """The values of a number below which these shares of the rows lie."""
        t = self.table.expr
        asked = {f"q{place}": t[column].cast("float64").quantile(q) for place, q in enumerate(places)}
        found = self.run(t.aggregate(**asked))
        return [float(found[name][0]) for name in asked]

    def shares_below(self, column: str, edges: Sequence[float]) -> list[float]:
        """Of the rows with a value of a number, the shares that lie below each of these edges."""
        if not edges:
            return []
        t = self.table.expr
        asked = {f"q{place}": (t[column] < edge).cast("float64").mean() for place, edge in enumerate(edges)}
        found = self.run(t.aggregate(**asked))
        return [float(found[name][0]) for name in asked]

    def share_of(self, values: list[Any], column: str) -> float:
        """Which share of these values the column has."""
        t = self.table.expr
        there = t.filter(t[column].isin(values)).select(column).distinct()
        return int(self.run(there.aggregate(n=there.count())).n[0]) / max(len(values), 1)

    def depends_on(self, columns: Sequence[str], key: str) -> list[str]:
        """Those of `columns` that have one value for each value of `key`."""
        t = self.table.expr
        found: list[str] = []
        for start in range(0, len(columns), AT_ONCE):
            some = columns[start : start + AT_ONCE]
            several = {f"c{i}": self._varies(t[name]) for i, name in enumerate(some)}
            each = t.group_by(key).aggregate(**several)
            apart = self.run(each.aggregate(**{name: each[name].any() for name in several}))
            found += [name for name, one in zip(some, several, strict=True) if not apart[one][0]]
        return found

    def _varies(self, column: ir.Column) -> ir.BooleanValue:
        """Whether a column has several values in a group. Counting what is different takes minutes where
        columns are many; not everything has an order, though."""
        if self.columns[column.get_name()].kind in ("truth", "list", "other"):
            return column.nunique() > 1
        return (column.min() != column.max()).fill_null(False)


def profile(opened: Opened) -> Profile:
    """Look at every column once, a few dozen at a time, and count the values of those with few."""
    t = opened.table.expr
    # Of very wide tables, first those whose names say something, in their order.
    told = sorted(t.columns, key=lambda name: not known(name))[:MOST_COLUMNS]
    names = [name for name in t.columns if name in set(told)]
    columns: dict[str, Column] = {}
    for start in range(0, max(len(names), 1), AT_ONCE):
        columns |= _columns(opened.table, names[start : start + AT_ONCE])
    return Profile(opened, columns, left_out=len(t.columns) - len(names))


def _columns(table: inputs.Table, names: list[str]) -> dict[str, Column]:
    t = table.expr.select(*names)
    kinds = {name: _kind(t[name].type()) for name in names}
    asked: dict[str, Any] = {"rows": t.count()}
    for place, name in enumerate(names):
        column, kind = t[name], kinds[name]
        asked[f"missing{place}"] = column.isnull().sum()
        if kind in ("list", "other"):
            continue
        asked[f"distinct{place}"] = column.nunique()
        if kind != "truth":
            asked[f"low{place}"], asked[f"high{place}"] = column.min(), column.max()
        if kind == "text":
            asked[f"bars{place}"] = column.contains("|").any()
        if kind in ("integer", "number"):
            asked[f"mean{place}"] = column.cast("float64").mean()
    found = table.run(t.aggregate(**asked)).iloc[0]
    columns = {}
    for place, name in enumerate(names):
        distinct = int(found.get(f"distinct{place}", 0) or 0)
        few = 0 < distinct <= MOST_VALUES and kinds[name] != "time"
        columns[name] = Column(
            name,
            kinds[name],
            int(found["rows"]),
            int(found[f"missing{place}"] or 0),
            distinct,
            found.get(f"low{place}"),
            found.get(f"high{place}"),
            found.get(f"mean{place}"),
            _values(table, name) if few else {},
            bool(found.get(f"bars{place}", False)),
        )
    return columns


def _kind(type_: Any) -> str:
    for kind, holds in (
        ("truth", type_.is_boolean()),
        ("integer", type_.is_integer()),
        ("number", type_.is_numeric()),
        ("text", type_.is_string()),
        ("time", type_.is_timestamp()),
        ("date", type_.is_date()),
        ("list", type_.is_array()),
    ):
        if holds:
            return kind
    return "other"


def _values(table: inputs.Table, name: str) -> dict[Any, int]:
    t = table.expr.select(name)
    t = t.filter(t[name].notnull())
    counted = table.run(
        t.group_by(value=t[name]).aggregate(rows=t.count()).order_by(ibis.desc("rows"), "value")
    )
    return dict(zip(counted["value"].tolist(), counted["rows"].astype(int).tolist(), strict=True))
