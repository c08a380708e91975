"""Rewards that come late: which pulls are outstanding, and in which order their rewards may be used.

Taking rewards in order of arrival would break every bound: when good ones come sooner than bad ones, an arm
looks better than it is for as long as the audit lasts. So a reward waits until all earlier pulls of its arm
are settled (and, for the sum of explored rewards, all earlier exploring pulls). What enters, and in which
order, then depends on the rewards alone and not on who was quick.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Assignment:
    """One recommendation to make: of policy `arm` (0 is the user's own), its reward to be reported by
    `deadline`.
    """

    id: int
    arm: int
    deadline: float | None = None


@dataclass
class Pending:
    """Outstanding assignments, settled rewards that wait for earlier ones, and the two orders of entry."""

    outstanding: dict[int, Assignment]
    settled: dict[int, float]
    by_arm: list[deque[int]]
    by_time: deque[int]

    @classmethod
    def empty(cls, size: int) -> Pending:
        return cls({}, {}, [deque() for _ in range(size)], deque())

    def add(self, assignment: Assignment) -> None:
        self.outstanding[assignment.id] = assignment
        self.by_arm[assignment.arm].append(assignment.id)
        if assignment.arm > 0:
            self.by_time.append(assignment.id)

    def oldest(self, arm: int) -> int | None:
        """The first outstanding assignment of this arm."""
        return next((i for i in self.by_arm[arm] if i in self.outstanding), None)

    def settle(self, number: int, reward: float) -> int:
        """Take this reward as final; the arm it belongs to."""
        self.settled[number] = reward
        return self.outstanding.pop(number).arm

    def enter_by_time(self) -> Iterator[float]:
        """Rewards of exploring pulls that all earlier ones have been settled before."""
        while self.by_time and self.by_time[0] in self.settled:
            yield self.settled[self.by_time.popleft()]

    def enter_by_arm(self, arm: int) -> Iterator[float]:
        """Rewards of this arm that all its earlier ones have been settled before."""
        queue = self.by_arm[arm]
        while queue and queue[0] in self.settled:
            yield self.settled[queue.popleft()]

    def forget_entered(self) -> None:
        """Drop rewards that nothing waits for any more."""
        if self.settled and not self.outstanding:
            self.settled.clear()
        elif self.settled:
            waiting = {i for queue in (*self.by_arm, self.by_time) for i in queue}
            self.settled = {i: reward for i, reward in self.settled.items() if i in waiting}

    def to_dict(self) -> dict[str, Any]:
        return {
            "outstanding": [[a.id, a.arm, a.deadline] for a in self.outstanding.values()],
            "settled": [[i, reward] for i, reward in self.settled.items()],
            "by_arm": [list(queue) for queue in self.by_arm],
            "by_time": list(self.by_time),
        }

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Pending:
        return cls(
            {i: Assignment(i, arm, deadline) for i, arm, deadline in state["outstanding"]},
            {i: float(reward) for i, reward in state["settled"]},
            [deque(queue) for queue in state["by_arm"]],
            deque(state["by_time"]),
        )
