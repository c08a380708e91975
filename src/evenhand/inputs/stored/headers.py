"""Names of columns: the first line of a CSV file, and what no table may have for names."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from evenhand.errors import InputError
from evenhand.parameters import shown

# A header that is not at its end by then is no header; a line may be gigabytes long, or unpack to as much.
_LONGEST_HEADER = 1 << 20
LONGEST_LINE = 1 << 21
_MARKS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
# A line may go on in quotes; one that is never closed ends it.
_FIRST_LINE = re.compile(r'(?:[^"\r\n]+|"[^"]*")*')
_IN_QUOTES = re.compile(r'"[^"]*"')


def csv_header(path: Path, delimiter: str, name: str) -> tuple[tuple[str, ...], str]:
    """The names in the first line, and what divides them: a .csv with semicolons and no commas between names
    is divided by semicolons. Only the first name may be empty: pandas writes the numbers of rows so."""
    try:
        with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as file:
            start = file.read(_LONGEST_HEADER)
        # Of the rows below nothing is said here, and the last character may be cut in two.
        text = start.decode("utf-8-sig", "surrogateescape")
        if len(start) == _LONGEST_HEADER and "\n" not in text and "\r" not in text:
            raise csv.Error(f"it has more than {_LONGEST_HEADER:,} bytes")
        if delimiter == "," and _has_semicolons(text):
            delimiter = ";"
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
        raise InputError(f"{name}: line 1 of {path.name} {_undivided(text, delimiter, other)}.")
    unnamed = [place for place, field in enumerate(header, start=1) if not field.strip() and place > 1]
    if unnamed:
        raise InputError(f"{name}: column {unnamed[0]} of {path.name} has no name; name it in line 1.")
    return (header[0] if header[0].strip() else "", *header[1:]), delimiter


def _has_semicolons(text: str) -> bool:
    """Whether the first line has semicolons and no commas, but for those in quotes."""
    line = _IN_QUOTES.sub("", _FIRST_LINE.match(text)[0])  # type: ignore[index]  # which may be empty
    return ";" in line and "," not in line


def _undivided(text: str, delimiter: str, other: str) -> str:
    """Why a header is one name, and what to do: which mark divides it is told, or it is in quotes."""
    marks, wanted = _MARKS[other], _MARKS[delimiter]
    if text.startswith('"'):
        return f"is one name in quotes, with {marks} in it; write the file without quotes around whole lines"
    instead = "with commas or semicolons and the ending .csv, or with tabs and the ending .tsv"
    return f"has {marks} and no {wanted} between names; write the file {instead}"


def one_delimiter(paths: Sequence[Path], delimiters: Sequence[str], name: str) -> str:
    """What divides the rows of all files; raise if that differs, as what a comma is then does, too."""
    other = next((place for place, mark in enumerate(delimiters) if mark != delimiters[0]), None)
    if other is not None:
        raise InputError(
            f"{name}: {paths[0].name} has {_MARKS[delimiters[0]]} between names and {paths[other].name} has "
            f"{_MARKS[delimiters[other]]}; files of one table need the same, so write them alike."
        )
    return delimiters[0]


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
