"""What a monitor tells: every day, every followed finding on it, and what happened meanwhile.

Plain data, whatever store it came from: the page draws it, and files for other tools are written from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from typing import Literal

from evenhand.documents import Document
from evenhand.findings import Finding

_STEP = {"day": 1, "week": 7}


@dataclass(frozen=True)
class Point:
    """A finding on one day. `low` and `high` are the limits by which it was judged; a number that was not to
    be had, or may not be shown, is None."""

    estimate: float | None
    low: float | None = None
    high: float | None = None
    verdict: str | None = None


@dataclass(frozen=True)
class Regime:
    """Days that were counted alike, from the first of them on, and why they are counted so."""

    number: int
    first_day: str
    reason: str = ""


@dataclass(frozen=True)
class Correction:
    """A day that was added again with other data; `times` is how often."""

    day: str
    times: int
    reason: str = ""


@dataclass(frozen=True)
class Flag:
    """A flag: the rule of the plan, its own name, the finding that raised it, and the days of the looks that
    opened and closed it."""

    rule: str
    name: str
    finding: str
    state: Literal["open", "closed", "withdrawn"]
    opened: str
    closed: str | None = None
    said: str = ""
    acknowledged: str = ""


@dataclass(frozen=True)
class Watch:
    """A monitor as it is now. `points` are by the id of a finding and the day; `findings` are those ids with
    all their words, each as the last look that has it found it; `latest` is what the last look found."""

    name: str
    unit: Literal["day", "week"]
    days: tuple[str, ...]
    latest: Document
    findings: Mapping[str, Finding]
    points: Mapping[str, Mapping[str, Point]]
    flags: tuple[Flag, ...] = ()
    regimes: tuple[Regime, ...] = ()
    corrections: tuple[Correction, ...] = ()
    # What is unusual about the rows of a day, with the day.
    remarks: tuple[tuple[str, str], ...] = ()
    # The last day whose evidence was deleted; what was found on it stays.
    forgotten: str | None = None
    # When the last look was made, and not of which day it is: in seconds since 1970.
    looked_at: float | None = None
    scope: Mapping[str, str] = field(default_factory=dict)

    @property
    def last_day(self) -> str:
        return self.days[-1]

    @cached_property
    def calendar(self) -> tuple[str, ...]:
        """Every day from the first to the last, those without data among them."""
        first, last = date.fromisoformat(self.days[0]), date.fromisoformat(self.days[-1])
        step = _STEP[self.unit]
        expected = (first + timedelta(days=step * place) for place in range((last - first).days // step + 1))
        # A day that is out of step, such as a week that begins on a Tuesday, is a day all the same.
        return tuple(sorted({*map(str, expected), *self.days}))

    @cached_property
    def added(self) -> frozenset[str]:
        """The days, to be asked for one by one: the calendar of a wrong year is long."""
        return frozenset(self.days)

    @cached_property
    def gaps(self) -> tuple[str, ...]:
        """The days that were never added."""
        return tuple(day for day in self.calendar if day not in self.added)

    @cached_property
    def stretches(self) -> tuple[tuple[str, ...], ...]:
        """The missing days, those that follow each other together."""
        place = {label: number for number, label in enumerate(self.calendar)}
        told: list[list[str]] = []
        for label in self.gaps:
            if told and place[label] == place[told[-1][-1]] + 1:
                told[-1].append(label)
            else:
                told.append([label])
        return tuple(map(tuple, told))

    @property
    def open_flags(self) -> tuple[Flag, ...]:
        return tuple(flag for flag in self.flags if flag.state == "open")

    def flags_of(self, finding: str) -> tuple[Flag, ...]:
        """Those that a finding raised and that were not withdrawn."""
        return tuple(flag for flag in self.flags if flag.finding == finding and flag.state != "withdrawn")
