"""Files, frames and relations as Ibis tables; only headers, footers and a sample are read here."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import ibis
import ibis.expr.operations as ops
import ibis.expr.types as ir
import numpy as np
import pandas as pd
import pyarrow as pa

from evenhand.errors import InputError
from evenhand.inputs.engines import calling_ibis, shared_duckdb
from evenhand.inputs.failures import is_engine_error, translate
from evenhand.inputs.stored import decimal_commas
from evenhand.inputs.stored.csv_types import TEXT, csv_types, escaped, select_csv
from evenhand.inputs.stored.files import Files

_SPARK_TYPES = dict.fromkeys((TEXT, *decimal_commas.WRITTEN), "STRING") | {
    "UBIGINT": "DECIMAL(20, 0)", "TIMESTAMP": "TIMESTAMP_NTZ", "TIMESTAMPTZ": "TIMESTAMP",
}  # fmt: skip


def read_files(files: Files, backend: Any, name: str) -> ir.Table:
    """The files as one Ibis table on `backend`; a broken CSV row near the top is found here already, and a
    file of another tool is read as a whole."""
    if files.peer is not None:
        return read_frame(files.peer.read(files.paths[0], name), name)
    try:
        with calling_ibis():
            if backend.name == "duckdb":
                return _read_with_duckdb(files, backend, name)
            return _read_with_other(files, backend, name)
    except Exception as error:
        if is_engine_error(error):
            raise translate(error, name, files.paths) from error
        raise


def _read_with_duckdb(files: Files, backend: Any, name: str) -> ir.Table:
    if files.format == "csv":
        return as_view(select_csv(files, csv_types(files, backend.con, name)), backend)
    # Without hive partitioning, unless it was asked for: a folder called liked=1 would replace the column of
    # that name.
    return as_view(
        f"SELECT * FROM read_parquet([{', '.join(map(escaped, files.paths))}], "
        f"union_by_name = {files.differ}, hive_partitioning = {bool(files.folders)})",
        backend,
    )


def _read_with_other(files: Files, backend: Any, name: str) -> ir.Table:
    """Any other backend reads file by file with its own reader; Spark is told to refuse broken rows."""
    if files.folders:
        raise InputError(
            f"names of folders ({', '.join(files.folders)}) are columns with the engine DuckDB alone; leave "
            "engine out, or write the column into the files."
        )
    if files.format == "parquet":
        parts = [backend.read_parquet(str(path)) for path in files.paths]
    elif backend.name == "pyspark":
        options = {"sep": files.delimiter, "header": True, "mode": "FAILFAST", "escape": '"'}
        types = csv_types(files, shared_duckdb().con, name)
        parts = [
            decimal_commas.as_numbers(
                backend.read_csv(str(path), schema=_spark_schema(header, types), **options), types
            )
            for path, header in zip(files.paths, files.headers, strict=True)
        ]
    elif files.delimiter == ";":
        raise InputError(
            f"{name}: {files.paths[0].name} has semicolons between names, which DuckDB and Spark alone read; "
            "leave engine out, or write the file with commas."
        )
    else:
        parts = [backend.read_csv(str(path)) for path in files.paths]
    parts = [part.select(list(files.columns)) for part in parts]
    return functools.reduce(lambda above, below: above.union(below), parts)


def _spark_schema(header: Sequence[str], types: Mapping[str, str]) -> str:
    """Columns and types as Spark writes them: it finds types from all rows, too, but makes 7 of 007."""
    columns = [(name or "evenhand_row_numbers", types.get(name, TEXT)) for name in header]
    return ", ".join(
        f"`{name.replace('`', '``')}` {_SPARK_TYPES.get(type_, type_)}" for name, type_ in columns
    )


def is_frame(source: Any) -> bool:
    """Whether `source` is a pandas, polars or pyarrow table (polars need not be installed)."""
    return isinstance(source, pd.DataFrame) or type(source).__module__.split(".")[0] in ("polars", "pyarrow")


def read_frame(frame: Any, name: str) -> ir.Table:
    """A frame as an Ibis table, shared with the engine and not copied where the types allow it."""
    try:
        if hasattr(frame, "collect") and hasattr(frame, "lazy"):
            frame = frame.lazy().collect()  # a polars LazyFrame is a plan: this is where it runs
        if isinstance(frame, pd.DataFrame):
            # Once and now: Ibis would convert again at every query, and only then find mixed types.
            frame = pa.Table.from_pandas(_in_native_order(frame), preserve_index=False)
        return ibis.memtable(_for_duckdb(frame) if isinstance(frame, pa.Table) else frame)
    except Exception as error:  # pandas columns of mixed types fail in many ways, and so do plans of polars
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(
            f"{name}: the {type(frame).__module__.split('.')[0]} frame cannot be read as a table ({why}); "
            "every column needs a name of its own and values of one type."
        ) from error


def _in_native_order(frame: pd.DataFrame) -> pd.DataFrame:
    """With the bytes of numbers in the order of this machine, as Arrow needs them; others have another."""
    swapped = {
        place: dtype.newbyteorder("=")
        for place, dtype in enumerate(frame.dtypes)
        if isinstance(dtype, np.dtype) and dtype.kind in "iuf" and not dtype.isnative
    }
    if not swapped:
        return frame
    columns = [
        frame.iloc[:, place].astype(swapped[place]) if place in swapped else frame.iloc[:, place]
        for place in range(frame.shape[1])
    ]
    return pd.concat(columns, axis=1)


def _for_duckdb(table: pa.Table) -> pa.Table:
    """With the few types of Arrow that DuckDB does not read as such that lose nothing."""
    for place, field in enumerate(table.schema):
        if pa.types.is_float16(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.float32()))
    return table


def read_relation(relation: duckdb.DuckDBPyRelation, backend: Any, name: str) -> ir.Table:
    """A DuckDB relation as a temporary view on its own connection: the plan moves, not the rows.

    `relation.create_view` would write a lasting view into the user's database; this one goes with the
    connection.
    """
    try:
        return as_view(relation.sql_query(), backend)
    except duckdb.Error as error:
        raise InputError(
            f"{name}: this DuckDB relation cannot be read as a view ({str(error).splitlines()[0]}); "
            "if it has parameters, write their values into its SQL, or pass an Ibis table."
        ) from error


def as_view(select: str, backend: Any) -> ir.Table:
    """`select` as a temporary view of DuckDB, as an Ibis table.

    The types come from the plan. Ibis would run DESCRIBE for them (`read_parquet`, `table`): 1 ms more.
    """
    view = f"evenhand_{uuid.uuid4().hex}"
    backend.con.execute(f"CREATE TEMP VIEW {view} AS {select}")
    plan = backend.con.sql(f"SELECT * FROM {view}")
    to_ibis = backend.compiler.type_mapper.from_string
    schema = ibis.schema(
        {name: to_ibis(str(type_)) for name, type_ in zip(plan.columns, plan.types, strict=True)}
    )
    return ops.DatabaseTable(view, schema=schema, source=backend, namespace=ops.Namespace()).to_expr()
