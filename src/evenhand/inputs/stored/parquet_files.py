"""What the footers of Parquet files say: columns, rows, ranges, and whether files can be one table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from evenhand.errors import InputError

# Floats hold every whole number up to here.
LARGEST_EXACT = 2**53


def parquet_contents(path: Path, name: str) -> tuple[pa.Schema, int]:
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


def integer_ends(path: Path, column: str) -> tuple[int, ...] | None:
    """The ends of an integer column in each part of one Parquet file; None where the footer does not say."""
    try:
        footer = pq.read_metadata(path)
        names = footer.schema.to_arrow_schema().names
        place = names.index(column)
    except (pa.ArrowException, OSError, ValueError) as error:  # it was read before, and had the column
        raise InputError(
            f"{path.name} cannot be read again, as it was changed, replaced or taken away meanwhile; wait "
            "until it is written, or copy it, and start anew."
        ) from error
    if footer.num_columns != len(names):
        return None  # a nested column is stored as several, so places are not those of the schema
    ends: list[int] = []
    for group in range(footer.num_row_groups):
        statistics = footer.row_group(group).column(place).statistics
        if statistics is None or not statistics.has_min_max:
            return None
        ends += [statistics.min, statistics.max]
    return tuple(ends) if all(isinstance(end, int) for end in ends) else None


def same_types(paths: Sequence[Path], schemas: Sequence[pa.Schema], name: str) -> None:
    """Raise if a column holds another kind of thing in one file than in the others: 1, 1.0 and "1" differ."""
    for column in schemas[0].names:
        types = {path: schema.field(column).type for path, schema in zip(paths, schemas, strict=True)}
        # pandas writes a column without any value as one without a type.
        known = [(path, type_) for path, type_ in types.items() if not pa.types.is_null(type_)]
        for path, type_ in known[1:]:
            if _kind(type_) != _kind(known[0][1]):
                raise InputError(
                    f"{name}: column {column!r} is of type {type_} in {path.name}, but {known[0][1]} in "
                    f"{known[0][0].name}; write it in the same way in all files of one table."
                )
        whole = [path for path, type_ in known if pa.types.is_integer(type_)]
        if whole and any(pa.types.is_floating(type_) for _, type_ in known):
            ends = [integer_ends(path, column) for path in whole]
            if any(end is None or max(map(abs, end), default=0) > LARGEST_EXACT for end in ends):
                raise InputError(
                    f"{name}: column {column!r} holds whole numbers in some files and floats in others, and "
                    f"floats cannot tell numbers beyond {LARGEST_EXACT:,} apart; write it in the same way in "
                    "all."
                )


def _kind(type_: pa.DataType) -> str:
    if pa.types.is_dictionary(type_):
        return _kind(type_.value_type)
    if pa.types.is_integer(type_) or pa.types.is_floating(type_):
        return "number"
    if pa.types.is_string(type_) or pa.types.is_large_string(type_):
        return "text"
    if pa.types.is_timestamp(type_):
        return "time" if type_.tz is None else "time with a zone"
    return str(type_)
