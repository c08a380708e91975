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


def find_files(source: str | Path | Sequence[str | Path], name: str) -> Files:
    """The files behind a path, a glob, a folder of Parquet files, or a list of those."""
    sources = [source] if isinstance(source, str | Path) else list(source)
    if not sources:
        raise InputError(f"{name}: the list of paths is empty; pass at least one file.")
    paths = tuple(path for item in sources for path in _expand(str(item), name))
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
    if format_ == "parquet":
        schemas = [_parquet_schema(path, name) for path in paths]
        columns = [tuple(schema.names) for schema in schemas]
        differ = any(not schema.equals(schemas[0]) for schema in schemas)
    else:
        columns = [_csv_header(path, delimiter, name) for path in paths]
        differ = len(paths) > 1  # types are found file by file, so they may always differ
    _same_columns(paths, columns, name)
    return Files(paths, format_, delimiter, columns[0], differ)


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
        found = [match for match in matches if match.is_file()]
        if not found:
            raise InputError(f"{name}: no file matches {source!r}; check the folder and the pattern.")
        return found
    raise InputError(
        f"{name}: there is no file {source!r}; check the path, it is relative to {Path.cwd().name}/."
    )


def _format_of(path: Path, name: str) -> tuple[Format, str]:
    lower = path.name.lower()
    for extension, found in _FORMATS.items():
        if lower.endswith(extension):
            return found
    raise InputError(f"{name}: {path.name} has an extension that is not known; use {', '.join(_FORMATS)}.")


def _parquet_schema(path: Path, name: str) -> pa.Schema:
    try:
        # Without the metadata: pandas writes the row range there, which differs between files.
        return pq.read_schema(path).remove_metadata()
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
