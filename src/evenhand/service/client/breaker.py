"""When to leave a server alone: after failures in a row it is asked now and then, until it answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_IN_A_ROW = 5
_FIRST_S, _LONGEST_S = 1.0, 30.0


class Breaker:
    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._now, self._lock = monotonic, threading.Lock()
        self._failures, self._rest_s, self._until = 0, _FIRST_S, 0.0

    def may(self) -> bool:
        """Whether to ask now. At the end of a rest one may, and the others wait for what comes of it."""
        with self._lock:
            if self._failures < _IN_A_ROW:
                return True
            if self._now() < self._until:
                return False
            self._until = self._now() + self._rest_s
            return True

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures < _IN_A_ROW:
                return
            if self._failures > _IN_A_ROW:
                self._rest_s = min(2 * self._rest_s, _LONGEST_S)
            self._until = self._now() + self._rest_s

    def worked(self) -> None:
        with self._lock:
            self._failures, self._rest_s = 0, _FIRST_S
