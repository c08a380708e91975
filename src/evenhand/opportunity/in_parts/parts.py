"""The same audit of users who are put into parts at random: from counts by bucket, no log is read again.

A hash of the id decides in which of 1,024 buckets a user is, whatever the user is shown or likes. So buckets
that are put into parts at random are users put into parts at random, each with all rows, and the counts of a
part are those of its buckets. Users of one bucket stay together, which makes a part no less a random one: it
has half as many clusters as a log of its size would have, and hardly wider intervals for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from evenhand.findings import Finding
from evenhand.opportunity.evidence import LogCounts

Buckets = NDArray[np.int64]
Findings = tuple[Finding, ...]
Arms = Mapping[str, LogCounts]


@dataclass(frozen=True)
class HalfLogs:
    """An audit of one system, asked of each half of its users: what differs between the halves is chance."""

    counted: Mapping[str, LogCounts]
    found: Callable[[Mapping[str, LogCounts]], Findings]
    of_a_change: bool = False

    def findings(self, order: Buckets) -> list[Findings]:
        """Those of each half, where the buckets are in this order."""
        halves = np.array_split(order, 2)
        return [self.found({name: log.of(half) for name, log in self.counted.items()}) for half in halves]

    def whole(self) -> Findings:
        return self.found(self.counted)


@dataclass(frozen=True)
class ArmsAtRandom:
    """Comparisons, each asked of arms among which all their users are dealt out anew: no arm can differ."""

    comparisons: Mapping[str, Arms]
    found: Callable[[Mapping[str, Arms]], Findings]
    of_a_change: bool = True

    def findings(self, order: Buckets) -> list[Findings]:
        """Those of arms that have as many of the rows as before. Every comparison has an order of its own,
        which follows from this one: a second one must not have the arms of the first."""
        orders = [
            np.random.default_rng([place, *order.tolist()]).permutation(len(order))
            for place in range(len(self.comparisons))
        ]
        dealt = zip(self.comparisons.items(), orders, strict=True)
        return [self.found({name: _dealt_out(arms, buckets) for (name, arms), buckets in dealt})]

    def whole(self) -> Findings:
        return self.found(self.comparisons)


def _dealt_out(arms: Arms, order: Buckets) -> dict[str, LogCounts]:
    """All users of the arms in arms of the same shares of rows, where the buckets are in this order."""
    everybody, ends = reduce(add, arms.values()), np.cumsum(buckets_of(arms, len(order)))[:-1]
    return {arm: everybody.of(part) for arm, part in zip(arms, np.split(order, ends), strict=True)}


def buckets_of(arms: Arms, buckets: int = 1024) -> list[int]:
    """How many buckets of users each arm is dealt, by its share of all rows."""
    rows = np.array([log.total for log in arms.values()], dtype=float)
    ends = np.rint(buckets * rows.cumsum() / rows.sum()).astype(int)
    return [int(one) for one in np.diff(ends, prepend=0)]
