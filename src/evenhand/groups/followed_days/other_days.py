"""Groups that come on other days than others do, or less often after they were served badly.

On days that are bad for everybody, say weekends, a group comes more often than others. Taken
together its days are worse than those of others, though it is not served worse on any day. So beside the
plain means of all days there are those of a table of days by groups in which a day adds the same to all of
its users,

    mean of group g on day d = level_d + effect_g,        by least squares, with the users of each cell,

and where the gap would be said to be something else if it were moved to that between effects, nothing is
decided. Both are over visits and not over users, so that only the days make a difference between them.

Users may also come less often after they were served badly (`user_days.visits`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evenhand.arrays import Floats
from evenhand.findings import Finding
from evenhand.groups.findings import Measured
from evenhand.user_days.rows import SEVERAL, UserRows
from evenhand.user_days.visits import BY_VISITS, says_otherwise

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


def doubted(gap: Finding, measured: Measured, days: Sequence[DayTotals], column: int) -> Finding:
    """The gap of all days, with a doubt where its verdict hangs on who came when, or how often."""
    if gap.interval is None or len(days) < 2:
        return gap
    groups, of_cell, totals = measured.groups, moved_by_days(days, column), _totals(days, column)
    by_days, by_visits = {}, {}
    for g in range(len(groups)):
        cells = groups.cells_of(g)
        words = [
            tuple(values[code] for values, code in zip(groups.of.values, codes, strict=True))
            for codes in groups.of.codes[cells]
        ]
        visits, sums = np.array([totals.get(name, (0.0, 0.0)) for name in words]).T
        parts = np.array([of_cell.get(name, 0.0) for name in words])
        by_users = float(measured.values[np.isin(groups.of.of_user, cells)].mean())
        there = visits.sum() > 0
        by_days[groups.name(g)] = float(parts @ visits / visits.sum()) if there else 0.0
        by_visits[groups.name(g)] = float(sums.sum() / visits.sum()) - by_users if there else 0.0
    halves, found = gap.details["halves"], list(gap.doubts)
    details = dict(gap.details)
    for of_group, name, doubt in (
        (by_days, "moved_by_days", OTHER_DAYS),
        (by_visits, "moved_by_visits", BY_VISITS),
    ):
        moved = float(np.mean([of_group[half["highest"]] - of_group[half["lowest"]] for half in halves]))
        details[name] = moved
        if says_otherwise(gap, moved):
            found.append(doubt)
    return gap.amended(doubts=tuple(found), details=details)


def _totals(days: Sequence[DayTotals], column: int) -> dict[Name, tuple[float, float]]:
    """By group, visits and the sum of their values."""
    found: dict[Name, tuple[float, float]] = {}
    for day in days:
        each = zip(day.groups, day.counts[:, column].tolist(), day.sums[:, column].tolist(), strict=True)
        for name, count, total in each:
            before = found.get(name, (0.0, 0.0))
            found[name] = before[0] + count, before[1] + total
    return found
