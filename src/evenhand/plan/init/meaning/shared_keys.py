"""Keys that no word gives away: a column that no two rows of one table share, and whose values come again and
again in a larger table under the same name."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.plan.init.meaning.columns import is_time
from evenhand.plan.init.tables.profiling import Column, Profile

# Codes of a dozen versions or countries are keys of small tables, too, and name nobody.
LEAST_KEYS = 20
# Of the values in the larger table, so many must be keys of the smaller.
LEAST_SHARED = 0.9
SOME = 200


def mark_keys(profiles: Iterable[Profile]) -> None:
    """Say of each table which of its columns is a key by its values alone."""
    tables = list(profiles)
    for one in tables:
        one.shared_keys = tuple(
            name
            for name, column in one.columns.items()
            if _could_be(column) and any(_repeats(other, column, one) for other in tables if other is not one)
        )


def _could_be(column: Column) -> bool:
    unique = column.distinct == column.rows >= LEAST_KEYS
    return unique and column.kind in ("integer", "text") and not is_time(column)


def _repeats(larger: Profile, key: Column, one: Profile) -> bool:
    there = larger.columns.get(key.name)
    return (
        there is not None
        and there.kind == key.kind
        and LEAST_KEYS <= there.distinct < there.known
        and larger.rows > one.rows
        and one.share_of(larger.some(key.name, SOME), key.name) >= LEAST_SHARED
    )
