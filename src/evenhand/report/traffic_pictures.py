"""What random traffic brings: the half-width, or the power, against the days that are logged."""

from __future__ import annotations

from typing import Any

import altair as alt

from evenhand.report.charts import in_page_style
from evenhand.report.heat_maps import Picture

_KINDS = {
    "half_width": ("half-width of the interval (points)", "How narrow the interval gets as days are logged."),
    "power": ("A/B tests that find the change (%)", "How likely an A/B test finds the change as days pass."),
}


def against_days(curve: dict[str, Any]) -> Picture:
    """A line over the days, the aim as a dashed rule, and a dot where the line meets it."""
    title, caption = _KINDS[curve["kind"]]
    points = [{"days": days, "value": 100 * value} for days, value in curve["points"]]
    planned = [{"days": curve["planned"], "value": 100 * curve["target"]}]
    is_power = curve["kind"] == "power"
    x = alt.X(
        "days:Q", title="days", scale=alt.Scale(type="log", nice=False, padding=12),
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
        f"{caption} The dashed line is what was asked for, the diamond the days that it takes.",
        in_page_style(chart.properties(width="container", height=240)),
        f"Line from {first['value']:.3g} after {first['days']:,} days to {last['value']:.3g} after "
        f"{last['days']:,} days; {100 * curve['target']:.3g} is reached after {curve['planned']:.3g} days.",
    )
