"""What a plan is for, a half-width or a power, and the least traffic that reaches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from evenhand.asked.declared.traffic import MOST_DAYS
from evenhand.opportunity.inference.differences import penalty_difference
from evenhand.opportunity.logs.cautions import LEAST_EXPECTED
from evenhand.opportunity.measures import penalty
from evenhand.opportunity.traffic.expected import Traffic
from evenhand.opportunity.traffic.precision import DRAWS_OF_POWER, PENALTY, half_width, power
from evenhand.stats import normal

# With fewer expected liked rows of a group in a default log there is nothing to plan an interval by, and
# where an audit expects fewer in random traffic it leaves the group out.
LEAST_POSITIVES, LEAST_RANDOM = 3, LEAST_EXPECTED


@dataclass(frozen=True)
class Aim:
    """A half-width of the penalty or `of` a group's relative utility, or the power of an A/B test.

    `wanted` is None where no size is asked for, only what traffic would give.
    """

    kind: Literal["half_width", "power"]
    wanted: float | None
    of: str
    level: float
    seed: int

    def reached(self, traffic: Traffic, days: float) -> float:
        """Half-width, or power, after so many days."""
        if self.kind == "half_width":
            return half_width(traffic, days, self.of, self.level, self.seed)
        return power(traffic, days, self.level, self.seed)

    def evened(self, reached: float) -> float:
        """-log of a half-width, or the normal quantile of a power: both rise evenly as traffic multiplies."""
        if self.kind == "half_width":
            return -float(np.log(reached))
        # Never quite 0 or 1, which have no normal quantile.
        edge = 0.5 / DRAWS_OF_POWER
        return float(special.ndtri(np.clip(reached, edge, 1 - edge)))

    def accuracy(self, reached: float) -> float:
        """1 where chance plays no part: 1 - half-width, or the power. Dong and others leave it open."""
        return 1 - reached if self.kind == "half_width" else reached

    def days(self, traffic: Traffic) -> float | None:
        """Days until what is wanted is reached; None if that is beyond ten years."""
        least = traffic.days_until(LEAST_POSITIVES, LEAST_RANDOM)
        if least > MOST_DAYS:
            return None
        start = max(1.0, least)
        return self._least(
            lambda days: self.reached(traffic, days), start * self._times(traffic, start), least, MOST_DAYS
        )

    def random_rows(self, traffic: Traffic, days: float, guess: float, most: float) -> float | None:
        """Random rows a day with which what is wanted is reached in so many days; None if above `most`."""
        return self._least(
            lambda rows: self.reached(traffic.with_random_rows(rows), days),
            guess,
            traffic.random_rows_until(LEAST_RANDOM, days),
            most,
        )

    def details(self, traffic: Traffic) -> dict[str, str | float]:
        """What it is, for whoever puts it in words; without a group it is of the penalty."""
        told: dict[str, str | float] = {"kind": self.kind}
        if self.wanted is not None:
            told["wanted"] = self.wanted
        if self.kind == "power":
            told["change"] = float(penalty(traffic.utilities[1]) - penalty(traffic.utilities[0]))
        elif self.of != PENALTY:
            told["of"] = self.of
        return told

    def _times(self, traffic: Traffic, start: float) -> float:
        """A guess of how many times `start` days it takes."""
        assert self.wanted is not None
        if self.kind == "half_width":
            return (self.reached(traffic, start) / self.wanted) ** 2
        expected = penalty_difference(traffic.arms(start), 1, 0, self.level, self.seed)
        # Where no arm may be fair the estimate is normal: it must lie z + z_power errors from 0.
        reach = normal.critical_value(self.level)
        error = (expected.high - expected.low) / (2 * reach)
        return float(((reach + self.evened(self.wanted)) * error / expected.estimate) ** 2)

    def _least(
        self, reached: Callable[[float], float], guess: float, least: float, most: float
    ) -> float | None:
        assert self.wanted is not None
        wanted = self.evened(self.wanted)
        close = 0.005 if self.kind == "half_width" else 0.01
        return least_amount(lambda amount: self.evened(reached(amount)) - wanted, guess, least, most, close)


def least_amount(
    enough: Callable[[float], float], guess: float, least: float, most: float, close: float
) -> float | None:
    """The amount from `least` to `most` at which `enough` turns positive; None if it does not.

    `enough` rises with the logarithm of the amount, such as log(wanted / half-width), and costs much to know:
    so a good guess and few steps, until it is `close` to 0.
    """
    guess = min(max(guess, 1.2 * least), most)
    low, high = max(least, guess / 1.2), min(guess * 1.2, most)
    at_low, at_high = enough(low), enough(high)
    while at_high < 0:
        if high >= most:
            return None
        low, at_low, high = high, at_high, min(1.5 * high, most)
        at_high = enough(high)
    while at_low > 0:
        if low <= least:
            return least
        high, at_high, low = low, at_low, max(least, low / 1.5)
        at_low = enough(low)
    for _ in range(12):
        share = at_low / (at_low - at_high) if at_low < at_high else 0.5
        middle = low * (high / low) ** min(max(share, 0.1), 0.9)
        at_middle = enough(middle)
        if abs(at_middle) <= close or high / low < 1.002:
            break
        if at_middle < 0:
            low, at_low = middle, at_middle
        else:
            high, at_high = middle, at_middle
    return middle
