"""What a series says: each measure as one finding that holds all of its days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evenhand.findings import Exclusion, Finding, Harm, Interval, Verdict, decide
from evenhand.opportunity import looking
from evenhand.opportunity.calendar import listed
from evenhand.opportunity.inference import Bounds
from evenhand.opportunity.looking import Held
from evenhand.opportunity.measures import penalty, relative_utilities
from evenhand.opportunity.preparation import clustering
from evenhand.opportunity.series_changes import change_findings
from evenhand.opportunity.timeline import Stretch, Timeline

# Estimate, interval that holds with those of all other days, interval that holds for this day alone.
Value = tuple[float, Bounds, Bounds]
Entry = dict[str, Any]
Subject = dict[str, str | int | float]
_WORST_FIRST = (Verdict.VIOLATION, Verdict.INCONCLUSIVE, Verdict.WITHIN_TOLERANCE, None)


def findings_of(
    timeline: Timeline,
    level: float,
    tolerance: float | None,
    baseline: int,
    seed: int,
    progress: Callable[[str], None],
) -> tuple[Finding, ...]:
    """All findings of a series, from counts alone."""
    prepared, unit = timeline.prepared, timeline.calendar.period
    subject: Subject = {"by": prepared.group}
    common = _common(timeline)
    if not prepared.comparable:
        return (Finding(measure="daily_penalty", subject=subject, estimate=None, **common),)
    progress(f"intervals of {len(timeline)} {unit}s")
    clustered = clustering(prepared.logs[0])
    days = _values(timeline, [timeline.day(t) for t in range(len(timeline))],
                   looking.on_each_day(timeline, level), level, seed)  # fmt: skip
    until = _values(timeline, [timeline.until(t) for t in range(len(timeline))],
                    looking.until_each_day(timeline, level), level, seed)  # fmt: skip
    # Rounded, so that 1/9 gives .8 and not .7999999999999999.
    ratio_tolerance = None if tolerance is None else round((1 - tolerance) / (1 + tolerance), 12)

    def daily(measure: str, k: int, tolerance: float | None, harm: Harm, **about: str) -> Finding:
        group = k if about else None
        entries = _entries(timeline, [day and day[k] for day in days], tolerance, harm, group)
        interval = {"level": level, "method": f"region, error spent over the {unit}s{clustered}"}
        return _of_worst_day(timeline, measure, subject | about, entries, tolerance, harm, interval, common)

    groups = prepared.random.groups
    running = _entries(timeline, [day and day[-2] for day in until], tolerance, "above", None)
    progress(f"changes of {len(timeline)} {unit}s")
    return (
        _running(timeline, subject, running, tolerance, level, f"confidence sequence{clustered}", common),
        daily("daily_penalty", len(groups), tolerance, "above"),
        *(daily("daily_relative_utility", k, tolerance, "outside", group=g) for k, g in enumerate(groups)),
        daily("daily_worst_ratio", len(groups) + 1, ratio_tolerance, "below"),
        *change_findings(timeline, level, baseline, seed, subject, clustered, common),
    )


def _common(timeline: Timeline) -> dict[str, Any]:
    prepared, kept = timeline.prepared, timeline.calendar
    problems = {t: timeline.problem(timeline.day(t)) for t in range(len(timeline))}
    excluded = list(prepared.excluded)
    for why in dict.fromkeys(filter(None, problems.values())):
        chosen = [t for t, problem in problems.items() if problem == why]
        named = listed([timeline.periods[t] for t in chosen], kept)
        rows = int(timeline.rows[chosen].sum())
        plural = "s" if len(chosen) > 1 else ""
        excluded.append(
            Exclusion(what=f"{kept.period}{plural} {named}", count=rows, why=why, unidentified=True)
        )
    if timeline.window is None:
        held = (
            f"All {kept.period}s are held against the same random log, and the same log serves every look: what "
            f"users like did not change meanwhile."
        )
    else:
        before = timeline.window - 1
        held = f"Each {kept.period} is held against random traffic of its own and the {before} {kept.period}s before."
    return {
        "audit": "series",
        "n": int(timeline.rows.sum() + timeline.random_rows.sum()),
        "excluded": tuple(excluded),
        "assumptions": (*prepared.assumptions, held),
        "warnings": prepared.warnings,
    }


def _values(
    timeline: Timeline, stretches: Sequence[Stretch], held: Sequence[Held | None], level: float, seed: int
) -> list[tuple[Value, ...] | None]:
    """A stretch each: the relative utility of each group, the penalty, and the worst ratio; or nothing."""
    made: list[tuple[Value, ...] | None] = []
    for stretch, together in zip(stretches, held, strict=True):
        if together is None:
            made.append(None)
            continue
        inference = timeline.inference(stretch, seed)
        u = inference.utilities
        groups = zip(relative_utilities(u).tolist(), together.relative_utilities,
                     inference.relative_utility_intervals(level), strict=True)  # fmt: skip
        ratio = float(u.min() / u.max())
        made.append(
            (
                *groups,
                (float(penalty(u)), together.penalty, inference.penalty_interval(level)),
                (ratio, together.worst_ratio, inference.worst_ratio_interval(level)),
            )
        )
    return made


def _entries(
    timeline: Timeline,
    values: Sequence[Value | None],
    tolerance: float | None,
    harm: Harm,
    group: int | None,
) -> list[Entry]:
    """A line a day, as it is published; `group` is the one that rows are counted of."""
    entries: list[Entry] = []
    for t, (label, value) in enumerate(zip(timeline.labels, values, strict=True)):
        counted = timeline.rows[t].sum() if group is None else timeline.rows[t, group]
        entry: Entry = {"day": label, "n": int(counted), "estimate": None}
        if value is not None:
            estimate, (low, high), (fixed_low, fixed_high) = value
            interval = Interval(low=low, high=high, level=0.5, method="")
            verdict = decide(interval, tolerance, harm)
            entry |= {"estimate": estimate, "low": low, "high": high, "verdict": verdict and verdict.value}
            entry |= {"fixed": {"low": fixed_low, "high": fixed_high}}
        entries.append(entry)
    return entries


def _of_worst_day(
    timeline: Timeline,
    measure: str,
    subject: Subject,
    entries: list[Entry],
    tolerance: float | None,
    harm: Harm,
    interval: dict[str, Any],
    common: dict[str, Any],
) -> Finding:
    """The day that decides: beyond the tolerance if any is, undecided if any is, else the furthest.

    All intervals hold together, so that of a day chosen afterwards holds too.
    """
    known = [entry for entry in entries if entry["estimate"] is not None]
    if not known:
        return Finding(
            measure=measure, subject=subject, estimate=None,
            **(common | {"warnings": (NOTHING.format(unit=timeline.calendar.period), *common["warnings"])}),
        )  # fmt: skip
    sign = {"above": 1, "below": -1, "outside": 0}[harm]

    def concern(entry: Entry) -> tuple[int, float]:
        far = abs(entry["estimate"]) if harm == "outside" else sign * entry["estimate"]
        return _WORST_FIRST.index(entry["verdict"] and Verdict(entry["verdict"])), -far

    worst = min(known, key=concern)
    tally = [
        sum(entry["verdict"] == verdict.value for entry in known) for verdict in _WORST_FIRST[:3] if verdict
    ]
    details: dict[str, Any] = {"unit": timeline.calendar.period, "day": worst["day"], "days": len(known)}
    if tolerance is not None:
        details |= dict(zip(("days_outside", "days_undecided", "days_within"), tally, strict=True))
    return Finding(
        measure=measure,
        subject=subject,
        estimate=worst["estimate"],
        interval=Interval(low=worst["low"], high=worst["high"], validity="anytime", **interval),
        tolerance=tolerance,
        harm=harm,
        details=details | {"series": entries},
        **common,
    )


def _running(
    timeline: Timeline,
    subject: Subject,
    entries: list[Entry],
    tolerance: float | None,
    level: float,
    method: str,
    common: dict[str, Any],
) -> Finding:
    """All traffic up to the last day, as one log."""
    last = entries[-1]
    rows = np.cumsum([entry["n"] for entry in entries]).tolist()
    entries = [entry | {"n": n} for entry, n in zip(entries, rows, strict=True)]
    if last["estimate"] is None:
        return Finding(
            measure="running_penalty", subject=subject, estimate=None,
            **(common | {"warnings": (NOTHING.format(unit=timeline.calendar.period), *common["warnings"])}),
        )  # fmt: skip
    return Finding(
        measure="running_penalty",
        subject=subject,
        estimate=last["estimate"],
        interval=Interval(low=last["low"], high=last["high"], level=level, method=method, validity="anytime"),
        tolerance=tolerance,
        details={
            "unit": timeline.calendar.period,
            "first": timeline.labels[0],
            "last": timeline.labels[-1],
            "groups": len(timeline.prepared.random.groups),
            "fixed": last["fixed"],
            "series": entries,
        },
        **common,
    )


NOTHING = "Cannot be computed on any {unit}; what is left out says why."
