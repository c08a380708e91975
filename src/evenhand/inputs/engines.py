"""Which engine runs the queries, and whether two tables are on the same one."""

from __future__ import annotations

import os
import tempfile
import threading
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import ibis

from evenhand.errors import InputError

_lock = threading.Lock()
_shared: Any = None


@contextmanager
def calling_ibis() -> Iterator[None]:
    """Ibis 12 calls a method that DuckDB 2.0 deprecates: spare whoever turns warnings into errors."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="fetch_arrow_table", category=DeprecationWarning)
        yield


def shared_duckdb() -> Any:
    """The embedded DuckDB that the whole process shares: in memory, made on first use."""
    global _shared
    with _lock:
        if _shared is None:
            # A query that outgrows the memory spills; by default into the folder the user happens to be in.
            # A folder of this process alone: on a shared machine another user may own a common one.
            spill = Path(tempfile.gettempdir()) / f"evenhand-{os.getpid()}"
            _shared = ibis.duckdb.connect(temp_directory=str(spill))
            # Not parquet_metadata_cache, which would save 2% of an audit of 10 million rows: a file that is
            # written again within a second, at the same size, would be answered from its old footer.
        return _shared


def resolve_engine(engine: Any) -> Any:
    """The Ibis backend behind `engine`: None or "duckdb", "spark", or a backend, which is taken as it is."""
    if engine is None or engine == "duckdb":
        return shared_duckdb()
    if engine == "spark":
        return _local_spark()
    if unknown := unknown_engine(engine):
        raise InputError(unknown)
    return engine


def unknown_engine(engine: Any) -> str:
    """That nobody knows an engine of this name, as a sentence; empty where it is known."""
    is_backend = hasattr(engine, "execute") and hasattr(engine, "read_parquet")
    if engine is None or is_backend or engine in ("duckdb", "spark"):
        return ""
    return (
        f'engine {engine!r} is not known: use None or "duckdb", "spark", or an Ibis backend such as '
        "ibis.duckdb.connect(...)."
    )


def record_batches(backend: Any, expr: Any, rows: int) -> Any:
    """The rows of an expression as Arrow batches, without holding all of them."""
    if backend.name == "duckdb":
        # Ibis 12 would call a method that DuckDB 2.0 has only on relations.
        return backend._to_duckdb_relation(expr).to_arrow_reader(rows)
    return backend.to_pyarrow_batches(expr, chunk_size=rows)


def _local_spark() -> Any:
    """Spark in this process, or the session that is already running."""
    try:
        from pyspark.sql import SparkSession  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise InputError(
            'engine="spark" needs pyspark, which is not installed: pip install '
            '"evenhand[spark]", or ".[spark]" from its folder.'
        ) from error
    session = (
        SparkSession.builder.appName("evenhand")
        # Otherwise Spark parses only the columns it needs, and FAILFAST lets rows with too few fields pass.
        .config("spark.sql.csv.parser.columnPruning.enabled", "false")
        .getOrCreate()
    )
    return ibis.pyspark.connect(session)


def same_database(one: Any, other: Any) -> bool:
    """Whether two backends see the same tables.

    Ibis calls any two in-memory DuckDB backends equal, and would then run a join of both on one of them,
    on another table of the same name if there is one. So where there is a connection, it decides.
    """
    if one is other:
        return True
    if hasattr(one, "con") and hasattr(other, "con"):
        return one.con is other.con
    return bool(one == other)


def relation_backend(relation: duckdb.DuckDBPyRelation, engine: Any, name: str) -> Any:
    """The Ibis backend on the connection that `relation` lives on.

    A relation does not say publicly which connection it belongs to, so the candidates are tried: the
    engine that was named, or DuckDB's default connection (the one behind `duckdb.sql`).
    """
    backend = _wrap(duckdb.default_connection()) if engine is None else resolve_engine(engine)
    if getattr(backend, "name", None) == "duckdb" and _lives_on(relation, backend.con):
        return backend
    raise InputError(
        f"{name}: this DuckDB relation lives on a connection of its own, which a relation does not reveal; "
        "pass engine=ibis.duckdb.from_connection(connection) with it, or an Ibis table, or a path."
    )


def _lives_on(relation: duckdb.DuckDBPyRelation, connection: Any) -> bool:
    """Temporary tables are seen by their own connection only: make one, and ask the relation to read it."""
    marker = f"evenhand_marker_{uuid.uuid4().hex}"
    connection.execute(f"CREATE TEMP TABLE {marker} (here INTEGER)")
    try:
        relation.query(f"{marker}_view", f"SELECT here FROM {marker}")
    except duckdb.CatalogException:
        return False
    finally:
        connection.execute(f"DROP TABLE {marker}")
    return True


def _wrap(connection: Any) -> Any:
    """An Ibis backend on the user's connection, with the settings that Ibis changes put back.

    Ibis sets the time zone and turns off reading Python variables as tables; the user's later queries on
    this connection would feel both.
    """
    settings = ("TimeZone", "python_enable_replacements")
    before = [connection.execute(f"SELECT current_setting('{key}')").fetchone()[0] for key in settings]
    backend = ibis.duckdb.from_connection(connection)
    for key, value in zip(settings, before, strict=True):
        connection.execute(f"SET {key} = '{value}'")
    return backend
