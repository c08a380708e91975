"""Which groups there could be: columns with a few values that describe users or items, and their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.plan.init.meaning.columns import is_id, is_time, numbers_rows
from evenhand.plan.init.meaning.vocabulary import (
    AGE,
    ARM,
    BIRTH,
    CREATOR,
    DWELL,
    ITEM,
    LIKED,
    OF_ITEMS,
    PROTECTED,
    RANK,
    RATING,
    SCORE,
    SENSITIVE,
    SOURCE,
    UNSTATED,
    USER,
)
from evenhand.plan.init.meaning.words import hints, plain_letters, tokens
from evenhand.plan.init.tables.profiling import Column, Profile

MOST_GROUPS = 30
# Whole numbers with more values than that are amounts, unless people are protected by them.
MOST_CODES = 12
LEAST_SIZE = 20
# A number that is another one in so many of the rows is their number, unless people are protected by it.
NEARLY_ALL = 0.95
# Groups of less than a tenth of the rows tell little.
LEAST_BAND = 0.1
# How exactly quarters are written, at first as roundly as can be.
FIGURES = (2, 3, 4, 6)
AGE_EDGES = [18, 25, 35, 45, 55]
# Years in which people who use something today were born.
BIRTH_YEARS = (1900, 2030)
# What somebody is called makes no groups, even if few are.
NAMES = frozenset(
    {"name", "names", "nm", "nom", "nombre", "nome", "naam", "nazwa", "navn", "namn", "nimi", "nama", "isim"}
)
# Of people who were born in these years, some at least: a year of joining is none of these.
OLD, YOUNG, GENERATION = 1975, 2020, 25


@dataclass(frozen=True)
class Attribute:
    """A column that makes groups. `strength` says how plainly it is one that people are protected by; 0 is a
    number that is only listed, as where to cut it is somebody's choice."""

    column: str
    strength: int
    sizes: dict[str, int]
    missing: int
    rows: int
    bins: tuple[float, ...] = ()
    several: bool = False  # an item may be in several groups

    @property
    def smallest(self) -> int:
        return min(self.sizes.values(), default=0)

    @property
    def sensitive(self) -> bool:
        return self.strength >= 2 and hints(self.column, SENSITIVE | PROTECTED)

    @property
    def unstated(self) -> list[str]:
        """Values that say that nothing is known."""
        return [one for one in self.sizes if plain_letters(one).strip().lower() in {"", *UNSTATED}]

    @property
    def groups(self) -> int:
        return len(self.bins) + 1 if self.bins else max(len(self.sizes), 1)

    @property
    def is_age(self) -> bool:
        words = tokens(self.column)
        return any(word.startswith(tuple(AGE)) for word in words) or any(word in BIRTH for word in words)

    def told(self) -> str:
        """Groups and sizes in a few words."""
        empty = f"; {self.missing / self.rows:.1%} have none" if self.missing else ""
        if self.bins:
            return f"a number; bins = [{', '.join(f'{edge:g}' for edge in self.bins)}] would cut it{empty}"
        shown = [f"{value} {size:,}" for value, size in list(self.sizes.items())[:6]]
        more = f" and {len(self.sizes) - 6} more" if len(self.sizes) > 6 else ""
        return ", ".join(shown) + more + empty


def attributes_of(profile: Profile, columns: list[str], of_people: bool = False) -> list[Attribute]:
    """Those of `columns` that make groups, the plainest first."""
    made = (_attribute(profile, profile.columns[name], of_people) for name in columns)
    found = [one for one in made if one is not None]
    # What things are called, or cost, is seldom what they are to be compared by.
    return sorted(found, key=lambda one: (-one.strength, hints(one.column, OF_ITEMS | NAMES)))


def births_without_groups(profile: Profile, found: list[Attribute]) -> list[str]:
    """Columns that say when people were born, and make no groups as they are written."""
    taken = {one.column for one in found}
    return [
        f"{profile.name}: {name!r} says when people were born, and makes no groups, as it is "
        f"{_written(column)}. Add a column with the year (a whole number) or with age groups."
        for name, column in profile.columns.items()
        if name not in taken and hints(name, BIRTH) and not column.constant
    ]


def _written(column: Column) -> str:
    return {"text": f"text ({column.low})", "date": "a date", "time": "a time"}.get(column.kind, "no year")


def _attribute(profile: Profile, column: Column, of_people: bool) -> Attribute | None:
    words = set(tokens(column.name))
    if column.kind == "list" or column.bars:
        return Attribute(column.name, 1, {}, column.missing, column.rows, several=True)
    born = (
        column.kind == "integer"
        and _are_years(column)
        and (bool(words & BIRTH) or (of_people and _are_of_birth(column)))
    )
    if is_id(column) or column.constant or hints(column.name, RANK | SCORE | RATING | DWELL):
        return None
    if is_time(column) and not born:
        return None
    if numbers_rows(column, NEARLY_ALL) and not words & (PROTECTED | SENSITIVE):
        return None
    strength = 3 if words & PROTECTED else 2 if words & SENSITIVE or born else 1
    numbers = column.numeric and column.distinct > MOST_CODES
    if (
        words & CREATOR and not words & NAMES and (strength > 1 or not numbers)
    ):  # a number of a creator is no protected attribute
        strength += 1
    elif words & ITEM and not words & USER:
        strength = 1  # the age of a film is of no person
    if strength == 1 and words & (LIKED | ARM):
        return None
    if column.numeric and (column.distinct > MOST_GROUPS or (column.distinct > MOST_CODES and strength < 2)):
        edges = _edges(profile, column, words, born)
        strength = strength if strength > 1 else 0
        return Attribute(column.name, strength, {}, column.missing, column.rows, edges) if edges else None
    if column.kind not in ("text", "truth", "integer") or column.distinct > MOST_GROUPS:
        return None
    sizes = {str(value): size for value, size in column.values.items()}
    return Attribute(column.name, strength, sizes, column.missing, column.rows)


def _are_years(column: Column) -> bool:
    return bool(BIRTH_YEARS[0] <= column.low and column.high <= BIRTH_YEARS[1])


def _are_of_birth(column: Column) -> bool:
    """Years in which people, old and young, were born, whatever the column is called."""
    return bool(column.low <= OLD and column.high - column.low >= GENERATION and column.high < YOUNG)


def _edges(profile: Profile, column: Column, words: set[str], born: bool) -> tuple[float, ...]:
    """Where to cut a number: ages as most do, years by decades, others in four parts; so that no band has
    less than a tenth of the rows, where that can be."""
    possible: list[float] = []
    if words & AGE and 0 <= column.low <= 120 >= column.high:
        possible = [float(edge) for edge in AGE_EDGES]
    elif born or (column.kind == "integer" and _are_years(column)):
        possible = [float(year) for year in range(1900, 2030, 10)]
    if edges := _large_bands(profile, column, possible):
        return edges
    quarters = profile.quantiles(column.name, (0.25, 0.5, 0.75))
    tried = (_large_bands(profile, column, [_rounded(one, to) for one in quarters]) for to in FIGURES)
    return max(tried, key=len)


def _large_bands(profile: Profile, column: Column, edges: Sequence[float]) -> tuple[float, ...]:
    """Those of `edges` that leave at least a tenth of the rows on both sides of each."""
    between = [edge for edge in dict.fromkeys(edges) if column.low < edge <= column.high]
    below = profile.shares_below(column.name, between)
    kept: list[float] = []
    last = 0.0
    for edge, share in zip(between, below, strict=True):
        if share - last >= LEAST_BAND <= 1 - share:
            kept.append(edge)
            last = share
    return tuple(kept)


def _rounded(number: float, figures: int) -> float:
    """Two figures are enough for an edge, where they tell the parts apart."""
    return float(f"{number:.{figures}g}")


def is_tag(column: Column) -> bool:
    """Whether it could say which source chose a row."""
    return hints(column.name, SOURCE)
