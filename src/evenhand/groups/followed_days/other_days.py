"""Groups that come on other days than others do, while all users are served worse on some days.

On days that are bad for everybody, say weekends, a group comes more often than others. Taken together its
days are worse than those of others, though it is not served worse on any day. So beside the plain means of
all days there are those of a table of days by groups in which a day adds the same to all of its users,

    mean of group g on day d = level_d + effect_g,        by least squares, with the users of each cell,

and where the gap would be said to be something else if it were moved to that between effects, nothing is
decided. Both are over visits and not over users, so that only the days make a difference between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evenhand.arrays import Floats
from evenhand.findings import Finding, compared
from evenhand.groups.cells import Groups
from evenhand.user_days.rows import SEVERAL, UserRows

OTHER_DAYS = (
    "Groups came on other days than others did, and users were not served alike on all days. With what the "
    "days have in common taken out, all days together say something else; single days are not affected."
)
Name = tuple[str, ...]


class DayTotals(NamedTuple):
    """Users with a value on one day, and the sums of their values: groups x metrics."""

    groups: tuple[Name, ...]
    counts: Floats
    sums: Floats

    @classmethod
    def of(cls, rows: UserRows) -> DayTotals:
        there = rows.group != SEVERAL
        shape = (len(rows.groups), len(rows.columns))
        counts, sums = np.zeros(shape), np.zeros(shape)
        np.add.at(counts, rows.group[there], rows.days[there])
        np.add.at(sums, rows.group[there], rows.sums[there])
        return cls(rows.groups, counts, sums)

    def told(self) -> dict[str, Any]:
        return {"groups": self.groups, "counts": self.counts.tolist(), "sums": self.sums.tolist()}

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> DayTotals:
        return cls(tuple(map(tuple, told["groups"])), np.array(told["counts"]), np.array(told["sums"]))


def moved_by_days(days: Sequence[DayTotals], column: int) -> dict[Name, float]:
    """By group, its effect less its plain mean, up to a number that all of them have in common."""
    names = list(dict.fromkeys(name for day in days for name in day.groups))
    place = {name: number for number, name in enumerate(names)}
    counts, sums = np.zeros((len(days), len(names))), np.zeros((len(days), len(names)))
    for row, day in enumerate(days):
        at = [place[name] for name in day.groups]
        counts[row, at], sums[row, at] = day.counts[:, column], day.sums[:, column]
    visits, users = counts.sum(axis=0), counts.sum(axis=1)
    there = users > 0
    share = counts[there] / users[there, None]
    # The levels of days are put in the place of themselves, which leaves equations of the groups alone.
    normal = np.diag(visits) - counts[there].T @ share
    right = sums.sum(axis=0) - share.T @ sums[there].sum(axis=1)
    effects = np.linalg.lstsq(normal, right, rcond=1e-10)[0]
    plain = np.divide(sums.sum(axis=0), visits, out=np.zeros(len(names)), where=visits > 0)
    return dict(zip(names, (effects - plain).tolist(), strict=True))


def doubted(gap: Finding, groups: Groups, days: Sequence[DayTotals], column: int) -> Finding:
    """The gap of all days, with a doubt where its verdict hangs on who came when."""
    if gap.interval is None or len(days) < 2:
        return gap
    of_cell, visits = moved_by_days(days, column), _visits(days, column)
    moved_of = {}
    for g in range(len(groups)):
        words = [
            tuple(values[code] for values, code in zip(groups.of.values, codes, strict=True))
            for codes in groups.of.codes[groups.cells_of(g)]
        ]
        weights = [visits.get(name, 0.0) for name in words]
        parts = [of_cell.get(name, 0.0) for name in words]
        moved_of[groups.name(g)] = float(np.average(parts, weights=weights)) if sum(weights) else 0.0
    halves = gap.details["halves"]
    moved = float(np.mean([moved_of[half["highest"]] - moved_of[half["lowest"]] for half in halves]))
    doubts = gap.doubts
    if gap.tolerance is not None:
        low, high = gap.interval.low, gap.interval.high
        verdicts = {compared(max(low + by, 0.0), high + by, gap.tolerance, gap.harm) for by in (0.0, moved)}
        doubts = (*doubts, OTHER_DAYS) if len(verdicts) > 1 else doubts
    return gap.amended(doubts=doubts, details=gap.details | {"moved_by_days": moved})


def _visits(days: Sequence[DayTotals], column: int) -> dict[Name, float]:
    found: dict[Name, float] = {}
    for day in days:
        for name, count in zip(day.groups, day.counts[:, column].tolist(), strict=True):
            found[name] = found.get(name, 0.0) + count
    return found
