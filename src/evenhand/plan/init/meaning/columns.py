"""Which column of a table is what: ids, ranks, scores, times. A name hints, and what it holds must agree."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date

from evenhand.plan.init.meaning.vocabulary import (
    CREATOR,
    ID,
    ITEM,
    LIKED,
    LIST,
    PREFERENCE,
    PROBABILITY,
    RANDOM,
    RANK,
    RATING,
    SCORE,
    SHOWN,
    TIME,
    USER,
)
from evenhand.plan.init.meaning.words import hints, tokens
from evenhand.plan.init.tables.profiling import MOST_VALUES, Column, Profile

LEAST_IDS = 6
_NAMES_THINGS = {"id", "ids", "uuid", "guid", "hash", "key", "sk", "kennung", "nr", "nummer", "numer", "ref"}
# At the end of a name, as in order_no; no_of_children is no id.
_NAMES_THINGS_LAST = {"no", "num", "number", "reference", "ident"}
# Said of an id besides: these do not make it something else.
NEUTRAL = {"the", "hashed", "hash", "anon", "anonymous", "internal", "external", "global", "raw", "de"}
_SIDES = {"user": USER, "item": ITEM, "creator": CREATOR, "list": LIST}
# What an epoch in seconds or milliseconds can be: 1990 to 2100.
_EPOCHS = ((6.3e8, 4.2e9), (6.3e11, 4.2e12), (6.3e14, 4.2e15))

# The same of columns that nothing calls times, in seconds: 2001 to 2065.
_SINCE, _UNTIL = 1e9, 3e9
# As most of Europe writes days: 03.01.2026.
_DAY_FIRST = re.compile(r"(\d\d)[./-](\d\d)[./-](\d{4})\b")


# What audits call these, whatever the tables do; by what they are of a table that was recognised.
OURS = {"user": "user_id", "item": "item_id", "creator": "creator_id"}
OWN = {**OURS, "listed": "list_id", "rank": "rank", "score": "score", "preference": "preference",
       "probability": "probability"}  # fmt: skip
LABEL = "label"
RANDOM_FLAG = "random"
ARM_COLUMN = "arm"
NAMEABLE = (*OWN.values(), LABEL, RANDOM_FLAG, ARM_COLUMN)


def id_of(profile: Profile, side: str, not_these: Collection[str] = ()) -> str | None:
    """The column whose words say that it has the ids of users, items, creators or lists; None where there is
    none. `not_these` are known to be something else."""
    best = max(
        (
            (_as_id(column, side), -place, name)
            for place, (name, column) in enumerate(profile.columns.items())
            if name not in not_these
        ),
        default=(0, 0, None),
    )
    if best[0] > 0:
        return best[2]
    if side != "list" and hints(profile.name, _SIDES[side]):
        by_table = _named_by_its_table(profile)
        return None if by_table in not_these else by_table
    return None


def is_called(column: Column, side: str) -> bool:
    """Whether the words of its name say that it has the ids of users, items, creators or lists."""
    return _as_id(column, side) > 0


def _as_id(column: Column, side: str) -> int:
    words = tokens(column.name)
    about = [word for word in words if word in _SIDES[side]]
    if not about or column.kind not in ("integer", "text", "number") or column.distinct < LEAST_IDS:
        return 0
    if column.kind == "number" and not _whole(column):
        return 0
    others = [word for word in words if word not in _SIDES[side] and word not in ID and word not in NEUTRAL]
    if others:
        return 0
    return 3 if any(word in ID for word in words) or words[0] in ("uid", "iid") else 2


def _named_by_its_table(profile: Profile) -> str | None:
    """In a table called users, a column called id that no two rows share."""
    for name, column in profile.columns.items():
        words = tokens(name)
        alone = bool(words) and all(word in ID | NEUTRAL for word in words)
        if alone and column.kind in ("integer", "text") and column.distinct == column.rows > 1:
            return name
    return None


def id_kind(column: Column) -> str:
    """What ids are kept as: whole numbers are integers, also where empty cells have made them floats."""
    return "integer" if column.kind == "number" and _whole(column) else column.kind


def _whole(column: Column) -> bool:
    return column.low is not None and float(column.low).is_integer() and float(column.high).is_integer()


def is_id(column: Column) -> bool:
    """Whether it names things, whichever: no attribute and no label."""
    words = tokens(column.name)
    if any(word in _NAMES_THINGS for word in words) or (words and words[-1] in _NAMES_THINGS_LAST):
        return True
    return column.kind == "text" and numbers_rows(column, 0.5)


def numbers_rows(column: Column, least: float) -> bool:
    """Whether so many of the rows have a value of their own, where there are many."""
    many = column.distinct > MOST_VALUES and column.kind in ("integer", "text")
    return many and column.distinct >= least * column.known


def is_time(column: Column) -> bool:
    """A time, a date, or a number or text that is one: 20260103, 1767398400, "2026-01-03"."""
    if column.kind in ("time", "date"):
        return True
    if column.low is None or column.is_binary:  # "bought_next_week": yes or no
        return False
    if column.numeric:
        low, high = float(column.low), float(column.high)
        named = hints(column.name, TIME)
        dates = _is_date_number(low) and _is_date_number(high) and column.kind == "integer"
        epochs = any(start <= low and high <= end for start, end in _EPOCHS)
        return dates or (named and (epochs or high - low > 0)) or _is_epoch(column)
    if column.kind == "text":
        return _is_date_text(str(column.low)) and _is_date_text(str(column.high))
    return False


def _is_epoch(column: Column) -> bool:
    """Whole numbers that are times of this century, whatever they are called: in milliseconds or less; in
    seconds only where some rows have none, as ids may have ten figures, too."""
    if not _whole(column) or column.distinct <= MOST_VALUES:
        return False
    low, high = float(column.low), float(column.high)
    fine = any(_SINCE * unit <= low and high <= _UNTIL * unit for unit in (1e3, 1e6, 1e9))
    return fine or bool(column.missing and low >= _SINCE and high <= _UNTIL)


def is_too_large_for_an_amount(column: Column) -> bool:
    """Whole numbers of so many figures are times or ids, and not how much or how long."""
    return column.numeric and _whole(column) and float(column.high) >= _SINCE


def _is_date_number(number: float) -> bool:
    """A day, or a moment to the minute or second: 20260103, 20260103175900."""
    text = f"{number:.0f}"
    if len(text) not in (8, 12, 14) or not "19700101" <= text[:8] <= "21001231":
        return False
    return (text[8:10] < "24" and text[10:12] < "60" and text[12:] < "60") and _is_date_text(
        f"{text[:4]}-{text[4:6]}-{text[6:]}"
    )


def _is_date_text(text: str) -> bool:
    if (day := _DAY_FIRST.match(text)) is not None:
        text = f"{day[3]}-{day[2]}-{day[1]}"
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def day_of(profile: Profile) -> str | None:
    """A column with days that a series can follow: dates or times, on three days or more."""
    days = [c for c in profile.columns.values() if c.kind == "date" and c.distinct >= 3]
    times = [c for c in profile.columns.values() if c.kind == "time" and not c.missing and c.distinct >= 3]
    found = [*days, *(c for c in times if (c.high - c.low).days >= 2)]
    return found[0].name if found else None


def days_of(profile: Profile, day: str) -> int:
    """How many days there are in a column of days or times."""
    column = profile.columns[day]
    return column.distinct if column.kind == "date" else (column.high - column.low).days + 1


def shown_flag(profile: Profile) -> str | None:
    """A column that says whether users were shown a row: yes or no, and both."""
    for name, column in profile.columns.items():
        called = hints(name, SHOWN) and not hints(name, LIKED | RANDOM)
        if called and column.is_binary and not column.missing:
            return name
    return None


def rank_of(profile: Profile) -> str | None:
    """Places from 1 (or 0) on."""
    for name, column in profile.columns.items():
        if hints(name, RANK) and column.kind == "integer" and column.low in (0, 1) and column.distinct > 1:
            return name
    return None


def score_of(profile: Profile) -> str | None:
    """What a model says, as a number with many values."""
    for name, column in profile.columns.items():
        rated = bool(column.values) and hints(name, RATING)
        if hints(name, SCORE) and column.numeric and column.distinct > 2 and not (is_time(column) or rated):
            return name
    return None


def preference_of(profile: Profile) -> str | None:
    """A number that is called so, or the only one of a table that is."""
    numbers = [name for name, column in profile.columns.items() if column.kind == "number"]
    alone = numbers[0] if len(numbers) == 1 and hints(profile.name, PREFERENCE) else None
    return _number_called(profile, PREFERENCE) or alone


def probability_of(profile: Profile) -> str | None:
    found = _number_called(profile, PROBABILITY)
    column = profile.columns.get(found or "")
    return found if column is not None and column.low >= 0 and column.high <= 1 else None


def _number_called(profile: Profile, words: frozenset[str]) -> str | None:
    for name, column in profile.columns.items():
        if hints(name, words) and column.numeric and not column.constant:
            return name
    return None
