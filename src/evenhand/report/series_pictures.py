"""Pictures of a measure over days: each day with its two intervals, or the groups side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import altair as alt

from evenhand.findings import Finding
from evenhand.report import numbers, words
from evenhand.report.charts import COLOURS, FILLS, KEYS, LINES, SHAPES, in_page_style
from evenhand.report.heat_maps import Picture
from evenhand.report.vocabulary import measure

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
# With more days than this, dots and lines of single days get smaller.
_MANY = 60


def over_days(finding: Finding) -> Picture:
    """A dot and a line a day (the interval that holds alone), on the band that holds for all days at once."""
    days = _known(finding)
    scale = numbers.SCALES[measure(finding.measure).show]
    points = [
        {
            "day": entry["day"],
            "estimate": entry["estimate"] * scale,
            "low": entry["low"] * scale,
            "high": entry["high"] * scale,
            "fixed_low": entry["fixed"]["low"] * scale,
            "fixed_high": entry["fixed"]["high"] * scale,
            "verdict": entry.get("verdict") or "none",
            "said": _said(finding, entry),
        }
        for entry in days
    ]
    many = len(points) > _MANY
    base = alt.Chart(alt.InlineData(values=points)).encode(x=_days(finding))
    stroke = alt.Stroke("verdict:N", scale=alt.Scale(domain=KEYS, range=COLOURS), legend=None)
    # In steps: a slope would draw values between two days that no interval speaks of.
    area = base.mark_area(fill="var(--ink)", opacity=0.12, interpolate="step")
    band = area.encode(y=_values(finding, "low"), y2="high:Q")
    lines = base.mark_rule(strokeWidth=1 if many else 2.5).encode(
        y=alt.Y("fixed_low:Q"), y2="fixed_high:Q", stroke=stroke, tooltip="said:N"
    )
    dots = base.mark_point(size=16 if many else 70, strokeWidth=1 if many else 2, opacity=1).encode(
        y=alt.Y("estimate:Q"),
        stroke=stroke,
        fill=alt.Fill("verdict:N", scale=alt.Scale(domain=KEYS, range=FILLS), legend=None),
        shape=alt.Shape("verdict:N", scale=alt.Scale(domain=KEYS, range=SHAPES), legend=None),
        tooltip="said:N",
    )
    chart = alt.layer(*_landmarks(finding), band, lines, dots).resolve_scale(fill="independent")
    return Picture(
        _caption(finding),
        in_page_style(chart.properties(width="container", height=260)),
        _in_words(finding, days),
    )


def of_groups(findings: Sequence[Finding]) -> Picture:
    """A line a group; their intervals are in the findings."""
    first = findings[0]
    scale = numbers.SCALES[measure(first.measure).show]
    groups = [str(finding.subject["group"]) for finding in findings]
    points = [
        {
            "day": entry["day"],
            "estimate": entry["estimate"] * scale,
            "group": group,
            "said": f"{group}, {_said(finding, entry)}",
        }
        for finding, group in zip(findings, groups, strict=True)
        for entry in _known(finding)
    ]
    legend = alt.Legend(
        title=None, orient="bottom", columns=4, labelColor="var(--ink)", labelFontSize=12,
        symbolType="circle", symbolStrokeWidth=0,
    )  # fmt: skip
    colours = [LINES[i % len(LINES)] for i in range(len(groups))]
    base = alt.Chart(alt.InlineData(values=points)).encode(
        x=_days(first),
        y=_values(first, "estimate"),
        color=alt.Color("group:N", scale=alt.Scale(domain=groups, range=colours), sort=None, legend=legend),
    )
    dots = base.mark_circle(size=30, opacity=1).encode(tooltip="said:N")
    chart = alt.layer(*_landmarks(first), base.mark_line(strokeWidth=2), dots)
    unit = first.details["unit"]
    title = measure(first.measure).title
    return Picture(
        f"{title}, a line a group, without intervals: a {unit} decides only where its interval does."
        + _tolerance_note(first),
        in_page_style(chart.properties(width="container", height=260)),
        f"Lines of {len(groups)} groups: {title}. The table has the {unit} that decides for each.",
    )


def _known(finding: Finding) -> list[dict[str, Any]]:
    return [entry for entry in finding.details["series"] if entry["estimate"] is not None]


def _days(finding: Finding) -> alt.X:
    dated = all(_DATE.fullmatch(entry["day"]) for entry in finding.details["series"])
    return alt.X(
        "day:T" if dated else "day:Q",
        title=None if dated else finding.details["unit"],
        scale=alt.Scale(nice=False, zero=False, padding=8),
        axis=alt.Axis(grid=False, tickCount=5, format="%d %b %Y" if dated else "d"),
    )


def _values(finding: Finding, column: str) -> alt.Y:
    known = measure(finding.measure)
    unit = "%" if known.show == "percent" else ""
    sign = "+" if known.directions else ""
    return alt.Y(
        f"{column}:Q",
        title=known.title + ("" if known.show == "percent" else f" ({known.show})"),
        scale=alt.Scale(zero=False),
        axis=alt.Axis(
            grid=True,
            tickCount=5,
            labelExpr=f"(datum.value == 0 ? '0' : format(datum.value, '{sign},.3~f')) + '{unit}'",
        ),
    )


def _landmarks(finding: Finding) -> list[alt.Chart]:
    """No difference, where a measure has a direction, and the tolerance."""
    known = measure(finding.measure)
    scale = numbers.SCALES[known.show]
    marks = [_rule((known.no_effect or 0.0) * scale, "var(--muted)", [3, 3])] if known.directions else []
    limits = [] if finding.tolerance is None else [finding.tolerance]
    limits += [-limit for limit in limits if finding.harm == "outside"]
    return marks + [_rule(limit * scale, "var(--violation)", [6, 4]) for limit in limits]


def _rule(at: float, colour: str, dash: list[int]) -> alt.Chart:
    data = alt.InlineData(values=[{"at": at}])
    return alt.Chart(data).mark_rule(stroke=colour, strokeDash=dash).encode(y=alt.Y("at:Q"))


def _caption(finding: Finding) -> str:
    unit = finding.details["unit"]
    level = "" if finding.interval is None else f"{numbers.percent_of(finding.interval.level)} "
    if "first" in finding.details:
        what, alone = f"all traffic up to that {unit}", "if there is only one look"
    else:
        what, alone = f"that {unit}", f"if only that {unit} is looked at"
    return (
        f"A dot for {what}; the line is its {level}interval {alone}, the band holds for every {unit} at once."
        + _tolerance_note(finding)
    )


def _tolerance_note(finding: Finding) -> str:
    return "" if finding.tolerance is None else " Dashed: the tolerance."


def _said(finding: Finding, entry: dict[str, Any]) -> str:
    bounds = f"{words.size(finding, entry['low'])} to {words.size(finding, entry['high'])}"
    return f"{entry['day']}: {words.size(finding, entry['estimate'])} (all at once: {bounds})"


def _when(finding: Finding, entry: dict[str, Any]) -> str:
    return f"in the week of {entry['day']}" if finding.details["unit"] == "week" else f"on {entry['day']}"


def _in_words(finding: Finding, days: list[dict[str, Any]]) -> str:
    least = min(days, key=lambda entry: float(entry["estimate"]))
    most = max(days, key=lambda entry: float(entry["estimate"]))
    span = f"{len(days)} {finding.details['unit']}s from {days[0]['day']} to {days[-1]['day']}"
    return (
        f"Chart: {measure(finding.measure).title} of {span}. The least is "
        f"{words.size(finding, least['estimate'])} {_when(finding, least)}, the greatest "
        f"{words.size(finding, most['estimate'])} {_when(finding, most)}. Every number is in findings.json."
    )
