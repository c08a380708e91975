"""Pictures of what is planned: days of random traffic, and what new weights do to each group."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import altair as alt

from evenhand.findings import Finding
from evenhand.pictures import Lines
from evenhand.report.pictures.charts import in_page_style
from evenhand.report.pictures.heat_maps import Picture
from evenhand.report.words import sentences
from evenhand.report.words.phrases.opportunity import percent

_KINDS = {
    "half_width": ("half-width of the interval (points)", "How narrow the interval gets as days are logged."),
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
        "value:Q", title=title, scale=alt.Scale(domain=[0, 100]) if is_power else alt.Scale(zero=True),
        axis=alt.Axis(tickCount=5, grid=True),
    )  # fmt: skip
    base = alt.Chart(alt.InlineData(values=points)).encode(x=x, y=y)
    aim = alt.Chart(alt.InlineData(values=planned))
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
        in_page_style(chart.properties(width="container", height=240)),
        f"Line from {first['value']:.3g} after {first['days']:,.0f} days to {last['value']:.3g} after "
        f"{last['days']:,.0f} days; {100 * target:.3g} is reached after {ceil(days_planned):,} "
        "days.",
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
            "said": sentences.sentence(finding),
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
    base = alt.Chart(alt.InlineData(values=points)).encode(
        x=alt.X(
            "share:Q", title="random traffic, % of all", scale=alt.Scale(zero=True, padding=12),
            axis=alt.Axis(values=shares, grid=False, labelExpr="datum.value + '%'"),
        ),
        y=alt.Y(
            "days:Q", title="days of logs", scale=alt.Scale(zero=True),
            axis=alt.Axis(tickCount=5, grid=True),
        ),
        tooltip="said:N",
    )  # fmt: skip
    chart = alt.layer(
        base.mark_line(stroke="var(--line)", strokeWidth=2),
        base.mark_circle(fill="var(--ink)", size=60, opacity=1),
        base.mark_text(dx=8, dy=-8, align="left", fill="var(--ink)", fontSize=13).encode(text="label:N"),
    )
    days = "; ".join(sentences.sentence(finding) for finding in known)
    return [
        Picture(
            "Days of logs that each share of random traffic takes to reach the aim.",
            in_page_style(chart.properties(width="container", height=220)),
            f"Falling line. {days}",
        ),
        *curves,
    ]


def before_and_after(boosted: Sequence[tuple[Finding, str]]) -> Picture:
    """An arrow a group, from its relative utility now to that with the new weights."""
    points = []
    for finding, label in boosted:
        now, then = (finding.details[f"relative_utility_{when}"] for when in ("now", "boosted"))
        times = sentences.figure(finding, finding.estimate or 0.0)
        said = f"{label}: {_signed(now)} now, {_signed(then)} when shown {times} times as often"
        points.append({"group": label, "before": 100 * now, "after": 100 * then, "said": said})
    base = alt.Chart(alt.InlineData(values=points)).encode(
        y=alt.Y("group:N", sort=[label for _, label in boosted], title=None), tooltip="said:N"
    )
    zero = alt.Chart(alt.InlineData(values=[{"at": 0}])).mark_rule(stroke="var(--muted)", strokeDash=[3, 3])
    x = alt.X(
        "before:Q",
        title="Relative utility",
        axis=alt.Axis(orient="top", tickCount=5, labelExpr="format(datum.value, '+,.3~f') + '%'"),
    )
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
    return Picture(
        "Relative utility of each group now (hollow) and with the new weights (filled).",
        in_page_style(chart.properties(width="container", height=34 * len(points))),
        "; ".join(point["said"] for point in points) + ".",
    )


def _signed(value: float) -> str:
    return f"{100 * value:+.0f}%".replace("-", "−")
