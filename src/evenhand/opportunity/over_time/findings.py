"""What a series says: each measure as one finding that holds all of its days."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from evenhand.about import About, group_of
from evenhand.findings import Count, Exclusion, Finding, Harm
from evenhand.more_data import shrinking, with_more_data
from evenhand.opportunity.logs.calendar import listed
from evenhand.opportunity.logs.cautions import FEW_POSITIVES
from evenhand.opportunity.logs.preparation import clustering
from evenhand.opportunity.logs.weighting import weight_details
from evenhand.opportunity.over_time import every_day
from evenhand.opportunity.over_time.change_findings import change_findings
from evenhand.opportunity.over_time.lines import (
    WORST_FIRST,
    Entry,
    Line,
    entry_of,
    finding_of,
    not_computed,
    tally,
)
from evenhand.opportunity.over_time.matching import doubts_of_pooling, moved_by_matching
from evenhand.opportunity.over_time.readings import Followed, Judge, Reading, follow
from evenhand.opportunity.over_time.timeline import Timeline


def findings_of(
    timeline: Timeline,
    level: float,
    tolerance: float | None,
    baseline: int,
    judge: Judge,
    seed: int,
    progress: Callable[[str], None],
) -> tuple[Finding, ...]:
    """All findings of a series, from counts alone."""
    prepared, unit = timeline.prepared, timeline.calendar.period
    about: About = {"by": {"creators": prepared.group}}
    common = _common(timeline, judge)
    if not prepared.comparable:
        return (Finding(measure="daily_penalty", about=about, estimate=None, **common),)
    numbers = range(len(timeline))
    progress(f"intervals of {len(timeline)} {unit}s")
    held = every_day.on_each_day(timeline, level)
    days = follow(timeline, [timeline.day(t) for t in numbers], held, level, seed)
    held = every_day.until_each_day(timeline, level)
    so_far = follow(timeline, [timeline.until(t) for t in numbers], held, level, seed)
    # Rounded, so that 1/9 gives .8 and not .7999999999999999.
    ratio_tolerance = None if tolerance is None else round((1 - tolerance) / (1 + tolerance), 12)
    clustered = clustering(prepared.logs[0])
    spent = f"region, error spent over the {unit}s{clustered}"
    rows = timeline.rows.sum(axis=1)

    def daily(
        measure: str, reading: Callable[[Followed], Reading], tolerance: float | None, harm: Harm
    ) -> Line:
        doubts = timeline.doubts
        return Line(measure, about, _each(days, reading), rows, tolerance, harm, spent, doubts=doubts)

    # Of each day its own rows: sums would say of how few a day is that is not published.
    running = replace(
        daily("running_penalty", lambda day: day.penalty, tolerance, "above"),
        readings=_each(so_far, lambda day: day.penalty),
        doubts=_doubts_of_pooling(timeline, so_far[-1], tolerance),
        method=f"region, confidence sequence{clustered}",
    )
    lines = [daily("daily_penalty", lambda day: day.penalty, tolerance, "above")]
    for k, group in enumerate(prepared.random.groups):
        of_group = daily("daily_relative_utility", partial(_relative_utility, k), tolerance, "outside")
        creators: About = {"creators": group_of(prepared.group, group)}
        lines.append(replace(of_group, about=creators, rows=timeline.rows[:, k], group=k))
    lines.append(daily("daily_worst_ratio", lambda day: day.worst_ratio, ratio_tolerance, "below"))
    progress(f"changes of {len(timeline)} {unit}s")
    usable = [day for day in days if day is not None]
    first = so_far[baseline - 1]
    return (
        # Where the latest day is what is asked for, all days together are no answer.
        *([with_more_days(_of_last_day(timeline, running, level, common))] if judge == "any" else []),
        *(_of_one_day(timeline, line, judge, level, common) for line in lines),
        *change_findings(timeline, usable, baseline, first, judge, level, seed, common),
    )


def _doubts_of_pooling(
    timeline: Timeline, so_far: Followed | None, tolerance: float | None
) -> tuple[str, ...]:
    """All days are held against random traffic of all of them, which may be out of proportion."""
    if so_far is None or timeline.own is None:
        return ()
    moved = moved_by_matching(
        timeline.totals,
        timeline.own @ timeline.random_totals,
        timeline.rows.sum(axis=1).astype(float),
        timeline.own @ timeline.random_weights,
    )
    return doubts_of_pooling(so_far.penalty.together, moved, tolerance, "above")


def with_more_days(running: Finding) -> Finding:
    """All traffic so far can be more; a single day that is past cannot, and is never told what it lacks."""
    return with_more_data(running, shrinking(running), of="rows in all logs")


def _each(days: Sequence[Followed | None], reading: Callable[[Followed], Reading]) -> list[Reading | None]:
    return [None if day is None else reading(day) for day in days]


def _relative_utility(group: int, day: Followed) -> Reading:
    return day.relative_utilities[group]


def _common(timeline: Timeline, judge: Judge) -> dict[str, Any]:
    prepared, kept = timeline.prepared, timeline.calendar
    problems = {t: timeline.problem(timeline.day(t)) for t in range(len(timeline))}
    excluded = list(prepared.excluded)
    for why in dict.fromkeys(filter(None, problems.values())):
        chosen = [t for t, problem in problems.items() if problem == why]
        what = f"{kept.period}{'s' if len(chosen) > 1 else ''} "
        what += listed([timeline.periods[t] for t in chosen], kept)
        judged = judge == "any" or len(timeline) - 1 in chosen
        counted = timeline.people[chosen]
        excluded.append(
            Exclusion(
                what=what,
                count=int(timeline.rows[chosen].sum()),
                why=why,
                unidentified=judged,
                people=int(counted.max(initial=0)),  # no group may be left
            )
        )
    return {
        "audit": "series",
        "n": Count(int(timeline.rows.sum() + timeline.random_rows.sum()), "rows"),
        "excluded": tuple(excluded),
        "assumptions": (*prepared.assumptions, held_against(timeline)),
        "warnings": (*prepared.warnings, *thin_days(timeline, problems)),
        "people": prepared.people,
    }


def held_against(timeline: Timeline) -> str:
    """Which random traffic a day is held against, and what must then be true."""
    unit = timeline.calendar.period
    if timeline.window is None:
        return (
            f"All {unit}s are held against the same random log, and it serves every look: what users "
            "like did not change meanwhile."
        )
    elif timeline.window == 1:
        return f"Each {unit} is held against random traffic of its own, so what users like may change."
    elif timeline.window == "weekday":
        return (
            "Each day is held against random traffic of its weekday, of at most four weeks, its own the "
            "last: what users like did not change within those."
        )
    else:
        return (
            f"Each {unit} is held against random traffic of at most {timeline.window} {unit}s, "
            "itself the last: what users like did not change within those."
        )


def thin_days(timeline: Timeline, problems: Mapping[int, str | None]) -> tuple[str, ...]:
    """That a group has few positive rows on days that are judged; of all days together the audit says so."""
    judged = [t for t in range(len(timeline)) if problems[t] is None]
    positives = timeline.positives.sum(axis=1)[judged]
    few = (positives > 0) & (positives < FEW_POSITIVES)
    names = [g for g, is_few in zip(timeline.prepared.random.groups, few.any(axis=0), strict=True) if is_few]
    if not names:
        return ()
    unit, group = timeline.calendar.period, timeline.prepared.group
    return (
        f"Fewer than {FEW_POSITIVES} positive rows in the default log for {group} = {', '.join(names)} on "
        f"{int(few.any(axis=1).sum()):,} of {len(judged):,} {unit}s: their intervals are approximate. Take "
        f"weeks for days, or merge groups, if that makes sense.",
    )


def _entries(timeline: Timeline, line: Line) -> list[Entry]:
    """A day each, as it is published."""
    days = zip(timeline.labels, line.rows.tolist(), line.readings, strict=True)
    return [
        entry_of(timeline, line, timeline.day(t), label, rows, reading)
        for t, (label, rows, reading) in enumerate(days)
    ]


def _of_one_day(
    timeline: Timeline, line: Line, judge: Judge, level: float, common: dict[str, Any]
) -> Finding:
    """The day that decides: the latest, or one beyond the tolerance if any is, undecided if any is, else the
    furthest.

    All intervals hold together, so that of a day chosen afterwards holds too.
    """
    entries = _entries(timeline, line)
    known = [entry for entry in entries if entry["estimate"] is not None]
    if not known or (judge == "latest" and entries[-1]["estimate"] is None):
        return not_computed(line, common)

    def concern(entry: Entry) -> tuple[int, float]:
        far = {"above": entry["estimate"], "below": -entry["estimate"], "outside": abs(entry["estimate"])}
        return WORST_FIRST.index(entry["verdict"]), -far[line.harm]

    decisive = entries[-1] if judge == "latest" else min(known, key=concern)
    details: dict[str, Any] = {"unit": timeline.calendar.period, "day": decisive["day"], "days": len(known)}
    if line.tolerance is not None:
        details |= tally(entry["verdict"] for entry in known)
    random = timeline.random_log(timeline.day(entries.index(decisive)))
    details |= weight_details(random, line.group)
    n = decisive["n"] + int((random.rows if line.group is None else random.rows[:, line.group]).sum())
    common = common | {"n": Count(n, "rows")}
    if line.group is not None:
        name = timeline.prepared.random.groups[line.group]
        common["people"] = {name: common["people"][name]}
    return finding_of(line, decisive, entries, details, level, common)


def _of_last_day(timeline: Timeline, line: Line, level: float, common: dict[str, Any]) -> Finding:
    """All traffic up to the last day, as one log."""
    entries = _entries(timeline, line)
    if entries[-1]["estimate"] is None:
        return not_computed(line, common)
    # A day that has too little by itself is part of all traffic.
    common = common | {"excluded": timeline.prepared.excluded}
    details = {
        "unit": timeline.calendar.period,
        "first": timeline.labels[0],
        "last": timeline.labels[-1],
        "groups": len(timeline.prepared.random.groups),
        **weight_details(timeline.prepared.random),
    }
    return finding_of(line, entries[-1], entries, details, level, common)
