"""Tables of a database: a file of DuckDB or SQLite, or PostgreSQL by its URL, read and never written to."""

from __future__ import annotations

import uuid
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import ibis

from evenhand.addresses import has_password, without_password
from evenhand.errors import InputError
from evenhand.inputs.engines import shared_duckdb
from evenhand.inputs.reading import as_view
from evenhand.inputs.stored.csv_types import quoted

_FILES = {".duckdb": "duckdb", ".ddb": "duckdb", ".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "either"}
_SCHEMES = {"duckdb": "duckdb", "sqlite": "sqlite", "postgresql": "postgres", "postgres": "postgres"}
_SQLITE_BEGINS = b"SQLite format 3\0"


def is_warehouse(source: str) -> bool:
    """Whether a path or URL is one of a database."""
    scheme, separator, _ = source.partition("://")
    return (bool(separator) and scheme in _SCHEMES) or Path(source).suffix.lower() in _FILES


def connected(source: str, name: str = "warehouse") -> Any:
    """The database as an Ibis backend; one for all of its tables, as only these can be joined."""
    if has_password(source):
        raise InputError(
            f"{without_password(name)}: the address has a password, which would end up in files; leave it "
            "out, and set PGPASSWORD."
        )
    kind, place = _kind(source, name)
    try:
        return _backend(kind, place)
    except InputError:
        raise
    except Exception as error:
        why = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise InputError(f"{name}: the database {place} cannot be opened ({why}).") from error


def tables_of(source: str, name: str = "warehouse") -> list[str]:
    """The tables and views of a database."""
    backend = connected(source, name)
    if backend.name == "duckdb":  # Ibis 12 would call a method that DuckDB 2.0 has no more
        found = (row[0] for row in backend.con.execute("SHOW TABLES").fetchall())
        return sorted(one for one in found if not one.startswith("evenhand_"))  # our own views
    return sorted(backend.list_tables())


def stored_table(source: str, table: str, name: str, most: int | None = None) -> Any:
    """One table of a database, as an Ibis table; of those that are copied, at most so many rows."""
    there = tables_of(source, name)
    if table not in there:
        shown = ", ".join(there[:20]) or "none"
        raise InputError(f"{name}: {source} has no table {table!r}. It has: {shown}.")
    backend = connected(source, name)
    if backend.name == "duckdb":
        return as_view(f"SELECT * FROM {quoted(table)}", backend)
    try:
        return _copied(backend, table, most)
    except Exception as error:  # each database fails in its own way
        why = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise InputError(f"{name}: the table {table!r} of {source} cannot be read ({why}).") from error


def rows_of(source: str, table: str, name: str) -> int:
    """How many rows a table of a database has."""
    backend = connected(source, name)
    if backend.name == "duckdb":
        return int(backend.con.execute(f"SELECT count(*) FROM {quoted(table)}").fetchall()[0][0])
    return int(backend.table(table).count().execute())


@cache
def _copied(backend: Any, table: str, most: int | None) -> Any:
    """The rows in our own DuckDB, batch by batch, and once for all inputs that name the table: other
    databases have no hash of text, nor the same sums, and would give other answers."""
    expr = backend.table(table)
    batches = backend.to_pyarrow_batches(expr if most is None else expr.limit(most))
    ours = shared_duckdb()
    copy = f"evenhand_{uuid.uuid4().hex}"
    ours.con.register(f"{copy}_batches", batches)
    ours.con.execute(f"CREATE TEMP TABLE {copy} AS SELECT * FROM {copy}_batches")
    ours.con.unregister(f"{copy}_batches")
    return as_view(f"SELECT * FROM {copy}", ours)


def _kind(source: str, name: str) -> tuple[str, str]:
    """Which database it is, and where: the path of its file, or its URL."""
    scheme, separator, _ = source.partition("://")
    if separator and scheme not in _SCHEMES:
        raise InputError(
            f"{name}: {scheme}:// is no database that is read; use duckdb://, sqlite:// or postgresql://."
        )
    kind = _SCHEMES[scheme] if separator else _FILES.get(Path(source).suffix.lower(), "either")
    if kind == "postgres":
        return kind, source
    parts = urlsplit(source)
    path = Path(unquote(parts.netloc + parts.path) if separator else source)
    if not path.is_file():
        raise InputError(f"{name}: there is no database {path}; check the path.")
    if kind == "either":
        with path.open("rb") as file:
            kind = "sqlite" if file.read(16) == _SQLITE_BEGINS else "duckdb"
    return kind, str(path.resolve())


@cache
def _backend(kind: str, place: str) -> Any:
    if kind == "duckdb":
        return ibis.duckdb.connect(place, read_only=True)
    if kind == "sqlite":
        return ibis.sqlite.connect(place)
    try:
        from psycopg.conninfo import conninfo_to_dict

        # The server's own library reads the address, with all that it asks for, and refuses what it does not
        # know.
        asked = conninfo_to_dict(place)
        known = {"database": asked.pop("dbname", None), "port": asked.pop("port", 5432)}
        return ibis.postgres.connect(**known, **asked, autocommit=True)
    except ImportError as error:
        raise InputError(
            'PostgreSQL needs psycopg, which is not installed: pip install "evenhand[monitor]", '
            'or ".[monitor]" from its folder.'
        ) from error
