"""What happened while days went by, as layers of a picture: gaps, flags, corrections, other ways to count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import altair as alt

from evenhand.monitor.page.model import Flag, Watch
from evenhand.report.pictures.kinds import days
from evenhand.report.pictures.picture import data
from evenhand.report.words.legible import line

# The marks at which a flag opened, and closed.
_OPENED: dict[str, Any] = {"shape": "triangle-up", "size": 90, "filled": True, "color": "var(--accent)"}
_CLOSED: dict[str, Any] = {
    "shape": "triangle-down", "size": 80, "stroke": "var(--accent)", "fill": "var(--paper)", "strokeWidth": 2,
}  # fmt: skip


def whole_days(watch: Watch, rows: Sequence[Mapping[str, Any]]) -> alt.Chart:
    """Rows that are as wide as their days are long."""
    labels, unit = watch.calendar, watch.unit
    sides = {"since": days.apart(labels, unit, -0.5), "until": days.apart(labels, unit, 0.5)}
    chart: alt.Chart = alt.Chart(data(rows)).transform_calculate(**sides)
    return chart.encode(x=days.axis(labels, unit, "since:T"), x2="until")


def empty_days(watch: Watch) -> list[Any]:
    """Days that were never added, as grey blocks."""
    half = timedelta(hours=12 if watch.unit == "day" else 84)
    blocks = [
        {
            "since": f"{datetime.fromisoformat(stretch[0]) - half:%FT%TZ}",
            "until": f"{datetime.fromisoformat(stretch[-1]) + half:%FT%TZ}",
            "days": len(stretch),
        }
        for stretch in watch.stretches
    ]
    if not blocks:
        return []
    drawn = alt.Chart(data(blocks)).mark_rect(fill="var(--band)", opacity=1)
    tooltip = [alt.Tooltip("days:Q", title=f"{watch.unit}s without data")]
    return [drawn.encode(x=days.axis(watch.calendar, watch.unit, "since:T"), x2="until:T", tooltip=tooltip)]


def regimes(watch: Watch) -> list[Any]:
    """A line where another way of counting begins."""
    later = [
        {"day": one.first_day, "from": f"regime {one.number}"} for one in watch.regimes if one.number > 1
    ]
    if not later:
        return []
    base = alt.Chart(data(later)).encode(x=days.axis(watch.calendar, watch.unit))
    words = base.mark_text(
        align="left", baseline="bottom", dx=4, dy=-3, color="var(--muted)", fontSize=11, clip=False
    )
    return [
        base.mark_rule(stroke="var(--muted)", strokeDash=[2, 3]),
        words.encode(text="from:N", y=alt.value("height")),
    ]


def flags(watch: Watch, raised: Sequence[Flag], at: float) -> list[Any]:
    """A line as long as a flag was open, with a full mark where it opened and a hollow one where it
    closed."""
    if not raised:
        return []
    first, last = watch.calendar[0], watch.last_day
    spans = [
        {"day": max(one.opened, first), "until": one.closed or last, "flag": line(one.rule), "at": at}
        for one in raised
    ]
    x = days.axis(watch.calendar, watch.unit)
    drawn = alt.Chart(data(spans)).mark_rule(stroke="var(--accent)", strokeWidth=3)
    layers = [drawn.encode(x=x, x2="until:T", y=alt.Y("at:Q"))]
    ended = [(one.closed, one.rule) for one in raised if one.closed]
    for what, ends, mark in (
        ("opened", [(span["day"], span["flag"]) for span in spans], _OPENED),
        ("closed", ended, _CLOSED),
    ):
        rows = [{"day": label, "flag": line(str(rule)), "at": at, "what": what} for label, rule in ends]
        if rows:  # an empty layer makes the browser complain
            tooltip = [
                alt.Tooltip("flag:N", title="flag"),
                alt.Tooltip("what:N", title="it"),
                alt.Tooltip("day:N"),
            ]
            marked = alt.Chart(data(rows)).mark_point(opacity=1, **mark)
            layers.append(marked.encode(x=x, y=alt.Y("at:Q"), tooltip=tooltip))
    return layers


def corrections(watch: Watch, at: float) -> list[Any]:
    """A cross at the foot of each day that was corrected."""
    if not watch.corrections:
        return []
    rows = [{"day": one.day, "at": at, "why": line(one.reason)} for one in watch.corrections]
    base = alt.Chart(data(rows)).encode(x=days.axis(watch.calendar, watch.unit), y=alt.Y("at:Q"))
    mark = base.mark_text(text="×", color="var(--ink)", fontSize=14, baseline="bottom", clip=False)
    return [mark.encode(tooltip=[alt.Tooltip("day:N"), alt.Tooltip("why:N", title="corrected")])]
