"""How it went: numbers that a system can put beside its own."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from evenhand.service.client.assignment import Assignment

_logger = logging.getLogger("evenhand.service.client")
_LAST = 100  # of what was dropped


class Dropped(NamedTuple):
    """What will not be sent: `kind` is shown, reward or opt_out."""

    kind: str
    assignment: str | None
    why: str


@dataclass(frozen=True)
class Stats:
    """Since the client was made; `spooled` is what waits now, and `ended` whether the audit is over.

    `own` counts visits by the own policy because the server (or its list of targets) says so; `fallbacks`
    those by the own policy because it could not be asked. `uncounted` is what was sent and came too late."""

    asked: int
    assigned: int
    own: Mapping[str, int]
    fallbacks: Mapping[str, int]
    spooled: int
    sent: int
    uncounted: int
    dropped: Mapping[str, int]
    trouble: str | None  # the last thing that went wrong
    ended: bool


class Counts:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers: Counter[str] = Counter()
        self._own: Counter[str] = Counter()
        self._fallbacks: Counter[str] = Counter()
        self._dropped: Counter[str] = Counter()
        self._last: deque[Dropped] = deque(maxlen=_LAST)
        self._untold = 0
        self._trouble: str | None = None

    def add(self, what: str, count: int = 1) -> None:
        with self._lock:
            self._numbers[what] += count

    def visit(self, found: Assignment) -> None:
        with self._lock:
            if found.id is None:
                self._own[found.reason] += 1
            else:
                self._numbers["assigned"] += 1

    def fell_back(self, why: str) -> None:
        with self._lock:
            self._fallbacks[why] += 1
            self._untold += 1

    def take_untold(self) -> int:
        """Fallbacks that no server was told of; who takes them tells them, or gives them back."""
        with self._lock:
            taken, self._untold = self._untold, 0
            return taken

    def give_back(self, untold: int) -> None:
        with self._lock:
            self._untold += untold

    def drop(self, one: Dropped) -> None:
        with self._lock:
            self._dropped[one.why] += 1
            self._last.append(one)

    def trouble(self, sentence: str) -> None:
        """Said once to the log of the system, until something else goes wrong."""
        with self._lock:
            is_new, self._trouble = sentence != self._trouble, sentence
        if is_new:
            _logger.warning("%s", sentence)

    def last_dropped(self) -> list[Dropped]:
        with self._lock:
            return list(self._last)

    def stats(self, spooled: int, ended: bool) -> Stats:
        with self._lock:
            number = self._numbers
            return Stats(
                number["asked"], number["assigned"], dict(self._own), dict(self._fallbacks), spooled,
                number["sent"], number["uncounted"], dict(self._dropped), self._trouble, ended,
            )  # fmt: skip
