"""How often somebody may ask: buckets that fill again with time."""

from __future__ import annotations

import time
from collections.abc import Callable

_MOST_KEPT = 10_000  # buckets; of whom nothing was heard for longest is forgotten


class Rate:
    """So many requests a second on average, and twice as many at once, for each caller."""

    def __init__(self, a_second: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._most, self._now = a_second, max(2 * a_second, 1.0), monotonic
        self._left: dict[str, tuple[float, float]] = {}  # what is left, and when it was so

    def wait(self, caller: str) -> float:
        """0 where the caller may ask now, which is counted; else the seconds until then."""
        now = self._now()
        left, then = self._left.pop(caller, (self._most, now))
        left = min(self._most, left + (now - then) * self._rate)
        allowed = left >= 1.0
        self._left[caller] = (left - 1.0 if allowed else left, now)
        while len(self._left) > _MOST_KEPT:
            del self._left[next(iter(self._left))]
        return 0.0 if allowed else (1.0 - left) / self._rate
