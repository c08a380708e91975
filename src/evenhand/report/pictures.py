"""Pictures that one finding brings along in its details: a heat map, a search as it went, a correlation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt

from evenhand.findings import Finding
from evenhand.report.charts import in_page_style
from evenhand.report.vocabulary import spaced

_CELL = 34
# From worse to better, readable for the colour-blind and in grey; the middle is what everybody gets.
_DIVERGING = ["#b2182b", "#f4a582", "#f7f7f7", "#92c5de", "#2166ac"]


@dataclass(frozen=True)
class Picture:
    """A Vega-Lite specification, with a caption and the picture in words for those who do not see it."""

    caption: str
    specification: dict[str, Any]
    description: str


def pictures_of(finding: Finding) -> list[Picture]:
    """Every picture for which the details have the data; most findings have none."""
    found = []
    if heat := finding.details.get("heat"):
        found.append(_heat_map(finding, heat))
    search = finding.details.get("search")
    if isinstance(search, dict) and search.get("trace"):
        found.append(_progress(search["trace"]))
    if correlation := finding.details.get("correlation"):
        found.append(_correlation(correlation))
    return found


def _heat_map(finding: Finding, heat: dict[str, Any]) -> Picture:
    """Means by two attributes. Colours say how far a group is from the middle of all."""
    cells = [
        cell | {"said": f"{cell['row']}, {cell['column']}: {cell['mean']:.3g} ({cell['users']:,} users)"}
        for cell in heat["cells"]
    ]
    means = [cell["mean"] for cell in cells]
    users = sum(cell["users"] for cell in cells)
    middle = sum(cell["mean"] * cell["users"] for cell in cells) / users
    reach = max(abs(mean - middle) for mean in means) or 1.0
    colours = _DIVERGING if finding.details.get("better") == "higher" else _DIVERGING[::-1]
    base = alt.Chart(alt.InlineData(values=cells)).encode(
        x=alt.X("column:N", title=spaced(heat["columns"]), sort=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("row:N", title=spaced(heat["rows"]), sort=None),
        tooltip="said:N",
    )
    domain = [middle - reach, middle - reach / 2, middle, middle + reach / 2, middle + reach]
    colour = alt.Color("mean:Q", scale=alt.Scale(domain=domain, range=colours), legend=None)
    few = len({cell["column"] for cell in cells}) <= 12
    light = f"abs(datum.mean - {middle}) > {reach * 0.75}"
    text = base.mark_text(fontSize=12).encode(
        text=alt.Text("mean:Q", format=".2f"),
        color=alt.condition(light, alt.value("white"), alt.value("#222222")),
    )
    chart = alt.layer(base.mark_rect().encode(color=colour), *([text] if few else []))
    rows = len({cell["row"] for cell in cells})
    ends = sorted(cells, key=lambda cell: cell["mean"])
    return Picture(
        f"Mean {finding.subject.get('metric', '')} by {spaced(heat['rows'])} and {spaced(heat['columns'])}. "
        "White is the mean of everybody, red is served worse, blue better; small groups differ by chance.",
        in_page_style(chart.properties(width="container", height=_CELL * rows)),
        f"Heat map of {len(cells)} groups, from {ends[0]['said']} to {ends[-1]['said']}.",
    )


def _progress(trace: list[list[float]]) -> Picture:
    points = [{"users": users, "gap": gap} for users, gap in trace]
    line = alt.Chart(alt.InlineData(values=points)).mark_line(
        interpolate="step-after", stroke="var(--ink)", point=alt.OverlayMarkDef(fill="var(--ink)", size=30)
    )
    chart = alt.layer(
        line.encode(
            x=alt.X("users:Q", title="users scored", axis=alt.Axis(format=",d", tickCount=5)),
            y=alt.Y("gap:Q", title="largest gap so far", scale=alt.Scale(zero=True)),
        )
    )
    return Picture(
        "The search: the largest gap among the groups visited, against the users scored.",
        in_page_style(chart.properties(width="container", height=180)),
        f"Line: the largest gap rises to {trace[-1][1]:.3g} after {int(trace[-1][0]):,} users were scored.",
    )


def _correlation(correlation: dict[str, Any]) -> Picture:
    names, matrix = correlation["metrics"], correlation["matrix"]
    cells = [
        {"first": a, "second": b, "value": matrix[i][j]}
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if matrix[i][j] is not None
    ]
    base = alt.Chart(alt.InlineData(values=cells)).encode(
        x=alt.X("second:N", title=None, sort=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("first:N", title=None, sort=None),
    )
    colour = alt.Color(
        "value:Q", scale=alt.Scale(domain=[-1, -0.5, 0, 0.5, 1], range=_DIVERGING), legend=None
    )
    text = base.mark_text(fontSize=12).encode(
        text=alt.Text("value:Q", format=".2f"),
        color=alt.condition("abs(datum.value) > 0.75", alt.value("white"), alt.value("#222222")),
    )
    chart = alt.layer(base.mark_rect().encode(color=colour), text)
    return Picture(
        "Rank correlation of the group means, metric against metric: 1 where the same groups do well.",
        in_page_style(chart.properties(width="container", height=_CELL * len(names))),
        f"Heat map of the correlation between {len(names)} metrics: {', '.join(names)}.",
    )
