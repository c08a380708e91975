"""How users lie along an axis: two groups beside each other, or how much everybody would gain."""

from __future__ import annotations

from itertools import pairwise
from operator import mul
from typing import Any

import altair as alt

from evenhand.findings import Finding
from evenhand.pictures import Shares
from evenhand.report.pictures.names import shortened
from evenhand.report.pictures.palette import DASHES, SERIES
from evenhand.report.pictures.picture import Picture, below, data, in_page_style
from evenhand.report.words import sentences

_MOST_OF_ALL = 0.5
_SIGNED = "datum.value == 0 ? '0' : replace(format(datum.value, '+~f'), '-', '−')"


def two_sides(along: Shares) -> Picture:
    """Where the users with each of two values lie along a direction that others made."""
    values = along.groups
    labels = [
        shortened(value.group) if value.users is None else f"{shortened(value.group)} ({value.users:,})"
        for value in values
    ]
    middles = [(low + high) / 2 for low, high in pairwise(along.edges)]
    points = [
        {"place": place, "share": share, "label": label}
        for value, label in zip(values, labels, strict=True)
        for place, share in zip(middles, value.shares, strict=True)
    ]
    means = [
        {"mean": sum(map(mul, middles, value.shares)), "label": label}
        for value, label in zip(values, labels, strict=True)
    ]
    legend = below(labels, symbolType="stroke", symbolOpacity=1, symbolStrokeWidth=3, symbolSize=400)
    colour = alt.Color("label:N", scale=alt.Scale(domain=labels, range=SERIES[1:3]), sort=None, legend=legend)
    dash = alt.StrokeDash(
        "label:N", scale=alt.Scale(domain=labels, range=DASHES[:2]), sort=None, legend=legend
    )
    base = alt.Chart(data(points)).encode(
        x=alt.X(
            "place:Q",
            title="standard deviations along the direction",
            axis=alt.Axis(grid=False, labelExpr=_SIGNED, tickCount=8, labelOverlap=True),
        ),
        y=alt.Y("share:Q", title=None, stack=None, axis=alt.Axis(format="%", tickCount=4, grid=True)),
    )
    rules = alt.Chart(data(means)).mark_rule(strokeWidth=1.5)
    layers = [
        base.mark_area(interpolate="monotone", opacity=0.15).encode(color=colour),
        base.mark_line(interpolate="monotone", strokeWidth=2).encode(color=colour, strokeDash=dash),
        rules.encode(x=alt.X("mean:Q"), color=colour, strokeDash=dash),
    ]
    told = " and ".join(f"{mean['mean']:+.2f} ({mean['label']})" for mean in means)
    return Picture(
        "Users that had no part in making the direction; upright lines are means. Where the curves overlap, "
        "users cannot be told apart by this direction.",
        in_page_style(alt.layer(*layers), 200, "Share of the users of each value"),
        f"Two curves of how users lie along the direction, with means at {told} standard deviations.",
        [
            {"value": value.group, "from": low, "to": high, "share of users": share}
            for value in values
            for (low, high), share in zip(pairwise(along.edges), value.shares, strict=True)
        ],
    )


def gains(finding: Finding, along: Shares) -> Picture:
    """How much more users would get from the list that they would like best: how many, by how much."""
    (everybody,) = along.groups
    bins = list(zip(pairwise(along.edges), everybody.shares, strict=True))
    # Where most would gain next to nothing, their bar would flatten all others: it is said instead.
    (_, little), hardly = bins[0]
    drawn = bins[hardly > _MOST_OF_ALL :]
    unseen = "" if drawn == bins else f"Not drawn: the {hardly:.0%} who would gain less than {little:.2g}. "
    points = [{"from": low, "to": high, "share": share} for (low, high), share in drawn]
    x = alt.X(
        "from:Q", title="more utility than from one's own list", scale=alt.Scale(zero=True, nice=False),
        axis=alt.Axis(grid=False, tickCount=6, format="~g"),
    )  # fmt: skip
    y = alt.Y(
        "share:Q", title=None, scale=alt.Scale(zero=True),
        axis=alt.Axis(format=".1~%", tickCount=4, grid=True),
    )  # fmt: skip
    bars: Any = alt.Chart(data(points)).mark_rect(
        fill="var(--series-5)", stroke="var(--paper)", strokeWidth=1
    )
    tooltip = [alt.Tooltip(f"{end}:Q", format=".3~g") for end in ("from", "to")]
    users = alt.Tooltip("share:Q", title="users", format=".1%")
    layers = [bars.encode(x=x, x2="to:Q", y=y, y2=alt.datum(0), tooltip=[*tooltip, users])]
    shown, mean = sentences.value(finding), ""
    if shown is not None:
        line = alt.Chart(data([{"mean": shown}]))
        dashed = line.mark_rule(stroke="var(--ink)", strokeWidth=2, strokeDash=[6, 3])
        layers.append(dashed.encode(x="mean:Q"))
        mean = f"Dashed: the mean of all, {sentences.figure(finding, shown)}. "
    most = max(bins, key=lambda one: one[1])
    return Picture(
        f"{unseen}{mean}Each bar is the share of users who would gain so much; very few are counted with the "
        "bar beside theirs.",
        in_page_style(alt.layer(*layers), 180, "Share of users"),
        f"Histogram of how much users would gain: most often between {most[0][0]:.3g} and {most[0][1]:.3g} "
        f"({most[1]:.0%} of users).",
        [{"gain from": low, "gain to": high, "share of users": share} for (low, high), share in bins],
    )
