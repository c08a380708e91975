"""Which groups there could be: columns with a few values that describe users or items, and their sizes."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.plan.init.columns import is_id, is_time
from evenhand.plan.init.profiling import Column, Profile
from evenhand.plan.init.vocabulary import (
    ARM,
    CREATOR,
    ITEM,
    LIKED,
    PROTECTED,
    RANK,
    RATING,
    SCORE,
    SENSITIVE,
    SOURCE,
    USER,
)
from evenhand.plan.init.words import hints, tokens

MOST_GROUPS = 30
LEAST_SIZE = 20
_AGES = {"age", "alter", "edad", "eta", "idade", "leeftijd"}
AGE_EDGES = [18, 25, 35, 45, 55]


@dataclass(frozen=True)
class Attribute:
    """A column that makes groups. `strength` says how plainly it is one that people are protected by."""

    column: str
    strength: int
    sizes: dict[str, int]
    missing: int
    rows: int
    bins: tuple[int, ...] = ()
    several: bool = False  # an item may be in several groups

    @property
    def smallest(self) -> int:
        return min(self.sizes.values(), default=0)

    @property
    def sensitive(self) -> bool:
        return self.strength >= 2

    @property
    def groups(self) -> int:
        return len(self.bins) + 1 if self.bins else max(len(self.sizes), 1)

    @property
    def is_age(self) -> bool:
        return any(word.startswith(tuple(_AGES)) for word in tokens(self.column))

    def told(self) -> str:
        """Groups and sizes in a few words."""
        if self.bins:
            return f"a number, cut at {', '.join(map(str, self.bins))}"
        shown = [f"{value} {size:,}" for value, size in list(self.sizes.items())[:6]]
        more = f" and {len(self.sizes) - 6} more" if len(self.sizes) > 6 else ""
        empty = f"; {self.missing / self.rows:.1%} have none" if self.missing else ""
        return ", ".join(shown) + more + empty


def attributes_of(profile: Profile, columns: list[str]) -> list[Attribute]:
    """Those of `columns` that make groups, the plainest first."""
    found = [made for name in columns if (made := _attribute(profile.columns[name])) is not None]
    return sorted(found, key=lambda one: -one.strength)


def _attribute(column: Column) -> Attribute | None:
    words = set(tokens(column.name))
    if column.kind == "list":
        return Attribute(column.name, 1, {}, column.missing, column.rows, several=True)
    if is_id(column) or is_time(column) or column.constant or hints(column.name, RANK | SCORE | RATING):
        return None
    strength = 3 if words & PROTECTED else 2 if words & SENSITIVE else 1
    if words & CREATOR:
        strength += 1
    elif words & ITEM and not words & USER:
        strength = 1  # the age of a film is of no person
    if column.bars:
        return Attribute(column.name, 1, {}, column.missing, column.rows, several=True)
    if (
        column.numeric
        and words & _AGES
        and column.distinct > MOST_GROUPS
        and 0 <= column.low <= 120 >= column.high
    ):
        edges = tuple(edge for edge in AGE_EDGES if column.low < edge <= column.high)
        return Attribute(column.name, strength, {}, column.missing, column.rows, edges) if edges else None
    if column.kind not in ("text", "truth", "integer") or column.distinct > MOST_GROUPS:
        return None
    if strength == 1 and (words & (LIKED | ARM) or (column.kind == "integer" and column.distinct > 12)):
        return None
    sizes = {str(value): size for value, size in column.values.items()}
    return Attribute(column.name, strength, sizes, column.missing, column.rows)


def is_tag(column: Column) -> bool:
    """Whether it could say which source chose a row."""
    return hints(column.name, SOURCE)
