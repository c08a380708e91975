"""What the columns of CSV files hold, from every row and not from the first ones.

DuckDB looks at a sample. Whole numbers there and a fraction further down make it round the fraction; and it
makes 7 of the id 007, a rounded float of an id of 20 digits, and a date of 01/02/2024 by the order of day and
month that the sample allows. Here a column is of a type only if each of its values is written in the one way
that loses nothing; anything else stays the text that it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import duckdb

from evenhand.inputs.stored import decimal_commas
from evenhand.inputs.stored.files import Files

# Without these DuckDB repairs what it can: it skips lines, pads short rows, or takes another delimiter.
_STRICT = (
    "quote = '\"', escape = '\"', comment = '', header = true, skip = 0, strict_mode = true, "
    "null_padding = false, ignore_errors = false, auto_detect = false"
)
TEXT = "VARCHAR"
_DATE = r"\d{4}-\d{2}-\d{2}"
_TIME = _DATE + r"[ T]\d{2}:\d{2}(:\d{2}([.]\d{1,6})?)?"
_ZONE = r"(Z|[+-]\d{2}(:?\d{2})?)"
# In this order: a column is of the first type that all its values are of. Null of an empty value, which
# `bool_and` leaves out.
_IS: dict[str, str] = {
    "BOOLEAN": "lower({x}) IN ('true', 'false')",
    "BIGINT": "coalesce(CAST(TRY_CAST({x} AS BIGINT) AS VARCHAR), '') = {x}",
    "UBIGINT": "coalesce(CAST(TRY_CAST({x} AS UBIGINT) AS VARCHAR), '') = {x}",
    "DOUBLE": f"regexp_full_match({{x}}, '{decimal_commas.NUMBER}')",
} | {
    type_: f"CASE WHEN {{x}} IS NOT NULL THEN regexp_full_match({{x}}, '{written}') "
    f"AND TRY_CAST({{x}} AS {type_}) IS NOT NULL END"
    for type_, written in (("DATE", _DATE), ("TIMESTAMP", _TIME), ("TIMESTAMPTZ", _TIME + _ZONE))
}
# Where commas do not divide the rows, they may be decimal signs.
_COMMAS = {
    type_: f"regexp_full_match({{x}}, '{written}')" for type_, written in decimal_commas.WRITTEN.items()
}
_CHECKS = _IS | _COMMAS
_PLACE = list(_IS).index("DOUBLE") + 1
_FIRST_ROWS = 2_000


def csv_types(files: Files, connection: duckdb.DuckDBPyConnection, name: str) -> dict[str, str]:
    """The type of each column: what the first rows may be, held against all rows, until nothing changes.

    One pass over the files where the first rows are like the rest. It takes two to three times as long
    as counting the rows (docs/reference/inputs.md), and keeps nothing in memory. Raise if a column has
    commas that may be decimal signs or stand between thousands.
    """
    order = _order(files.delimiter)
    text = _as_text(files)
    first = f"SELECT * FROM ({text}) LIMIT {_FIRST_ROWS}"
    rows, found = _settled(first, dict.fromkeys(files.columns, order[0]), order, connection)
    if rows == _FIRST_ROWS:
        _, found = _settled(text, found, order, connection)
    signs = decimal_commas.to_be_told(found)
    for select in (first, text):
        if signs:
            checks = ", ".join(decimal_commas.tells(quoted(x), sign) for x, sign in signs.items())
            (told,) = connection.execute(f"SELECT {checks} FROM ({select})").fetchall()
            signs = {
                x: sign for (x, sign), known in zip(signs.items(), told, strict=True) if known is not True
            }
    for column, sign in signs.items():
        _refuse_thousands(files, column, sign, connection, name)
    return found


def _order(delimiter: str) -> tuple[str, ...]:
    """The types that are tried, the narrowest first; decimal commas only where semicolons are usual."""
    own = list(_IS)
    if delimiter == ";":
        own[_PLACE:_PLACE] = _COMMAS
    return (*own, TEXT)


def _as_text(files: Files) -> str:
    return select_csv(files, dict.fromkeys(files.columns, TEXT))


def _refuse_thousands(
    files: Files, column: str, sign: str, connection: duckdb.DuckDBPyConnection, name: str
) -> None:
    """Raise with the first value that has the sign, and its file; a column without one is left alone."""
    for path, header in zip(files.paths, files.headers, strict=True):
        one = _as_text(replace(files, paths=(path,), headers=(header,)))
        found = connection.execute(
            f"SELECT trim({quoted(column)}) FROM ({one}) WHERE contains({quoted(column)}, '{sign}') LIMIT 1"
        ).fetchone()
        if found is not None:
            raise decimal_commas.unclear(name, column, path.name, found[0], sign)


def _settled(
    select: str, types: Mapping[str, str], order: tuple[str, ...], connection: duckdb.DuckDBPyConnection
) -> tuple[int, dict[str, str]]:
    """How many rows there are, and for each column the first type, from the given one on, of all values."""
    found, open_, rows = dict(types), [name for name, type_ in types.items() if type_ != TEXT], 0
    while open_:
        checks = ", ".join(_check(name, found[name]) for name in open_)
        (answer,) = connection.execute(f"SELECT count(*), {checks} FROM ({select})").fetchall()
        rows, fits = answer[0], dict(zip(open_, answer[1:], strict=True))
        # None: there is no value at all, or (of a float) no number.
        found |= {name: TEXT for name in open_ if fits[name] is None}
        open_ = [name for name in open_ if fits[name] is False]
        found |= {name: order[order.index(found[name]) + 1] for name in open_}
        open_ = [name for name in open_ if found[name] != TEXT]
    return rows, found


def _check(name: str, type_: str) -> str:
    check = f"bool_and({_CHECKS[type_].replace('{x}', quoted(name))})"
    if type_ == "DOUBLE":  # a column of the word nan alone is no column of numbers
        check = f"CASE WHEN bool_or({quoted(name)} < 'A') THEN {check} END"
    return check


def select_csv(files: Files, types: Mapping[str, str]) -> str:
    """SQL that reads the files with these types; those with columns in another order are aligned by name."""
    parts = []
    numbers = {
        name: sql for name in files.columns if (sql := decimal_commas.as_number(quoted(name), types[name]))
    }
    wanted = ", ".join(
        f"{numbers[name]} AS {quoted(name)}" if name in numbers else quoted(name)
        for name in (*files.columns, *files.folders)
    )
    for header in dict.fromkeys(files.headers):
        paths = [path for path, own in zip(files.paths, files.headers, strict=True) if own == header]
        # The unnamed first column is the numbers that pandas gives to rows.
        named = {
            name or "evenhand_row_numbers": TEXT if name in numbers else types.get(name, TEXT)
            for name in header
        }
        columns = ", ".join(f"{literal(name)}: '{type_}'" for name, type_ in named.items())
        parts.append(
            f"SELECT {wanted} FROM read_csv([{', '.join(map(escaped, paths))}], columns = {{{columns}}}, "
            f"delim = {literal(files.delimiter)}, hive_partitioning = {bool(files.folders)}, {_STRICT})"
        )
    return " UNION ALL ".join(parts)


def escaped(path: Any) -> str:
    """A file that exists, as SQL: a bracket in its name is not a pattern."""
    return literal("".join(f"[{c}]" if c in "*?[" else c for c in str(path)))


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
