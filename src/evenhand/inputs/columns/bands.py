"""Numbers cut into bands: which edges make sense, what a band is called, and the band of each row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Real
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np

from evenhand.errors import InputError
from evenhand.inputs.tables import Table
from evenhand.parameters import shown

# More edges than anybody means by bands.
MOST_EDGES = 1_000


@dataclass(frozen=True)
class Bands:
    """Half-open bands of a number: below the first edge, from each edge to below the next, from the last on.

    `whole` where the number is one in every row, so that 18 to below 25 is 18 to 24.
    """

    edges: tuple[float, ...]
    whole: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return band_names(self.edges, self.whole)

    def of(self, values: Any) -> ir.Column:
        """The name of the band of each value; nothing where there is no finite number."""
        if values.type().is_floating():
            values = ibis.ifelse(values.isnan() | values.isinf(), None, values)
        edges = [int(edge) if edge.is_integer() else edge for edge in self.edges]
        below = zip(edges, self.names, strict=False)
        band = ibis.cases(*((values < edge, name) for edge, name in below), else_=self.names[-1])
        return ibis.ifelse(values.isnull(), None, band)


def band_names(edges: Sequence[float], whole: bool) -> tuple[str, ...]:
    """ "under 18", "18 to 24" (or "18 to under 25", where there are fractions), "35 or more"."""
    said = [_number(edge) for edge in edges]
    if len(set(said)) < len(said):
        said = [repr(float(edge)) for edge in edges]
    if not said:
        return ("any",)
    if whole and all(float(edge).is_integer() for edge in edges):
        pairs = [(int(low), int(high) - 1) for low, high in pairwise(edges)]
        middle = [f"{low} to {last}" if low < last else str(low) for low, last in pairs]
    else:
        middle = [f"{low} to under {high}" for low, high in pairwise(said)]
    return (f"under {said[0]}", *middle, f"{said[-1]} or more")


def _number(edge: float) -> str:
    return str(int(edge)) if float(edge).is_integer() else f"{edge:g}"


def bands_of(bins: Any, groups: Sequence[str]) -> dict[str, Bands]:
    """`bins` of some of the `groups`, {column: edges}, if they make sense."""
    if bins is None:
        return {}
    if not isinstance(bins, Mapping):
        raise InputError(f"bins is {shown(bins)}, but must be edges by column, such as {{'age': [18, 35]}}.")
    for column in bins:
        if column not in groups:
            raise InputError(
                f"bins has edges for {shown(column)}, which is no group here; the groups are made of "
                f"{', '.join(groups)}."
            )
    return {column: Bands(_edges(column, edges)) for column, edges in bins.items()}


def _edges(column: str, given: Any) -> tuple[float, ...]:
    listed = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str | bytes)
    edges = list(given) if listed else []
    are_numbers = all(isinstance(edge, Real) and not isinstance(edge, bool) for edge in edges)
    try:
        found = tuple(float(edge) + 0.0 for edge in edges) if are_numbers else ()
    except OverflowError:
        found = ()
    ascend = all(low < high for low, high in pairwise(found))
    if not found or not ascend or not all(map(math.isfinite, found)) or len(found) > MOST_EDGES:
        raise InputError(
            f"bins of {column!r} are {shown(given)}, but must be edges, finite numbers that ascend, such as "
            "[18, 25, 35]."
        )
    return found


def refuse_no_numbers(table: Table, bands: Mapping[str, Bands]) -> None:
    """Raise if a column that is to be cut holds no numbers; nothing is read."""
    for column in bands:
        type_ = table.expr[column].type()
        if not type_.is_numeric():
            raise InputError(
                f"{table.name}: column {column!r} is of type {type_}, but bins are for numbers; leave them "
                "out, or convert it."
            )


def with_whole(bands: Mapping[str, Bands], tables: Sequence[Table]) -> dict[str, Bands]:
    """The bands, knowing which columns hold whole numbers alone: in all tables, or names would differ."""
    return {
        column: replace(each, whole=all(_is_whole(table, column) for table in tables))
        for column, each in bands.items()
    }


def _is_whole(table: Table, column: str) -> bool:
    """Floats may be whole numbers beside an empty value, so that one has to look."""
    values: Any = table.expr[column]
    if values.type().is_integer():
        return True
    values = values.cast("float64")
    broken = (values != values.floor()) & ~values.isnan()
    found = table.run(table.expr.aggregate(broken=ibis.coalesce(broken.cast("int32").sum(), 0)))
    return not int(found["broken"][0])
