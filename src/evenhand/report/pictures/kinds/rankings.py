"""Findings of one measure under each other: a dot and its interval each, over what is tolerated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import altair as alt

from evenhand.findings import Finding
from evenhand.report.pictures import marks
from evenhand.report.pictures.names import distinct, in_two_lines
from evenhand.report.pictures.picture import Picture, Row, data, in_page_style
from evenhand.report.pictures.scale import drawn_range, starts_elsewhere
from evenhand.report.vocabulary.names import measure, spaced
from evenhand.report.words import sentences

_ROW_HEIGHT = 28
# More rows than this in one picture, and nobody reads the middle.
MOST = 24
# Statistics whose size says nothing without their p-value, what has a picture of its own, and single users.
_NOT_RANKED = (
    "equality", "days_needed", "planned_half_width", "planned_power", "boost_weight", "tradeoff", "envy_pair",
    "planned_duration", "planned_cost",
)  # fmt: skip


class Member(NamedTuple):
    """A finding, what it is called, and the same in a picture."""

    finding: Finding
    label: str
    short: str


def ranked(
    findings: Sequence[Finding], labels: Sequence[str], drawn: Sequence[Finding] = ()
) -> Picture | None:
    """A dot and its interval for each finding, in their order, or of many for those that are to be `drawn`.

    None where no finding has an estimate, or only one and no interval; where each is about days, which
    pictures over days show; and where the size says nothing.
    """
    members = [
        Member(finding, label, short)
        for finding, label, short in zip(findings, labels, distinct(labels), strict=True)
        if finding.estimate is not None
    ]
    known = [member.finding for member in members]
    if not known or any(f.series is not None or f.measure in _NOT_RANKED for f in known):
        return None
    first = known[0]
    if len(known) == 1 and first.interval is None:
        return None
    ids = {finding.id for finding in drawn}
    shown = [member for member in members if not ids or member.finding.id in ids][:MOST]
    by_chance = [band for one in shown if (band := one.finding.details.get("by_chance")) is not None]
    ends = [band[end] for band in by_chance for end in ("low", "high")]
    least, most = drawn_range([member.finding for member in shown], ends)
    sides = sentences.sides(first)
    left = len(members) - len(shown)
    said = [
        *_key(known),
        "The axis does not begin at 0." if starts_elsewhere(first, least) else "",
        f"{left} that stand out less are not drawn; the data has all." if left else "",
    ]
    return Picture(
        " ".join(filter(None, said)),
        in_page_style(
            alt.layer(*_layers(shown, least, most)),
            _ROW_HEIGHT * len(shown),
            marks.title_of(first) + _by(known),
            f"← {sides[0]}  |  {sides[1]} →" if sides else "",
        ),
        _in_words(members),
        [_row(member) for member in members],
    )


def _layers(members: Sequence[Member], least: float, most: float) -> list[Any]:
    first = members[0][0]
    scale = marks.scale_of(first)
    points = [_point(finding, short, scale) for finding, _, short in members]
    x = alt.X(
        "low:Q",
        title=None,
        scale=alt.Scale(domain=[least * scale, most * scale], nice=False, zero=False),
        axis=alt.Axis(labelExpr=marks.axis_labels(first), tickCount=5, orient="top", labelOverlap=True),
    )
    names = [short for _, _, short in members]
    y = alt.Y("label:N", sort=names, title=None, axis=alt.Axis(**in_two_lines(names)))
    told = marks.told_by_verdict(point["verdict"] for point in points)
    tooltip = [alt.Tooltip(f"{name}:N", title=name) for name in ("who", "estimate", "interval")]
    base = alt.Chart(data(points))
    layers: list[Any] = []
    if len({(finding.tolerance, finding.harm) for finding, _, _ in members}) == 1:
        layers += marks.zone(first, least, most)
    layers += marks.no_effect(first, "x")
    if any("chance_low" in point for point in points):
        band = {"x": alt.X("chance_low:Q"), "x2": "chance_high:Q", "y": y}
        layers.append(base.mark_rule(strokeWidth=14, stroke="var(--band)").encode(**band))
        layers += [
            base.mark_tick(orient="vertical", size=14, thickness=1.5, color="var(--muted)").encode(
                x=alt.X(f"chance_{end}:Q"), y=y
            )
            for end in ("low", "high")
        ]
    return [
        *layers,
        base.mark_rule(strokeWidth=2.5).encode(
            x=x, x2="high:Q", y=y, stroke=told["stroke"], tooltip=tooltip
        ),
        base.mark_point(size=100, strokeWidth=2, opacity=1).encode(
            x=alt.X("at:Q"), y=y, tooltip=tooltip, **told
        ),
    ]  # fmt: skip


def _point(finding: Finding, short: str, scale: float) -> dict[str, Any]:
    shown = sentences.value(finding) or 0.0
    interval = finding.interval
    point = {
        "label": short,
        "at": _rounded(shown * scale),
        "verdict": finding.verdict or marks.NONE,
        "who": short,
        "estimate": marks.written(finding, shown),
    }
    if interval is not None:
        low, high = interval.low, interval.high
        point |= {"low": _rounded(low * scale), "high": _rounded(high * scale)}
        point["interval"] = f"{marks.written(finding, low)} to {marks.written(finding, high)}"
    band = finding.details.get("by_chance")
    if band is not None:
        point |= {f"chance_{end}": _rounded(band[end] * scale) for end in ("low", "high")}
    return point


def _rounded(number: float) -> float:
    """Six digits: more than a picture shows, and the same on every machine."""
    return float(f"{number:.6g}")


def _row(member: Member) -> Row:
    finding = member.finding
    interval = finding.interval
    band = finding.details.get("by_chance") or {}
    row: dict[str, Any] = {
        "who": member.label,
        "estimate": sentences.value(finding),
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
    }
    row |= {f"by chance, {end}": band[end] for end in ("low", "high") if end in band}
    row |= {} if finding.tolerance is None else {"limit": finding.tolerance, "verdict": finding.verdict}
    return row | {"id": finding.id}


def _key(findings: Sequence[Finding]) -> list[str]:
    """What the parts of the picture are."""
    first = findings[0]
    spanned = [f for f in findings if f.interval is not None and not sentences.is_counted(f.interval)]
    said = [marks.limit_in_words(first, "Shaded: within the limit")]
    if spanned:
        together = first.family is not None and first.family.level is not None and len(findings) > 1
        once = ", which hold for all of them at once" if together else ""
        said.append(f"Lines: {marks.level_of(spanned[0])}intervals{once}.")
    if any("by_chance" in finding.details for finding in findings):
        said.append("Grey: where chance alone would put a group of its size.")
    return said


def _by(findings: Sequence[Finding]) -> str:
    """Whose groups they are, where all are of one attribute: " by birth year"."""
    named = {finding.subject.get("by") for finding in findings}
    by = named.pop() if len(named) == 1 else None
    return f" by {spaced(by)}" if isinstance(by, str) and by else ""


def _in_words(members: Sequence[Member]) -> str:
    """The picture in words, for those who do not see it."""
    (first, _, label), (last, _, other) = members[0], members[-1]
    title = measure(first.measure).title + _by([member.finding for member in members])
    start = f"{label} ({marks.written(first, sentences.value(first) or 0.0)})"
    if len(members) == 1:
        return f"Chart: {title} with its interval, {start}."
    end = f"{other} ({marks.written(last, sentences.value(last) or 0.0)})"
    return f"Chart: {title} with its interval for {len(members)}, from {start} to {end}."
