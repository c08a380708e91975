"""Which data a result rests on, from what is known anyway: footers, sizes, schemas and counts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.documents import Fingerprint
from evenhand.inputs.stored.files import Files


def of_files(files: Files, rows: int | None) -> Fingerprint:
    """Parquet: base names, sizes and footers, which hold the counts and extremes of every column. CSV: base
    names, sizes and the count of rows that the audit made; an edit that keeps both is not noticed."""
    digest = hashlib.sha256(files.format.encode())
    if files.rows is not None:
        rows = files.rows
    for path in files.paths:
        digest.update(f"\0{path.name}\0{path.stat().st_size}\0".encode())
        if files.format == "parquet":
            digest.update(_footer(path))
    digest.update(f"\0{rows}".encode())
    return Fingerprint(
        source=_label(files),
        rows=rows,
        files=len(files.paths),
        bytes=sum(path.stat().st_size for path in files.paths),
        sha256=digest.hexdigest(),
    )


def of_schema(kind: str, schema: Sequence[tuple[str, str]], rows: int | None) -> Fingerprint:
    """A frame, relation or Ibis table: names and types of its columns, and the count of rows."""
    text = "\0".join([kind, *(f"{name}\0{type_}" for name, type_ in schema), str(rows)])
    return Fingerprint(source=kind, rows=rows, sha256=hashlib.sha256(text.encode()).hexdigest())


def of_part(whole: Fingerprint, part: Mapping[str, Any], rows: int | None) -> Fingerprint:
    """Some of the rows of data that have a fingerprint: two parts of one file are different data."""
    text = json.dumps([whole.sha256, part], sort_keys=True, default=str)
    return whole.amended(rows=rows, sha256=hashlib.sha256(text.encode()).hexdigest())


def _footer(path: Path) -> bytes:
    """The footer of a Parquet file: its length is in the four bytes before the closing magic word."""
    with path.open("rb") as file:
        file.seek(-8, 2)
        length = int.from_bytes(file.read(4), "little")
        file.seek(-8 - length, 2)
        return file.read(length)


def _label(files: Files) -> str:
    if len(files.paths) == 1:
        return files.paths[0].name
    return f"{len(files.paths)} {files.format} files"
