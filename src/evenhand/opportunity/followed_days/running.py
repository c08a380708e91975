"""What a look leaves for the next: sums of all days so far, and of the first ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.followed_days.packing import Packed


@dataclass(frozen=True)
class Logs:
    """Days of both logs, each as one log; where all days share a random log, `random` is that."""

    default: LogCounts
    random: LogCounts

    def plus(self, other: Logs, shared: bool) -> Logs:
        return Logs(self.default + other.default, self.random if shared else self.random + other.random)


# Of each day, by group: positives of the default log, and squared weights of those of the random log.
Totals = tuple[tuple[dict[str, float], dict[str, float]], ...]


def totals_of(day: Logs) -> tuple[dict[str, float], dict[str, float]]:
    default, random = day.default.positives.sum(axis=0), day.random.squared_positives.sum(axis=0)
    return (
        dict(zip(day.default.groups, default.tolist(), strict=True)),
        dict(zip(day.random.groups, random.tolist(), strict=True)),
    )


@dataclass(frozen=True)
class Running:
    """All days so far, the first `baseline` of them, and which could be computed.

    `changes` counts the looks at changes against the day before, and against the first days: each has an
    error of its own to spend. `totals` are of each day the positives of the default log, and the sums of
    squared weights of those of the random log, by group: how evidence grew.
    """

    so_far: Logs
    first: Logs
    totals: Totals
    usable: tuple[str, ...] = ()
    changes: dict[str, int] = field(default_factory=lambda: {"before": 0, "first": 0})

    @property
    def number(self) -> int:
        """How many days there are."""
        return len(self.totals)

    @classmethod
    def begun(cls, day: Logs) -> Running:
        return cls(day, day, (totals_of(day),))

    def with_day(self, day: Logs, shared: bool, baseline: int) -> Running:
        first = self.first.plus(day, shared) if self.number < baseline else self.first
        totals = (*self.totals, totals_of(day))
        return replace(self, so_far=self.so_far.plus(day, shared), first=first, totals=totals)

    def to_bytes(self) -> bytes:
        logs = {
            "default": self.so_far.default,
            "random": self.so_far.random,
            "first default": self.first.default,
            "first random": self.first.random,
        }
        about = {"totals": self.totals, "usable": self.usable, "changes": self.changes}
        return Packed(about, logs).to_bytes()

    @classmethod
    def of_bytes(cls, content: bytes) -> Running:
        packed = Packed.of_bytes(content)
        logs = packed.logs
        return cls(
            Logs(logs["default"], logs["random"]),
            Logs(logs["first default"], logs["first random"]),
            tuple((dict(default), dict(random)) for default, random in packed.about["totals"]),
            tuple(packed.about["usable"]),
            dict(packed.about["changes"]),
        )
