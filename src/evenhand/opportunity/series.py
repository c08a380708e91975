"""Opportunity over time: every day of a default log against random traffic, and what changes between days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.findings import Exclusion
from evenhand.opportunity import calendar
from evenhand.opportunity.calendar import Calendar, Period
from evenhand.opportunity.counting import Missing, Question
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.preparation import (
    Prepared,
    check_level,
    check_tolerance,
    line_up,
    same_types,
    unidentifiable,
    user_column,
)
from evenhand.opportunity.series_findings import findings_of
from evenhand.opportunity.timeline import Timeline
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of

FEWEST = 2


def series(
    default: Any,
    random: Any,
    label: str | Sequence[str],
    group: str,
    day: str,
    cluster: str | None = None,
    level: float = 0.95,
    tolerance: float | None = 1 / 9,
    rng: int | np.random.Generator = 0,
    *,
    period: Period = "day",
    window: int | None = None,
    baseline: int = 1,
    attributes: Any = None,
    on: str | Sequence[str] | None = None,
    missing: Missing = "refuse",
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Follow equal opportunity from day to day; arguments that `audit` has mean the same here.

    `day` is a column of the default log: dates, times, text such as 2024-04-18, or numbers of days. `period` is
    "day" or "week" (from Monday). All days are held against the whole random log, or with `window` each against
    the random traffic of its own and the `window` - 1 periods before, for which the random log needs the column
    too. Changes are against the period before, and against the first `baseline` periods together.

    Findings: `running_penalty` (all traffic up to the last day), `daily_penalty`, `daily_relative_utility` for
    each group and `daily_worst_ratio` (of the day that decides), `penalty_change` against the day before and
    against the baseline. Each has all its days in `details["series"]`, with two intervals: `fixed` holds for
    that day alone, `low` and `high` for every day at once, however many follow. Verdicts rest on the second.
    """
    check_level(level)
    check_tolerance(tolerance)
    _check_periods(period, window, baseline)
    seed = seed_of(rng)
    question = Question.of(label, group, cluster, attributes, on, missing)
    default = inputs.table(default, name="default log", engine=engine)
    if random is None:
        question.joined(default).require(day)
        findings = unidentifiable("series", "daily_penalty", {"by": group})
        return AuditResult(findings, {"default": default.fingerprint()}, seed)
    random = inputs.table(random, name="random log", engine=engine)
    timeline = _timeline(default, random, question, day, period, window, progress)
    if baseline >= len(timeline):
        raise InputError(
            f"baseline is {baseline}, but there are only {len(timeline)} {period}s with rows; nothing would be "
            "left to compare with it."
        )
    findings = findings_of(timeline, level, tolerance, baseline, seed, progress)
    return AuditResult(findings, timeline.prepared.fingerprints, seed)


def _check_periods(period: str, window: int | None, baseline: int) -> None:
    if period not in ("day", "week"):
        raise InputError(f"period is {period!r}, but must be 'day' or 'week'.")
    if window is not None and not (isinstance(window, int) and window >= 1):
        raise InputError(f"window is {window!r}, but must be a whole number of {period}s from 1, or None.")
    if not (isinstance(baseline, int) and baseline >= 1):
        raise InputError(f"baseline is {baseline!r}, but must be a whole number of {period}s from 1.")


def _timeline(
    default: inputs.Table,
    random: inputs.Table,
    question: Question,
    day: str,
    period: Period,
    window: int | None,
    progress: Callable[[str], None],
) -> Timeline:
    """Count both logs once, by day where that is needed, and line the counts up."""
    inputs.same_label_definition(default, random)
    inputs.different_data(default, random)
    if day in (*question.labels, question.group, question.cluster):
        raise InputError(f"{day!r} is the day and something else too; they must be different columns.")
    if window is not None and day not in random.columns:
        raise InputError(
            f"window is {window}, but the random log has no column {day!r} to find its days by; add it, or "
            "leave window out to hold all days against the whole random log."
        )
    progress("counting default log")
    by_value, of_default = question.count_days(default, day, calendar.day_key(default, day))
    days, dated = calendar.read_days(by_value, default.name, day)
    if period == "week" and not dated:
        raise InputError(f"period is 'week', but column {day!r} holds numbers of days; weeks need dates.")
    kept = Calendar(dated, period)
    logs = calendar.by_period(days, kept)
    if len(logs) < FEWEST:
        raise InputError(
            f"default log: column {day!r} has only one {period}, {kept.label(min(logs))}; a series needs at "
            f"least {FEWEST}. One {period} alone is what opportunity.audit is for."
        )
    progress("counting random log")
    if day in random.columns:
        random_by_value, of_random = question.count_days(random, day, calendar.day_key(random, day))
        random_days, random_dated = calendar.read_days(random_by_value, random.name, day)
        if dated != random_dated:
            raise InputError(
                f"column {day!r} holds {'dates' if dated else 'numbers of days'} in the default log but "
                f"{'dates' if random_dated else 'numbers of days'} in the random log; write it in the same way."
            )
        parts = calendar.by_period(random_days, kept)
    else:
        whole, of_random = question.count(random)
        parts = {min(logs): whole}
    same_types([default, random], question)
    fingerprints = {"default": of_default, "random": of_random}
    if question.attributes is not None:
        fingerprints[question.attributes.name] = question.attributes.fingerprint()
    notes = _notes(days, parts, kept, dated_random=day in random.columns, window=window)
    used, within = _windows(logs, parts, kept, window)
    prepared = line_up(
        {"default": reduce(add, logs.values())}, reduce(add, used), question.group, fingerprints,
        cluster=question.cluster, user_column=user_column(random),
    )  # fmt: skip
    return _lined_up(prepared, kept, logs, used, within, window, notes, parts)


def _windows(
    logs: dict[int, LogCounts], parts: dict[int, LogCounts], kept: Calendar, window: int | None
) -> tuple[list[LogCounts], np.ndarray]:
    """The parts of the random log that are used, and which period uses which."""
    if window is None:
        return [reduce(add, parts.values())], np.ones((len(logs), 1), dtype=bool)
    ages = np.subtract.outer(list(logs), list(parts)) // kept.step
    within = (ages >= 0) & (ages < window)
    used = within.any(axis=0)
    if not used.any():
        raise InputError(
            f"none of the {sum(part.total for part in parts.values()):,} rows of the random log is in the "
            f"window of a {kept.period} of the default log: random traffic is from {kept.label(min(parts))} to "
            f"{kept.label(max(parts))}, default traffic from {kept.label(min(logs))} to {kept.label(max(logs))}."
        )
    return [part for part, is_used in zip(parts.values(), used, strict=True) if is_used], within[:, used]


def _notes(
    days: dict[int, LogCounts],
    parts: dict[int, LogCounts],
    kept: Calendar,
    *,
    dated_random: bool,
    window: int | None,
) -> list[str]:
    """What must be said of the days."""
    said = []
    periods = sorted({kept.start(day) for day in days})
    if gaps := kept.missing(periods):
        said.append(
            f"The default log has no row on {len(gaps)} of the {len(gaps) + len(periods)} {kept.period}s from "
            f"{kept.label(periods[0])} to {kept.label(periods[-1])}: {calendar.listed(gaps, kept)}. Nothing is "
            f"said about them, and the change after a gap is against the last {kept.period} before it."
        )
    if kept.period == "week" and (short := calendar.cut_short(days, kept)):
        said.append(f"Not every day of these weeks has rows: {calendar.listed(short, kept)}.")
    outside = {p: part.total for p, part in parts.items() if not periods[0] <= p <= periods[-1]}
    if dated_random and window is None and outside:
        total = sum(part.total for part in parts.values())
        said.append(
            f"{sum(outside.values()):,} of {total:,} rows of the random log are from {kept.period}s outside the "
            f"default log's ({calendar.listed(sorted(outside), kept)}). They are used: name a window to hold "
            "each day against its own random traffic."
        )
    return said


def _lined_up(
    prepared: Prepared,
    kept: Calendar,
    logs: dict[int, LogCounts],
    used: list[LogCounts],
    within: np.ndarray,
    window: int | None,
    notes: list[str],
    parts: dict[int, LogCounts],
) -> Timeline:
    groups = prepared.random.groups
    default = [log.over(groups) for log in logs.values()]
    random = [part.over(groups) for part in used]
    excluded = prepared.excluded
    left = sum(part.total for part in parts.values()) - sum(part.total for part in used)
    if left:
        excluded += (
            Exclusion(
                what="rows of the random log", count=left, why="in no window of the default log's days"
            ),
        )
    updated = Prepared(
        **(vars(prepared) | {"excluded": excluded, "warnings": (*notes, *prepared.warnings)}),
    )
    return Timeline(
        calendar=kept,
        prepared=updated,
        periods=tuple(logs),
        positives=np.stack([log.positives for log in default]),
        rows=np.stack([log.rows.sum(axis=0) for log in default]),
        random_positives=np.stack([part.positives for part in random]),
        random_rows=np.stack([part.rows.sum(axis=0) for part in random]),
        within=within,
        window=window,
    )
