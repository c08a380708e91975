"""Pictures that findings bring along: maps, days, a search as it went, curves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import mul

import altair as alt

from evenhand import pictures as drawn
from evenhand.findings import Finding
from evenhand.report.pictures import heat_maps, online_audits, series, trade_offs, traffic
from evenhand.report.pictures.charts import LINES, in_page_style
from evenhand.report.pictures.heat_maps import Picture

_DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]


def pictures_of(finding: Finding) -> list[Picture]:
    """Every picture for which the finding has the data; most findings have none."""
    return [picture for data in finding.pictures for picture in _pictures(finding, data)]


def _pictures(finding: Finding, data: drawn.Picture) -> list[Picture]:
    match data:
        case drawn.Series(days=days) if days:
            return [series.over_days(finding)]
        case drawn.Map(cells=cells) if cells:
            return [heat_maps.of_map(finding, data)]
        case drawn.Lines(of="search"):
            return [_progress(data.line("gap"))]
        case drawn.Lines(of="traffic"):
            return [traffic.against_days(data)]
        case drawn.Lines(of="share"):
            return [trade_offs.against_relevance(data)]
        case drawn.Lines(of="alpha"):
            return online_audits.against_alpha(data)
        case drawn.Lines(of="ended"):
            return [online_audits.durations(data.line("ended"))]
        case drawn.Bounds():
            return [online_audits.arms_over_time(data)]
        case drawn.Shares(groups=groups) if len(groups) == 2:
            return [_two_sides(data)]
    return []  # nothing is left of it, or several findings make it together


def pictures_together(findings: Sequence[Finding], labels: Sequence[str]) -> list[Picture]:
    """Pictures that several findings of one measure make together."""
    curves = {
        label: path
        for finding, label in zip(findings, labels, strict=True)
        for lines in finding.drawn(drawn.Lines, "disparity")
        for path in lines.lines
    }
    found = [_curves(curves)] if curves else []
    followed = [f for f in findings if f.series is not None and "group" in f.subject]
    if followed:
        found += series.of_groups(followed)
    boosted = [
        (f, label) for f, label in zip(findings, labels, strict=True) if "relative_utility_now" in f.details
    ]
    if boosted:
        found.append(traffic.before_and_after(boosted))
    if findings[0].measure == "days_needed":
        found += traffic.against_share(findings)
    return found + _pairs(findings)


def _pairs(findings: Sequence[Finding]) -> list[Picture]:
    """Every group against every other, where several pairs of groups were compared along one line."""
    known = [f for f in findings if {"first", "second"} <= f.subject.keys() and f.estimate is not None]
    if len(known) < 3:
        return []
    cells = [
        {
            "row": str(finding.subject["first"]),
            "column": str(finding.subject["second"]),
            "value": finding.estimate,
            "sure": finding.interval is not None and not finding.interval.low <= 0 <= finding.interval.high,
        }
        for finding in known
    ]
    toward = known[0].details.get("toward", "the positive end of the direction")
    return [heat_maps.of_pairs(cells, str(toward))]


def _two_sides(along: drawn.Shares) -> Picture:
    """Where the users with each of two values lie along a direction that others made."""
    edges, values = along.edges, along.groups
    labels = [value.group if value.users is None else f"{value.group} ({value.users:,})" for value in values]
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    points = [
        {"place": place, "share": share, "label": label}
        for value, label in zip(values, labels, strict=True)
        for place, share in zip(middles, value.shares, strict=True)
    ]
    means = [
        {"mean": sum(map(mul, middles, value.shares)), "label": label}
        for value, label in zip(values, labels, strict=True)
    ]
    scale = alt.Scale(domain=labels, range=LINES[:2])
    dashes = alt.Scale(domain=labels, range=_DASHES[:2])
    legend = alt.Legend(
        title=None, orient="bottom", labelColor="var(--ink)", labelFontSize=12, symbolType="stroke",
        symbolOpacity=1, symbolStrokeWidth=3, symbolSize=400,
    )  # fmt: skip
    colour = alt.Color("label:N", scale=scale, sort=None, legend=legend)
    base = alt.Chart(alt.InlineData(values=points)).encode(
        x=alt.X("place:Q", title="standard deviations along the direction", axis=alt.Axis(grid=False)),
        y=alt.Y("share:Q", title="share of each", stack=None, axis=alt.Axis(format="%", tickCount=4)),
    )
    areas = base.mark_area(interpolate="monotone", opacity=0.2).encode(color=colour)
    lines = base.mark_line(interpolate="monotone", strokeWidth=2).encode(
        color=colour,
        strokeDash=alt.StrokeDash("label:N", scale=dashes, sort=None, legend=legend),
    )
    rules = alt.Chart(alt.InlineData(values=means)).mark_rule(strokeWidth=1.5)
    middle = rules.encode(x=alt.X("mean:Q"), color=colour)
    return Picture(
        "Users that had no part in making the direction, along it: each value of the attribute has its "
        "own curve, with its mean as an upright line. What overlaps cannot be told apart by this direction.",
        in_page_style(alt.layer(areas, lines, middle).properties(width="container", height=220)),
        "Two curves of how users lie along the direction, with means at "
        + " and ".join(f"{mean['mean']:+.2f} ({mean['label']})" for mean in means)
        + " standard deviations.",
    )


def _curves(curves: dict[str, drawn.Line]) -> Picture:
    """Relevance against disparity, a line a system or measure, a point a temperature."""
    points = [
        {
            "beta": beta, "disparity": disparity, "relevance": relevance, "label": label, "order": order,
            "said": f"{label}, beta {beta}",
        }
        for label, curve in curves.items()
        for order, ((disparity, relevance), beta) in enumerate(zip(curve.points, curve.labels, strict=True))
    ]  # fmt: skip
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
    betas = next(iter(curves.values())).labels
    return Picture(
        "Relevance against disparity as the policy gets less random, from beta "
        f"{betas[0]} to {betas[-1]}, each moved to 0 to 1. Higher at the same disparity is better.",
        in_page_style(alt.layer(lines, dots).properties(width="container", height=280)),
        f"Lines of relevance against disparity for {', '.join(labels)}; the table has the areas under them.",
    )


def _progress(trace: Sequence[tuple[float, float]]) -> Picture:
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
