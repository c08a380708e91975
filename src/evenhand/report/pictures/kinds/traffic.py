"""Pictures of what is planned: days of random traffic, and what new weights do to each group."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import altair as alt

from evenhand.findings import Finding
from evenhand.pictures import Lines
from evenhand.report.pictures.names import distinct, in_two_lines
from evenhand.report.pictures.picture import Picture, data, in_page_style
from evenhand.report.words import sentences
from evenhand.report.words.phrases.opportunity import percent

_KINDS = {
    "half_width": ("Half-width of the interval (points)", "How narrow the interval gets as days are logged."),
    "power": ("A/B tests that find the change (%)", "How likely an A/B test finds the change as days pass."),
}


def against_days(curve: Lines, share: object = None) -> Picture:
    """A line over the days, the aim as a dashed rule, and a dot where the line meets it."""
    title, caption = _KINDS[curve.aim or "half_width"]
    with_share = "" if share is None else f" With {share} random traffic."
    points = [{"days": days, "value": 100 * value} for days, value in curve.line("reached")]
    days_planned, target = curve.marks["planned"], curve.marks["target"]
    planned = [{"days": days_planned, "value": 100 * target}]
    is_power = curve.aim == "power"
    x = alt.X(
        "days:Q", title="days of logs", scale=alt.Scale(type="log", nice=False, padding=12),
        axis=alt.Axis(format="~s", tickCount=5, grid=False),
    )  # fmt: skip
    y = alt.Y(
        "value:Q", title=None, scale=alt.Scale(domain=[0, 100]) if is_power else alt.Scale(zero=True),
        axis=alt.Axis(tickCount=5, grid=True),
    )  # fmt: skip
    base = alt.Chart(data(points)).encode(x=x, y=y)
    aim = alt.Chart(data(planned))
    chart = alt.layer(
        aim.mark_rule(stroke="var(--muted)", strokeDash=[3, 3]).encode(y=alt.Y("value:Q")),
        base.mark_line(stroke="var(--ink)", strokeWidth=2, interpolate="monotone"),
        base.mark_circle(fill="var(--ink)", size=45, opacity=1),
        aim.mark_point(size=110, shape="diamond", stroke="var(--ink)", fill="var(--paper)", opacity=1).encode(
            x=alt.X("days:Q"), y=alt.Y("value:Q")
        ),
    )
    first, last = points[0], points[-1]
    return Picture(
        f"{caption}{with_share} The dashed line is what was asked for, the diamond the days that it takes.",
        in_page_style(chart, 220, title),
        f"Line from {first['value']:.3g} after {first['days']:,.0f} days to {last['value']:.3g} after "
        f"{last['days']:,.0f} days; {100 * target:.3g} is reached after {ceil(days_planned):,} "
        "days.",
        [{"days of logs": days, title: 100 * value} for days, value in curve.line("reached")],
    )


def against_share(findings: Sequence[Finding]) -> list[Picture]:
    """The days that each share of random traffic takes, and for the first how it gets there."""
    known = [finding for finding in findings if finding.estimate is not None]
    shares = [round(100 * float(finding.subject["share"]), 9) for finding in known]
    points = [
        {
            "share": share,
            "days": finding.estimate,
            "label": f"{ceil(finding.estimate or 0):,}",
        }
        for finding, share in zip(known, shares, strict=True)
    ]
    curves = [
        against_days(lines, percent(float(finding.subject["share"])))
        for finding in known
        for lines in finding.drawn(Lines, "traffic")
    ]
    if len(points) < 2:
        return curves
    base = alt.Chart(data(points)).encode(
        x=alt.X(
            "share:Q", title="random traffic, % of all", scale=alt.Scale(zero=True, padding=12),
            axis=alt.Axis(values=shares, grid=False, labelExpr="datum.value + '%'"),
        ),
        y=alt.Y(
            "days:Q", title=None, scale=alt.Scale(zero=True),
            axis=alt.Axis(tickCount=5, grid=True),
        ),
        tooltip=[alt.Tooltip("share:Q", title="% random"), alt.Tooltip("label:N", title="days")],
    )  # fmt: skip
    chart = alt.layer(
        base.mark_line(stroke="var(--muted)", strokeWidth=2),
        base.mark_circle(fill="var(--ink)", size=60, opacity=1),
        base.mark_text(dx=8, dy=-8, align="left", fill="var(--ink)", fontSize=13).encode(text="label:N"),
    )
    days = "; ".join(sentences.sentence(finding) for finding in known)
    return [
        Picture(
            "Days of logs that each share of random traffic takes to reach the aim.",
            in_page_style(chart, 200, "Days of logs"),
            f"Falling line. {days}",
            [
                {
                    "share of random traffic": finding.subject["share"],
                    "days of logs": finding.estimate,
                    "id": finding.id,
                }
                for finding in known
            ],
        ),
        *curves,
    ]


def before_and_after(boosted: Sequence[tuple[Finding, str]]) -> Picture:
    """An arrow a group, from its relative utility now to that with the new weights."""
    points, rows = [], []
    for (finding, label), short in zip(boosted, distinct([label for _, label in boosted]), strict=True):
        now, then = (finding.details[f"relative_utility_{when}"] for when in ("now", "boosted"))
        times = sentences.figure(finding, finding.estimate or 0.0)
        points.append(
            {
                "group": short, "before": 100 * now, "after": 100 * then,
                "now": _signed(now), "then": _signed(then), "weight": times,
            }
        )  # fmt: skip
        rows.append(
            {
                "group": label,
                "weight": finding.estimate,
                "now": now,
                "with the weights": then,
                "id": finding.id,
            }
        )
    tooltip = [alt.Tooltip(f"{name}:N", title=name) for name in ("group", "weight", "now", "then")]
    names = [point["group"] for point in points]
    base = alt.Chart(data(points)).encode(
        y=alt.Y("group:N", sort=names, title=None, axis=alt.Axis(**in_two_lines(names))), tooltip=tooltip
    )
    zero = alt.Chart(data([{"at": 0}])).mark_rule(stroke="var(--muted)")
    reach = [point[when] for point in points for when in ("before", "after")]
    margin = 0.06 * ((max(*reach, 0) - min(*reach, 0)) or 1)
    x = alt.X(
        "before:Q",
        title=None,
        scale=alt.Scale(domain=[min(*reach, 0) - margin, max(*reach, 0) + margin], nice=False),
        axis=alt.Axis(
            orient="top", tickCount=5,
            labelExpr="(datum.value == 0 ? '0' : replace(format(datum.value, '+,.3~f'), '-', '−')) + '%'",
        ),
    )  # fmt: skip
    chart = alt.layer(
        zero.encode(x=alt.X("at:Q")),
        base.mark_rule(stroke="var(--muted)", strokeWidth=2).encode(x=x, x2="after:Q"),
        base.mark_point(size=80, stroke="var(--ink)", fill="var(--paper)", opacity=1).encode(
            x=alt.X("before:Q")
        ),
        base.mark_point(size=80, stroke="var(--ink)", fill="var(--ink)", opacity=1).encode(
            x=alt.X("after:Q")
        ),
    )
    said = [
        f"{one['group']}: {one['now']} now, {one['then']} when shown {one['weight']} times as often"
        for one in points
    ]
    return Picture(
        "Relative utility of each group now (hollow) and with the new weights (filled).",
        in_page_style(chart, 30 * len(points), "Relative utility"),
        "; ".join(said) + ".",
        rows,
    )


def _signed(value: float) -> str:
    return f"{100 * value:+.0f}%".replace("-", "−")
