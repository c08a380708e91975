"""What the interval of the largest gap would be with more users of the same groups."""

from __future__ import annotations

from functools import cache

import numpy as np

from evenhand.arrays import Floats
from evenhand.groups.cells import Groups
from evenhand.groups.confirmation import Confirmation
from evenhand.groups.evidence import Moments, cell_moments, group_moments
from evenhand.groups.measures import largest_gap, most_gap, simultaneous_intervals
from evenhand.more_data import LimitsAt
from evenhand.stats.means.bounded import reaches_with_more_values


def gap_limits_at(
    groups: Groups, values: Floats, bounds: tuple[float, float] | None, confirmed: Confirmation, level: float,
    seed: int,
) -> LimitsAt:  # fmt: skip
    """Below by split halves, above by the intervals of all groups.

    Means of small groups are far apart by chance, which more users end. So the means are moved together until
    their gap is the confirmed one, and only how far their intervals reach is taken from the data.
    """
    one_sided = (1 + level) / 2
    estimate = max(0.0, confirmed.estimate)

    @cache
    def now() -> tuple[Moments, tuple[Floats, Floats]]:
        means = group_moments(groups, cell_moments(groups.of, values))
        low, high = simultaneous_intervals(
            groups, values, one_sided, bounds, np.random.default_rng([seed, 2])
        )
        return means, (means.mean - low, high - means.mean)

    def limits_at(times: float) -> tuple[float, float]:
        means, reaches = now()
        below, above = (
            reaches_with_more_values(
                reach, means.squares / means.n, means.n, (1 - one_sided) / len(groups), times
            )
            for reach in reaches
        )
        gap = largest_gap(means).size
        together = means.mean * (min(1.0, estimate / gap) if gap > 0 else 0.0)
        low, high = (estimate + limit - confirmed.estimate for limit in confirmed.limits_at(times))
        return low, max(most_gap(together - below, together + above), high)

    return limits_at
