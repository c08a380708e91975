"""What random traffic would tell in the time that there is, against what it costs in relevance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import optimize

from evenhand.opportunity.aims import LEAST_POSITIVES, Aim
from evenhand.opportunity.expected import Traffic
from evenhand.opportunity.measures import Array

# Nobody shows more at random than by choice.
MOST_SHARE = 0.5
POINTS = 12


@dataclass(frozen=True)
class TradeOff:
    """So many days of logs with every share of random traffic, up to one half of all that is shown."""

    traffic: Traffic
    days: float
    aim: Aim

    @property
    def is_possible(self) -> bool:
        """Whether every group can be expected to have a few liked rows in every log."""
        return self.traffic.with_share(MOST_SHARE).days_until(LEAST_POSITIVES) <= self.days

    @cached_property
    def shares(self) -> Array:
        """Evenly spread on a logarithmic scale, from the least with a few liked rows of every group."""
        least = self.traffic.with_random_rows(self.traffic.random_rows_until(LEAST_POSITIVES, self.days))
        return np.geomspace(least.share, MOST_SHARE, POINTS)

    @cached_property
    def reached(self) -> list[float]:
        """Half-width, or power, with each of the shares."""
        return [self.at(share, rough=True) for share in self.shares]

    def at(self, share: float, rough: bool = False) -> float:
        return self.aim.reached(self.traffic.with_share(share), self.days, rough)

    def share_needed(self) -> float | None:
        """The least share that reaches the aim; None if one half does not."""
        assert self.aim.wanted is not None
        rows = [self.traffic.with_share(share).random_rows for share in self.shares]
        rising = np.maximum.accumulate([self.aim.evened(value) for value in self.reached])
        guess = np.exp(np.interp(self.aim.evened(self.aim.wanted), rising, np.log(rows)))
        found = self.aim.random_rows(self.traffic, self.days, float(guess), rows[-1])
        return None if found is None else self.traffic.with_random_rows(found).share

    def balanced_share(self, importance: float) -> float:
        """The share with the largest (1 - g) relevance + g accuracy, g the importance of accuracy.

        The utility of a platform by Dong and others 2024, Eq. 28. Relevance is how many of the liked rows
        that traffic without random rows would have are left.
        """

        def utility(share: float, reached: float) -> float:
            relevance = 1 - self.traffic.relevance_cost(share)
            return (1 - importance) * relevance + importance * self.aim.accuracy(reached)

        known = [utility(*point) for point in zip(self.shares, self.reached, strict=True)]
        best = int(np.argmax(known))
        low, high = np.log(self.shares[[max(best - 1, 0), min(best + 1, POINTS - 1)]])
        between = optimize.minimize_scalar(
            lambda at: -utility(np.exp(at), self.at(np.exp(at), rough=True)),
            bounds=(low, high),
            method="bounded",
            options={"xatol": 0.01},
        )
        return float(np.exp(between.x) if -between.fun > known[best] else self.shares[best])
