"""Large text files of named columns, read in pieces; refusals name the file and, where it is one, the line.

Pieces keep memory bounded where a log has hundreds of millions of rows and few of them are wanted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as csv

from evenhand.datasets.records import refuse_lines, refuse_repeated
from evenhand.errors import InputError

Kind = type[int] | type[float] | type[str]
_ARROW = {int: pa.int64(), float: pa.float64(), str: pa.string()}
_WORDS: dict[Kind, str] = {int: "a whole number", float: "a number", str: "text"}
# Bytes of a piece.
PIECE = 1 << 24


def read_columns(path: Path, columns: Mapping[str, Kind], **how: Any) -> pd.DataFrame:
    """All rows of these columns, indexed by the number of the line; `how` is that of `pieces`."""
    found = list(pieces(path, columns, **how))
    if not found:
        raise InputError(f"{path} holds no records; was the download interrupted?")
    return pd.concat(found)


def pieces(
    path: Path,
    columns: Mapping[str, Kind],
    *,
    may_be_empty: Collection[str] = (),
    names: Sequence[str] | None = None,
    delimiter: str = ",",
    quoted: bool = True,
) -> Iterator[pd.DataFrame]:
    """The rows of these columns, by name, in pieces; the file may have more columns.

    `names` are those of a file without a header, all of them. A number that may be empty is of a type that
    has nulls, empty text is "". Quotes are part of the text where nothing is `quoted`.
    """
    if not path.is_file():
        raise InputError(f"The file {path} is missing: the folder must be complete as published.")
    there = list(names or header(path, delimiter))
    _require(path, columns, there)
    reading = csv.ReadOptions(use_threads=False, block_size=PIECE, column_names=names)
    parsing = csv.ParseOptions(delimiter=delimiter, quote_char='"' if quoted else False)
    converting = csv.ConvertOptions(
        include_columns=list(columns),
        column_types={name: _ARROW[kind] for name, kind in columns.items()},
        null_values=[""],
        strings_can_be_null=False,
    )
    line = 1 if names else 2
    try:
        with csv.open_csv(path, reading, parsing, converting) as reader:
            for batch in reader:
                frame = batch.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
                frame.index = pd.RangeIndex(line, line + len(frame))
                line += len(frame)
                yield _typed(path, frame, columns, may_be_empty)
    except pa.ArrowInvalid as error:
        raise InputError(_told(path, str(error), there)) from error


def read_attributes(path: Path, key: str, called: str, keep: Collection[int] | None = None) -> pd.DataFrame:
    """`key`, a whole number that is then `called` so, and every other column: as numbers where all of it is.
    They are indexed by the number of the line.

    Rows whose key is not among those to `keep` are passed over.
    """
    if not path.is_file():
        raise InputError(f"The file {path} is missing: the folder must be complete as published.")
    others = {name: str for name in header(path) if name not in (key, "")}
    found = []
    for piece in pieces(path, {key: int, **others}, may_be_empty=others):
        found.append(piece if keep is None else piece[piece[key].isin(keep)])
    frame = pd.concat(found) if found else pd.DataFrame(columns=[key, *others])
    refuse_repeated(path, frame, [key])
    for name in others:
        frame[name] = _numbers(frame[name])
    return frame.rename(columns={key: called})


def _numbers(texts: pd.Series) -> pd.Series:
    """Whole numbers or numbers, with nulls for what is empty, if all are; otherwise text, with None."""
    filled = texts.where(texts != "")
    numbers = pd.to_numeric(filled, errors="coerce")
    if numbers.notna().sum() < filled.notna().sum() or not filled.notna().any():
        return filled.where(filled.notna(), None)
    whole = numbers.dropna()
    if (whole % 1 == 0).all() and whole.abs().max() < 2**53:
        return numbers.astype("Int64")
    return numbers.astype("float64")


def header(path: Path, delimiter: str = ",") -> list[str]:
    """The names in the first line."""
    with path.open("rb") as file:
        first = file.readline(1 << 20).decode("utf-8-sig", "replace").rstrip("\r\n")
    return [name.strip('"') for name in first.split(delimiter)]


def count_rows(path: Path) -> int:
    """Lines below the header, without reading what they say."""
    lines, last = 0, b"\n"
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            lines += piece.count(b"\n")
            last = piece[-1:]
    return lines + (last != b"\n") - 1


def _require(path: Path, columns: Collection[str], there: Sequence[str]) -> None:
    lacking = [name for name in columns if name not in there]
    if lacking:
        more = f" (and {len(lacking) - 1} more)" if len(lacking) > 1 else ""
        raise InputError(
            f"{path}, line 1: there is no column {lacking[0]!r}{more}; use the published file, whose first "
            "line names its columns."
        )


def _typed(
    path: Path, frame: pd.DataFrame, columns: Mapping[str, Kind], may_be_empty: Collection[str]
) -> pd.DataFrame:
    for name, kind in columns.items():
        if kind is float:
            refuse_lines(path, frame, np.isinf(frame[name]), name, "a finite number")
        if name in may_be_empty:
            continue
        empty = frame[name].isna() if kind is not str else frame[name] == ""
        refuse_lines(path, frame.assign(**{name: ""}) if empty.any() else frame, empty, name, _WORDS[kind])
    whole = {name: "int64" for name, kind in columns.items() if kind is int and name not in may_be_empty}
    return frame.astype(whole)


def _told(path: Path, said: str, there: Sequence[str]) -> str:
    """What the reader found wrong, in one sentence with the line where it says which row it was."""
    row = re.search(r"Row #(\d+)", said)
    where = f"{path}, line {row[1]}" if row else str(path)
    if fields := re.search(r"Expected (\d+) columns, got (\d+)", said):
        return (
            f"{where}: {fields[2]} fields where there must be {fields[1]}; was the download interrupted? Use "
            "the published file."
        )
    if wrong := re.search(r"conversion error to (\w+): invalid value '(.*)'", said, re.DOTALL):
        must = "a whole number" if wrong[1] == "int64" else "a number"
        column = re.search(r"column #(\d+)", said)
        place = there[int(column[1])] if column else "a field"
        return f"{where}: {place} is {wrong[2]!r}, but must be {must}."
    if "UTF8" in said:
        return f"{where}: this is not UTF-8 text; use the published file."
    if "Empty CSV" in said:
        return f"{path} is empty; was the download interrupted?"
    return f"{where}: the file cannot be read ({said.splitlines()[0]}); use the published file."
