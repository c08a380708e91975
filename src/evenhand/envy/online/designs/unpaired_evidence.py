"""What an audit has seen of every arm, and the bounds that follow: a function of the rewards in their order
alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.envy.online.designs.rules import (
    FIRST_DRIFT_LOOK,
    Rules,
    has_drifted,
    lil_sum_radius,
    next_refresh,
)
from evenhand.stats.many_looks.sequences import lil_radius, sum_of_means_lower, tightened


@dataclass
class ArmEvidence:
    """Rewards of one arm that have entered, and bounds of its mean that hold at all times at once."""

    count: int = 0
    total: float = 0.0
    low: float = 0.0
    high: float = 1.0
    radius: float | None = None  # of the law of the iterated logarithm; None stands for infinity
    refresh: int = 1
    look: int = FIRST_DRIFT_LOOK
    first_half: float = 0.0

    def add(self, reward: float, rules: Rules, arm: int, size: int) -> bool:
        """Take one more reward; whether the arm's rewards have been drifting.

        `mixture` bounds are intersected over time; those of `lil` are Do and others', around the present
        average.
        """
        self.count += 1
        self.total += reward
        if rules.lil:
            self.radius = lil_radius(self.count, size, rules.delta)
            average = self.total / self.count
            self.low, self.high = max(0.0, average - self.radius), min(1.0, average + self.radius)
        elif self.count >= self.refresh:
            self.refresh = next_refresh(self.count)
            below = rules.arm_lower if arm else rules.baseline_lower
            above = rules.arm_upper if arm else rules.baseline_upper
            self.low, self.high = tightened(self.count, self.total, self.low, self.high, below, above)
        drifted = False
        if rules.drift > 0:
            if self.count == self.look:
                drifted = has_drifted(self.count, self.first_half, self.total, rules.drift)
                self.look *= 2
            if 2 * self.count == self.look:
                self.first_half = self.total
        return drifted

    @property
    def average(self) -> float | None:
        return self.total / self.count if self.count else None


@dataclass
class ExploredEvidence:
    """Rewards of all exploring pulls that have entered, and a lower bound for the sum of their means."""

    count: int = 0
    total: float = 0.0
    means: float = 0.0

    def add(self, reward: float, rules: Rules) -> None:
        self.count += 1
        self.total += reward
        if not rules.lil:
            # Means are not negative, so an earlier bound still holds.
            self.means = max(self.means, sum_of_means_lower(self.count, self.total, rules.explored))

    def lower(self, arms: list[ArmEvidence], rules: Rules) -> float:
        """A lower bound for the sum of explored means, pulls that have not entered counted as 0.

        For `lil` Do and others': rewards less min(sum of beta_k N_k, phi). For `mixture` not: its intervals
        do not lie around the average, and Do and others' bound fails with them.
        """
        if not rules.lil:
            return self.means
        by_arm = 0.0
        for arm in arms[1:]:
            if arm.radius is not None:
                by_arm += arm.total - arm.radius * arm.count
        return max(by_arm, self.total - lil_sum_radius(self.count, rules.delta))
