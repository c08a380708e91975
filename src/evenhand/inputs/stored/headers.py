"""Names of columns: the first line of a CSV file, and what no table may have for names."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from evenhand.errors import InputError
from evenhand.parameters import shown

# A header that is not at its end by then is no header; a line may be gigabytes long, or unpack to as much.
_LONGEST_HEADER = 1 << 20
LONGEST_LINE = 1 << 21


def csv_header(path: Path, delimiter: str, name: str) -> tuple[str, ...]:
    """The names in the first line. Only the first may be empty: pandas writes the numbers of rows so."""
    try:
        with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as file:
            start = file.read(_LONGEST_HEADER)
        # Of the rows below nothing is said here, and the last character may be cut in two.
        text = start.decode("utf-8-sig", "surrogateescape")
        if len(start) == _LONGEST_HEADER and "\n" not in text and "\r" not in text:
            raise csv.Error(f"it has more than {_LONGEST_HEADER:,} bytes")
        header = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), [])
        if any("\udc80" <= letter <= "\udcff" for letter in "".join(header)):
            raise csv.Error("it is not UTF-8")
    except (OSError, EOFError, zlib.error, UnicodeError, csv.Error) as error:
        raise InputError(
            f"{name}: line 1 of {path.name} cannot be read as a header "
            f"({getattr(error, 'strerror', None) or error}); the file must be UTF-8 text, compressed if its "
            "name ends in .gz."
        ) from error
    if not any(field.strip() for field in header):
        raise InputError(f"{name}: line 1 of {path.name} is empty; it must name the columns.")
    if len(header) == 1 and (other := next((mark for mark in ";\t|" if mark in header[0]), "")):
        marks = {";": "semicolons", "\t": "tabs", "|": "bars"}[other]
        raise InputError(
            f"{name}: line 1 of {path.name} has {marks} and no commas between names; write the file with "
            f"commas, or with tabs and the ending .tsv{_converted(path) if other == ';' else ''}."
        )
    unnamed = [place for place, field in enumerate(header, start=1) if not field.strip() and place > 1]
    if unnamed:
        raise InputError(f"{name}: column {unnamed[0]} of {path.name} has no name; name it in line 1.")
    return (header[0] if header[0].strip() else "", *header[1:])


def _converted(path: Path) -> str:
    """How to convert a file with semicolons: where these are usual, numbers have commas."""
    plain = path.name.removesuffix(".gz").rpartition(".")[0]
    letters = "" if _is_utf8_text(path) else ", encoding='cp1252'"
    made = f"pd.read_csv({path.name!r}, sep=';', decimal=','{letters}).to_parquet({f'{plain}.parquet'!r})"
    return f', or run in its folder: python -c "import pandas as pd; {made}"'


def _is_utf8_text(path: Path) -> bool:
    """Whether it begins as UTF-8; what older programs write where semicolons are usual is of Windows."""
    with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as file:
        start = file.read(_LONGEST_HEADER)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)  # the last character may be cut in two
    except UnicodeDecodeError:
        return False
    return True


def whole_lines(path: Path, name: str) -> None:
    """Raise if a line is longer than any row: DuckDB leaves the last one out without a word if it does not
    fit its buffer. A compressed file is unpacked to its end here, as DuckDB does not ask whether what it
    read is what was written; plain text costs a twentieth of reading it as a table."""
    compressed = path.name.lower().endswith(".gz")
    lines = 1
    try:
        with gzip.open(path) if compressed else path.open("rb") as file:
            while block := file.read(LONGEST_LINE):
                if len(block) == LONGEST_LINE and b"\n" not in block and b"\r" not in block:
                    raise InputError(
                        f"{name}: line {lines:,} of {path.name} has more than {LONGEST_LINE:,} bytes; look "
                        "for line ends that are missing, or write it again."
                    )
                lines += block.count(b"\n")
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(
            f"{name}: {path.name} cannot be read to its end ({why}); it is cut off or damaged: write "
            "it again."
        ) from error


def different_names(columns: Iterable[str], name: str, where: str = "") -> None:
    """Raise if two columns have one name, or differ in case only: engines ignore it, and read either."""
    seen: dict[str, str] = {}
    of = f"{name}: {where}" if where else name
    for column in columns:
        if "\0" in column:
            raise InputError(
                f"{of} has a column {shown(column)}, with a zero character in its name; rename it, or write "
                "the file again if it is damaged."
            )
        other = seen.get(column.casefold())
        if other == column:
            raise InputError(f"{of} names the column {column!r} twice; rename one of them.")
        if other is not None:
            raise InputError(
                f"{of}: the columns {other!r} and {column!r} differ only in case, and engines ignore case; "
                "rename or drop one of them."
            )
        seen[column.casefold()] = column


def same_columns(paths: Sequence[Path], columns: Sequence[tuple[str, ...]], name: str) -> None:
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
