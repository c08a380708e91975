"""A user's table as a plan: the one type that the audits see, whatever it was made from."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import ibis.expr.types as ir
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from ibis.common.exceptions import IbisError

from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.inputs.columns.times import in_timezone
from evenhand.inputs.engines import (
    calling_ibis,
    record_batches,
    relation_backend,
    resolve_engine,
    same_database,
)
from evenhand.inputs.failures import is_engine_error, translate
from evenhand.inputs.reading import is_frame, read_files, read_frame, read_relation
from evenhand.inputs.stored import fingerprints
from evenhand.inputs.stored.files import Files, find_files, integer_range
from evenhand.inputs.stored.headers import different_names

# Columns that the audits know by these names, whatever a table calls them.
OWN_NAMES = frozenset(
    ("user_id", "item_id", "score", "label", "relevance", "rank", "preference", "probability", "popularity")
)
_CALLED_OTHERWISE = (
    " If {0} called otherwise there, say so: columns in a plan or evenhand.table, {1} on the command line, "
    "once for every name that a table has for it."
)


@dataclass(frozen=True)
class Origin:
    """Where a table came from: enough to fingerprint it, and to open it again on another engine."""

    kind: str
    schema: tuple[tuple[str, str], ...]
    files: Files | None = None
    frame: Any = field(default=None, repr=False, compare=False)
    columns: Mapping[str, str] | None = None
    # Which rows, and which columns that were made (`parts.part_of`), where it is not the whole.
    part: Mapping[str, Any] | None = None
    joined: tuple[JoinedColumn, ...] = ()
    # What that was made of: names in it are those of this table.
    whole: Table | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class JoinedColumn:
    """A column of another table, which has so many rows, found by a key that is called `on` here and `key`
    there."""

    name: str
    on: str
    key: str
    column: str
    table: Table
    rows: int


@dataclass(frozen=True)
class JoinedAttribute:
    """Columns that were joined on, and the marker that is true where their key was not found: a problem, or,
    where keys `may_lack`, an empty value."""

    table: str
    on: tuple[str, ...]
    columns: tuple[str, ...]
    marker: str
    may_lack: bool = False


@dataclass(frozen=True)
class LeftOut:
    """Rows that were not asked for, and how many people these are, at least (rows, where users are not
    known)."""

    rows: int
    people: int


@dataclass(frozen=True, eq=False)
class Table:
    """A named table on an engine. `expr` is a plan; rows stay where they are until an aggregate is run."""

    name: str
    expr: ir.Table
    backend: Any = field(repr=False)
    origin: Origin = field(repr=False)
    label_definition: str | None = None
    joined: tuple[JoinedAttribute, ...] = ()
    timezone: str | None = None
    local: tuple[str, ...] = ()  # columns that hold local times of that zone
    left_out: LeftOut | None = None  # where only some rows are looked at

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, after renaming."""
        return tuple(self.expr.columns)

    @property
    def sources(self) -> tuple[Table, ...]:
        """This table, and those that columns of it were joined from."""
        return (self, *(one.table for one in self.origin.joined))

    def require(self, *columns: str) -> None:
        """Raise unless every one of `columns` exists."""
        _require(self.name, self.columns, columns, self.origin.columns or {})

    def run(self, expr: ir.Table) -> pd.DataFrame:
        """The result of an aggregate built on this table; engine errors become an InputError."""
        with self._translated(), calling_ibis():
            # Through Arrow: integers beside a null stay integers, while `execute` makes them floats, and
            # group 1 becomes group 1.0. It takes 1.3 ms less, too.
            found = self.backend.to_pyarrow(expr)
            self._without_zeros(found)
            return found.to_pandas(integer_object_nulls=True)

    def batches(self, expr: ir.Table, rows: int = 1_000_000) -> Iterator[pa.RecordBatch]:
        """The rows of an expression built on this table, a million at a time, in no particular order.

        For audits that must see every value, such as a score to rank by; what is counted goes through `run`.
        """
        with self._translated(), calling_ibis():
            for batch in record_batches(self.backend, expr, rows):
                self._without_zeros(batch)
                yield batch

    def _without_zeros(self, found: pa.Table | pa.RecordBatch) -> None:
        """Raise if text has a zero character: to pandas and NumPy it ends there, so that two become one."""
        for column in found.columns:
            if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
                continue
            zeros = pc.match_substring(column, "\0")
            if pc.any(zeros).as_py():
                example = column.filter(zeros)[0].as_py()
                raise InputError(
                    f"{self.name}: there is text with a zero character, such as {example!r}; the file may be "
                    "damaged: write it again, or take these characters out."
                )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if "Query interrupted" in str(error):  # DuckDB's own error for Ctrl-C
                raise KeyboardInterrupt from error
            if is_engine_error(error):
                paths = [path for one in self.sources for path in one.paths]
                self._unchanged()
                raise translate(error, self.name, paths) from error
            raise
        self._unchanged()

    @property
    def paths(self) -> tuple[Path, ...]:
        """Its own files."""
        return self.origin.files.paths if self.origin.files else ()

    def _unchanged(self) -> None:
        for one in self.sources:
            if one.origin.files:
                one.origin.files.still_the_same(one.name)

    def fingerprint(self, rows: int | None = None) -> Fingerprint:
        """Which data this is, without reading it: pass the count of rows if the audit has made it.

        The data is the same whichever of its rows are looked at, so that all count.
        """
        if rows is not None and self.left_out is not None:
            rows += self.left_out.rows
        if self.origin.files:
            found = fingerprints.of_files(self.origin.files, rows)
            self._unchanged()
        else:
            found = fingerprints.of_schema(self.origin.kind, self.origin.schema, rows)
        if self.origin.part is not None:
            found = fingerprints.of_part(found, self.origin.part, rows)
        if self.origin.joined:
            joined = {
                one.name: [one.on, one.key, one.column, one.table.fingerprint(one.rows).sha256]
                for one in self.origin.joined
            }
            found = fingerprints.of_part(found, {"joined": joined}, found.rows)
        return found.amended(label=self.label_definition)

    def integer_range(self, column: str) -> tuple[int, int] | None:
        """The least and the greatest value of an integer column, where Parquet footers say so."""
        renamed = self.origin.columns or {}
        theirs = renamed.get(column, column)
        joined = any(column in attribute.columns for attribute in self.joined)
        added = {*(self.origin.part or {}).get("made", {}), *(one.name for one in self.origin.joined)}
        if self.origin.files is None or joined or theirs in added:
            return None
        return integer_range(self.origin.files, theirs)

    def on_backend_of(self, other: Table) -> Table:
        """This table on the engine of `other`: files and frames are opened there, the rest must be."""
        if same_database(self.backend, other.backend):
            return self
        if self.origin.whole is not None:
            return self._part_on_backend_of(self.origin.whole.on_backend_of(other))
        source = self.origin.files.paths if self.origin.files else self.origin.frame
        if source is None:
            raise InputError(
                f"{self.name} and {other.name} are on two different engines ({self.backend.name} and "
                f"{other.backend.name} connections), which cannot be joined: put both on one connection, or "
                "pass one of them as files or a frame."
            )
        return table(
            list(source) if isinstance(source, tuple) else source,
            name=self.name,
            columns=self.origin.columns,
            engine=other.backend,
            label_definition=self.label_definition,
            timezone=self.timezone,
            folders=bool(self.origin.files and self.origin.files.folders),
        )

    def _part_on_backend_of(self, whole: Table) -> Table:
        """The same part of `whole`, which is open there, with the names that were given to columns later."""
        from evenhand.inputs.joined_columns import JoinedFrom
        from evenhand.inputs.parts import part_of

        joined = {
            one.name: JoinedFrom(one.table.on_backend_of(whole), one.on, one.key, one.column)
            for one in self.origin.joined
        }
        part = part_of(whole, **(self.origin.part or {}), joined=joined)
        before = {theirs: ours for ours, theirs in (whole.origin.columns or {}).items()}
        later = {ours: before.get(theirs, theirs) for ours, theirs in (self.origin.columns or {}).items()}
        return table(part, columns=later)


def table(
    source: Any,
    *,
    name: str = "table",
    columns: Mapping[str, str] | None = None,
    engine: Any = None,
    label_definition: str | None = None,
    timezone: str | None = None,
    folders: bool = False,
) -> Table:
    """Open `source` as a table, checking all that can be checked without reading its rows.

    `source` is a path, glob or list of paths (Parquet, CSV, TSV, gzip), a folder of Parquet files, a pandas,
    polars or pyarrow frame, a DuckDB relation, an Ibis table, or a Table. `columns` maps our names to theirs.
    `engine` is None or "duckdb" for the DuckDB of this process, "spark", or an Ibis backend. Times that have
    a zone become the local times of `timezone`, so that days can be made of them. With `folders`, a folder
    called day=2026-01-03 gives its files the column `day`.
    """
    if isinstance(source, Table):
        opened = _reopened(source, name, columns, engine, label_definition)
        return opened if timezone is None else _in_timezone(opened, timezone)
    files: Files | None = None
    frame: Any = None
    kind: str
    if isinstance(source, str | Path | list | tuple):
        files = find_files(source, name, folders)
        backend, kind = resolve_engine(engine), files.format
        expr = read_files(files, backend, name)
    elif isinstance(source, duckdb.DuckDBPyRelation):
        backend, kind = relation_backend(source, engine, name), "duckdb relation"
        expr = read_relation(source, backend, name)
    elif isinstance(source, ir.Table):
        backend, kind, expr = _backend_of(source, engine, name), "ibis table", source
    elif is_frame(source):
        backend, kind, frame = (
            resolve_engine(engine),
            f"{type(source).__module__.split('.')[0]} frame",
            source,
        )
        expr = read_frame(source, name)
    else:
        raise InputError(
            f"{name}: a {type(source).__name__} is not a table; pass a path, a pandas, polars or pyarrow "
            "frame, a DuckDB relation or an Ibis table."
        )
    schema = tuple((column, str(type_)) for column, type_ in expr.schema().items())
    origin = Origin(kind, schema, files, frame, columns)
    expr = _renamed(expr, columns, name)
    different_names(expr.columns, name)
    opened = Table(name, expr, backend, origin, label_definition)
    return opened if timezone is None else _in_timezone(opened, timezone)


def same_label_definition(*tables: Table) -> None:
    """Raise if two tables declare different label definitions; one that declares none agrees with all. One
    column that a plan makes by two rules must be declared to mean the same."""
    declared = [table for table in tables if table.label_definition is not None]
    for other in declared[1:]:
        if other.label_definition != declared[0].label_definition:
            raise InputError(
                f"{declared[0].name} and {other.name} define the label differently "
                f"({declared[0].label_definition!r} and {other.label_definition!r}); rates of different "
                "labels cannot be compared, so use one definition."
            )
    for place, one in enumerate(tables):
        for other in tables[place + 1 :]:
            if one.label_definition is None or other.label_definition is None:
                _made_alike(one, other)


def _made_alike(one: Table, other: Table) -> None:
    first, second = ((table.origin.part or {}).get("made", {}) for table in (one, other))
    for column in sorted(first.keys() & second.keys()):
        if _in_order(first[column]) != _in_order(second[column]):
            raise InputError(
                f"{one.name} and {other.name} make {column!r} differently ({_rule(first[column])}, and "
                f"{_rule(second[column])}); rates of different labels cannot be compared. Make it alike in "
                "both, or, if both mean the same, say what in the same `label_definition` of both."
            )


def _in_order(rule: Mapping[str, Any]) -> dict[str, Any]:
    """A rule whose values are in one order; what it leaves open it does not say."""
    return {
        key: sorted(map(str, value)) if isinstance(value, list | tuple) else value
        for key, value in rule.items()
        if value is not None
    }


def _rule(rule: Mapping[str, Any]) -> str:
    """ "respuesta among me gusta, superlike"."""
    return " ".join(
        (key + " " if key != "column" else "")
        + (", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value).lower())
        for key, value in rule.items()
        if value is not None
    )


def different_data(*tables: Table) -> None:
    """Raise if two tables are the same files or the same frame: comparing data with itself finds nothing."""
    for i, first in enumerate(tables):
        for second in tables[:i]:
            same_files = first.origin.files is not None and second.origin.files is not None
            same_files = same_files and set(first.origin.files.paths) == set(second.origin.files.paths)  # type: ignore[union-attr]
            same_files = same_files and first.origin.part == second.origin.part
            if same_files or (first.origin.frame is not None and first.origin.frame is second.origin.frame):
                raise InputError(
                    f"{second.name} and {first.name} are the same data; name the log that each of them is."
                )


def _in_timezone(table: Table, timezone: str) -> Table:
    expr, local = in_timezone(table.expr, table.backend, timezone, table.name)
    return replace(table, expr=expr, timezone=timezone, local=local)


def _reopened(
    source: Table, name: str, columns: Mapping[str, str] | None, engine: Any, label_definition: str | None
) -> Table:
    if engine is not None and not same_database(resolve_engine(engine), source.backend):
        raise InputError(
            f"{source.name}: this table is open on another engine; open it from its source again."
        )
    changes: dict[str, Any] = {}
    if source.name == "table":  # one that was named keeps its name
        changes["name"] = name
    if columns:
        changes["expr"] = _renamed(source.expr, columns, source.name)
        before = source.origin.columns or {}
        both = {ours: before.get(theirs, theirs) for ours, theirs in columns.items()}
        kept = {ours: theirs for ours, theirs in before.items() if ours not in columns.values()}
        changes["origin"] = replace(source.origin, columns=kept | both)
    if label_definition is not None:
        changes["label_definition"] = label_definition
    return replace(source, **changes) if changes else source


def _backend_of(expr: ir.Table, engine: Any, name: str) -> Any:
    try:
        backend = expr.get_backend()
    except IbisError as error:
        if "unbound" in str(error) or "Multiple" in str(error):
            raise InputError(
                f"{name}: the Ibis table is not on one engine ({str(error).split('.')[0]})."
            ) from error
        return resolve_engine(engine)  # an Ibis memtable goes wherever it is asked to
    if engine is not None and not same_database(resolve_engine(engine), backend):
        raise InputError(f"{name}: the Ibis table is on another engine than the one named; leave engine out.")
    return backend


def _renamed(expr: ir.Table, columns: Mapping[str, str] | None, name: str) -> ir.Table:
    changes = {ours: theirs for ours, theirs in (columns or {}).items() if ours != theirs}
    if not changes:
        return expr
    _require(name, tuple(expr.columns), tuple(changes.values()))
    for ours, theirs in changes.items():
        if ours in expr.columns and ours not in changes.values():
            raise InputError(
                f"{name}: column {theirs!r} cannot be called {ours!r}, as another column already has that "
                "name; drop or rename that one first."
            )
    return expr.rename(changes)


def _require(
    name: str, available: tuple[str, ...], wanted: tuple[str, ...], renamed: Mapping[str, str] | None = None
) -> None:
    """Raise unless all that are `wanted` are there; `renamed` has their name of what is called by ours."""
    available = tuple(column for column in available if not column.startswith("evenhand_unseen_"))
    missing = [column for column in dict.fromkeys(wanted) if column not in available]
    if not missing:
        return
    close = [difflib.get_close_matches(column, available, n=1) for column in missing]
    if len(missing) == 1:
        guess = f" Did you mean {close[0][0]!r}?" if close[0] else ""
        said = f"there is no column {missing[0]!r}.{guess}"
    else:
        guesses = [f" (did you mean {one[0]!r}?)" if one else "" for one in close]
        listed = [f"{column!r}{guess}" for column, guess in zip(missing, guesses, strict=True)]
        said = f"there are no columns {', '.join(listed[:-1])} and {listed[-1]}."
    theirs = renamed or {}
    has = [f"{theirs[one]} (as {one})" if theirs.get(one, one) != one else one for one in available]
    own = [column for column in missing if column in OWN_NAMES]
    options = " ".join(f"--columns {column}=NAME" for column in own)
    advice = _CALLED_OTHERWISE.format("it is" if len(missing) == 1 else "they are", options) if own else ""
    raise InputError(f"{name}: {said} It has: {', '.join(has)}.{advice}")
