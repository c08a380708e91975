"""A day of a plan, read and counted: what is stored, and what is unusual about it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sqlalchemy import Row

from evenhand.arrays import Progress
from evenhand.documents import Fingerprint
from evenhand.following import CountedDay
from evenhand.monitor import records
from evenhand.monitor.days import dates
from evenhand.monitor.days.remarks import (
    Before,
    Remark,
    another_title,
    far_apart,
    few_files,
    few_rows,
    left_out,
    new_values,
    other_places,
    unpacked,
)
from evenhand.monitor.days.tables import DayTables, count, open_day
from evenhand.monitor.following_plan import FollowedPlan, other_head
from evenhand.monitor.looking import INPUTS
from evenhand.monitor.naming import monitor_name
from evenhand.monitor.whose import other_paths, refuse_other_system
from evenhand.plan import load
from evenhand.store.connecting import Store


@dataclass(frozen=True)
class CountedPlan:
    """A day as it was read, by the names of the plan's steps."""

    name: str
    followed: FollowedPlan
    label: str
    days: Mapping[str, CountedDay]
    fingerprint: str
    opened: DayTables
    titles: tuple[str, str] | None  # of the last day's plan and of this one, where they differ
    moved: tuple[str, ...] = ()  # the inputs that the last day's plan read from elsewhere

    @property
    def inputs(self) -> dict[str, Fingerprint]:
        """What it was read from, by name."""
        return {name: one for each in self.days.values() for name, one in each.inputs.items()}

    def values(self) -> dict[str, Any]:
        """What the row of a day says of it."""
        return {
            "day": self.label,
            "fingerprint": self.fingerprint,
            "inputs": INPUTS.dump_json(self.inputs).decode(),
            "version": version("evenhand"),
        }

    def remarks(self, before: Sequence[Row[Any]]) -> tuple[Remark, ...]:
        """What is unusual about its rows, beside those of the days before."""
        days = []
        for row in before:
            read = INPUTS.validate_json(row.inputs)
            rows, files = (
                {name: getattr(one, kind) for name, one in read.items()} for kind in ("rows", "files")
            )
            days.append(Before(rows, unpacked(row.remarks), files))
        apart = far_apart(before[0].day, self.label) if before else ()
        return (
            *another_title(self.titles),
            *other_places(self.moved if before else ()),
            *apart,
            *few_rows(self.inputs, self.opened.of_day, days),
            *few_files(self.inputs, self.opened.of_day, days),
            *left_out(self.opened.left_out, days),
            *new_values(self.opened.taken, days),
        )


def counted_day(
    plan: str | Path,
    store: Store,
    label: str | None,
    name: str | None,
    progress: Progress,
    renamed: bool = False,
) -> CountedPlan:
    followed = FollowedPlan.of(load(plan), Path(plan).parent)
    day_ = dates.whole_period(label, followed.period)
    called = monitor_name(plan, name)
    with store.writing() as connection:
        told = json.dumps(followed.plan.told(), ensure_ascii=False)
        found = records.made_monitor(connection, called, told, dates.stamp())
    if not renamed:
        refuse_other_system(called, found.plan, followed.plan)
    opened = open_day(followed, day_)
    days = {
        one.key: count(one, followed.base, opened, _prefixed(progress, one.key), found.secret)
        for one in followed.steps
    }
    fingerprint = records.fingerprint_of({key: each.evidence for key, each in days.items()})
    titles = None if renamed else other_head(found.plan, followed.plan, "title")
    paths = () if renamed else tuple(other_paths(found.plan, followed.plan))
    return CountedPlan(called, followed, day_.isoformat(), days, fingerprint, opened, titles, paths)


def _prefixed(progress: Progress, prefix: str) -> Progress:
    return lambda message: progress(f"{prefix}: {message}")
