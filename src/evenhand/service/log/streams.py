"""What the events of one stream make: a state, the number of the last event, the head of the chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.service.log.chain import NO_EVENTS, head_of, leaf_of, new_salt, text_of
from evenhand.service.log.folded import Auditors, Folded

SNAPSHOT_EVERY = 1_000  # events of a stream


class Stream:
    """A state is changed by `fold` alone, whether an event is read (`apply`) or new (`record`)."""

    def __init__(self, audit: str, number: int) -> None:
        self.audit, self.number = audit, number
        self.seq, self.head, self.at = 0, NO_EVENTS, 0.0
        self.fresh: list[dict[str, Any]] = []  # rows of events that are not committed

    def apply(self, event: list[Any], seq: int, at: float, head: bytes) -> None:
        """An event that was logged."""
        at = float(at)  # which what a database keeps may not be
        self.fold(event, at)
        self.seq, self.at, self.head = seq, at, head

    def record(self, event: list[Any], now: float) -> None:
        """A new event; time never goes back within a stream."""
        at = max(now, self.at)
        self.fold(event, at)
        self._add(event, at)

    def _add(self, event: list[Any], at: float) -> None:
        payload, salt = text_of(event), new_salt()
        leaf = leaf_of(salt, payload)
        self.seq, self.at, self.head = self.seq + 1, at, head_of(self.head, leaf)
        self.fresh.append(
            {
                "audit": self.audit, "stream": self.number, "seq": self.seq, "at": at, "kind": event[0],
                "assignment": assignment_of(event), "payload": payload, "salt": salt, "leaf": leaf,
            }
        )  # fmt: skip

    def fold(self, event: list[Any], at: float) -> None:
        raise NotImplementedError

    def state(self) -> dict[str, Any]:
        raise NotImplementedError


def assignment_of(event: list[Any]) -> int | None:
    """The assignment that an event is about, by which it is found again."""
    if event[0] in ("assign", "withdraw", "shown"):
        return int(event[1])
    if event[0] == "deliver" and len(event[1]) == 1:
        return int(event[1][0][0])
    return None


class AuditStream(Stream):
    """The audit itself: what was agreed, who was drawn, and what was done to it, by whom."""

    def __init__(self, audit: str, state: Mapping[str, Any] | None = None) -> None:
        super().__init__(audit, 0)
        kept: dict[str, Any] = dict(state or {})
        self.settings: dict[str, Any] = kept.get("settings", {})
        self.places: list[int] = kept.get("places", [])
        self.arms: list[list[int]] = kept.get("arms", [])
        self.of_a_user: dict[str, Any] = kept.get("of_a_user", {})
        self.seed: int = kept.get("seed", 0)
        self.seeds: list[int] = kept.get("seeds", [])
        self.named: bool = kept.get("named", False)
        self.paused: bool = kept.get("paused", False)
        self.version: str | None = kept.get("version")
        self.outcome: str | None = kept.get("outcome")
        self.reason: str | None = kept.get("reason")
        self.ended_at: float | None = kept.get("ended_at")
        self.opted_out: set[int] = set(kept.get("opted_out", ()))
        self.deleted: set[int] = set(kept.get("deleted", ()))
        self.outcomes: dict[int, str] = {int(n): said for n, said in kept.get("outcomes", {}).items()}
        self.outages: list[list[float]] = kept.get("outages", [])

    @property
    def targets(self) -> int:
        return len(self.arms)

    def fold(self, event: list[Any], at: float) -> None:
        kind, *said = event
        if kind == "created":
            self.settings = said[0]
            self.version = self.settings.get("version")
        elif kind == "drawn":
            self.places, self.arms, self.of_a_user = said
        elif kind == "seeds":
            self.seed, self.seeds = said
        elif kind == "named":
            self.named = True
        elif kind in ("paused", "resumed"):
            self.paused = kind == "paused"
        elif kind == "opt_out":
            self.opted_out.add(said[0])
        elif kind == "deleted":
            self.deleted.add(said[0])
            if said[1] is not None:  # who is no target has no outcome
                self.outcomes.setdefault(said[0], said[1])
        elif kind == "outcome":
            self.outcomes[said[0]] = said[1]
        elif kind == "outage":
            self.outages = self._felt_at(at, said)
        elif kind == "ended":
            self.outcome, self.reason, self.ended_at = said[0], said[1], at

    def _felt_at(self, at: float, latest: list[float]) -> list[list[float]]:
        """The latest outage, and those before it that may extend something open still: time passes for that
        only while somebody can report, so what lies within later outages is not counted."""
        kept, since = [latest], at - 4 * self.longest
        for a, b in reversed(self.outages):
            since -= kept[0][1] - kept[0][0]
            if b <= since:
                break
            kept.insert(0, [a, b])
        return kept

    @property
    def longest(self) -> float:
        """How long an assignment can be open, without outages."""
        return float(self.settings["deadline_s"] + self.settings["grace_s"])

    def extended(self, start: float, end: float) -> float:
        """When what was to end at `end`, and began at `start`, ends: outages in between do not count."""
        for since, until in self.outages:
            if until > start and since < end:
                end += until - max(since, start)
        return end

    def state(self) -> dict[str, Any]:
        names = (
            "settings",
            "places",
            "arms",
            "of_a_user",
            "seed",
            "seeds",
            "named",
            "paused",
            "version",
            "outcome",
        )
        kept = {name: getattr(self, name) for name in (*names, "reason", "ended_at", "outages")}
        outcomes = {str(n): said for n, said in sorted(self.outcomes.items())}
        sets = {"opted_out": sorted(self.opted_out), "deleted": sorted(self.deleted)}
        return kept | sets | {"outcomes": outcomes}


class PersonStream(Stream):
    """A person drawn: their id and, for a target, their audit. The audit's own events pass through; the
    service adds `person` (the id), `agreed` (a hash of what the audit was begun with) and `shown`."""

    def __init__(
        self, about: AuditStream, number: int, auditors: Auditors, state: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(about.audit, number)
        kept: dict[str, Any] = dict(state or {})
        self.window: float | None = about.settings.get("window_s")
        self.user: str | None = kept.get("user")
        self.deleted = False
        # Assignments that must be shown by a time, or are withdrawn.
        self.unshown: dict[int, float] = {int(i): by for i, by in kept.get("unshown", {}).items()}
        self.day: list[int] = kept.get("day", [0, 0])  # the last day that something was assigned; how often
        self.last: int = kept.get("last", 0)  # the last assignment
        self.folded: Folded | None = None
        if number <= about.targets:
            begun = kept.get("folded")
            self.folded = (
                auditors.begin(about.of_a_user, about.seeds[number - 1])
                if begun is None
                else auditors.go_on(begun)
            )

    @property
    def audited(self) -> Folded:
        assert self.folded is not None, "only targets are audited"
        return self.folded

    def fold(self, event: list[Any], at: float) -> None:
        if event[0] == "person":
            self.user = event[1]
        elif event[0] == "deleted":  # what is left of an event
            self.user, self.deleted = None, True
        elif event[0] != "agreed":
            if event[0] != "shown":
                self.audited.apply(event)
            self._note(event, at)

    def is_too_late(self, about: AuditStream, assignment: int, now: float) -> bool:
        """Whether one that was not shown cannot be any more: the next sweep withdraws it."""
        by = self.unshown[assignment]
        return now > about.extended(by - (self.window or 0.0), by)

    def act(self, now: float, name: str, *values: Any, **named: Any) -> Any:
        """Let the audit do something, and take the events that it tells."""
        at = max(now, self.at)

        def take(event: list[Any]) -> None:
            self._note(event, at)
            self._add(event, at)

        self.audited.listener = take
        try:
            return getattr(self.audited, name)(*values, **named)
        finally:
            self.audited.listener = None

    def _note(self, event: list[Any], at: float) -> None:
        kind = event[0]
        if kind == "assign":
            self.last = event[1]
            today = int(at // 86_400)
            self.day = [today, self.day[1] + 1 if self.day[0] == today else 1]
            if self.window is not None:
                self.unshown[event[1]] = at + self.window
        elif kind in ("shown", "withdraw"):
            self.unshown.pop(event[1], None)
        elif kind == "deliver":
            for number, _ in event[1]:
                self.unshown.pop(number, None)

    def state(self) -> dict[str, Any]:
        return {
            "user": self.user,
            "unshown": {str(i): by for i, by in self.unshown.items()},
            "day": self.day,
            "last": self.last,
            "folded": None if self.folded is None else self.folded.to_dict(),
        }
