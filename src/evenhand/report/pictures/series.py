"""Pictures of a measure over days: each day with its two intervals, or the groups side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import altair as alt

from evenhand.findings import Finding, Verdict
from evenhand.pictures import Day
from evenhand.report.pictures.charts import COLOURS, FILLS, KEYS, SHAPES, in_page_style
from evenhand.report.pictures.heat_maps import Picture
from evenhand.report.vocabulary.names import measure
from evenhand.report.words import numbers, sentences
from evenhand.report.words.series import all_days, known_days

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
# With more days than this, single days are not drawn: a year of dots and lines would be a blur.
_MANY = 60
# With more days than this, months are written below them.
_MONTHS = 120
_MOST_GROUPS = 8


def over_days(finding: Finding) -> Picture:
    """Each day with the interval that holds alone, on the band that holds for all days at once."""
    days = known_days(finding)
    chart = alt.layer(*_landmarks(finding), *_marks(finding, _values(finding, "low")))
    return Picture(
        _caption(finding),
        in_page_style(chart.resolve_scale(fill="independent").properties(width="container", height=260)),
        _in_words(finding, days),
    )


def of_groups(findings: Sequence[Finding]) -> list[Picture]:
    """A picture a group, one below the other and on one scale; of many groups those that are furthest."""
    scale = numbers.SCALES[measure(findings[0].measure).show]
    shown = sorted(findings, key=lambda finding: -abs(finding.estimate or 0.0))[:_MOST_GROUPS]
    shown = [finding for finding in findings if finding in shown]
    ends = [end * scale for f in shown for entry in known_days(f) for end in (entry.low, entry.high)]
    ends += [sign * (f.tolerance or 0.0) * scale for f in shown for sign in (-1, 1)]
    margin = 0.05 * (max(ends) - min(ends))
    domain = (min(ends) - margin, max(ends) + margin)
    pictures = []
    for finding in shown:
        y = _values(finding, "low", title=str(finding.subject["group"]), domain=domain)
        chart = alt.layer(*_landmarks(finding), *_marks(finding, y))
        pictures.append(
            Picture(
                _tally(finding),
                in_page_style(
                    chart.resolve_scale(fill="independent").properties(width="container", height=130)
                ),
                f"{finding.subject['group']}. {_in_words(finding, known_days(finding))}",
            )
        )
    if len(shown) < len(findings):
        left = f" {len(findings) - len(shown)} groups that are nearer to the average are not drawn."
        pictures[-1] = replace(pictures[-1], caption=pictures[-1].caption + left)
    pictures[-1] = replace(pictures[-1], caption=f"{pictures[-1].caption} {_caption(findings[0])}")
    return pictures


def _tally(finding: Finding) -> str:
    details = finding.details
    counts = f"{len(known_days(finding))} {details['unit']}s"
    if {"days_outside", "days_undecided", "days_within"} <= details.keys():
        counts = (
            f"{details['days_outside']} of {counts} outside the tolerance, {details['days_undecided']} "
            f"undecided, {details['days_within']} within"
        )
    decides = f" The {details['unit']} that decides is {details['day']}." if "day" in details else ""
    return f"{finding.subject['group']}: {counts}.{decides}"


def _marks(finding: Finding, y: alt.Y) -> list[alt.Chart]:
    """Two bands and a line where days are many; else a dot and a line each, on a band."""
    days = known_days(finding)
    scale = numbers.SCALES[measure(finding.measure).show]
    points = [
        {
            "day": entry.day,
            "estimate": entry.estimate * scale,
            "low": entry.low * scale,
            "high": entry.high * scale,
            "fixed_low": entry.fixed.low * scale,
            "fixed_high": entry.fixed.high * scale,
            "verdict": entry.verdict or "none",
            "said": _said(finding, entry),
        }
        for entry in days
    ]
    base = alt.Chart(alt.InlineData(values=points)).encode(x=_days(finding))
    stroke = alt.Stroke("verdict:N", scale=alt.Scale(domain=KEYS, range=COLOURS), legend=None)
    # In steps: a slope would draw values between two days that no interval speaks of.
    area = base.mark_area(fill="var(--ink)", opacity=0.12, interpolate="step")
    band = area.encode(y=y, y2="high:Q")
    dot = {
        "y": alt.Y("estimate:Q"),
        "stroke": stroke,
        "fill": alt.Fill("verdict:N", scale=alt.Scale(domain=KEYS, range=FILLS), legend=None),
        "shape": alt.Shape("verdict:N", scale=alt.Scale(domain=KEYS, range=SHAPES), legend=None),
        "tooltip": "said:N",
    }
    if len(points) <= _MANY:
        lines = base.mark_rule(strokeWidth=2.5).encode(
            y=alt.Y("fixed_low:Q"), y2="fixed_high:Q", stroke=stroke, tooltip="said:N"
        )
        return [band, lines, base.mark_point(size=70, strokeWidth=2, opacity=1).encode(**dot)]
    alone = area.encode(y=alt.Y("fixed_low:Q"), y2="fixed_high:Q")
    line = base.mark_line(stroke="var(--ink)", strokeWidth=1).encode(y=alt.Y("estimate:Q"), tooltip="said:N")
    outside = base.transform_filter(f"datum.verdict == '{Verdict.VIOLATION.value}'")
    return [band, alone, line, outside.mark_point(size=30, strokeWidth=1, opacity=1).encode(**dot)]


def _days(finding: Finding) -> alt.X:
    """Days without their year, which stands below them once; fewer of them where there is little room."""
    labels = [entry.day for entry in all_days(finding)]
    dated = all(_DATE.fullmatch(label) for label in labels)
    years = sorted({label[:4] for label in labels})
    months = len(labels) > _MONTHS
    written = ("%b" if len(years) == 1 else "%b %y") if months else "%d %b"
    unit = finding.details["unit"]
    # Weeks are named by their Mondays; left alone, ticks would stand on Sundays.
    few = labels[:: max(1, -(-len(labels) // 6))]
    starts = [date.fromisoformat(label) for label in few] if unit == "week" else []
    mondays = [alt.DateTime(year=d.year, month=d.month, date=d.day, utc=True) for d in starts]
    return alt.X(
        "day:T" if dated else "day:Q",
        title=" to ".join(dict.fromkeys((years[0], years[-1]))) if dated else unit,
        # A date is read as midnight in Greenwich, and must not be written as the evening before elsewhere.
        scale=alt.Scale(type="utc" if dated else "linear", nice=False, zero=False, padding=8),
        axis=alt.Axis(
            grid=False,
            tickCount=alt.ExprRef("containerSize()[0] < 500 ? 3 : 7"),
            labelOverlap=True,
            format=written if dated else "d",
            values=mondays or alt.Undefined,
        ),
    )


def _values(
    finding: Finding, column: str, title: str = "", domain: tuple[float, float] | None = None
) -> alt.Y:
    known = measure(finding.measure)
    unit = "%" if known.show == "percent" else ""
    sign = "+" if known.directions else ""
    return alt.Y(
        f"{column}:Q",
        title=title or known.title + ("" if known.show == "percent" else f" ({known.show})"),
        scale=alt.Scale(zero=False) if domain is None else alt.Scale(zero=False, domain=list(domain)),
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
    if len(known_days(finding)) > _MANY:
        marks = (
            f"The line is {what}; the dark band is its {level}interval {alone}, the light band holds for "
            f"every {unit} at once."
        )
        marks += "" if finding.tolerance is None else f" A diamond is a {unit} outside the tolerance."
    else:
        marks = (
            f"A dot for {what}; the line is its {level}interval {alone}, the band holds for every {unit} at "
            "once."
        )
    return marks + _tolerance_note(finding)


def _tolerance_note(finding: Finding) -> str:
    return "" if finding.tolerance is None else " Dashed: the tolerance."


def _said(finding: Finding, entry: Day) -> str:
    bounds = f"{sentences.size(finding, entry.low)} to {sentences.size(finding, entry.high)}"
    return f"{entry.day}: {sentences.size(finding, entry.estimate)} (all at once: {bounds})"


def _when(finding: Finding, entry: Day) -> str:
    return f"in the week of {entry.day}" if finding.details["unit"] == "week" else f"on {entry.day}"


def _in_words(finding: Finding, days: list[Day]) -> str:
    least = min(days, key=lambda entry: float(entry.estimate))
    most = max(days, key=lambda entry: float(entry.estimate))
    span = f"{len(days)} {finding.details['unit']}s from {days[0].day} to {days[-1].day}"
    return (
        f"Chart: {measure(finding.measure).title} of {span}. The least is "
        f"{sentences.size(finding, least.estimate)} {_when(finding, least)}, the greatest "
        f"{sentences.size(finding, most.estimate)} {_when(finding, most)}. All are in findings.json."
    )
