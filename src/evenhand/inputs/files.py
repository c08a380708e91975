"""Paths, globs and folders, turned into a list of files of one format, each looked at before any query."""

from __future__ import annotations

import csv
import glob
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from evenhand.errors import InputError

Format = Literal["parquet", "csv"]

_FORMATS: dict[str, tuple[Format, str]] = {
    ".parquet": ("parquet", ""),
    ".pq": ("parquet", ""),
    ".csv": ("csv", ","),
    ".csv.gz": ("csv", ","),
    ".tsv": ("csv", "\t"),
    ".tsv.gz": ("csv", "\t"),
}


@dataclass(frozen=True)
class Files:
    """Files that together are one table: same format, same columns."""

    paths: tuple[Path, ...]
    format: Format
    delimiter: str
    columns: tuple[str, ...]
    # Same names, but other types or another order: the engine must then align them by name.
    differ: bool
    rows: int | None = None  # only Parquet says so before it is read


def find_files(source: str | Path | Sequence[str | Path], name: str) -> Files:
    """The files behind a path, a glob, a folder of Parquet files, or a list of those."""
    sources = [source] if isinstance(source, str | Path) else list(source)
    if not sources:
        raise InputError(f"{name}: the list of paths is empty; pass at least one file.")
    paths = tuple(path for item in sources for path in _expand(str(item), name))
    repeated = len(paths) - len({path.resolve() for path in paths})
    if repeated:
        raise InputError(
            f"{name}: {repeated:,} of {len(paths):,} files are named twice; name each file once."
        )
    formats = {_format_of(path, name) for path in paths}
    if len(formats) > 1:
        raise InputError(
            f"{name}: {paths[0].name} and others are of different formats; one table needs one format, "
            "so convert them or pass them as separate tables."
        )
    format_, delimiter = formats.pop()
    for path in paths:
        if path.stat().st_size == 0:
            raise InputError(f"{name}: {path.name} is an empty file (0 bytes); was writing it interrupted?")
    rows = None
    if format_ == "parquet":
        # One footer at a time, as those of thousands of files would fill the memory.
        contents = [_parquet_contents(path, name) for path in paths]
        columns = [tuple(schema.names) for schema, _ in contents]
        differ = any(not schema.equals(contents[0][0]) for schema, _ in contents)
        rows = sum(count for _, count in contents)
    else:
        columns = [_csv_header(path, delimiter, name) for path in paths]
        differ = len(paths) > 1  # types are found file by file, so they may always differ
    _same_columns(paths, columns, name)
    return Files(paths, format_, delimiter, columns[0], differ, rows)


def integer_range(files: Files, column: str) -> tuple[int, int] | None:
    """The least and the greatest value of an integer column, where all Parquet footers say so."""
    if files.format != "parquet" or column not in files.columns:
        return None
    ends: list[int] = []
    for path in files.paths:
        footer = pq.read_metadata(path)
        place = footer.schema.to_arrow_schema().names.index(column)
        if footer.num_columns != len(files.columns):
            return None  # a nested column is stored as several, so places are not those of the schema
        for group in range(footer.num_row_groups):
            statistics = footer.row_group(group).column(place).statistics
            if statistics is None or not statistics.has_min_max:
                return None
            ends += [statistics.min, statistics.max]
    return (min(ends), max(ends)) if ends and all(isinstance(end, int) for end in ends) else None


def _expand(source: str, name: str) -> list[Path]:
    if "://" in source:
        raise InputError(
            f"{name}: {source.split('://')[0]}:// addresses are not read directly; "
            "pass an Ibis table or a DuckDB relation that reads it, or a local copy."
        )
    path = Path(source).expanduser()
    if path.is_dir():
        found = sorted(path.glob("*.parquet"))
        if not found:
            raise InputError(
                f"{name}: the folder {path.name} holds no .parquet files; pass a glob such as *.csv."
            )
        return found
    if path.exists():
        return [path]
    if glob.has_magic(source):
        matches = sorted(Path(match) for match in glob.glob(str(path), recursive=True))
        # A match may be a folder of parts, as Spark writes them.
        found = [
            file for match in matches for file in (_expand(str(match), name) if match.is_dir() else [match])
        ]
        if not found:
            raise InputError(f"{name}: no file matches {source!r}; check the folder and the pattern.")
        return found
    raise InputError(f"{name}: there is no file {source!r}; check the path.")


def _format_of(path: Path, name: str) -> tuple[Format, str]:
    lower = path.name.lower()
    for extension, found in _FORMATS.items():
        if lower.endswith(extension):
            return found
    raise InputError(f"{name}: {path.name} has an extension that is not known; use {', '.join(_FORMATS)}.")


def _parquet_contents(path: Path, name: str) -> tuple[pa.Schema, int]:
    """The columns and the count of rows."""
    try:
        footer = pq.read_metadata(path)
        # Without the metadata: pandas writes the row range there, which differs between files.
        return footer.schema.to_arrow_schema().remove_metadata(), footer.num_rows
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"{name}: {path.name} is not a readable Parquet file; it may be cut off, or of another format "
            "under this name: write it again."
        ) from error


def _csv_header(path: Path, delimiter: str, name: str) -> tuple[str, ...]:
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8-sig", newline="")
            if path.name.lower().endswith(".gz")
            else path.open(encoding="utf-8-sig", newline="")
        ) as file:
            header = next(csv.reader(file, delimiter=delimiter, strict=True), [])
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{name}: line 1 of {path.name} cannot be read as a header ({error}); the file must be UTF-8 "
            "text, compressed if its name ends in .gz."
        ) from error
    if not any(field.strip() for field in header):
        raise InputError(f"{name}: line 1 of {path.name} is empty; it must name the columns.")
    repeated = sorted({field for field in header if header.count(field) > 1})
    if repeated:
        raise InputError(f"{name}: {path.name} names the column {repeated[0]!r} twice; rename one of them.")
    return tuple(header)


def _same_columns(paths: Sequence[Path], columns: Sequence[tuple[str, ...]], name: str) -> None:
    for path, found in zip(paths[1:], columns[1:], strict=True):
        lacking, extra = set(columns[0]) - set(found), set(found) - set(columns[0])
        if lacking or extra:
            words = [f"lacks {column!r}" for column in sorted(lacking)] + [
                f"adds {c!r}" for c in sorted(extra)
            ]
            raise InputError(
                f"{name}: {path.name} {', '.join(words[:4])} compared with {paths[0].name}; files of one "
                "table need the same columns."
            )
