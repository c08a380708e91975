"""What a log asks of the audit of one user: it decides, tells its events, and can be folded from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class Open(Protocol):
    """An assignment whose reward is not settled."""

    @property
    def id(self) -> int: ...
    @property
    def arm(self) -> int: ...
    @property
    def deadline(self) -> Any: ...


class Folded(Protocol):
    listener: Callable[[list[Any]], None] | None
    outcome: str | None
    reason: str | None

    @property
    def outstanding(self) -> Sequence[Open]: ...
    @property
    def spent(self) -> bool: ...
    def open(self, assignment: int) -> Open | None: ...
    def apply(self, event: list[Any]) -> None: ...
    def assign(self, *, deadline: float, version: str | None = None) -> Open: ...
    def withdraw(self, assignment: int) -> None: ...
    def deliver(self, rewards: Mapping[int, float | None]) -> None: ...
    def to_dict(self) -> dict[str, Any]: ...


class Auditors(NamedTuple):
    """How an audit of one user begins (settings, seed), and how it goes on from a snapshot."""

    begin: Callable[[Mapping[str, Any], int], Folded]
    go_on: Callable[[dict[str, Any]], Folded]


def online_auditors() -> Auditors:
    """Those of the envy audit."""
    from evenhand.envy.online.auditor import Auditor
    from evenhand.envy.online.settings import with_later

    def begin(settings: Mapping[str, Any], seed: int) -> Folded:
        made: Any = Auditor(**with_later(settings), rng=seed)
        return made

    def go_on(state: dict[str, Any]) -> Folded:
        made: Any = Auditor.from_dict(state)
        return made

    return Auditors(begin, go_on)


def warm_up(auditors: Auditors) -> None:
    """Let an audit of nobody run for a while, so that no user waits for what is compiled at first use."""
    settings = {"arms": 2, "epsilon": 0.1, "delta": 0.05, "alpha": 0.5, "users": 1}
    audit = auditors.begin(settings, 0)
    for step in range(100):
        audit.deliver({audit.assign(deadline=1.0).id: step % 2})
    auditors.go_on(audit.to_dict())
