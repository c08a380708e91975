"""From two logs to the counts of a series: which days there are, and the random traffic of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np

from evenhand import inputs
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.findings import Exclusion
from evenhand.opportunity.evidence import Array, LogCounts, effective
from evenhand.opportunity.logs import calendar
from evenhand.opportunity.logs.calendar import Calendar, Period
from evenhand.opportunity.logs.cautions import roughly
from evenhand.opportunity.logs.counting import Question
from evenhand.opportunity.logs.preparation import known_columns, line_up, same_types
from evenhand.opportunity.logs.weighting import TOO_NARROW, hang_on_few
from evenhand.opportunity.over_time.day_counting import count_days
from evenhand.opportunity.over_time.timeline import Days, Timeline, Window
from evenhand.opportunity.random_log.tastes import change_of_shares
from evenhand.parameters import shown

Counted = dict[int, LogCounts]  # by period
# The same weekday of so many weeks, the own one among them.
WEEKS = 4
# A change of what users like that would come by chance at most so often is said.
CHANGED = 0.05
CHANGING = (
    "what users like changes among the {period}s whose random traffic a {period} is held against, so that it "
    "may look unfair, or fair, by that alone"
)
WITHOUT_DAYS = (
    "The random log has no column {day!r}, so that every {period} is held against all of it, and nothing can "
    "tell whether what users like changed meanwhile: if it did, a system that is fair on every {period} may "
    "look unfair. Write the {period} of random traffic down."
)


def prepare_series(
    default: inputs.Table,
    random: inputs.Table,
    question: Question,
    day: str,
    period: Period,
    window: Window,
    progress: Callable[[str], None],
) -> Timeline:
    """Count both logs once, by day, and line the counts up."""
    inputs.same_label_definition(default, random)
    inputs.different_data(default, random)
    if day in (*question.labels, *question.groups, *question.clusters, question.probability):
        raise InputError(f"{day!r} is the day and something else too; they must be different columns.")
    in_random = day in random.columns
    if window not in (None, "all") and not in_random:
        raise InputError(
            f"window is {shown(window)}, but the random log has no column {day!r} to find its days by; add "
            "it, or leave window out to hold all days against the whole random log."
        )
    if window == "weekday" and period == "week":
        raise InputError(
            "window is 'weekday', but period is 'week', in which every weekday is: leave one out."
        )
    if window is None:
        window = 1 if in_random else "all"
    progress("counting default log")
    days, dated, of_default = _count_days(question, default, day)
    if period == "week" and not dated:
        raise InputError(f"period is 'week', but column {day!r} holds numbers of days; weeks need dates.")
    kept = Calendar(dated, period)
    logs = calendar.by_period(days, kept)
    if len(logs) < 2:
        raise InputError(
            f"default log: column {day!r} has only one {period}, {kept.label(min(logs))}; a series needs at "
            f"least two. One {period} alone is audited without naming its {period}."
        )
    progress("counting random log")
    if in_random:
        random_days, random_dated, of_random = _count_days(question, random, day, weighted=True)
        if dated != random_dated:
            what = {True: "dates", False: "numbers of days"}
            raise InputError(
                f"column {day!r} holds {what[dated]} in the default log but {what[random_dated]} in the "
                "random log; write it in the same way in both."
            )
        parts = calendar.by_period(random_days, kept)
    else:
        whole, of_random = question.count(random, weighted=True)
        parts = {min(logs): whole}
    same_types([default, random], question)
    fingerprints = {"default": of_default, "random": of_random}
    if question.attribute_table is not None:
        fingerprints[question.attribute_table.name] = question.attribute_table.fingerprint()
    used, within, own = _windows(logs, parts, kept, window)
    prepared = line_up(
        {"default": reduce(add, logs.values())},
        reduce(add, used),
        question.group,
        fingerprints,
        clusters=question.clusters,
        known=known_columns(random),
        probability=question.probability,
    )
    notes = _gaps(days, kept)
    if not in_random:
        notes.append(WITHOUT_DAYS.format(day=day, period=period))
    elif window == "all":
        notes += _outside(logs, parts, kept)
    random_parts = tuple(part.over(prepared.random.groups) for part in used)
    if window != "all" and question.probability:
        notes += _heavy(random_parts, within, question.group, tuple(logs), kept)
    changes: list[str] = []
    if in_random and prepared.comparable:
        changes = _changing(logs, parts, prepared.random.groups, question.group, kept, window)
    unused = [part for part in parts.values() if not any(part is one for one in used)]
    if left := sum(part.total for part in unused) if window != "all" else 0:
        why = f"in no window of a {period} of the default log"
        excluded = (
            *prepared.excluded,
            Exclusion(what="rows of the random log", count=left, why=why, people=_people(unused)),
        )
        prepared = replace(prepared, excluded=excluded)
    default_counts = [log.over(prepared.random.groups) for log in logs.values()]
    return Timeline(
        calendar=kept,
        prepared=replace(prepared, warnings=(*notes, *changes, *prepared.warnings)),
        periods=tuple(logs),
        positives=np.stack([counts.positives for counts in default_counts]).astype(float),
        rows=np.stack([counts.rows.sum(axis=0) for counts in default_counts]),
        people=np.stack([counts.people for counts in default_counts]),
        random_parts=random_parts,
        within=within,
        window=None if window == "all" else window,
        positives_by_item=_by_item(default_counts),
        doubts=(CHANGING.format(period=period),) if changes else (),
        own=own,
    )


def _people(parts: Sequence[LogCounts]) -> int:
    """How many people these parts have in all, at least."""
    return max(int((part.rows.sum(axis=1) > 0).sum()) if part.clustered else part.total for part in parts)


def _by_item(logs: Sequence[LogCounts]) -> Array | None:
    counted = [log.by_item for log in logs if log.by_item is not None]
    return np.stack(counted) if counted else None


def _count_days(
    question: Question, log: inputs.Table, day: str, weighted: bool = False
) -> tuple[Counted, bool, Fingerprint]:
    log.require(day)
    counted, fingerprint = count_days(question, log, day, inputs.day_key(log, day), weighted)
    return *calendar.read_days(counted, log.name, day), fingerprint


def _windows(
    logs: Counted, parts: Counted, kept: Calendar, window: Window
) -> tuple[list[LogCounts], Days, Days | None]:
    """The parts of the random log that are used, which period uses which, and which are its own."""
    if window == "all":
        return [reduce(add, parts.values())], np.ones((len(logs), 1), dtype=bool), None
    within = _within(list(logs), list(parts), kept, window)
    used = np.flatnonzero(within.any(axis=0))
    if not len(used):
        rows = sum(part.total for part in parts.values())
        raise InputError(
            f"none of the {rows:,} rows of the random log is in the window of a {kept.period} of the default "
            f"log: random traffic is from {kept.label(min(parts))} to {kept.label(max(parts))}, default "
            f"traffic from {kept.label(min(logs))} to {kept.label(max(logs))}. Collect both together, or "
            "hold all of one against all of the other with window='all' (--window all)."
        )
    own = _within(list(logs), list(parts), kept, 1)
    return [list(parts.values())[part] for part in used], within[:, used], own[:, used]


def _within(periods: Sequence[int], parts: Sequence[int], kept: Calendar, window: Window) -> Days:
    """Which of the parts of a random log each period is held against."""
    ages = np.subtract.outer(list(periods), list(parts)) // kept.step
    if window == "all":
        return np.ones(ages.shape, dtype=bool)
    if window == "weekday":
        return np.asarray((ages >= 0) & (ages < 7 * WEEKS) & (ages % 7 == 0))
    return np.asarray((ages >= 0) & (ages < window))


def _changing(
    logs: Counted, parts: Counted, groups: tuple[str, ...], group: str, kept: Calendar, window: Window
) -> list[str]:
    """Whether what users like changes among the days of random traffic that a day is held against."""
    numbers = list(parts)
    # All that is held against one and the same log is held against all of its days.
    periods = [period for period in (parts if window == "all" else logs) if period in parts]
    change = change_of_shares(
        [part.over(groups) for part in parts.values()],
        np.array([numbers.index(period) for period in periods], dtype=np.int64),
        _within(periods, numbers, kept, window),
        np.array([period // kept.step % 7 for period in periods], dtype=np.int64),
    )
    if change is None or change.p_value > CHANGED:
        return []
    named = np.flatnonzero(change.of_groups <= CHANGED)
    if not len(named):
        named = np.array([np.argmin(change.of_groups)])
    named = named[np.argsort(-change.sizes[named], kind="stable")]
    which = ", ".join(groups[k] for k in named[:5].tolist())
    which += f" and {len(named) - 5} more" if len(named) > 5 else ""
    unit = kept.period
    where = {"all": "the random log", "weekday": "random traffic of one weekday"}.get(
        str(window), f"random traffic of {window} {unit}s"
    )
    return [
        f"What users like changes from {unit} to {unit} within {where} (p = {change.p_value:.2g}), first of "
        f"all how much of it is of {group} = {which}, by about {100 * change.sizes[named[0]]:.0f}%. Here a "
        f"{unit} is held against random traffic of other {unit}s too, so that a system that is fair on each "
        f"of them may look unfair: hold each against its own with window=1 (--window 1)."
    ]


def _heavy(
    parts: Sequence[LogCounts], within: Days, group: str, periods: Sequence[int], kept: Calendar
) -> list[str]:
    """Periods in whose windows a few heavy rows decide, which the whole random log need not show."""
    counted = within @ np.stack([part.positives.sum(axis=0) for part in parts])
    sums = within @ np.stack([part.weighted_positives.sum(axis=0) for part in parts])
    squares = within @ np.stack([part.squared_positives.sum(axis=0) for part in parts])
    heavy = hang_on_few(counted, effective(sums, squares))
    if not heavy.any():
        return []
    chosen = [periods[t] for t in np.flatnonzero(heavy.any(axis=1)).tolist()]
    names = [parts[0].groups[k] for k in np.flatnonzero(heavy.any(axis=0)).tolist()]
    return [
        f"In the windows of {len(chosen)} of {len(periods)} {kept.period}s ({calendar.listed(chosen, kept)}) "
        f"a few heavy rows of the random log decide about {group} = {', '.join(names)}{TOO_NARROW}"
    ]


def _gaps(days: Counted, kept: Calendar) -> list[str]:
    """Which days are missing."""
    said = []
    periods = sorted({kept.start(day) for day in days})
    if gaps := kept.missing(periods):
        there = f"from {kept.label(periods[0])} to {kept.label(periods[-1])}"
        said.append(
            f"The default log has no row on {len(gaps)} of the {len(gaps) + len(periods)} {kept.period}s "
            f"{there}: {calendar.listed(gaps, kept)}. Nothing is said about what is missing, and the change "
            f"after a gap is against the last {kept.period} before it."
        )
    if kept.period == "week" and (short := calendar.cut_short(days, kept)):
        said.append(f"Not every day of these weeks has rows: {calendar.listed(short, kept)}.")
    return said


def _outside(logs: Counted, parts: Counted, kept: Calendar) -> list[str]:
    """How much of a random log that all days share is not of their time."""
    outside = {period: part.total for period, part in parts.items() if not min(logs) <= period <= max(logs)}
    if not outside:
        return []
    share = sum(outside.values()) / sum(part.total for part in parts.values())
    return [
        f"{roughly(share)} of the rows of the random log are of {kept.period}s before or after the default "
        f"log ({calendar.listed(sorted(outside), kept)}), and are used, as window='all' asks for."
    ]
