"""Years in which something changes after two weeks or more, and whether it is flagged within the days that
were promised on the day before, which the first two weeks tell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibration.following_worlds import (
    EXPOSED,
    GAP,
    LEVEL,
    TOLERANCE,
    ExposureYear,
    GroupsYear,
    OpportunityYear,
    People,
    around,
    flags_of_exposure,
    flags_of_groups,
    flags_of_opportunity,
    reciprocal_ranks,
)
from calibration.opportunity_worlds import tilted
from calibration.series_worlds import counts_of, timeline_of
from evenhand.exposure.followed_days import waiting as of_exposure
from evenhand.exposure.followed_days.counting import question_of as exposure_question
from evenhand.exposure.followed_days.kept_day import ExposureDay, OfPolicy
from evenhand.following import SoFar
from evenhand.groups.followed_days import waiting as of_groups
from evenhand.groups.followed_days.counting import GroupsDay
from evenhand.groups.followed_days.counting import question_of as groups_question
from evenhand.opportunity.over_time import every_day
from evenhand.opportunity.over_time import waiting as of_opportunity
from evenhand.user_days.rows import UserRows

BEFORE, AFTER = 14, 60
# By reading: what was promised, and the looks that saw it.
Seen = dict[str, tuple[int | None, list[int]]]
OF_GROUPS = groups_question({"attributes": "g", "metric": "v", "bounds": [0, 1], "tolerance": GAP}, 0)
OF_EXPOSURE = exposure_question({"tolerance": EXPOSED})


def opportunity(size: float, in_a_row: int, before: int, rng: np.random.Generator) -> Seen:
    """The penalty goes from .03 to `size`."""
    year = OpportunityYear(lambda day: tilted(4, 0.03 if day < before else size), days=before + AFTER)
    days = list(year.draw(rng))
    default, random = zip(*days[:BEFORE], strict=True)
    timeline = timeline_of(default, random, np.eye(BEFORE, dtype=bool), 1)
    told = of_opportunity.days_until_flagged(
        timeline, size, TOLERANCE, LEVEL, in_a_row, SoFar(before, before)
    )
    flags = flags_of_opportunity(days)
    return {"daily": (told.daily, flags["daily"]), "running": (told.running, flags["running"])}


def small_traffic(size: float, in_a_row: int, before: int, rng: np.random.Generator) -> Seen:
    """Two groups of items, and a day of 1,300 clicks, and 150 on random traffic: an interval of one day
    reaches nearly from 0 to .5. The penalty has the size in question from the first day on."""
    shown, days = tilted(2, size), []
    for _ in range(before + AFTER):
        clicks = rng.poisson(1.1 * shown, (600, 2)), rng.poisson(0.125, (600, 2))
        days.append([counts_of(("a", "b"), log, 7 * log.sum()) for log in clicks])
    default, random = zip(*days[:BEFORE], strict=True)
    timeline = timeline_of(default, random, np.eye(BEFORE, dtype=bool), 1)
    told = of_opportunity.days_until_flagged(
        timeline, size, TOLERANCE, LEVEL, in_a_row, SoFar(before, before)
    )
    default, random = zip(*days, strict=True)
    year = timeline_of(default, random, np.eye(len(days), dtype=bool), 1)
    held = {day: every_day.on_day(year, year.day(day), day + 1, LEVEL) for day in range(before, len(days))}
    flags = [day for day, one in held.items() if one is not None and one.penalty[0] > TOLERANCE]
    return {"daily": (told.daily, flags)}


def groups(size: float, in_a_row: int, before: int, rng: np.random.Generator) -> Seen:
    """The gap of the last group goes from .02 to `size`."""
    then = np.array([1, 1, 1, (0.3 - size) / 0.28])
    year = GroupsYear(
        (0.3, 0.3, 0.3, 0.28), (0.3, 0.3, 0.2, 0.2), around, reciprocal_ranks, People(users=4000),
        served=lambda day: np.ones(4) if day < before else then, days=before + AFTER,
    )  # fmt: skip
    days = list(year.draw(rng))
    names = tuple((name,) for name in "abcd")
    kept = [
        GroupsDay(UserRows.of(who, b"key", names, group, {"v": values}), {"v": (0.0, 1.0)})
        for who, group, values in days[:BEFORE]
    ]
    told = of_groups.days_until_flagged(OF_GROUPS, kept, size, in_a_row, SoFar(before, before))["v"]
    flags = flags_of_groups(days)
    return {reading: (told[reading], flags[reading]) for reading in ("daily", "pooled")}


def exposure(size: float, in_a_row: int, before: int, rng: np.random.Generator) -> Seen:
    """What one user group is shown of one group of items goes from what is asked for to `size` more."""
    then = np.array([[1.0, 1 + size, 1.0], [1.0, 1.0, 1.0]])
    year = ExposureYear(lambda day: np.ones((2, 3)) if day < before else then, days=before + AFTER)
    days = list(year.draw(rng))
    policy = OfPolicy({}, 1.0, (), (), True, {})
    kept = []
    for who, group, cells in days[:BEFORE]:
        columns = {str(place): column for place, column in enumerate(cells.T)}
        rows = UserRows.of(who, b"key", (("m",), ("f",)), group, columns)
        kept.append(ExposureDay(rows, ("x", "y", "z"), year.sizes, (policy,)))
    so_far = SoFar(before, before)
    told = of_exposure.days_until_flagged(OF_EXPOSURE, kept, size, in_a_row, so_far=so_far)["m", "y"]
    flags = flags_of_exposure(days)
    return {reading: (told[reading], flags[reading]) for reading in ("daily", "pooled")}


CHANGES: dict[str, tuple[Callable[[float, int, int, np.random.Generator], Seen], float]] = {
    "opportunity, .25 for .11": (opportunity, 0.25),
    "opportunity, .35 for .11": (opportunity, 0.35),
    "opportunity, small traffic, .17 for .11": (small_traffic, 1.5 * TOLERANCE),
    "opportunity, small traffic, .28 for .11": (small_traffic, 2.5 * TOLERANCE),
    "opportunity, small traffic, .44 for .11": (small_traffic, 4 * TOLERANCE),
    "groups, .12 for .05": (groups, 0.12),
    "groups, .15 for .05": (groups, 0.15),
    "exposure, .5 for .3": (exposure, 0.5),
    "exposure, .57 for .3": (exposure, 0.57),
}


def promises(
    name: str, years: int, in_a_row: int = 1, first: int = 0, before: int = BEFORE
) -> dict[str, dict[str, list[int]]]:
    """By reading, in years in which something within `AFTER` days was promised: how many, and after how many
    days there was a flag (`AFTER` + 1 where there was none)."""
    change, size = CHANGES[name]
    found: dict[str, dict[str, list[int]]] = {}
    for year in range(first, first + years):
        seen = change(size, in_a_row, before, np.random.default_rng([11, year]))
        for reading, (promised, looks) in seen.items():
            told = found.setdefault(reading, {"promised": [], "took": []})
            if promised is not None and promised <= AFTER:
                told["promised"].append(promised)
                told["took"].append(_took(looks, in_a_row, before))
    return found


def _took(looks: list[int], in_a_row: int, before: int) -> int:
    there = {look for look in looks if look >= before}
    for last in range(before, before + AFTER):
        if all(last - earlier in there for earlier in range(in_a_row)):
            return last - before + 1
    return AFTER + 1
