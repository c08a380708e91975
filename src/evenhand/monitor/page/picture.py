"""A followed finding over the days: its interval on each, the limit, and what happened meanwhile.

Days without data stay empty: no line crosses them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from evenhand.findings import Finding, Verdict
from evenhand.monitor.page import events
from evenhand.monitor.page.events import whole_days
from evenhand.monitor.page.model import Flag, Point, Watch
from evenhand.report.pictures import marks
from evenhand.report.pictures.kinds import days
from evenhand.report.pictures.picture import Picture, Row, data, in_page_style
from evenhand.report.pictures.scale import drawn_range
from evenhand.report.words import sentences
from evenhand.report.words.people import listed

# With more days than this, only those beyond the limit have a mark of their own.
_MANY = 60
# Room above the highest interval for the lines of flags, in parts of the height.
_ABOVE = 0.14
_NOTHING = Point(None)


def over_time(watch: Watch, finding: Finding, height: int = 240) -> Picture | None:
    """The picture of a finding; None where no day has a number."""
    points = watch.points[finding.id]
    known = _known(watch, finding)
    if not known:
        return None
    scale = marks.scale_of(finding)
    ends = [entry[end] / scale for entry in known for end in ("low", "at", "high")]
    least, most = drawn_range([finding.amended(interval=None, more_data=None)], ends)
    raised = watch.flags_of(finding.id)
    top = most + (most - least) * _ABOVE if raised else most
    y = alt.Y(
        "low:Q",
        title=None,
        scale=alt.Scale(domain=[least * scale, top * scale], nice=False, zero=False),
        axis=alt.Axis(grid=True, tickCount=5, labelExpr=marks.axis_labels(finding)),
    )
    layers = [
        *events.empty_days(watch),
        *marks.no_effect(finding, "y"),
        *_numbers(watch, known, y),
        *marks.edges(finding, least, top, "y"),
        *events.regimes(watch),
        *events.flags(watch, raised, (most + (top - most) * 0.6) * scale),
        *events.corrections(watch, least * scale),
    ]
    return Picture(
        _caption(watch, finding, raised, len(known)),
        in_page_style(alt.layer(*layers), height, marks.title_of(finding)),
        _in_words(watch, finding, raised, known),
        [_row(watch, points.get(label, _NOTHING), label, raised) for label in watch.calendar],
    )


def _known(watch: Watch, finding: Finding) -> list[dict[str, Any]]:
    """The days that have a number. Those that follow each other have one `piece`, so that a line ends where
    data does, and where days are counted in another way."""
    points, scale, piece = watch.points[finding.id], marks.scale_of(finding), 0
    begun = {one.first_day for one in watch.regimes}
    known: list[dict[str, Any]] = []
    for label in watch.calendar:
        point = points.get(label, _NOTHING)
        piece += point.estimate is None or label in begun
        if point.estimate is not None:
            low, high = (point.estimate if end is None else end for end in (point.low, point.high))
            numbers = {"at": point.estimate, "low": low, "high": high}
            told = {name: _rounded(number * scale) for name, number in numbers.items()}
            known.append({"day": label, **told, "verdict": point.verdict or marks.NONE, "piece": piece})
    return known


def _rounded(number: float) -> float:
    return float(f"{number:.6g}")


def _numbers(watch: Watch, known: Sequence[Mapping[str, Any]], y: alt.Y) -> list[Any]:
    """The interval of each day as a block of its width, the estimates as a line through days that follow each
    other, and marks for single days, or of many for those beyond the limit."""
    base = alt.Chart(data(known))
    numbers = (("at", "estimate"), ("low", "from"), ("high", "to"))
    tooltip = [alt.Tooltip("day:N")]
    tooltip += [alt.Tooltip(f"{name}:Q", title=title, format=".3~g") for name, title in numbers]
    x = days.axis(watch.calendar, watch.unit)
    band = whole_days(watch, known).mark_rect(fill="var(--ink)", opacity=0.16)
    through = base.encode(x=x).mark_line(stroke="var(--ink)", strokeWidth=1.5)
    layers: list[Any] = [
        band.encode(y=y, y2="high:Q", tooltip=tooltip),
        through.encode(y=alt.Y("at:Q"), detail="piece:N"),
    ]
    many = len(known) > _MANY
    pieces = Counter(entry["piece"] for entry in known)
    beyond = Verdict.VIOLATION.value
    # A day between two that are empty has no line: it is seen by its mark alone.
    shown = [
        entry for entry in known if not many or entry["verdict"] == beyond or pieces[entry["piece"]] == 1
    ]
    if shown:
        points = alt.Chart(data(shown)).encode(x=x, tooltip=tooltip)
        points = points.mark_point(size=26 if many else 60, strokeWidth=1.5, opacity=1)
        told = marks.told_by_verdict(entry["verdict"] for entry in shown)
        layers.append(points.encode(y=alt.Y("at:Q"), **told))
    return layers


def _caption(watch: Watch, finding: Finding, raised: Sequence[Flag], known: int) -> str:
    """What the marks are, of those that are there."""
    level, unit = marks.level_of(finding), watch.unit
    pooled = "first" in finding.details or finding.about.get("days") == "all"
    what = f"of all {unit}s up to each" if pooled else f"of each {unit}"
    judged = "" if finding.tolerance is None else ", by which it was judged"
    few_marked = known > _MANY and finding.tolerance is not None
    said = {
        f"Blocks: the {level}interval {what}{judged}.": bool(level),
        f"A mark a {unit}: counted, not estimated.": not level,
        marks.limit_in_words(finding, "Dashed: the limit"): True,
        f"Only {unit}s beyond the limit are marked.": few_marked,
        f"Grey: {unit}s without data.": bool(watch.gaps),
        "Line at the top: a flag was open, from ▲ to ▽.": bool(raised),
        "Dotted: counted in another way from there on.": len(watch.regimes) > 1,
        f"×: a {unit} that was corrected.": bool(watch.corrections),
    }
    return " ".join(text for text, is_so in said.items() if text and is_so)


def _in_words(
    watch: Watch, finding: Finding, raised: Sequence[Flag], known: Sequence[Mapping[str, Any]]
) -> str:
    scale, unit = marks.scale_of(finding), watch.unit
    least, most = (pick(known, key=lambda entry: entry["at"]) for pick in (min, max))
    beyond = sum(entry["verdict"] == Verdict.VIOLATION.value for entry in known)
    unknown = len(watch.calendar) - len(known)
    flags = [f"from {one.opened} {f'to {one.closed}' if one.closed else 'on'}" for one in raised]
    span = f"{len(known)} {unit}s from {known[0]['day']} to {known[-1]['day']}"
    said = [
        f"Chart: {sentences.title(finding)}, {span}.",
        f"The least is {sentences.size(finding, least['at'] / scale)} on {least['day']}, the greatest "
        f"{sentences.size(finding, most['at'] / scale)} on {most['day']}.",
        "" if finding.tolerance is None else f"{beyond} of them are beyond the limit.",
        f"{unknown} {unit}s have no number." if unknown else "",
        f"A flag was open {listed(flags)}." if flags else "",
    ]
    return " ".join(filter(None, said))


def _row(watch: Watch, point: Point, label: str, raised: Sequence[Flag]) -> Row:
    return {
        watch.unit: label,
        "estimate": point.estimate,
        "low": point.low,
        "high": point.high,
        "verdict": point.verdict,
        "data": label in watch.added,
        "corrected": any(one.day == label for one in watch.corrections),
        "flag open": any(
            one.opened <= label and (one.closed is None or label < one.closed) for one in raised
        ),
    }
