"""Are the means of the groups equal? Three ways in which chance alone could have made them differ.

Users may be alike in everything, whatever their group: shuffle them (`stats.permutation`; exact). Or groups
may have one mean, each with a shape of its own: resample them so (`stats.equal_means`; an approximation, near
where groups have some tens of users). Or chance may have left out the few of a group who are at an end of the
range, where that is known. Groups differ in their means if none of these would give this: the p-value is the
largest. Where a value can only be one of two, a mean is all there is to a shape, and the exact test is
enough. Where it merely was one of two so far, it is not: beside a group with hits at the fifth place, one
that has none may have missed those at the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Floats
from evenhand.groups.cells import Groups
from evenhand.stats.means.equal_means import bootstrap_at_equal_means
from evenhand.stats.means.permutation import SPREAD, Partition, Shuffles, shuffle

EXACT = "The p-value takes users as alike but for their group. With two values that is a test of the means."
OWN_SHAPES = (
    "The p-value is about means: the larger of two, one with users alike in everything, one with groups of "
    "one mean and a shape each. The second is an approximation."
)
LEFT_OUT = (
    "The p-value is about means: the largest of three, one with users alike in everything, one with groups "
    "of one mean and a shape each, one with groups whose few users at an end of the range chance left out. "
    "The last two are approximations."
)
UNBOUNDED = " What users could have had at most is taken from what was seen, as no bounds are known."
ANY_DIFFERENCE = (
    "Groups overlap, so there is no test of their means alone. Shuffling users tests whether groups differ "
    "in any way, which may be how users spread and not how well they are served."
)


@dataclass(frozen=True)
class MeansTest:
    """Shuffles, and resamples at equal means where those ask for something else."""

    shuffles: Shuffles
    resamples: tuple[Shuffles, ...]
    overlapping: bool
    ends: tuple[float, float]
    assumption: str

    def p_value(self, statistic: int) -> float | None:
        """Of equal means; None where groups overlap, since a shuffle alone answers to shapes as well."""
        if self.overlapping:
            return None
        return max(way.p_value(statistic) for way in (self.shuffles, *self.resamples))

    @property
    def q_at_equal_means(self) -> Floats:
        """Cochran's Q when means are equal, in the way in which it is largest."""
        ways = [way.shuffled[:, SPREAD] for way in (self.shuffles, *self.resamples)]
        return max(ways, key=lambda q: float(q.mean()))


def compare_means(
    groups: Groups,
    values: Floats,
    bounds: tuple[float, float] | None,
    *,
    most: int,
    seed: int,
    progress: Callable[[int, int], None],
) -> MeansTest:
    """`bounds` are where a value can lie at all; if that is unknown, where values were seen."""
    order = np.argsort(groups.of.of_user, kind="stable")
    partition = Partition(np.concatenate([[0], np.cumsum(groups.of.sizes)]), groups.offsets, groups.cells)
    ends = (float(values.min()), float(values.max())) if bounds is None else bounds
    sorted_values = values[order]
    shuffles = shuffle(sorted_values, partition, ends, most=most, seed=seed, progress=progress)
    if bool((groups.codes < 0).any()):
        return MeansTest(shuffles, (), True, ends, ANY_DIFFERENCE)
    unknown = UNBOUNDED if bounds is None else ""
    if ((values == ends[0]) | (values == ends[1])).all():
        return MeansTest(shuffles, (), False, ends, EXACT + unknown)
    # How far the furthest of all users is, in place of bounds, says nothing of what a group may have missed.
    ways = (False,) if bounds is None else (False, True)
    resamples = tuple(
        bootstrap_at_equal_means(sorted_values, partition, ends, shuffles, seed=seed, left_out=left_out)
        for left_out in ways
    )
    return MeansTest(shuffles, resamples, False, ends, OWN_SHAPES + unknown if bounds is None else LEFT_OUT)
