"""Time: the database's clock, believed as long as it agrees with one that only goes forward.

A clock that jumps a day ahead would make every open assignment overdue at once. So each reading is compared
with the process's monotonic clock. Where they disagree, time goes on from the last reading that was believed,
and `trusted` is false: nothing expires. A clock that stays where it jumped to is believed after `PATIENCE`
seconds; `jumped` then says what was skipped, and the audits take it for an outage, which nobody loses by.
"""

from __future__ import annotations

import time
from collections.abc import Callable

TOLERANCE = 5.0  # seconds between two readings, besides a thousandth of the time between them
PATIENCE = 3600.0


class Clock:
    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.monotonic = monotonic
        self.trusted = True
        self.jumped: tuple[float, float] | None = None
        self._wall: float | None = None  # the last reading that was believed, and when it was
        self._then = 0.0
        self._offset = 0.0  # of the reading that was not believed, and since when it stands
        self._since = 0.0

    def now(self, wall: float) -> float:
        """The time, when the database's clock reads `wall`."""
        here = self.monotonic()
        if self._wall is None:
            self._believe(wall, here)
            return wall
        gone = here - self._then
        expected = self._wall + gone
        if abs(wall - expected) <= TOLERANCE + gone / 1000:
            self._believe(wall, here)
            return wall
        offset = wall - expected
        if self.trusted or abs(offset - self._offset) > TOLERANCE:
            self._offset, self._since, self.trusted = offset, here, False
        if here - self._since < PATIENCE:
            return expected
        if offset > 0:
            self.jumped = (expected, wall)
        self._believe(wall, here)
        return expected  # once more: whoever reads next has told the audits before

    def _believe(self, wall: float, here: float) -> None:
        self._wall, self._then, self.trusted = wall, here, True
