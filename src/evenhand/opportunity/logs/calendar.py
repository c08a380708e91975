"""Days of a log: how a column of them is read, what they are called, and which are missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from evenhand.errors import InputError
from evenhand.inputs import HOW_DAYS
from evenhand.opportunity.evidence import LogCounts

Period = Literal["day", "week"]
MOST_DAYS = 5_000
# Numbers from here on are dates written as 20240418; below are numbers of days.
_FIRST_WRITTEN_DATE = 19_000_101
# A time may follow.
_WRITTEN = re.compile(r"(\d{4}-\d{2}-\d{2}|\d{8})(?=$|[T ])")


@dataclass(frozen=True)
class Calendar:
    """What the numbers of periods mean: dates (their ordinals), or plain numbers of days; days or weeks."""

    dated: bool
    period: Period = "day"

    @property
    def step(self) -> int:
        return 7 if self.period == "week" else 1

    def start(self, day: int) -> int:
        """The first day of the period that `day` is in; weeks begin on Monday."""
        return day - (day - 1) % 7 if self.period == "week" else day

    def label(self, period: int) -> str:
        """A day as 2024-04-18, or its number; a week as the Monday that it begins with."""
        return date.fromordinal(period).isoformat() if self.dated else str(period)

    def missing(self, periods: Iterable[int]) -> list[int]:
        """The periods between the first and the last that are not there."""
        there = set(periods)
        return [period for period in range(min(there), max(there), self.step) if period not in there]


def read_days(counted: Mapping[Any, LogCounts], log: str, column: str) -> tuple[dict[int, LogCounts], bool]:
    """Counts by number of the day, in order, and whether those are dates; what is no day is refused."""
    numbers = [value for value in counted if isinstance(value, int)]
    dated = not numbers or min(numbers) >= _FIRST_WRITTEN_DATE
    days: dict[int, LogCounts] = {}
    unreadable: list[Any] = []
    for value, counts in counted.items():
        day = _ordinal(value) if dated else value
        if day is None:
            unreadable.append(value)
        else:
            days[day] = days[day] + counts if day in days else counts
    if unreadable:
        rows = sum(counted[value].total for value in unreadable)
        raise InputError(
            f"{log}: column {column!r} cannot be read as a date in {rows:,} rows, for example "
            f"{unreadable[0]!r}; {HOW_DAYS}."
        )
    if len(days) > MOST_DAYS or max(days) - min(days) > 20 * MOST_DAYS:
        raise InputError(
            f"{log}: column {column!r} has {len(days):,} values from {min(days):,} to {max(days):,}, which "
            f"are hardly days; {HOW_DAYS}."
        )
    return dict(sorted(days.items())), dated


def _ordinal(value: Any) -> int | None:
    if isinstance(value, date):  # also a timestamp of pandas
        return value.toordinal()
    written = _WRITTEN.match(str(value))
    try:
        return None if written is None else date.fromisoformat(written[1]).toordinal()
    except ValueError:
        return None


def by_period(days: Mapping[int, LogCounts], calendar: Calendar) -> dict[int, LogCounts]:
    """Counts of days added up to periods."""
    periods: dict[int, LogCounts] = {}
    for day, counts in days.items():
        start = calendar.start(day)
        periods[start] = periods[start] + counts if start in periods else counts
    return periods


def cut_short(days: Iterable[int], calendar: Calendar) -> list[int]:
    """Weeks of which not every day is there."""
    there = set(days)
    weeks = sorted({calendar.start(day) for day in there})
    return [week for week in weeks if any(week + i not in there for i in range(7))]


def listed(periods: list[int], calendar: Calendar, most: int = 5) -> str:
    """ "2024-04-20, 2024-04-23 and 3 more"."""
    named = [calendar.label(period) for period in periods]
    return ", ".join(named[:most]) + (f" and {len(named) - most} more" if len(named) > most else "")
