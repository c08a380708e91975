"""Text files without a header of ours: a line a row, read in parts, and a line that is wrong named by number.

The quick reader only says that something is wrong; a second pass, line by line, then says where and what.
"""

from __future__ import annotations

import gzip
import io
import math
import re
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from evenhand.errors import InputError
from evenhand.parameters import shown

# `text` and `float` may be empty, `floats` are numbers with spaces between, and `ignored` can be anything.
Kind = Literal["id", "number", "whole", "text", "float", "floats", "ignored"]

ROWS = 500_000
_MORE = "more fields than there should be"
_WHOLE = re.compile(r"[+-]?\d{1,18}")
_DTYPES = {"number": "float64", "float": "float64", "whole": "int64"}


@dataclass(frozen=True)
class Layout:
    """What the lines of a file hold, from left to right; fields have tabs between them, or any blanks."""

    what: str
    fields: tuple[tuple[str, Kind], ...]
    tabs: bool = False
    header: bool = False

    def split(self, line: str) -> list[str]:
        line = line.rstrip("\r\n")
        return line.split("\t") if self.tabs else re.split(r"[ \t]+", line.strip(" \t"))

    def wrong(self, fields: Sequence[str]) -> str | None:
        """What is wrong with a line, after "line 7 of the file"."""
        if len(fields) != len(self.fields):
            known = " ".join(name for name, _ in self.fields)
            return f"has {len(fields)} fields, but {self.what} has {len(self.fields)} ({known})"
        for (name, kind), field in zip(self.fields, fields, strict=True):
            if kind == "id" and not field:
                return f"has an empty {name}"
            if kind == "whole" and not _WHOLE.fullmatch(field):
                return f"has {shown(field)} for the {name}, which is not a whole number"
            if kind in _FINITE and not _FINITE[kind](field):
                return f"has {shown(field)} for the {name}, which is not a finite number"
        return None


# By name: numbers as arrays, all else as pd.Categorical.
Columns = dict[str, Any]


def read(path: Path, layout: Layout, name: str) -> Columns:
    """The columns of the file but the ignored ones: numbers as such, all else as categories of text."""
    parts: dict[str, list[pd.Series]] = {field: [] for field, kind in layout.fields if kind != "ignored"}
    looked = False
    with understood(path, name):
        try:
            for part in _parts(path, layout):
                if not looked and _may_be_wrong(part, layout):
                    _refuse_wrong_lines(path, layout, name)
                    looked = True
                for field, series in parts.items():
                    series.append(part[field])
        except UnicodeDecodeError:
            raise
        except (pd.errors.ParserError, OverflowError, ValueError) as error:
            _refuse_wrong_lines(path, layout, name)
            raise InputError(f"{name}: {path.name} cannot be read as {layout.what} ({error}).") from error
    if not next(iter(parts.values())):
        raise InputError(f"{name}: {path.name} has no lines, so there is nothing to read.")
    return {field: _joined(series) for field, series in parts.items()}


def _parts(path: Path, layout: Layout) -> Iterator[pd.DataFrame]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pd.errors.ParserWarning)  # too many fields are looked for below
        reader = pd.read_csv(
            path,
            sep="\t" if layout.tabs else r"\s+",
            header=None,
            skiprows=1 if layout.header else 0,
            names=[*(field for field, _ in layout.fields), _MORE],
            index_col=False,
            quoting=3,
            dtype={field: _DTYPES.get(kind, "category") for field, kind in layout.fields}
            | {_MORE: "category"},
            keep_default_na=False,
            na_values={field: [""] for field, kind in layout.fields if kind == "float"},
            float_precision="round_trip",
            encoding="utf-8",
            compression="gzip" if path.name.lower().endswith(".gz") else None,
            chunksize=ROWS,
        )
        with reader:
            yield from (part for part in reader if len(part))


def _may_be_wrong(part: pd.DataFrame, layout: Layout) -> bool:
    """Whether lines must be looked at one by one; an empty field at the end may be one that is cut off."""
    last = part[layout.fields[-1][0]]
    if _filled(part[_MORE]).any() or not _filled(last).all():
        return True
    for field, kind in layout.fields:
        values = part[field]
        if kind in ("number", "float") and np.isinf(values).any():
            return True
        if kind in ("number", "id") and not _filled(values).all():
            return True
        if kind == "floats" and not all(map(_are_finite, values.cat.categories)):
            return True
    return False


def _filled(column: pd.Series) -> pd.Series:
    return column.notna() & (column != "")


def _joined(series: list[pd.Series]) -> Any:
    if series[0].dtype != "category":
        return np.concatenate([part.to_numpy() for part in series])
    return pd.api.types.union_categoricals(series)


def _refuse_wrong_lines(path: Path, layout: Layout, name: str) -> None:
    """Raise for the first line that is wrong, if there is one."""
    for number, line in lines(path, layout.header):
        why = layout.wrong(layout.split(line))
        if why is not None:
            raise InputError(
                f"{name}: line {number:,} of {path.name} {why}; mend that line, or write the file again."
            )


def lines(path: Path, header: bool = False) -> Iterator[tuple[int, str]]:
    """Lines that are not empty, with their numbers from 1."""
    with opened(path) as file, io.TextIOWrapper(file, encoding="utf-8-sig") as text:
        for number, line in enumerate(text, start=1):
            if line.strip() and not (header and number == 1):
                yield number, line


def opened(path: Path) -> gzip.GzipFile | io.BufferedReader:
    compressed = path.name.lower().endswith(".gz")
    return gzip.open(path) if compressed else path.open("rb")


class understood:
    """A context in which a file that is cut off, or no text, is refused with one sentence."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name = path, name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, UnicodeDecodeError):
            raise InputError(
                f"{self.name}: {self.path.name} is not UTF-8 text ({error.reason}); write it again as UTF-8."
            ) from error
        if isinstance(error, OSError | EOFError | zlib.error):
            why = getattr(error, "strerror", None) or error
            raise InputError(
                f"{self.name}: {self.path.name} cannot be read to its end ({why}); it is cut off or damaged: "
                "write it again."
            ) from error


def _are_finite(text: str) -> bool:
    return all(map(_is_finite, text.split()))


def _is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False


# An empty field of the first kind is not a number, of the others it is none.
_FINITE: dict[str, Callable[[str], bool]] = {
    "number": _is_finite,
    "float": lambda text: not text or _is_finite(text),
    "floats": _are_finite,
}
