"""Which columns refer to rows of other tables: by their values, whatever they are called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from evenhand.plan.init.meaning.columns import LEAST_IDS, NEUTRAL, is_time
from evenhand.plan.init.meaning.vocabulary import ID
from evenhand.plan.init.meaning.words import hints, tokens
from evenhand.plan.init.tables.profiling import Column, Profile

# Codes of a dozen versions or countries are keys of small tables, too, and name nobody.
LEAST_KEYS = 20
# Of the values in a column, so many must be keys of the other table; catalogues always lack some.
LEAST_SHARED = 0.9
SOME = 200
# Small whole numbers are in everything: without a word in common, a column must have all that the key has.
LEAST_COVERED = 0.9
# So many first letters in common make two words forms of one.
SAME_STEM = 5
ABBREVIATED = 3


@dataclass(frozen=True, eq=False)
class Key:
    """A column that no two rows of its table share."""

    table: Profile
    name: str

    @property
    def column(self) -> Column:
        return self.table.columns[self.name]

    @cached_property
    def counted(self) -> bool:
        """Whether it numbers rows from 0 or 1 on."""
        return self.column.kind == "integer" and bool(self.column.low <= self.column.distinct)


@dataclass(frozen=True, eq=False)
class Reference:
    """A column whose values are the key of another table."""

    table: Profile
    name: str
    key: Key


def references_of(profiles: Iterable[Profile]) -> list[Reference]:
    """Each column that refers to another table, with the one key that it plainly is, or that is called most
    like it."""
    tables = list(profiles)
    keys = [key for one in tables for key in _keys(one)]
    found = []
    for one in tables:
        for column in one.columns.values():
            if not _names_things(column):
                continue
            near = [key for key in keys if key.table is not one and _could_refer(one, column, key)]
            values = one.some(column.name, SOME) if near else []
            possible = [key for key in near if key.table.share_of(values, key.name) >= LEAST_SHARED]
            if possible:
                found.append(Reference(one, column.name, min(possible, key=lambda key: _unlike(column, key))))
    return found


def _keys(one: Profile) -> list[Key]:
    """Whatever could be the key of a table; of very few rows, only what is called like an id."""
    return [
        Key(one, name)
        for name, column in one.columns.items()
        if column.kind in ("integer", "text")
        and column.distinct == column.rows >= (LEAST_IDS if hints(name, ID) else LEAST_KEYS)
        and not is_time(column)
    ]


def _names_things(column: Column) -> bool:
    return (
        column.kind in ("integer", "text", "number")
        and column.distinct >= LEAST_IDS
        and not is_time(column)
        and (column.kind != "number" or (float(column.low).is_integer() and float(column.high).is_integer()))
    )


def _could_refer(one: Profile, column: Column, key: Key) -> bool:
    there = key.column
    numbers = column.kind != "text"
    if numbers != (there.kind == "integer") or column.distinct > there.distinct / LEAST_SHARED:
        return False
    # Of two tables with a row for each, the one with more columns is what the other refers to.
    own = column.distinct == column.rows and key.table.rows <= one.rows
    if own and len(one.columns) >= len(key.table.columns):
        return False
    if numbers and (column.high < there.low or column.low > there.high):
        return False
    if key.counted and not related(column.name, key):
        whole = column.distinct >= LEAST_COVERED * there.distinct
        if not (whole and column.low == there.low and column.high == there.high):
            return False
    return True


def related(name: str, key: Key) -> bool:
    """Whether a column is called like the key, or like its table: `viewer` and `viewer_id` of `viewers`."""
    return bool(_common(name, key.name)) or bool(_common(name, key.table.name))


def _unlike(column: Column, key: Key) -> tuple[bool, int, bool, int]:
    """The less, the likelier it refers to this key."""
    return (
        column.name != key.name,
        -max(_common(column.name, key.name), _common(column.name, key.table.name)),
        key.counted,
        abs(key.column.distinct - column.distinct),
    )


def _common(one: str, other: str) -> int:
    """How many letters the most alike of their words have in common at their beginnings, where that makes
    them forms or abbreviations of one word."""
    lengths = [
        (_beginning(left, right), min(len(left), len(right)))
        for left in _telling(one)
        for right in _telling(other)
    ]
    return max((n for n, shorter in lengths if n >= min(SAME_STEM, shorter)), default=0)


def _telling(name: str) -> list[str]:
    return [word for word in tokens(name) if word not in ID | NEUTRAL and len(word) >= ABBREVIATED]


def _beginning(one: str, other: str) -> int:
    length = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        length += 1
    return length
