"""Pictures that findings bring along in their details: maps, a search as it went, curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from evenhand.findings import Finding
from evenhand.report import audit_pictures, heat_maps, series_pictures
from evenhand.report.charts import LINES, in_page_style
from evenhand.report.heat_maps import Picture

_DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]


def pictures_of(finding: Finding) -> list[Picture]:
    """Every picture for which the details have the data; most findings have none."""
    found = []
    if (heat := finding.details.get("heat")) and heat["cells"]:
        found.append(heat_maps.of_means(finding, heat))
    search = finding.details.get("search")
    if isinstance(search, dict) and search.get("trace"):
        found.append(_progress(search["trace"]))
    if correlation := finding.details.get("correlation"):
        caption = (
            "Rank correlation of the group means, metric against metric: 1 where the same groups do well."
        )
        found.append(heat_maps.of_correlation(correlation, caption))
    for correlation in finding.details.get("correlations", []):
        caption = (
            f"Kendall's rank correlation of the {correlation['of']} of the measures, over systems and "
            "temperatures: 1 where two put all settings in the same order."
        )
        found.append(heat_maps.of_correlation(correlation, caption))
    if (matrix := finding.details.get("matrix")) and matrix["cells"]:
        found.append(heat_maps.of_exposure(matrix["cells"]))
    if over_time := finding.details.get("arms_over_time"):
        found.append(audit_pictures.arms_over_time(over_time))
    if ended_by := finding.details.get("ended_by"):
        found.append(audit_pictures.durations(ended_by))
    if finding.details.get("series"):
        found.append(series_pictures.over_days(finding))
    if against_alpha := finding.details.get("against_alpha"):
        found += audit_pictures.against_alpha(against_alpha)
    return found


def pictures_together(findings: Sequence[Finding], labels: Sequence[str]) -> list[Picture]:
    """Pictures that several findings of one measure make together."""
    curves = {
        label: finding.details["curve"]
        for finding, label in zip(findings, labels, strict=True)
        if finding.details.get("curve")
    }
    found = [_curves(curves)] if curves else []
    followed = [finding for finding in findings if finding.details.get("series")]
    if followed:
        found.append(series_pictures.of_groups(followed))
    return found


def _curves(curves: dict[str, list[dict[str, Any]]]) -> Picture:
    """Relevance against disparity, a line a system or measure, a point a temperature."""
    points = [
        point | {"label": label, "order": order, "said": f"{label}, beta {point['beta']}"}
        for label, curve in curves.items()
        for order, point in enumerate(curve)
    ]
    labels = sorted(curves)  # so that a system has its colour in every picture
    colours = [LINES[i % len(LINES)] for i in range(len(labels))]
    dashes = [_DASHES[(i // 2) % len(_DASHES)] for i in range(len(labels))]
    legend = alt.Legend(
        title=None, orient="bottom", columns=3, labelColor="var(--ink)", labelFontSize=12,
        symbolType="circle", symbolStrokeWidth=0,
    )  # fmt: skip
    base = alt.Chart(alt.InlineData(values=points)).encode(
        x=alt.X("disparity:Q", title="disparity (0 to 1)", scale=alt.Scale(domain=[0, 1])),
        y=alt.Y("relevance:Q", title="relevance (0 to 1)", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("label:N", scale=alt.Scale(domain=labels, range=colours), sort=None, legend=legend),
    )
    lines = base.mark_line(strokeWidth=2).encode(
        order="order:Q",
        strokeDash=alt.StrokeDash("label:N", scale=alt.Scale(domain=labels, range=dashes), legend=None),
    )
    dots = base.mark_circle(size=45, opacity=1).encode(tooltip="said:N")
    first, last = next(iter(curves.values()))[0], next(iter(curves.values()))[-1]
    return Picture(
        "Relevance against disparity as the policy gets less random, from beta "
        f"{first['beta']} to {last['beta']}, each moved to 0 to 1. Higher at the same disparity is better.",
        in_page_style(alt.layer(lines, dots).properties(width="container", height=280)),
        f"Lines of relevance against disparity for {', '.join(labels)}; the table has the areas under them.",
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
