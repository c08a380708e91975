"""The tables of a plan as they are on one day."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.following import CountedDay
from evenhand.monitor.days.dates import now
from evenhand.monitor.following_plan import FollowedPlan, FollowedStep
from evenhand.plan.model import InputSpec
from evenhand.plan.running import days
from evenhand.plan.running.opening import located, open_input
from evenhand.plan.running.taken import Taken, taken
from evenhand.plan.running.untaken import LeftOut, untaken


@dataclass(frozen=True)
class DayTables:
    """The open tables, which of them hold this day alone, what no input takes of its files, and what the
    inputs took by `not`."""

    tables: dict[str, inputs.Table]
    of_day: frozenset[str]
    left_out: tuple[LeftOut, ...]
    taken: tuple[Taken, ...] = ()


def open_day(followed: FollowedPlan, day: date) -> DayTables:
    """The tables that the plan's followed audits read. One whose path has {day} is that day's; of one that
    has the column of the day, those rows are; others are the same on every day."""
    specs = {
        name: days.of_period(spec, day, followed.period, followed.base)
        for name, spec in followed.plan.inputs.items()
    }
    of_day = {name for name in followed.input_names if days.is_daily(followed.plan.inputs[name])}
    tables = _opened({name: specs[name] for name in followed.input_names}, followed, day)
    left_out = untaken(specs, followed.base, followed.plan.engine, of_day)
    tables = inputs.renamed(tables, followed.plan.columns or {})
    column = followed.day_column
    if column is not None:
        for name, table in tables.items():
            if column in table.columns:
                tables[name] = inputs.rows_of_days(table, column, day, 7 if followed.period == "week" else 1)
                of_day.add(name)
    if not of_day:
        raise InputError(
            "Nothing of this plan is of one day: write {day} into the path of its logs, such as "
            'path = "logs/{day}.parquet", or name the column of the day: [monitoring] day = "day".'
        )
    unnamed = taken(specs, {name: tables[name] for name in sorted(of_day)}, followed.plan.columns)
    return DayTables(tables, frozenset(of_day), tuple(left_out), tuple(unnamed))


def _opened(specs: Mapping[str, InputSpec], followed: FollowedPlan, day: date) -> dict[str, inputs.Table]:
    """The tables, or everything that is wrong with them: files of a day that are not there come together."""
    tables, wrong = {}, dict[str, list[str]]()
    for name, spec in specs.items():
        try:
            # A rare answer may be away for a day.
            tables[name] = open_input(name, spec, followed.base, followed.plan.engine, every_value=False)
        except InputError as error:
            wrong.setdefault(str(error).removeprefix(f"{name}: "), []).append(name)
    if wrong:
        over = f" By UTC {day} is not over yet: were its files written?" if day >= now().date() else ""
        # Parts of one log lack the same file.
        said = (f"{' and '.join(names)}: {what}" for what, names in wrong.items())
        raise InputError(" ".join(said) + over)
    return tables


def count(
    one: FollowedStep, base: Path, opened: DayTables, progress: Callable[[str], None], key: bytes
) -> CountedDay:
    """The evidence of a step of a plan in the folder `base`."""
    step = one.step.at_home(lambda path: located(path, base, opened.tables))
    step.check(opened.tables)
    daily = {key.partition(".")[0] for key, name in step.input_names() if name in opened.of_day}
    return one.following.count(step.arguments(opened.tables), daily, progress, key)
