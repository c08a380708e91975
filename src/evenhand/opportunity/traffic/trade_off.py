"""What random traffic would tell in the time that there is, against what it costs in relevance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import optimize

from evenhand.opportunity.measures import Array
from evenhand.opportunity.traffic.aims import LEAST_POSITIVES, LEAST_RANDOM, Aim
from evenhand.opportunity.traffic.expected import Traffic

# Nobody shows more at random than by choice.
MOST_SHARE = 0.5
POINTS = 12


@dataclass(frozen=True)
class TradeOff:
    """So many days of logs with every share of random traffic, up to one half of all that is shown."""

    traffic: Traffic
    days: float
    aim: Aim
    _known: dict[float, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def is_possible(self) -> bool:
        """Whether every group can be expected to have a few liked rows in every log."""
        most = self.traffic.with_share(MOST_SHARE)
        return most.days_until(LEAST_POSITIVES, LEAST_RANDOM) <= self.days

    @cached_property
    def shares(self) -> Array:
        """Evenly spread on a logarithmic scale, from the least with a few liked rows of every group."""
        least = self.traffic.with_random_rows(self.traffic.random_rows_until(LEAST_RANDOM, self.days))
        return np.geomspace(least.share, MOST_SHARE, POINTS)

    @cached_property
    def reached(self) -> list[float]:
        """Half-width, or power, with each of the shares."""
        return [self.at(share) for share in self.shares]

    def at(self, share: float) -> float:
        if share not in self._known:
            self._known[share] = self.aim.reached(self.traffic.with_share(share), self.days)
        return self._known[share]

    def share_needed(self) -> float | None:
        """The least share that reaches the aim; None if one half does not."""
        assert self.aim.wanted is not None
        rows = [self.traffic.with_share(share).random_rows for share in self.shares]
        rising = np.maximum.accumulate([self.aim.evened(value) for value in self.reached])
        guess = np.exp(np.interp(self.aim.evened(self.aim.wanted), rising, np.log(rows)))
        found = self.aim.random_rows(self.traffic, self.days, float(guess), rows[-1])
        return None if found is None else self.traffic.with_random_rows(found).share

    def utility(self, share: float, importance: float) -> float:
        """(1 - g) relevance + g accuracy, g the importance of accuracy.

        The utility of a platform by Dong and others 2024, Eq. 28. Relevance is how many of the liked rows
        that traffic without random rows would have are left.
        """
        relevance = 1 - self.traffic.relevance_cost(share)
        return (1 - importance) * relevance + importance * self.aim.accuracy(self.at(share))

    def balanced_share(self, importance: float, named: Iterable[float] = ()) -> float:
        """The share with the largest utility, and one with no less of it than any that is `named`."""
        best = int(np.argmax([self.utility(share, importance) for share in self.shares]))
        low, high = np.log(self.shares[[max(best - 1, 0), min(best + 1, POINTS - 1)]])
        between = optimize.minimize_scalar(
            lambda at: -self.utility(float(np.exp(at)), importance),
            bounds=(low, high),
            method="bounded",
            options={"xatol": 0.01},
        )
        # The utility has steps, as a power is a share of draws: what a search ends with need not be best.
        inside = [share for share in named if self.shares[0] <= share <= MOST_SHARE]
        candidates = [float(self.shares[best]), float(np.exp(between.x)), *inside]
        return max(candidates, key=lambda share: self.utility(share, importance))
