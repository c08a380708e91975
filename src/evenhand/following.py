"""How an audit is followed from day to day: what a room offers to whoever keeps the days.

A day is counted once, into **evidence**: bytes by kind, small, without rows. A **look** is made when a day
was added: it reads the evidence of that day, of the few others it needs, and the **state** that the look
before left, so that it takes as long on the last day of a year as on the first. Any days can be asked about
together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.findings import Finding


class UnlikeError(InputError):
    """A day that was counted otherwise than those before it, so that they cannot be taken together."""


@dataclass(frozen=True)
class CountedDay:
    """What is kept of a day, by kind, and which data it was."""

    evidence: Mapping[str, bytes]
    inputs: Mapping[str, Fingerprint]


class Days(Protocol):
    """The days of one regime as a look sees them, in order of arrival: the last is the one that was added."""

    @property
    def labels(self) -> Sequence[str]:
        """2026-01-03."""

    @property
    def numbers(self) -> Sequence[int]:
        """Which look each day has, of all that were ever made in its regime: from 1 in order, and later ones
        where a day was looked at again after a correction. Every look spends a part of the error of its own.
        """

    @property
    def number(self) -> int:
        """That of this look."""

    @property
    def period(self) -> Literal["day", "week"]:
        """How much time one of them is; a week is called by its Monday."""

    @property
    def were_together(self) -> bool:
        """Whether these days were taken together before, and others were forgotten or taken out since: then
        none of them is refused, as that would keep what is to be deleted."""

    @property
    def state(self) -> bytes | None:
        """What the look before left; None at the first."""

    def content(self, label: str, kind: str) -> bytes:
        """The evidence of one day."""

    def contents(self, kind: str) -> list[bytes]:
        """The evidence of all days in order, for kinds that have a few hundred bytes a day."""


@dataclass(frozen=True)
class Look:
    """What was found on the day that was added (`findings`) and of all days so far (`so_far`), and what the
    next look needs of this one."""

    findings: tuple[Finding, ...]
    so_far: tuple[Finding, ...]
    state: bytes


def is_of_all_days(finding: Finding) -> bool:
    """Whether a finding of a look is of all days so far: it says from which day to which, or has them in what
    it is about."""
    return "last" in finding.details or finding.about.get("days") == "all"


@dataclass(frozen=True)
class Promise:
    """Within how many days a flag is raised in 4 of 5 cases, from tomorrow on, if the truth is then `size`
    (or as far beyond on the other side): told from the first days. None where that takes too long.

    `finding` is the id of what is followed, and `limit` its tolerance.
    """

    finding: str
    size: float
    limit: float
    days: int | None


@dataclass(frozen=True)
class SoFar:
    """How many days are taken together now, and how many looks were made: as more days are, a change takes
    longer to be seen in all of them, and later looks have less of the error."""

    days: int
    looks: int


class Following(Protocol):
    """What a room offers, under the name that the declaration of a step has as `follows`."""

    def count(
        self, asked: Mapping[str, Any], daily: Collection[str], progress: Callable[[str], None], key: bytes
    ) -> CountedDay:
        """Read one day once. `asked` are the arguments of the audit's call; those named in `daily` are tables
        that hold that day alone, and the others are the same on every day. `key` is a secret of the monitor,
        for hashes of ids.

        Equal data give equal bytes: a day is recognised by them. Whoever keeps them makes them small.
        """

    def look(self, asked: Mapping[str, Any], days: Days, seed: int) -> Look:
        """What is found on the day that was added. `asked` has names of tables in the place of tables.

        Intervals hold on every day at once. Ids of findings do not name the day, which is in `details`
        ("day"), so that a finding is followed by its id; its picture `series` has this day as its one entry.
        The day of what is found of all days so far is the last of them by date, which is another than the day
        that was added where that came late.
        Raises `UnlikeError` where the day cannot be taken together with those before.
        """

    def together(
        self, asked: Mapping[str, Any], days: Sequence[Mapping[str, bytes]], seed: int
    ) -> tuple[Finding, ...]:
        """What the audit finds over all rows of these days; or `InputError`, with the reason."""

    def promises(
        self,
        asked: Mapping[str, Any],
        days: Sequence[Mapping[str, bytes]],
        times: float = 1.5,
        in_a_row: int = 1,
        so_far: SoFar | None = None,
    ) -> tuple[Promise, ...]:
        """From the evidence of the first days, in order: how long a change to so many `times` the tolerance
        takes to be flagged, where a flag waits for so many looks `in_a_row`. Empty without a tolerance.

        It is a change that comes after all days `so_far`; without that, after these."""
