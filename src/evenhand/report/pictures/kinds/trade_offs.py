"""What each share of random traffic would tell in the time that there is, and what it would cost."""

from __future__ import annotations

from math import log10

import altair as alt

from evenhand.pictures import Aim, Lines
from evenhand.report.pictures.picture import Picture, data, in_page_style
from evenhand.report.vocabulary.names import capital

_TOLD = {"half_width": "Half-width of the interval (points)", "power": "A/B tests that find the change (%)"}
# What is marked on the line, by its name in the data.
_MARKS = {"share_needed": ("needed", "diamond"), "balanced_share": ("best balance", "triangle-up")}
_PLAIN = "format(datum.value, '~r')"


def against_relevance(curve: Lines) -> Picture:
    """A line over shares of random traffic: the share below, what it costs in liked items above."""
    points = [{"share": 100 * share, "value": 100 * value} for share, value in curve.line("reached")]
    reached = {point["share"]: point["value"] for point in points}
    marks = {name: 100 * curve.marks[name] for name in _MARKS if name in curve.marks}
    first, last = points[0], points[-1]
    most, cost = curve.line("relevance_cost")[-1]
    lost, target = cost / most, curve.marks.get("target")
    title = _TOLD[curve.aim or "half_width"]
    ticks = _ticks(first["share"], last["share"])
    below = alt.Axis(values=ticks, grid=False, labelExpr=f"{_PLAIN} + '%'", title="random traffic, % of all")
    above = alt.Axis(
        values=ticks, grid=False, orient="top", title="change in liked items that users are shown",
        labelExpr=f"replace(format({-lost} * datum.value, '+.1~r'), '-', '−') + '%'",
    )  # fmt: skip
    x = alt.Scale(type="log", nice=False, padding=14)
    line = alt.Chart(data(points)).encode(
        x=alt.X("share:Q", scale=x, axis=below), y=_y(curve.aim, list(reached.values()))
    )
    layers = [
        line.mark_line(stroke="var(--ink)", strokeWidth=2, interpolate="monotone"),
        line.mark_circle(fill="var(--ink)", size=25, opacity=1).encode(
            x=alt.X("share:Q", scale=x, axis=above)
        ),
    ]
    if target is not None:
        aim = alt.Chart(data([{"value": 100 * target}]))
        layers.append(aim.mark_rule(stroke="var(--muted)", strokeDash=[3, 3]).encode(y="value:Q"))
    for name, share in marks.items():
        along = log10(share / first["share"]) / log10(last["share"] / first["share"])
        layers += _marked(name, share, reached[share], along, rises=curve.aim == "power")
    answers = "; ".join(f"{_MARKS[name][0]} {share:.2g}%" for name, share in marks.items())
    return Picture(
        f"What shares of random traffic would tell in {_length(curve.marks['days'])}, and on top what they "
        "cost." + (" The dashed line is what was asked for." if target is not None else ""),
        in_page_style(alt.layer(*layers).resolve_axis(x="independent"), 260, title),
        f"Line from {first['value']:.3g} with {first['share']:.2g}% random traffic to {last['value']:.3g} "
        f"with {last['share']:.2g}%. {capital(answers) or 'No share reaches what was asked for'}.",
        [{"random traffic, %": point["share"], title: point["value"]} for point in points],
    )


def _length(days: float) -> str:
    return "1 day" if days == 1 else f"{days:,.6g} days"


def _y(kind: Aim | None, values: list[float]) -> alt.Y:
    """A power from 0 to 100%; half-widths as their logarithm, or the widest would hide all others."""
    if kind == "power":
        scale, ticks = alt.Scale(domain=[0, 100]), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
    else:
        scale = alt.Scale(type="log", nice=False, padding=10)
        ticks = _ticks(min(values), max(values))
    axis = alt.Axis(values=ticks, grid=True, labelExpr=_PLAIN)
    return alt.Y("value:Q", scale=scale, axis=axis, title=None)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers on a logarithmic scale: powers of ten, and between them where they are few."""
    digits = (1,) if log10(high / low) > 2.5 else (1, 2, 5)
    rounded = [float(f"{digit}e{power}") for power in range(-12, 4) for digit in digits]
    return [tick for tick in rounded if low <= tick <= high]


def _marked(name: str, share: float, value: float, along: float, rises: bool) -> list[alt.Chart]:
    """A mark and its label; `along` is how far it is along the axis, from 0 to 1."""
    said, shape = _MARKS[name]
    mark = {"share": share, "value": value, "label": [said, f"{share:.2g}%"]}
    placed = alt.Chart(data([mark])).encode(x=alt.X("share:Q", axis=None), y="value:Q")
    # Two labels stand on the two sides of the line, whichever way it goes, and off the dashed one.
    above = name == "share_needed"
    right = above != rises
    if not 0.25 <= along <= 0.75:  # nor out of a narrow picture
        right = along < 0.25
    return [
        placed.mark_point(size=110, shape=shape, stroke="var(--ink)", fill="var(--paper)", opacity=1),
        placed.mark_text(
            align="left" if right else "right", dx=9 if right else -9,
            dy=-26 if above else 13 if rises else -9, fill="var(--ink)", fontSize=13,
        ).encode(text="label:N"),
    ]  # fmt: skip
