"""Text files of one record a line, as public data sets come in; every refusal names the file and the line."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from evenhand.errors import InputError
from evenhand.parameters import shown

Encoding = Literal["latin-1", "utf-8"]
NAMES: dict[Encoding, str] = {"latin-1": "Latin-1 (ISO 8859-1)", "utf-8": "UTF-8"}

# Stands for the file's own delimiter while pandas parses: its fast parser takes one character only, and this
# one is not in any published text.
_SEPARATOR = "\x1f"
_WHOLE_NUMBER = r"-?[0-9]{1,18}"


def read_records(
    path: Path,
    columns: Mapping[str, type[int] | type[str]],
    delimiter: str,
    *,
    encoding: Encoding = "latin-1",
    header: bool = False,
) -> pd.DataFrame:
    """One row a line, indexed by the number of the line; each line must have exactly these columns."""
    lines = read_lines(path, encoding)
    first = 1
    if header:
        lines, first = lines[1:], 2
    if not lines:
        raise InputError(f"{path} holds no records; was the download interrupted?")
    for place, line in enumerate(lines):
        if _SEPARATOR in line:
            raise InputError(
                f"{path}, line {place + first}: there is a control character; use the published file."
            )
        if line.count(delimiter) != len(columns) - 1:
            raise InputError(
                f"{path}, line {place + first}: {line.count(delimiter) + 1} fields where there must be "
                f"{len(columns)} ({', '.join(columns)}), separated by {delimiter!r}; use the published file."
            )
    text = "\n".join(lines).replace(delimiter, _SEPARATOR)
    try:
        frame = _parse(
            text, columns, {name: "int64" if kind is int else "str" for name, kind in columns.items()}
        )
    except (ValueError, OverflowError):  # pandas does not say which line it was
        frame = _parse(text, columns, dict.fromkeys(columns, "str"))
        frame.index = pd.RangeIndex(first, first + len(frame))
        for name in (name for name, kind in columns.items() if kind is int):
            refuse_lines(path, frame, ~frame[name].str.fullmatch(_WHOLE_NUMBER), name, "a whole number")
        raise
    frame.index = pd.RangeIndex(first, first + len(frame))
    return frame


def read_lines(path: Path, encoding: Encoding) -> list[str]:
    """The lines of a file, without blank ones at its end, refusing another encoding than the published."""
    if not path.is_file():
        raise InputError(f"The file {path} is missing: the folder must be complete as published.")
    raw = path.read_bytes()
    _refuse_other_encoding(path, raw, encoding)
    # Not splitlines(), for which some letters and signs of these encodings end a line, too.
    text = raw.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    return text.rstrip("\n").split("\n") if text.strip() else []


def refuse_lines(path: Path, frame: pd.DataFrame, wrong: Any, column: str, must_be: str) -> None:
    """Raise if any row is `wrong`; the index of `frame` has the numbers of the lines."""
    wrong = np.asarray(wrong, dtype=bool)
    if wrong.any():
        line, value = frame.index[wrong][0], frame[column][wrong].iloc[0]
        more = f" ({wrong.sum():,} lines are like this)" if wrong.sum() > 1 else ""
        raise InputError(f"{path}, line {line}: {column} is {shown(value)}, but must be {must_be}{more}.")


def refuse_repeated(path: Path, frame: pd.DataFrame, key: Sequence[str]) -> None:
    """Raise if two lines have the same key."""
    repeated = frame.duplicated(list(key)).to_numpy()
    if repeated.any():
        example = frame.loc[repeated, list(key)].iloc[0]
        words = ", ".join(f"{column} {example[column]}" for column in key)
        raise InputError(
            f"{path}, line {frame.index[repeated][0]}: {words} appears a second time; keep one line for each."
        )


def refuse_unknown(path: Path, frame: pd.DataFrame, column: str, known: pd.Series, source: str) -> None:
    """Raise if an id is not among the known ones."""
    refuse_lines(path, frame, ~frame[column].isin(known), column, f"one of the {len(known):,} in {source}")


def _parse(text: str, columns: Mapping[str, Any], dtype: dict[str, str]) -> pd.DataFrame:
    return pd.read_csv(
        io.StringIO(text),
        sep=_SEPARATOR,
        names=list(columns),
        dtype=dtype,
        na_filter=False,  # an artist may be called "NA"
        quoting=csv.QUOTE_NONE,  # quotes are part of titles
        skip_blank_lines=False,
        index_col=False,
    )


def _refuse_other_encoding(path: Path, raw: bytes, encoding: Encoding) -> None:
    advice = f"the published file is {NAMES[encoding]}: use that, or convert this one back."
    if b"\0" in raw:
        line = raw[: raw.index(b"\0")].count(b"\n") + 1
        raise InputError(f"{path}, line {line}: there are zero bytes, as in UTF-16 or binary files; {advice}")
    if raw.isascii():
        return
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if encoding == "utf-8":
            line = raw[: error.start].count(b"\n") + 1
            raise InputError(f"{path}, line {line}: this is not UTF-8 text; {advice}") from error
        return
    if encoding == "latin-1":
        # Any bytes are Latin-1, but Latin-1 with accents is not by chance UTF-8 as well: read as Latin-1,
        # this file would give wrong letters and no error.
        line = next(n for n, text in enumerate(raw.split(b"\n"), start=1) if not text.isascii())
        raise InputError(f"{path}, line {line}: this is UTF-8 text; {advice}")
