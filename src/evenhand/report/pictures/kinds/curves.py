"""Lines: relevance against disparity, and a search as it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt

from evenhand.pictures import Line
from evenhand.report.pictures.names import shortened
from evenhand.report.pictures.palette import DASHES, SERIES
from evenhand.report.pictures.picture import Picture, below, data, in_page_style
from evenhand.report.vocabulary.names import heading


def against_disparity(curves: Mapping[str, Line]) -> Picture:
    """Relevance against disparity, a line a system or measure, a point a temperature."""
    points = [
        {
            "setting": setting,
            "disparity": disparity,
            "relevance": relevance,
            "label": shortened(label),
            "order": order,
        }
        for label, curve in curves.items()
        for order, ((disparity, relevance), setting) in enumerate(
            zip(curve.points, curve.labels, strict=True)
        )
    ]
    labels = sorted(map(shortened, curves))  # so that a system has its colour in every picture
    colours = [SERIES[place % len(SERIES)] for place in range(len(labels))]
    dashes = [DASHES[place % len(DASHES)] for place in range(len(labels))]
    legend = below(labels, symbolType="stroke", symbolStrokeWidth=2.5, symbolSize=300)
    colour = alt.Color("label:N", scale=alt.Scale(domain=labels, range=colours), sort=None, legend=legend)
    dash = alt.StrokeDash("label:N", scale=alt.Scale(domain=labels, range=dashes), sort=None, legend=legend)
    # A little beyond 0 and 1, so that no point is cut.
    unit = alt.Scale(domain=[-0.02, 1.02], nice=False)
    ticks = alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f", grid=True)
    base = alt.Chart(data(points)).encode(
        x=alt.X("disparity:Q", title="disparity (0 to 1)", scale=unit, axis=ticks),
        y=alt.Y("relevance:Q", title=None, scale=unit, axis=ticks),
    )
    tooltip = [
        alt.Tooltip("label:N", title="of"), alt.Tooltip("setting:N", title="beta"),
        alt.Tooltip("disparity:Q", format=".2f"), alt.Tooltip("relevance:Q", format=".2f"),
    ]  # fmt: skip
    layers = [
        base.mark_line(strokeWidth=2).encode(order="order:Q", color=colour, strokeDash=dash),
        base.mark_circle(size=40, opacity=1).encode(color=colour, tooltip=tooltip),
    ]
    settings = next(iter(curves.values())).labels
    return Picture(
        "Each line goes from more random rankings (left) to less random ones, each scale moved to 0 to 1. "
        "Higher at the same disparity is better.",
        in_page_style(alt.layer(*layers), 260, "Relevance (0 to 1)"),
        f"Lines of relevance against disparity for {', '.join(labels)}, from beta {settings[0]} to "
        f"{heading(str(settings[-1]))}.",
        [
            {"of": label, "beta": setting, "disparity": x, "relevance": y}
            for label, curve in curves.items()
            for (x, y), setting in zip(curve.points, curve.labels, strict=True)
        ],
    )


def searched(trace: Sequence[tuple[float, float]]) -> Picture:
    """The largest gap among the groups that a search visited, against the users it scored."""
    points = [{"users": users, "gap": gap} for users, gap in trace]
    line = alt.Chart(data(points)).mark_line(
        interpolate="step-after", stroke="var(--ink)", point=alt.OverlayMarkDef(fill="var(--ink)", size=30)
    )
    chart = line.encode(
        x=alt.X(
            "users:Q",
            title="users scored",
            axis=alt.Axis(format=",d", tickCount=5, labelOverlap=True, grid=False),
        ),
        y=alt.Y("gap:Q", title=None, scale=alt.Scale(zero=True), axis=alt.Axis(grid=True, tickCount=4)),
    )
    return Picture(
        "The largest gap among the groups that the search had visited.",
        in_page_style(alt.layer(chart), 160, "Largest gap so far"),
        f"Line: the largest gap rises to {trace[-1][1]:.3g} after {int(trace[-1][0]):,} users were scored.",
        [{"users scored": users, "largest gap": gap} for users, gap in trace],
    )
