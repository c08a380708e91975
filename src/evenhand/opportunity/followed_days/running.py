"""What a look leaves for the next: sums of all days so far, and of the first ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add

from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.followed_days.packing import Packed


@dataclass(frozen=True)
class Logs:
    """Days of both logs, each as one log; where all days share a random log, `random` is that."""

    default: LogCounts
    random: LogCounts

    def plus(self, other: Logs, shared: bool) -> Logs:
        return Logs(self.default + other.default, self.random if shared else self.random + other.random)


@dataclass(frozen=True)
class Running:
    """All days so far, the first `baseline` of them, and which could be computed.

    `changes` counts the looks at changes against the day before, and against the first days: each has an
    error of its own to spend.
    """

    so_far: Logs
    first: Logs
    number: int
    usable: tuple[str, ...] = ()
    changes: dict[str, int] = field(default_factory=lambda: {"before": 0, "first": 0})

    @classmethod
    def begun(cls, day: Logs) -> Running:
        return cls(day, day, 1)

    def with_day(self, day: Logs, shared: bool, baseline: int) -> Running:
        first = self.first.plus(day, shared) if self.number < baseline else self.first
        return replace(self, so_far=self.so_far.plus(day, shared), first=first, number=self.number + 1)

    def to_bytes(self) -> bytes:
        logs = {
            "default": self.so_far.default,
            "random": self.so_far.random,
            "first default": self.first.default,
            "first random": self.first.random,
        }
        about = {"number": self.number, "usable": self.usable, "changes": self.changes}
        return Packed(about, logs).to_bytes()

    @classmethod
    def of_bytes(cls, content: bytes) -> Running:
        packed = Packed.of_bytes(content)
        logs = packed.logs
        return cls(
            Logs(logs["default"], logs["random"]),
            Logs(logs["first default"], logs["first random"]),
            packed.about["number"],
            tuple(packed.about["usable"]),
            dict(packed.about["changes"]),
        )


def taken_together(days: list[Logs], shared: bool) -> Logs:
    return reduce(lambda one, other: one.plus(other, shared), days)


def less(whole: LogCounts, *parts: LogCounts) -> LogCounts:
    """What is left of a sum without some of its parts, over its groups."""
    if not parts:
        return whole
    taken = reduce(add, (part.over(whole.groups) for part in parts))
    weights = whole.weights
    if weights is not None and taken.weights is not None:
        weights = weights + taken.weights.map(lambda sums: -sums)
    items = whole.by_item
    if items is not None and taken.by_item is not None:
        items = items - taken.by_item
    return replace(
        whole,
        rows=whole.rows - taken.rows,
        positives=whole.positives - taken.positives,
        weights=weights,
        by_item=items,
    )
