"""Pictures of a measure over days: each day with the interval that decides, that of all days at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import altair as alt

from evenhand.findings import Finding, Verdict
from evenhand.pictures import Day
from evenhand.report.pictures import marks
from evenhand.report.pictures.kinds import days
from evenhand.report.pictures.names import shortened
from evenhand.report.pictures.palette import SERIES
from evenhand.report.pictures.picture import Picture, Row, below, data, in_page_style
from evenhand.report.pictures.scale import drawn_range
from evenhand.report.vocabulary.names import measure
from evenhand.report.words import sentences
from evenhand.report.words.series import all_days, known_days

# With more days than this, single days are not drawn: a year of dots and lines would be a blur.
_MANY = 60
_MOST_GROUPS = 6
_NUMBERS = {"at": "estimate", "low": "from", "high": "to"}
_AGAINST = {"before": "against the {unit} before", "first": "against the first {unit}"}


def over_days(finding: Finding, height: int = 240) -> Picture:
    """Each day with the interval that holds for all days at once, over what is tolerated."""
    known = known_days(finding)
    ends = [end for day in known for end in (day.low, day.high)]
    # The whole finding has a day's own interval, which is no part of the picture.
    least, most = drawn_range([finding.amended(interval=None, more_data=None)], ends)
    layers = [
        *marks.no_effect(finding, "y"),
        *_bars(finding, known, _values(finding, least, most)),
        *marks.edges(finding, least, most, "y"),
    ]
    group = finding.subject.get("group")
    title = marks.title_of(finding) + ("" if group is None else f": {shortened(str(group))}")
    return Picture(
        _caption(finding, known),
        in_page_style(alt.layer(*layers), height, title),
        _in_words(finding, known),
        [_row(finding, day) for day in known],
    )


def of_groups(findings: Sequence[Finding]) -> list[Picture]:
    """A picture a group, each on a scale of its own, the furthest from the average first; of many groups
    those that are furthest."""
    far = sorted(findings, key=lambda finding: -abs(finding.estimate or 0.0))
    pictures = [over_days(finding, height=170) for finding in far[:_MOST_GROUPS]]
    # What the marks are is said once.
    pictures[1:] = [replace(one, caption="") for one in pictures[1:]]
    if left := far[_MOST_GROUPS:]:
        said = f" {len(left)} groups that are nearer to the average are not drawn."
        pictures[0] = replace(pictures[0], caption=pictures[0].caption + said)
    return pictures


def changes(findings: Sequence[Finding]) -> Picture:
    """How a measure moved, held against several things, beside each other in one picture."""
    first, unit = findings[0], str(findings[0].details["unit"])
    names = [_AGAINST[str(f.subject["against"])].format(unit=unit) for f in findings]
    scale = marks.scale_of(first)
    entries = [(name, day) for f, name in zip(findings, names, strict=True) for day in known_days(f)]
    least, most = drawn_range(
        [f.amended(interval=None, more_data=None) for f in findings],
        [end for _, day in entries for end in (day.low, day.high)],
    )
    labels = list(dict.fromkeys(day.day for f in findings for day in all_days(f)))
    legend = below(names, symbolSize=90, symbolStrokeWidth=2)
    told = {
        "stroke": alt.Stroke(
            "of:N", scale=alt.Scale(domain=names, range=SERIES[: len(names)]), legend=legend
        ),
        "shape": alt.Shape(
            "of:N", scale=alt.Scale(domain=names, range=["circle", "square"][: len(names)]), legend=legend
        ),
    }
    tooltip = [alt.Tooltip(f"{name}:N", title=name) for name in ("of", "on", "estimate", "interval")]
    layers: list[Any] = [*marks.no_effect(first, "y")]
    for place, (finding, name) in enumerate(zip(findings, names, strict=True)):
        beside = 0.0 if len(findings) == 1 else (place - 0.5) * 0.36
        points = [{**_point(finding, day, scale), "of": name} for day in known_days(finding)]
        moved = alt.Chart(data(points)).transform_calculate(day=days.apart(labels, unit, beside))
        base = moved.encode(x=days.axis(labels, unit), tooltip=tooltip)
        layers += [
            base.mark_rule(strokeWidth=1.5).encode(
                y=_values(first, least, most), y2="high:Q", stroke=told["stroke"]
            ),
            base.mark_point(size=55, strokeWidth=2, opacity=1, fill="var(--paper)").encode(
                y=alt.Y("at:Q"), **told
            ),
        ]
    level = marks.level_of(first)
    return Picture(
        f"Lines: {level}intervals that hold for all {unit}s at once; one that crosses 0 tells no change.",
        in_page_style(alt.layer(*layers), 240, marks.title_of(first)),
        " ".join(
            f"{name.capitalize()}: {_in_words(f, known_days(f))}"
            for f, name in zip(findings, names, strict=True)
        ),
        [
            {"change": name, **_row(f, day)}
            for f, name in zip(findings, names, strict=True)
            for day in known_days(f)
        ],
    )


def _bars(finding: Finding, known: Sequence[Day], y: alt.Y) -> list[Any]:
    """A dot and a line each, on the band that they make."""
    unit, labels = str(finding.details["unit"]), [entry.day for entry in all_days(finding)]
    points = [_point(finding, day, marks.scale_of(finding)) for day in known]
    if len(points) > _MANY:
        return _many(points, days.axis(labels, unit), y)
    tooltip = [alt.Tooltip(f"{name}:N", title=name) for name in ("on", "estimate", "interval")]
    base = alt.Chart(data(points))
    at = base.encode(x=days.axis(labels, unit), tooltip=tooltip)
    told = marks.told_by_verdict(point["verdict"] for point in points)
    kind = "T" if days.are_dates(labels) else "Q"
    sides = {"since": days.apart(labels, unit, -0.5), "until": days.apart(labels, unit, 0.5)}
    band = base.transform_calculate(**sides).mark_rect(fill="var(--ink)", opacity=0.1)
    return [
        band.encode(x=days.axis(labels, unit, f"since:{kind}"), x2="until", y=y, y2="high:Q"),
        at.mark_rule(strokeWidth=2.5).encode(y=y, y2="high:Q", stroke=told["stroke"]),
        at.mark_point(size=70, strokeWidth=2, opacity=1).encode(y=alt.Y("at:Q"), **told),
    ]


def _many(points: Sequence[dict[str, Any]], x: alt.X, y: alt.Y) -> list[Any]:
    """A line on a band, and a diamond for each day beyond the limit; numbers without words, or a year of them
    would be as large as a page."""
    short = [{key: point[key] for key in ("day", "at", "low", "high", "verdict")} for point in points]
    base = alt.Chart(data(short)).encode(x=x)
    numbers = [alt.Tooltip(f"{name}:Q", title=title, format=".3~g") for name, title in _NUMBERS.items()]
    tooltip = ["day:N", *numbers]
    # In steps: a slope would draw values between two days that no interval speaks of.
    ends = base.mark_line(stroke="var(--muted)", strokeWidth=1, interpolate="step")
    layers: list[Any] = [
        base.mark_area(fill="var(--ink)", opacity=0.15, interpolate="step").encode(y=y, y2="high:Q"),
        *(ends.encode(y=alt.Y(f"{end}:Q")) for end in ("low", "high")),
        base.mark_line(stroke="var(--ink)", strokeWidth=1.5).encode(y=alt.Y("at:Q"), tooltip=tooltip),
    ]
    beyond = Verdict.VIOLATION.value
    if any(point["verdict"] == beyond for point in points):
        outside = base.transform_filter(f"datum.verdict == '{beyond}'").mark_point(
            size=30, strokeWidth=1, opacity=1
        )
        layers.append(outside.encode(y=alt.Y("at:Q"), tooltip=tooltip, **marks.told_by_verdict([beyond])))
    return layers


def _point(finding: Finding, day: Day, scale: float) -> dict[str, Any]:
    def rounded(number: float) -> float:
        return float(f"{number * scale:.6g}")

    return {
        "day": day.day,
        "at": rounded(day.estimate),
        "low": rounded(day.low),
        "high": rounded(day.high),
        "verdict": day.verdict or marks.NONE,
        "on": day.day,
        "estimate": marks.written(finding, day.estimate),
        "interval": f"{marks.written(finding, day.low)} to {marks.written(finding, day.high)}",
    }


def _row(finding: Finding, day: Day) -> Row:
    unit = str(finding.details["unit"])
    row: dict[str, Any] = {"group": finding.subject["group"]} if "group" in finding.subject else {}
    row |= {
        unit: day.day,
        "estimate": day.estimate,
        f"low, all {unit}s at once": day.low,
        f"high, all {unit}s at once": day.high,
        f"low, this {unit} alone": day.fixed.low,
        f"high, this {unit} alone": day.fixed.high,
    }
    if finding.tolerance is not None:
        row |= {"limit": finding.tolerance, "verdict": day.verdict}
    return row


def _values(finding: Finding, least: float, most: float) -> alt.Y:
    scale = marks.scale_of(finding)
    return alt.Y(
        "low:Q",
        title=None,
        scale=alt.Scale(domain=[least * scale, most * scale], nice=False, zero=False),
        axis=alt.Axis(grid=True, tickCount=5, labelExpr=marks.axis_labels(finding)),
    )


def _caption(finding: Finding, known: Sequence[Day]) -> str:
    unit, level = finding.details["unit"], marks.level_of(finding)
    what = f"All traffic up to each {unit}" if "first" in finding.details else f"Each {unit}"
    mark = "the band is its" if len(known) > _MANY else "lines are its"
    alone = f"For one {unit} alone the interval would be narrower"
    decides = " and decides" if finding.tolerance is not None else ""
    return " ".join(
        filter(
            None,
            [
                f"{what}; {mark} {level}interval, which holds for all {len(known)} {unit}s at once{decides}.",
                f"{alone}: it is in the data.",
                marks.limit_in_words(finding, "Dashed: the limit"),
            ],
        )
    )


def _when(finding: Finding, entry: Day) -> str:
    return f"in the week of {entry.day}" if finding.details["unit"] == "week" else f"on {entry.day}"


def _in_words(finding: Finding, known: Sequence[Day]) -> str:
    least = min(known, key=lambda entry: float(entry.estimate))
    most = max(known, key=lambda entry: float(entry.estimate))
    span = f"{len(known)} {finding.details['unit']}s from {known[0].day} to {known[-1].day}"
    group = finding.subject.get("group")
    about = "" if group is None else f" for {shortened(str(group))}"
    return (
        f"Chart: {measure(finding.measure).title}{about}, {span}. The least is "
        f"{sentences.size(finding, least.estimate)} {_when(finding, least)}, the greatest "
        f"{sentences.size(finding, most.estimate)} {_when(finding, most)}."
    )
