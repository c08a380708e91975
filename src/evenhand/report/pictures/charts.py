"""Pictures of many findings at once, as Vega-Lite made through Altair.

Colours are CSS variables of the page, so a picture follows light, dark and print without being drawn again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import altair as alt

from evenhand.findings import Finding, Verdict
from evenhand.report.pages.arrange import Family
from evenhand.report.pages.tables import row
from evenhand.report.pictures.scale import drawn_range, tolerated
from evenhand.report.vocabulary.names import measure, spaced
from evenhand.report.words import numbers, sentences

KEYS = [*(verdict.value for verdict in Verdict), "none"]
COLOURS = [f"var(--{key.replace('_', '-')})" for key in KEYS]
_HOLLOW = {Verdict.INCONCLUSIVE.value, "none"}
FILLS = ["var(--paper)" if key in _HOLLOW else colour for key, colour in zip(KEYS, COLOURS, strict=True)]
SHAPES = [
    {"violation": "diamond", "not_applicable": "stroke", "none": "square"}.get(key, "circle") for key in KEYS
]
_ROW_HEIGHT = 28
# Letters that a line of a label has room for, on a telephone and elsewhere.
_NARROW_LABEL, _WIDE_LABEL = 17, 40
# Statistics whose size says nothing without their p-value, and what has a picture of its own.
_NOT_RANKED = ("equality", "days_needed", "planned_half_width", "planned_power", "boost_weight")
# Lines told apart by the colour-blind (Okabe and Ito 2008), on white and on black.
LINES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c", "#a6761d"]
# The page's own stack: Vega measures text on a canvas, which does not know "inherit".
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def ranked(family: Family) -> dict[str, Any] | None:
    """A dot and its interval for each member, in the family's order, over the tolerated band.

    None where fewer than two members have an estimate, so that there is nothing to compare; where each
    is about a day of its own, which pictures over days show; and where only a curve says something.
    """
    members = [
        (finding, label)
        for finding, label in zip(family.findings, _distinct(family.labels), strict=True)
        if finding.estimate is not None
    ]
    apart = any(finding.series is not None or finding.measure in _NOT_RANKED for finding, _ in members)
    if len(members) < 2 or apart:
        return None
    known = measure(family.first.measure)
    scale = numbers.SCALES[known.show]
    least, most = drawn_range([finding for finding, _ in members])
    points = [
        {
            "label": label,
            "estimate": (sentences.value(finding) or 0.0) * scale,
            "low": None if finding.interval is None else finding.interval.low * scale,
            "high": None if finding.interval is None else finding.interval.high * scale,
            "verdict": finding.verdict or "none",
            "sentence": sentences.sentence(finding),
            **_by_chance(finding, scale),
        }
        for finding, label in members
        if finding.estimate is not None
    ]
    sign = "+" if known.directions else ""
    unit = "%" if known.show == "percent" else ""
    label_of_value = f"(datum.value == 0 ? '0' : format(datum.value, '{sign},.3~f')) + '{unit}'"
    x = alt.X(
        "low:Q",
        title=_axis_title(members[0][0]),
        scale=alt.Scale(domain=[least * scale, most * scale], nice=False, zero=False),
        axis=alt.Axis(labelExpr=label_of_value, tickCount=5, orient="top"),
    )
    names = [label for _, label in members]
    y = alt.Y("label:N", sort=names, title=None, axis=alt.Axis(**_in_two_lines(names)))
    stroke = alt.Stroke("verdict:N", scale=alt.Scale(domain=KEYS, range=COLOURS), legend=None)
    base = alt.Chart(alt.InlineData(values=points))
    layers = [
        base.mark_rule(strokeWidth=2.5).encode(x=x, x2="high:Q", y=y, stroke=stroke, tooltip="sentence:N"),
        base.mark_point(size=110, strokeWidth=2, opacity=1).encode(
            x=alt.X("estimate:Q"),
            y=y,
            stroke=stroke,
            fill=alt.Fill("verdict:N", scale=alt.Scale(domain=KEYS, range=FILLS), legend=None),
            shape=alt.Shape("verdict:N", scale=alt.Scale(domain=KEYS, range=SHAPES), legend=None),
            tooltip="sentence:N",
        ),
    ]
    if any("chance_low" in point for point in points):
        layers.insert(0, base.mark_rule(strokeWidth=14, stroke="var(--band)").encode(**_chance_encoding(y)))
    if known.no_effect is not None:
        layers.insert(0, _no_effect(known.no_effect * scale))
    zone = tolerated(members[0][0], least, most)
    if zone is not None and len({(finding.tolerance, finding.harm) for finding, _ in members}) == 1:
        layers.insert(0, _band(zone[0] * scale, zone[1] * scale))
    chart = alt.layer(*layers).resolve_scale(fill="independent")
    return in_page_style(
        chart.properties(
            width="container",
            height=_ROW_HEIGHT * len(points),
            description=describe(family),
        )
    )


def _axis_title(finding: Finding) -> list[str]:
    """What is drawn, and in a second line which side is which, where there are words for it."""
    known = measure(finding.measure)
    unit = "" if known.show in ("percent", "number") else f" ({known.show})"
    ends = sentences.sides(finding)
    return [f"{known.title}{unit}", *([f"← {ends[0]}  |  {ends[1]} →"] if ends else [])]


def _in_two_lines(labels: Sequence[str]) -> dict[str, Any]:
    """Long labels broken in two: cut off at one length, several would look the same."""
    told = [
        {label: wrap(label, letters, max_lines=2, placeholder=" …") or [label] for label in labels}
        for letters in (_NARROW_LABEL, _WIDE_LABEL)
    ]
    narrow, wide = (f"({json.dumps(lines)})[datum.value]" for lines in told)
    # The first line stands in the middle of its row: where most have two, half a line higher.
    raised = [-6 if 2 * sum(len(some) > 1 for some in lines.values()) > len(lines) else 0 for lines in told]
    return {
        "labelExpr": f"containerSize()[0] < 500 ? {narrow} : {wide}",
        "labelOffset": alt.ExprRef(f"containerSize()[0] < 500 ? {raised[0]} : {raised[1]}"),
        "labelLineHeight": 12,
    }


def _by_chance(finding: Finding, scale: float) -> dict[str, float]:
    """Where chance alone would put the estimate, if the finding says so."""
    band = finding.details.get("by_chance")
    return {} if band is None else {"chance_low": band["low"] * scale, "chance_high": band["high"] * scale}


def _chance_encoding(y: alt.Y) -> dict[str, Any]:
    return {"x": alt.X("chance_low:Q"), "x2": "chance_high:Q", "y": y}


def describe(family: Family) -> str:
    """The picture in words, for those who do not see it."""
    known = [finding for finding in family.findings if finding.estimate is not None]
    title = measure(family.first.measure).title
    by = spaced(str(family.first.subject.get("by", "")))
    about = f"{len(known)} {family.member}s{f' of {by}' if by else ''}"
    ends = ""
    if known:
        labels = dict(zip(map(id, family.findings), family.labels, strict=True))
        first, last = known[0], known[-1]
        ends = (
            f" It runs from {labels[id(first)]} ({row(first).estimate})"
            f" to {labels[id(last)]} ({row(last).estimate})."
        )
    return f"Chart: {title} with its interval for {about}.{ends} The table that follows has every number."


def _band(low: float, high: float) -> alt.Chart:
    data = alt.InlineData(values=[{"from": low, "to": high}])
    return alt.Chart(data).mark_rect(fill="var(--band)").encode(x=alt.X("from:Q"), x2="to:Q")


def _no_effect(value: float) -> alt.Chart:
    data = alt.InlineData(values=[{"at": value}])
    return alt.Chart(data).mark_rule(stroke="var(--muted)", strokeDash=[3, 3]).encode(x=alt.X("at:Q"))


def _distinct(labels: tuple[str, ...]) -> list[str]:
    """Labels that name rows of a picture must differ: a second "other" becomes "other (2)"."""
    seen: Counter[str] = Counter()
    result = []
    for label in labels:
        seen[label] += 1
        result.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return result


def in_page_style(chart: alt.LayerChart | alt.FacetChart) -> dict[str, Any]:
    """The specification with the page's type and colours, and without the address of its schema."""
    configured = chart.configure(
        background="transparent",
        font=_FONT,
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor="var(--ink)",
            titleColor="var(--muted)",
            gridColor="var(--line)",
            domainColor="var(--line)",
            tickColor="var(--line)",
            labelFontSize=13,
            titleFontSize=12,
            titleFontWeight="normal",
            labelLimit=alt.ExprRef("containerSize()[0] < 500 ? 120 : 280"),
        ),
        axisY=alt.AxisConfig(grid=False, ticks=False, domain=False, labelPadding=10),
    )
    specification: dict[str, Any] = configured.to_dict()
    specification.pop("$schema", None)
    return specification
