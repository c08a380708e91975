"""Paths, globs and folders, turned into a list of files of one format, each looked at before any query."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evenhand.errors import InputError
from evenhand.inputs.peers import PeerFile, recognised
from evenhand.inputs.stored.folder_columns import folder_columns
from evenhand.inputs.stored.headers import (
    csv_header,
    different_names,
    one_delimiter,
    same_columns,
    whole_lines,
)
from evenhand.inputs.stored.parquet_files import integer_ends, parquet_contents, same_types
from evenhand.parameters import plain_path

Format = Literal["parquet", "csv", "peer"]

_FORMATS: dict[str, tuple[Format, str]] = {
    ".parquet": ("parquet", ""),
    ".pq": ("parquet", ""),
    ".csv": ("csv", ","),
    ".csv.gz": ("csv", ","),
    ".tsv": ("csv", "\t"),
    ".tsv.gz": ("csv", "\t"),
}
# What tells that a file is still the one that was opened.
Stamp = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Files:
    """Files that together are one table: same format, same columns."""

    paths: tuple[Path, ...]
    format: Format
    delimiter: str  # of CSV: a comma, a semicolon or a tab
    # The columns that have a name. `headers` are those of each file, as they are.
    columns: tuple[str, ...]
    headers: tuple[tuple[str, ...], ...]
    stamps: tuple[Stamp, ...]
    # Same names, but other types or another order: the engine must then align them by name.
    differ: bool
    rows: int | None = None  # only Parquet says so before it is read
    folders: tuple[str, ...] = ()  # columns that the names of folders are, such as day=2026-01-03
    peer: PeerFile | None = None  # a file of another tool, in its own format

    def still_the_same(self, name: str) -> None:
        """Raise if a file was changed since it was opened: half of a result would be about other data."""
        for path, stamp in zip(self.paths, self.stamps, strict=True):
            try:
                same = _stamp(path) == stamp
            except OSError:
                same = False
            if not same:
                raise InputError(
                    f"{name}: {path.name} cannot be read to its end, as it was changed, replaced or taken "
                    "away meanwhile; wait until it is written, or copy it, and run the audit again."
                )


def find_files(source: str | Path | Sequence[str | Path], name: str, folders: bool = False) -> Files:
    """The files behind a path, a glob, a folder of Parquet files, or a list of those; with `folders`, names
    of folders are columns."""
    sources = [source] if isinstance(source, str | Path) else list(source)
    if not sources:
        raise InputError(f"{name}: the list of paths is empty; pass at least one file.")
    for item in sources:
        if not isinstance(item, str | Path):
            raise InputError(
                f"{name}: a list must be of paths, and this one has a {type(item).__name__}; put frames "
                "together first."
            )
    paths = tuple(path for item in sources for path in _expand(str(item), name))
    stamps = tuple(_checked_stamp(path, name) for path in paths)
    repeated = len(paths) - len({path.resolve() for path in paths})
    if repeated:
        raise InputError(
            f"{name}: {repeated:,} of {len(paths):,} files are named twice; name each file once."
        )
    for path, (*_, size, _, _) in zip(paths, stamps, strict=True):
        if size == 0:
            raise InputError(f"{name}: {path.name} is an empty file (0 bytes); was writing it interrupted?")
    peer = recognised(paths[0], name) if len(paths) == 1 else None
    if peer is not None:
        if not peer.in_parquet:
            whole_lines(paths[0], name)
        columns = peer.columns
        different_names(columns, name, paths[0].name)
        return Files(paths, "peer", "", columns, (columns,), stamps, differ=False, peer=peer)
    formats = {_format_of(path, name) for path in paths}
    if len(formats) > 1:
        raise InputError(
            f"{name}: {paths[0].name} and others are of different formats; one table needs one format, "
            "so convert them or pass them as separate tables."
        )
    format_, delimiter = formats.pop()
    rows = None
    if format_ == "parquet":
        # One footer at a time, as those of thousands of files would fill the memory.
        contents = [parquet_contents(path, name) for path in paths]
        headers = tuple(tuple(schema.names) for schema, _ in contents)
        differ = any(not schema.equals(contents[0][0]) for schema, _ in contents)
        rows = sum(count for _, count in contents)
    else:
        found = [csv_header(path, delimiter, name) for path in paths]
        headers = tuple(header for header, _ in found)
        delimiter = one_delimiter(paths, [mark for _, mark in found], name)
        for path in paths:
            whole_lines(path, name)
        differ = len(set(headers)) > 1
    for path, header in zip(paths, headers, strict=True):
        different_names(header, name, path.name)
    named = [tuple(column for column in header if column) for header in headers]
    same_columns(paths, named, name)
    made = folder_columns(paths, named[0], name) if folders else ()
    files = Files(paths, format_, delimiter, named[0], headers, stamps, differ, rows, made)
    if format_ == "parquet" and differ:
        same_types(files.paths, [schema for schema, _ in contents], name)
    return files


def file_header(path: Path) -> tuple[str, ...]:
    """The columns of one file, without anything else of it being read; raise if it cannot be a table."""
    name = path.name
    *_, size, _, _ = _checked_stamp(path, name)
    if size == 0:
        raise InputError(f"{name} is an empty file (0 bytes); was writing it interrupted?")
    peer = recognised(path, name)
    if peer is not None:
        return peer.columns
    format_, delimiter = _format_of(path, name)
    if format_ == "parquet":
        header = tuple(parquet_contents(path, name)[0].names)
    else:
        header, _ = csv_header(path, delimiter, name)
    different_names(header, name, path.name)
    return tuple(column for column in header if column)


def integer_range(files: Files, column: str) -> tuple[int, int] | None:
    """The least and the greatest value of an integer column, where all Parquet footers say so."""
    if files.format != "parquet" or column not in files.columns:
        return None
    ends: list[int] = []
    for path in files.paths:
        found = integer_ends(path, column)
        if found is None:
            return None
        ends += found
    return (min(ends), max(ends)) if ends else None


def _expand(source: str, name: str) -> list[Path]:
    if "://" in source:
        raise InputError(
            f"{name}: {source.split('://')[0]}:// addresses are not read directly; "
            "pass an Ibis table or a DuckDB relation that reads it, or a local copy."
        )
    path = plain_path(name, source)
    if path.is_dir():
        found = sorted(path.glob("*.parquet"))
        if not found:
            raise InputError(
                f"{name}: the folder {path.name} holds no .parquet files{_instead(path, source)}."
            )
        return found
    if os.path.lexists(path):
        return [path]
    if glob.has_magic(source):
        matches = sorted(plain_path(name, match) for match in glob.glob(str(path), recursive=True))
        # A match may be a folder of parts, as Spark writes them.
        found = [
            file for match in matches for file in (_expand(str(match), name) if match.is_dir() else [match])
        ]
        if not found:
            raise InputError(f"{name}: no file matches {source!r}; check the folder and the pattern.")
        return found
    raise InputError(f"{name}: there is no file {source!r}; check the path.")


def _instead(folder: Path, source: str) -> str:
    """What to pass for a folder that has no Parquet files of its own: what lies below, or other files."""
    for depth in (1, 2, 3):
        below = "*/" * depth + "*.parquet"
        found = next(folder.glob(below), None)
        if found is not None:
            between = found.parent.name
            told = f" (a column is not made of names of folders, such as {between})" if "=" in between else ""
            return f" itself, but its folders do: pass the pattern '{source.rstrip('/')}/{below}'{told}"
    kinds = [end for end in _FORMATS if next(folder.glob(f"*{end}"), None) is not None]
    return f"; pass a pattern such as '{source.rstrip('/')}/*{kinds[0]}'" if kinds else "; name another one"


def _checked_stamp(path: Path, name: str) -> Stamp:
    """What the file is now; a link in a circle, or a pipe, which would be waited for, is no file."""
    try:
        is_file = stat.S_ISREG(os.stat(path).st_mode)
        found = _stamp(path)
    except OSError as error:
        plain_path(name, path)  # a folder may hold names that cannot be written
        raise InputError(f"{name}: {path.name} cannot be read ({error.strerror}).") from error
    plain_path(name, path)
    if not is_file:
        raise InputError(f"{name}: {path.name} is not a file; save what it gives as one first.")
    return found


def _stamp(path: Path) -> Stamp:
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _format_of(path: Path, name: str) -> tuple[Format, str]:
    lower = path.name.lower()
    for extension, found in _FORMATS.items():
        if lower.endswith(extension):
            return found
    raise InputError(
        f"{name}: {path.name} has an extension that is not known; use {', '.join(_FORMATS)}, or a file of "
        "TREC, RecBole or Elliot, which its first lines do not look like."
    )
