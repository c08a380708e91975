"""What pictures are put together from: verdicts as shapes, what is tolerated, no effect, axes of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import altair as alt

from evenhand.findings import Finding, Verdict
from evenhand.report.pictures.picture import below, data
from evenhand.report.pictures.scale import limits, tolerated
from evenhand.report.vocabulary.names import measure
from evenhand.report.words import numbers, sentences, verdicts

NONE = "none"
# The shape of each verdict, and whether it is hollow: nothing hangs on colour.
_LOOKS = {
    Verdict.VIOLATION.value: ("diamond", False),
    Verdict.INCONCLUSIVE.value: ("circle", True),
    Verdict.WITHIN_TOLERANCE.value: ("circle", False),
    Verdict.NOT_APPLICABLE.value: ("stroke", False),
    NONE: ("square", True),
}


def told_by_verdict(keys: Iterable[str]) -> dict[str, Any]:
    """Stroke, fill and shape by verdict, with a legend of those that occur; none where nothing was judged."""
    found = set(keys)
    occur = [key for key in _LOOKS if key in found]
    words = {key: verdicts.WORDS[None if key == NONE else Verdict(key)] for key in occur}
    told = f"({_by_key(words)})[datum.value]"
    judged = occur != [NONE]
    legend = below(words.values(), labelExpr=told, symbolSize=90, symbolStrokeWidth=2) if judged else None
    colours = [f"var(--{key.replace('_', '-')})" for key in occur]
    fills = ["var(--paper)" if _LOOKS[key][1] else colour for key, colour in zip(occur, colours, strict=True)]
    shapes = [_LOOKS[key][0] for key in occur]
    return {
        "stroke": alt.Stroke("verdict:N", scale=alt.Scale(domain=occur, range=colours), legend=legend),
        "fill": alt.Fill("verdict:N", scale=alt.Scale(domain=occur, range=fills), legend=legend),
        "shape": alt.Shape("verdict:N", scale=alt.Scale(domain=occur, range=shapes), legend=legend),
    }


def _by_key(words: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"'{key}': '{word}'" for key, word in words.items()) + "}"


def zone(finding: Finding, low: float, high: float) -> list[alt.Chart]:
    """What is tolerated, shaded, with a line where it ends; nothing without a tolerance."""
    inside = tolerated(finding, low, high)
    if inside is None:
        return []
    scale = scale_of(finding)
    shade = alt.Chart(data([{"from": inside[0] * scale, "to": inside[1] * scale}]))
    return [
        shade.mark_rect(fill="var(--band)").encode(x=alt.X("from:Q"), x2="to:Q"),
        *edges(finding, low, high, "x"),
    ]


def edges(finding: Finding, low: float, high: float, axis: str) -> list[alt.Chart]:
    """A dashed line where the tolerance ends."""
    ends = [{"limit": limit * scale_of(finding)} for limit in limits(finding) if low <= limit <= high]
    channel: Any = {"x": alt.X, "y": alt.Y}[axis]
    dashed = alt.Chart(data(ends)).mark_rule(stroke="var(--ink)", strokeDash=[6, 4])
    return [dashed.encode(**{axis: channel("limit:Q")})] if ends else []


def no_effect(finding: Finding, axis: str) -> list[alt.Chart]:
    """A line at no difference, where the measure has such a value."""
    at = measure(finding.measure).no_effect
    if at is None:
        return []
    channel: Any = {"x": alt.X, "y": alt.Y}[axis]
    line = alt.Chart(data([{"no_effect": at * scale_of(finding)}]))
    return [line.mark_rule(stroke="var(--muted)").encode(**{axis: channel("no_effect:Q")})]


def scale_of(finding: Finding) -> float:
    return numbers.SCALES[measure(finding.measure).show]


def axis_labels(finding: Finding) -> str:
    """Numbers of an axis as an expression: with a sign where the measure has directions, and a unit."""
    known = measure(finding.measure)
    unit = "%" if known.show == "percent" else ""
    sign = "+" if known.directions else ""
    written = f"replace(format(datum.value, '{sign},.3~f'), '-', '−')"
    return f"(datum.value == 0 ? '0' : {written}) + '{unit}'"


def written(finding: Finding, value: float) -> str:
    """A value as it stands in a picture: with its sign where the measure has directions."""
    sign = "+" if value > 0 and measure(finding.measure).directions else ""
    return sign + sentences.figure(finding, value)


def title_of(finding: Finding) -> str:
    """What is drawn, with its unit."""
    known = measure(finding.measure)
    return known.title + ("" if known.show in ("percent", "number") else f" ({known.show})")


def limit_in_words(finding: Finding, mark: str) -> str:
    """ "Shaded: within the limit (±11%)." Nothing without a tolerance."""
    if finding.tolerance is None:
        return ""
    least = {"outside": "±", "above": "at most ", "below": "at least "}[finding.harm]
    return f"{mark} ({least}{sentences.figure(finding, finding.tolerance)})."


def level_of(finding: Finding) -> str:
    """ "95% " before an interval, where it has a level."""
    counted = finding.interval is None or sentences.is_counted(finding.interval)
    return "" if finding.interval is None or counted else f"{numbers.percent_of(finding.interval.level)} "
