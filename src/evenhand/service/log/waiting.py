"""What waits for the thread that writes. A user waits for a visit, and nobody for a batch of reports: so what
is one thing goes first, and of batches no more with it than do not keep the next visits long.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Generic, TypeVar

AT_ONCE = 1_000  # things that are done in one transaction
MOST_IN_BATCHES = 50_000  # things that wait in batches; more would wait longer than anybody does
_Asked = TypeVar("_Asked")


class Waiting(Generic[_Asked]):
    def __init__(self) -> None:
        self.at_once = AT_ONCE
        self._single: deque[_Asked] = deque()
        self._batches: deque[tuple[int, _Asked]] = deque()
        self._in_batches, self._closed = 0, False
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return self.single + self._in_batches

    @property
    def single(self) -> int:
        """How many that are one thing."""
        return len(self._single)

    def put(self, asked: _Asked, size: int = 1) -> bool:
        """Whether there is room for it, which is of so many things."""
        with self._changed:
            if self._closed or (size > 1 and self._in_batches + size > MOST_IN_BATCHES):
                return False
            if size > 1:
                self._batches.append((size, asked))
                self._in_batches += size
            else:
                self._single.append(asked)
            self._changed.notify()
            return True

    def take(self) -> list[_Asked]:
        """What is done next, at least one batch if there are any: waits until there is something. Nothing
        once it is closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._single or self._batches or self._closed)
            taken = [self._single.popleft() for _ in range(min(self.at_once, len(self._single)))]
            things = 0
            while self._batches and (
                things == 0 or things + self._batches[0][0] <= self.at_once - len(taken)
            ):
                size, asked = self._batches.popleft()
                taken.append(asked)
                things += size
            self._in_batches -= things
            return taken

    def close(self) -> None:
        """Nothing more comes in."""
        with self._changed:
            self._closed = True
            self._changed.notify()
