"""What an engine says when it fails, turned into one sentence that names the table, the file and the line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
from ibis.common.exceptions import IbisError

from evenhand.errors import InputError

# What an engine may raise because of the data. Anything else is a fault of ours and stays as it is.
_ENGINE_ERRORS: tuple[type[BaseException], ...] = (
    duckdb.Error, IbisError, pa.ArrowException, MemoryError, OSError
)  # fmt: skip
_DAMAGED_PARQUET = (
    "parquet",
    "magic bytes",
    "decompress",
    "thrift",
    "tprotocol",
    "snappy",
    "zstd",
    "page header",
)


def is_engine_error(error: BaseException) -> bool:
    """Whether `error` comes from an engine (Spark is known by its module, as it may not be installed)."""
    return isinstance(error, _ENGINE_ERRORS) or type(error).__module__.startswith(("pyspark", "py4j"))


def translate(error: BaseException, name: str, paths: Sequence[Path] = ()) -> InputError:
    """`error` as an InputError; `paths` are the files the table is read from, if it is."""
    text = str(error)
    where = _file_in(text, paths)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    if line:
        place = f"line {line[1]}" + (f" of {where}" if where else "")
        return InputError(f"{name}: {place} {_csv_reason(text)}")
    record = re.search(r"Malformed CSV record: (.*?)\s*SQLSTATE", text)
    if record:  # Spark, which does not say on which line
        return InputError(
            f"{name}: {where or 'a CSV file'} has a broken row, {record[1]!r}; it has too few or too many "
            "fields, or a quote that is never closed: correct it, or write it again."
        )
    lower = text.lower()
    if isinstance(error, MemoryError | duckdb.OutOfMemoryException):
        return InputError(
            f"{name}: the query does not fit in memory; use a machine with more, fewer columns or groups, "
            'or engine="spark".'
        )
    illegal = re.search(r"Illegal Parquet type: (.*?)\.? SQLSTATE", text)
    if illegal:  # Spark; nanoseconds, as pandas writes them, are the usual case
        return InputError(
            f"{name}: {where or 'a Parquet file'} has a column of type {illegal[1]}, which Spark does not "
            "read; write times in microseconds (pandas: coerce_timestamps='us'), or use DuckDB."
        )
    if any(path.suffix.lower() in (".parquet", ".pq") for path in paths) and (
        isinstance(error, OSError | duckdb.IOException | pa.ArrowException)
        or any(word in lower for word in _DAMAGED_PARQUET)
    ):
        return InputError(
            f"{name}: {where or 'a Parquet file'} cannot be read to its end; it is damaged or was changed "
            f"meanwhile: write it again. The engine says: {_first_line(text)}"
        )
    return InputError(
        f"{name}: the engine could not read or combine the columns. It says: {_first_line(text)}"
    )


def _csv_reason(text: str) -> str:
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    value = re.search(
        r"Error when converting column \"(.*?)\"\. Could not convert string \"(.*?)\" to '(\w+)'", text
    )
    # A quote that is not closed swallows the lines below it, so look for it before the count of fields.
    if "unterminated quote" in text:
        return "opens a quote that is never closed; close it, or double the quotes inside the value."
    if value:
        return (
            f"has {value[2]!r} in column {value[1]!r}, where the values before it are of type {value[3]}; "
            "correct it, or write the table as Parquet with the type you mean."
        )
    if fields:
        return (
            f"has {fields[2]} fields where the header has {fields[1]}; correct the line, or write it again."
        )
    if "unicode" in text.lower() or "utf-8" in text.lower():
        return "is not UTF-8 text; write the file again as UTF-8."
    if "line size" in text.lower():
        return "is too long for a row; look for a quote that is never closed."
    return f"cannot be read: {_first_line(text.split(chr(10), 1)[-1])}"


def _file_in(text: str, paths: Sequence[Path]) -> str | None:
    """The base name of the file that the message is about: never its folder."""
    for path in paths:
        if str(path) in text:
            return path.name
    return paths[0].name if len(paths) == 1 else None


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "nothing")
    # An absolute path in a message would end up in logs and reports.
    return re.sub(r"(/[^\s'\"]+)+/", "", line)[:300].rstrip(".") + "."
