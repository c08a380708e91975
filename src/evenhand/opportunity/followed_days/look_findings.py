"""What a look says: the findings that `series` has of its last day, and of all days up to it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from evenhand.about import About, group_of
from evenhand.findings import Count, Exclusion, Finding
from evenhand.opportunity.followed_days.looking import Looking
from evenhand.opportunity.followed_days.running import Running
from evenhand.opportunity.logs.preparation import clustering
from evenhand.opportunity.logs.weighting import weight_details
from evenhand.opportunity.over_time.change_findings import against, change_finding, nothing_to_compare
from evenhand.opportunity.over_time.findings import held_against, thin_days, with_more_days
from evenhand.opportunity.over_time.lines import Line, entry_of, finding_of, not_computed, tally
from evenhand.opportunity.over_time.matching import doubts_of_pooling
from evenhand.opportunity.over_time.readings import Followed


def findings_of_look(looking: Looking) -> tuple[tuple[Finding, ...], tuple[Finding, ...], Running]:
    """The findings of the day, those of all days so far, and what the next look needs of this one."""
    prepared, running, timeline = looking.prepared, looking.running, looking.own
    tolerance = looking.asked["tolerance"]
    about: About = {"by": {"creators": prepared.group}}
    common = _common(looking)
    if not prepared.comparable:
        return (Finding(measure="daily_penalty", about=about, estimate=None, **common),), (), running
    today, so_far = looking.of_today(), looking.so_far()
    unit, clustered = timeline.calendar.period, clustering(prepared.logs[0])
    # Rounded, so that 1/9 gives .8 and not .7999999999999999.
    ratio_tolerance = None if tolerance is None else round((1 - tolerance) / (1 + tolerance), 12)
    whole = Line(
        "daily_penalty", about, [today.penalty if today else None], timeline.rows.sum(axis=1), tolerance,
        "above", f"region, error spent over the {unit}s{clustered}",
    )  # fmt: skip
    lines = [whole]
    for k, group in enumerate(prepared.random.groups):
        creators: About = {"creators": group_of(prepared.group, group)}
        readings = [today.relative_utilities[k] if today else None]
        of_group = replace(whole, measure="daily_relative_utility", about=creators, harm="outside", group=k)
        lines.append(replace(of_group, readings=readings, rows=timeline.rows[:, k]))
    ratios = [today.worst_ratio if today else None]
    lines.append(
        replace(whole, measure="daily_worst_ratio", readings=ratios, tolerance=ratio_tolerance, harm="below")
    )
    sequence = f"region, confidence sequence{clustered}"
    penalties = [so_far.penalty if so_far else None]
    running_line = replace(whole, measure="running_penalty", readings=penalties, method=sequence)
    changes, running = _changes(looking, today, common)
    findings = tuple(map(partial(_of_day, looking, common), lines))
    return findings + changes, (_so_far(looking, running_line, common),), running


def _changes(
    looking: Looking, today: Followed | None, common: dict[str, Any]
) -> tuple[tuple[Finding, ...], Running]:
    """Changes against the day before and against the first days; each look at one spends a part of its own
    error."""
    running, looks = looking.running, dict(looking.running.changes)
    again = looking.days.number - running.number  # looks that were made a second time, before this one
    findings = []
    compared = {"before": looking.since_before, "first": looking.since_first}
    for (name, compare), about in zip(compared.items(), against(looking.own, looking.baseline), strict=True):
        made = None if today is None else compare()
        if made is None:
            findings.append(nothing_to_compare(about, common))
            continue
        looks[name] += 1
        timeline, one, other = made
        findings.append(
            change_finding(
                timeline,
                [(one, other)],
                "latest",
                about,
                looking.level,
                looking.seed,
                common,
                looks[name] + again,
            )
        )
    usable = running.usable if today is None else (*running.usable, looking.today)
    return tuple(findings), replace(running, usable=usable, changes=looks)


def _of_day(looking: Looking, common: dict[str, Any], line: Line) -> Finding:
    timeline = looking.own
    stretch, reading = timeline.day(0), line.readings[0]
    if reading is None:
        return not_computed(line, common)
    entry = entry_of(timeline, line, stretch, looking.today, int(line.rows[0]), reading)
    details: dict[str, Any] = {"unit": timeline.calendar.period, "day": looking.today, "days": 1}
    if line.tolerance is not None:
        details |= tally([entry["verdict"]])
    random = timeline.random_log(stretch)
    details |= weight_details(random, line.group)
    rows = random.rows if line.group is None else random.rows[:, line.group]
    common = common | {"n": Count(entry["n"] + int(np.sum(rows)), "rows")}
    if line.group is not None:
        name = timeline.prepared.random.groups[line.group]
        common["people"] = {name: common["people"][name]}
    return finding_of(line, entry, [entry], details, looking.level, common)


def _so_far(looking: Looking, line: Line, common: dict[str, Any]) -> Finding:
    reading = line.readings[0]
    if reading is None:
        return not_computed(line, common)
    prepared, moved = looking.prepared, looking.moved_by_matching()
    line = replace(line, doubts=doubts_of_pooling(reading.together, moved, line.tolerance, line.harm))
    last = max(looking.days.labels)  # which a day that came late is not
    entry = entry_of(looking.own, line, looking.own.day(0), last, int(looking.own.rows[0].sum()), reading)
    details = {
        "unit": looking.days.period,
        "day": last,
        "first": min(looking.days.labels),
        "last": last,
        "groups": len(prepared.random.groups),
        "moved_by_matching": moved,
        **weight_details(prepared.random),
    }
    # A day that has too little by itself is part of all traffic.
    common = common | {"excluded": prepared.excluded}
    return with_more_days(finding_of(line, entry, [entry], details, looking.level, common))


def _common(looking: Looking) -> dict[str, Any]:
    prepared, timeline = looking.prepared, looking.own
    excluded = prepared.excluded
    problem = timeline.problem(timeline.day(0)) if prepared.comparable else None
    if problem is not None:
        left = Exclusion(
            what=f"{looking.days.period} {looking.today}",
            count=int(timeline.rows.sum()),
            why=problem,
            unidentified=True,
            people=int(timeline.people.max(initial=0)),
        )
        excluded = (*excluded, left)
    thin = thin_days(timeline, {0: problem}) if prepared.comparable else ()
    return {
        "audit": "series",
        "n": Count(prepared.logs[0].total + prepared.random.total, "rows"),
        "excluded": excluded,
        "assumptions": (*prepared.assumptions, held_against(timeline)),
        "warnings": (*prepared.warnings, *thin),
        "people": prepared.people,
    }
