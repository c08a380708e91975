"""Which day is meant, and whether it can be over."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Literal

from evenhand.errors import InputError

Period = Literal["day", "week"]
# Where a day ends first: 14 hours before it does in UTC.
_EARLIEST = timedelta(hours=14)


def now() -> datetime:
    """The time, asked for in one place."""
    return datetime.now(UTC)


def stamp() -> str:
    """The time as it is stored."""
    return now().isoformat(timespec="seconds")


def day_of(given: str) -> date:
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise InputError(f"{given!r} is not a day; write it as 2026-01-03.") from None


def whole_period(given: str | None, period: Period) -> date:
    """The day, or the Monday of the week, that is to be added: one that is over somewhere at least. Where
    none is named, the last one that is over by UTC.

    A day that is still going on, or to come, was written by a clock that is wrong, here or where the logs
    are made.
    """
    if given is None:
        today = now().date()
        return today - timedelta(today.weekday() + 7 if period == "week" else 1)
    day = day_of(given)
    if period == "week" and day.weekday() != 0:
        monday = day - timedelta(day.weekday())
        raise InputError(
            f"{given} is not a Monday, but the plan has weeks (cadence): name this one {monday.isoformat()}."
        )
    clock = now()
    # Counted back from today: the last week that there is has no end in the calendar, nor has its last day.
    latest = min(clock, datetime.max.replace(tzinfo=UTC) - _EARLIEST) + _EARLIEST
    if day >= latest.date() - timedelta(6 if period == "week" else 0):
        raise InputError(
            f"The {period} {given} is not over anywhere (the clock here says {clock:%Y-%m-%d %H:%M} UTC): a "
            f"{period} is added when it is whole. Wait, or set the clock right."
        )
    return day
