"""Numbers with decimal commas, as files with semicolons have them: 12,5 and 1.234,56.

A comma before three digits may also stand between thousands. A column is read only if one of its values can
mean nothing but a decimal; where none does, only whoever wrote the file knows.
"""

from __future__ import annotations

from collections.abc import Mapping

import ibis.expr.types as ir

from evenhand.errors import InputError

COMMAS = "DECIMAL COMMAS"
# With points between thousands: in all values that are large enough, and never in one without a comma.
GROUPED = "DECIMAL COMMAS AND POINTS"
# A whole number of more than 15 digits is not always a float: two ids could become one. Blanks say nothing.
NUMBER = (
    r" *[+-]?((0|[1-9]\d{0,14})|(0|[1-9]\d*)?[.]\d+|(0|[1-9]\d*)[.]"
    r"|((0|[1-9]\d*)([.]\d*)?|[.]\d+)[eE][+-]?\d{1,2}|(?i:nan|inf|infinity)) *"
)
WRITTEN = {
    COMMAS: NUMBER.replace("[.]", ","),
    GROUPED: r" *[+-]?((0|[1-9]\d{0,2})(,\d*)?|,\d+|[1-9]\d{0,2}([.]\d{3})+,\d+) *",
}
_THOUSANDS = r" *[+-]?[1-9]\d{0,2}[.,]\d{3} *"


def to_be_told(types: Mapping[str, str]) -> dict[str, str]:
    """The columns whose sign may stand between thousands, and that sign: a point, too, where other columns
    have decimal commas."""
    commas = {name: "," for name, type_ in types.items() if type_ == COMMAS}
    if not any(type_ in WRITTEN for type_ in types.values()):
        return {}
    return commas | {name: "." for name, type_ in types.items() if type_ == "DOUBLE"}


def tells(column: str, sign: str) -> str:
    """SQL: whether a value of the column can only be a decimal."""
    return f"bool_or(contains({column}, '{sign}') AND NOT regexp_full_match({column}, '{_THOUSANDS}'))"


def unclear(name: str, column: str, file: str, example: str, sign: str) -> InputError:
    """What to say where no value tells."""
    called = {",": "comma", ".": "point"}[sign]
    whole, decimal = example.replace(sign, ""), example.replace(sign, ".")
    also = "" if sign == "," else " and all other columns with points, too"
    return InputError(
        f"{name}: column {column!r} of {file} has {example}, and none of its values tells whether the "
        f"{called} is a decimal sign or stands between thousands; write {whole} or {decimal}{also}."
    )


def as_number(column: str, type_: str) -> str | None:
    """SQL that makes floats of such a column, which is read as text; None of other types."""
    if type_ not in WRITTEN:
        return None
    plain = f"replace({column}, '.', '')" if type_ == GROUPED else column
    return f"CAST(replace({plain}, ',', '.') AS DOUBLE)"


def as_numbers(table: ir.Table, types: Mapping[str, str]) -> ir.Table:
    """The same on any engine of Ibis, of all such columns."""
    made = {}
    for name, type_ in types.items():
        if type_ in WRITTEN:
            text = table[name].replace(".", "") if type_ == GROUPED else table[name]
            made[name] = text.replace(",", ".").strip().nullif("").cast("float64")
    return table.mutate(**made) if made else table
