"""Series against random traffic that draws some pairs up to ten times as often as others of their group."""

from dataclasses import replace

import numpy as np

from calibration.series_worlds import CHANGES, JUMPS, YEAR, YEARS, Days, even

# How often pairs of a class are drawn, beside uniform traffic, and which part of a group's liked pairs it
# is: groups at the start lean to what is drawn often, those at the end to what is drawn rarely.
DRAWN = np.array([2.5, 1.0, 0.5, 0.25])
FIRST, LAST = np.array([0.45, 0.25, 0.2, 0.1]), np.array([0.1, 0.2, 0.25, 0.45])
# All pairs of a group may be drawn more often, too: from group to group up to three times.
MOST, LEAST = 1.5, 0.5


def unequal(world: Days) -> Days:
    """The same world, with random traffic drawn by class and group."""
    along = np.linspace(0, 1, len(world.p))[:, None]
    drawn = (MOST + (LEAST - MOST) * along) * DRAWN
    return replace(world, shares=(FIRST + (LAST - FIRST) * along)[None], drawn=drawn[None])


def changed_sampler(times: float) -> Days:
    """A fair year, windows of 7 days; in its second half every other group is drawn `times` as often."""
    world = unequal(YEARS["4 groups, h = 0, window of 7 days"])
    later = (np.arange(YEAR) >= YEAR // 2)[:, None, None]
    every_other = (np.arange(len(world.p)) % 2 == 0)[:, None]
    return replace(world, drawn=world.drawn * np.where(later & every_other, times, 1.0))


WEIGHTED_YEARS = {
    **{
        f"{name}, weighted": unequal(YEARS[name])
        for name in (
            *(f"{groups} groups, h = 0" for groups in (2, 4, 8)),
            *(f"{groups} groups, h = 0.1" for groups in (2, 4)),
            "4 groups, h = 0, plenty of random traffic",
            "4 groups, the penalty swings from 0 to .3",
            *(name for name in YEARS if "window" in name),
        )
    },
    "a rare group, served .6, weighted": unequal(
        replace(YEARS["a rare group, served .6"], random_rows=100_000)
    ),
    "4 groups, window of 7 days, half are drawn 3 times as often later": changed_sampler(3),
    "4 groups, window of 7 days, half are drawn .1 times as often later": changed_sampler(0.1),
}
# What holds here is so near to 95% that 1,000 runs, with a standard error of .7, may be on the wrong side.
CLOSE = [name for name in WEIGHTED_YEARS if "h = 0, window of 7 days" in name]
# One day, whose window holds few random positives of the group that is drawn least.
FIRST_DAYS = {
    **{
        f"{groups} groups, {rows:,} random rows": unequal(even(groups, 0, days=1, window=7, random_rows=rows))
        for groups in (2, 4)
        for rows in (1_500, 3_000, 6_000, 12_000)
    },
    "2 groups, 300 uniform random rows": even(2, 0, days=1, window=7, random_rows=300),
    "4 groups, 600 uniform random rows": even(4, 0, days=1, window=7, random_rows=600),
}


def least_effective(world: Days) -> float:
    """Expected positives of equal weight that would be as good, of the group that has the fewest."""
    return float((world.random_rows * world.p / (world.shares / world.drawn).sum(axis=-1)).min())


WEIGHTED_CHANGES = {f"{name}, weighted": unequal(world) for name, world in CHANGES.items()}
WEIGHTED_JUMPS = {
    f"{name}, weighted": unequal(JUMPS[name])
    for name in ("4 groups, between 0 and .2", "4 groups, between 0 and .3, windows of 2 days")
}
