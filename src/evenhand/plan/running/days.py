"""`{day}` in the paths of a plan: the files of one day, of some days, or of all that are there.

The monitor takes one day after the other. An audit of the same plan is asked of which days it is to be."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date, datetime, timedelta
from glob import glob, has_magic
from pathlib import Path
from typing import Literal

from evenhand.asked.step import Step, each_path
from evenhand.errors import InputError
from evenhand.parameters import plain_path
from evenhand.plan.checking.mistakes import Mistake, PlanError
from evenhand.plan.model import InputSpec, Plan

# {day}, or written otherwise: {day:%Y/%m/%d}.
DAY = re.compile(r"\{day(?::([^{}]*))?\}")
_USUAL = "%Y-%m-%d"
_EVERY = "all"
# Days that are named where some are missing.
_MOST = 3


def is_daily(spec: InputSpec) -> bool:
    """Whether its files are of one day each."""
    return any(DAY.search(path) for path in _paths(spec))


def same_every_day(plan: Plan) -> list[Step]:
    """The audits that could be followed from day to day, but read no table of one day. Where a column says
    the day, tables have to be opened to know, and none is named here."""
    if plan.monitoring is not None and plan.monitoring.day is not None:
        return []
    return [
        step
        for step in plan.audits
        if step.follows is not None and not any(is_daily(plan.inputs[name]) for _, name in step.input_names())
    ]


def of_day(spec: InputSpec, day: date) -> InputSpec:
    """The input as it is on one day; one without {day} is the same on every day."""
    return spec.model_copy(update={"path": each_path(_written(day), spec.path)})


def of_period(spec: InputSpec, first: date, period: Literal["day", "week"], base: Path) -> InputSpec:
    """The input as it is on one day, or in the week that begins then: all seven files of it where there is a
    file a day, and else the one that has the name of the week."""
    if period == "week" and _has_a_file_a_day(there(spec, base)):
        return _several([of_day(spec, first + timedelta(number)) for number in range(7)])
    return of_day(spec, first)


def there(spec: InputSpec, base: Path) -> list[date]:
    """The days of which an input has files on this machine, the first first."""
    found = [set(_days_of(path, base)) for path in _paths(spec) if DAY.search(path)]
    return sorted(set.intersection(*found)) if found else []


def latest(spec: InputSpec, base: Path) -> InputSpec | None:
    """The input on the last day that is there, or None; one without {day} as it is."""
    if not is_daily(spec):
        return spec
    known = there(spec, base)
    return of_day(spec, known[-1]) if known else None


def over(plan: Plan, base: Path, days: str | None) -> Plan:
    """The plan with the files of these days in the place of {day}: `days` is "2026-01-01..2026-01-31", one
    date, or "all" for every day that all inputs have."""
    daily = {name: spec for name, spec in plan.inputs.items() if is_daily(spec)}
    if not daily and days is None:
        return plan
    if not daily:
        raise InputError("--days is for plans with {day} in a path, and this one reads its files whole.")
    known = {name: there(spec, base) for name, spec in daily.items()}
    if days is None:
        raise _unsaid(plan, known)
    by_week = plan.monitoring is not None and plan.monitoring.cadence == "week"
    weekly = {name for name, found in known.items() if by_week and not _has_a_file_a_day(found)}
    each = {}
    for name, spec in daily.items():
        alike = {other: found for other, found in known.items() if (other in weekly) == (name in weekly)}
        chosen = _of_all(alike) if days == _EVERY else _of_range(days, 7 if name in weekly else 1)
        local = all("://" not in path for path in _paths(spec))
        missing = [day for day in chosen if day not in known[name]] if local else []
        if missing:
            raise InputError(
                f"{name}: there is no file of {_listed(missing)}; add what is missing, or name other days "
                f"with --days{_known(known[name])}."
            )
        each[name] = _several([of_day(spec, day) for day in chosen])
    return plan.of_days(days, each)


def _has_a_file_a_day(days: Collection[date]) -> bool:
    """Whether any week has two files: one that is called by its Monday has one."""
    return len({day - timedelta(day.weekday()) for day in days}) < len(days)


def _unsaid(plan: Plan, known: Mapping[str, list[date]]) -> InputError:
    days = sorted(set.intersection(*map(set, known.values())))
    example = f"{days[0]}..{days[-1]}" if days else "2026-01-01..2026-01-31"
    number = "1 day is" if len(days) == 1 else f"{len(days):,} days are"
    said = (
        f"the path of {' and of '.join(known)} has {{day}} in it, so say which days are meant: --days "
        f"{example}, or --days all ({number} there); `evenhand monitor add` takes one day after the other"
    )
    if plan.source is None:
        return InputError(f"{said}.")
    return PlanError(plan.source, [Mistake(("inputs", next(iter(known)), "path"), said)])


def _known(days: list[date]) -> str:
    return f" (there are {len(days):,}, from {days[0]} to {days[-1]})" if days else " (there is none)"


def _of_all(known: Mapping[str, list[date]]) -> list[date]:
    """Every day that any input has; which must then have it, is told later."""
    days = sorted({day for each in known.values() for day in each})
    if not days:
        raise InputError(
            f"--days all finds no file of any day for {', '.join(known)}; check the paths, or name the days."
        )
    return days


def _of_range(days: str, step: int) -> list[date]:
    first, dots, last = days.partition("..")
    try:
        ends = date.fromisoformat(first), date.fromisoformat(last if dots else first)
    except ValueError:
        raise InputError(
            f"--days is {days!r}, but must be two dates, such as 2026-01-01..2026-01-31, one date, or all."
        ) from None
    if ends[0] > ends[1]:
        raise InputError(f"--days ends before it begins: {ends[0]} is after {ends[1]}; swap them.")
    return [ends[0] + timedelta(number) for number in range(0, (ends[1] - ends[0]).days + 1, step)]


def _paths(spec: InputSpec) -> list[str]:
    return [spec.path] if isinstance(spec.path, str) else spec.path


def _several(specs: list[InputSpec]) -> InputSpec:
    paths = [path for spec in specs for path in _paths(spec)]
    return specs[0].model_copy(update={"path": list(dict.fromkeys(paths)) if len(paths) > 1 else paths[0]})


def _written(day: date) -> Callable[[str], str]:
    return lambda path: DAY.sub(lambda found: format(day, found[1] or _USUAL), path)


def _days_of(path: str, base: Path) -> Iterator[date]:
    """The days whose files are there: found by name, and a name that is no day is not one of them."""
    if "://" in path:
        return
    whole = str(base / plain_path("a path of the plan", path))
    formats = [found[1] or _USUAL for found in DAY.finditer(whole)]
    fixed = DAY.split(whole)[::2]
    named = re.compile(
        _as_pattern(fixed[0])
        + "".join(
            f"({_as_pattern(re.sub('%.', '*', form))}){_as_pattern(rest)}"
            for form, rest in zip(formats, fixed[1:], strict=True)
        )
    )
    for file in glob(DAY.sub(lambda found: re.sub("%.", "*", found[1] or _USUAL), whole), recursive=True):
        match = named.fullmatch(file)
        day = _read(match.groups(), formats) if match else None
        if day is not None and _is(file, _written(day)(whole)):
            yield day


def _read(texts: tuple[str, ...], formats: list[str]) -> date | None:
    """The day that these parts of a name say: the first that says all of it, or all together."""
    for text, form in [*zip(texts, formats, strict=True), (" ".join(texts), " ".join(formats))]:
        if all(part in form for part in ("%Y", "%m", "%d")) or "%j" in form:
            try:
                return datetime.strptime(text, form).date()
            except (ValueError, re.error):
                continue
    return None


def _is(file: str, path: str) -> bool:
    return bool(re.fullmatch(_as_pattern(path), file)) if has_magic(path) else file == path


def _as_pattern(path: str) -> str:
    """What a glob means, as a regular expression."""
    marks = {"**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*|\?)", path)
    return "".join(marks.get(part, re.escape(part)) for part in parts)


def _listed(days: list[date]) -> str:
    named = ", ".join(map(str, days[:_MOST]))
    return f"{named} and {len(days) - _MOST} more days" if len(days) > _MOST else named
