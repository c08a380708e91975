"""Heat maps: means of groups, correlations, and who is shown to whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from evenhand.findings import Finding
from evenhand.pictures import Cell, Map
from evenhand.report.pictures.charts import in_page_style
from evenhand.report.vocabulary.names import spaced

_CELL = 34
# Columns beyond this leave no room for a number in a cell.
_ROOM_FOR_NUMBERS = 12
# On a telephone, numbers must be smaller to stand in their cells.
_NARROWER = alt.ExprRef("containerSize()[0] < 500 ? 10 : 12")
# Nor, beyond this, for a slanted name beside the next.
_ROOM_FOR_NAMES = 24
# From worse to better, readable for the colour-blind and in grey; the middle is what everybody gets.
_DIVERGING = ["#b2182b", "#f4a582", "#f7f7f7", "#92c5de", "#2166ac"]
# Too little and too much, neither of which is better; not the colours of verdicts.
_BOTH_WAYS = ["#762a83", "#c2a5cf", "#f7f7f7", "#a6dba0", "#1b7837"]


@dataclass(frozen=True)
class Picture:
    """A Vega-Lite specification, with a caption and the picture in words for those who do not see it."""

    caption: str
    specification: dict[str, Any]
    description: str


def of_map(finding: Finding, data: Map) -> Picture:
    """Every row with every column."""
    match data.of:
        case "mean":
            return of_means(finding, data)
        case "exposure":
            return of_exposure([cell for cell in data.cells if cell.value is not None])
        case "correlation":
            return of_correlation(data)
        case "cosine":
            return of_cosines(data, str(finding.details["method"]))


def of_means(finding: Finding, heat: Map) -> Picture:
    """Means by two attributes. Colours say how far a group is from the middle of all."""
    cells: list[dict[str, Any]] = [
        {
            "row": cell.row, "column": cell.column, "mean": cell.value, "users": cell.users,
            "said": f"{cell.row}, {cell.column}: {cell.value:.3g}{_users(cell)}",
        }
        for cell in heat.cells
    ]  # fmt: skip
    means = [cell["mean"] for cell in cells]
    users = sum(cell["users"] for cell in cells)
    middle = sum(cell["mean"] * cell["users"] for cell in cells) / users
    reach = max(abs(mean - middle) for mean in means) or 1.0
    colours = _DIVERGING if finding.details.get("better") == "higher" else _DIVERGING[::-1]
    base = alt.Chart(alt.InlineData(values=cells)).encode(
        x=alt.X("column:N", title=spaced(heat.columns), sort=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("row:N", title=spaced(heat.rows), sort=None),
        tooltip="said:N",
    )
    domain = [middle - reach, middle - reach / 2, middle, middle + reach / 2, middle + reach]
    colour = alt.Color("mean:Q", scale=alt.Scale(domain=domain, range=colours), legend=None)
    few = len({cell["column"] for cell in cells}) <= _ROOM_FOR_NUMBERS
    light = f"abs(datum.mean - {middle}) > {reach * 0.75}"
    text = base.mark_text(fontSize=12).encode(
        text=alt.Text("mean:Q", format=".2f"),
        color=alt.condition(light, alt.value("white"), alt.value("#222222")),
    )
    chart = alt.layer(base.mark_rect().encode(color=colour), *([text] if few else []))
    rows = len({cell["row"] for cell in cells})
    ends = sorted(cells, key=lambda cell: cell["mean"])
    return Picture(
        f"Mean {finding.subject.get('metric', '')} by {spaced(heat.rows)} and {spaced(heat.columns)}. "
        "White is the mean of everybody, red is served worse, blue better; small groups differ by chance.",
        in_page_style(chart.properties(width="container", height=_CELL * rows)),
        f"Heat map of {len(cells)} groups, from {ends[0]['said']} to {ends[-1]['said']}.",
    )


def of_correlation(correlation: Map) -> Picture:
    names = list(dict.fromkeys(cell.row for cell in correlation.cells))
    caption = (
        f"Kendall's rank correlation of the {correlation.part} of the measures, over systems and "
        "temperatures: 1 where two put all settings in the same order."
        if correlation.part
        else "Rank correlation of the group means, metric against metric: 1 where the same groups do well."
    )
    return _square(
        correlation, names, caption,
        f"Heat map of the correlation between {len(names)} metrics: {', '.join(names)}.",
    )  # fmt: skip


def of_cosines(ways: Map, chosen: str) -> Picture:
    """Cosines between the directions that different ways make of the same users."""
    names = list(dict.fromkeys(cell.row for cell in ways.cells))
    others = "; ".join(
        f"{spaced(cell.column)} {cell.value:.2f}"
        for cell in ways.cells
        if cell.row == chosen and cell.column != chosen
    )
    return _square(
        ways, names,
        "Cosine between the directions that different ways make of the same users: 1 where two find the "
        f"same line. The one that is used is {spaced(chosen)}.",
        f"Heat map of cosines: {spaced(chosen)} with {others}.",
    )  # fmt: skip


def of_pairs(cells: list[dict[str, Any]], toward: str) -> Picture:
    """Differences between groups, the row minus the column; groups in the order of their means."""
    told = cells + [
        cell | {"row": cell["column"], "column": cell["row"], "value": -cell["value"]} for cell in cells
    ]
    rows: dict[str, list[float]] = {}
    for cell in told:
        rows.setdefault(cell["row"], []).append(cell["value"])
    names = sorted(rows, key=lambda name: -sum(rows[name]) / len(rows[name]))
    reach = max(abs(cell["value"]) for cell in cells) or 1.0
    decimals = 2 if reach >= 0.1 else 3
    for cell in told:
        number = f"{cell['value']:+.{decimals}f}".replace("-", "\u2212")
        cell["text"] = number if cell["sure"] else f"({number})"
        doubt = "" if cell["sure"] else ", which may be chance"
        cell["said"] = f"{cell['row']} against {cell['column']}: {number}{doubt}"
    fits = len(names) <= _ROOM_FOR_NUMBERS
    base = alt.Chart(alt.InlineData(values=told)).encode(
        x=alt.X("column:N", title=None, sort=names, axis=alt.Axis(**_slanted(len(names)))),
        y=alt.Y("row:N", title=None, sort=names),
        tooltip="said:N",
    )
    domain = [-reach, -reach / 2, 0, reach / 2, reach]
    colour = alt.Color(
        "value:Q",
        scale=alt.Scale(domain=domain, range=_BOTH_WAYS),
        legend=_below(format=f"+.{decimals}f", values=domain),
    )
    text = base.mark_text(fontSize=_NARROWER if fits else 14).encode(
        text="text:N" if fits else alt.condition("datum.sure", alt.value("•"), alt.value("")),
        color=alt.condition(f"abs(datum.value) > {reach * 0.75}", alt.value("white"), alt.value("#222222")),
    )
    chart = alt.layer(base.mark_rect().encode(color=colour), text)
    chance = (
        "a number stands in brackets where the interval, which holds for all pairs at once, reaches 0"
        if fits
        else "a dot marks where the interval, which holds for all pairs at once, does not reach 0"
    )
    ends = sorted(told, key=lambda cell: float(cell["value"]))
    return Picture(
        f"Pairs of groups, the row minus the column: green where the row lies further toward {toward}, "
        f"purple where the column does; {chance}.",
        in_page_style(chart.properties(width="container", height=_CELL * len(names))),
        f"Heat map of {len(cells)} pairs of groups; the largest difference is {ends[-1]['said']}.",
    )


def _below(**numbers: Any) -> alt.Legend:
    """The scale of the colours, under the map."""
    return alt.Legend(
        title=None, orient="bottom", labelColor="var(--ink)", gradientLength=240, **numbers
    )  # fmt: skip


def _slanted(columns: int) -> dict[str, Any]:
    """Names of columns: level, slanted, or small and on end with none over another (tooltips have all)."""
    if columns > _ROOM_FOR_NAMES:
        return {"labelAngle": -90, "labelFontSize": 8, "labelOverlap": True}
    if columns > _ROOM_FOR_NUMBERS // 2:
        # Many names on a telephone would touch: on end there, and no taller than a column is wide.
        room = f"round(170 / {columns})"
        return {
            "labelAngle": alt.ExprRef("containerSize()[0] < 500 ? -90 : -60"),
            "labelFontSize": alt.ExprRef(f"containerSize()[0] < 500 ? clamp({room}, 8, 13) : 13"),
            "labelAlign": "right",
            "labelBaseline": "middle",
        }
    slanted = f"{columns} > 3 && containerSize()[0] < 500"
    return {
        "labelAngle": alt.ExprRef(f"{slanted} ? -60 : 0"),
        "labelAlign": alt.ExprRef(f"{slanted} ? 'right' : 'center'"),
        "labelBaseline": alt.ExprRef(f"{slanted} ? 'middle' : 'top'"),
    }


def _square(data: Map, names: list[str], caption: str, description: str) -> Picture:
    """Numbers from -1 to 1, of every one with every other."""
    cells = [
        {"first": _spoken(data, cell.row), "second": _spoken(data, cell.column), "value": cell.value}
        for cell in data.cells
        if cell.value is not None
    ]
    base = alt.Chart(alt.InlineData(values=cells)).encode(
        x=alt.X("second:N", title=None, sort=None, axis=alt.Axis(**_slanted(len(names)))),
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
        caption,
        in_page_style(chart.properties(width="container", height=_CELL * len(names))),
        description,
    )


def _spoken(data: Map, name: str) -> str:
    """Ways have names for machines, metrics those that were asked for."""
    return spaced(name) if data.of == "cosine" else name


def _exposed(cell: Cell) -> dict[str, Any]:
    assert cell.value is not None
    share = _percent(cell.value)
    chance = "" if cell.sure else ", which may be chance"
    return {
        "row": cell.row,
        "column": cell.column,
        "users": cell.users,
        "share": cell.value,
        "sure": cell.sure,
        "text": share if cell.sure else f"({share})",
        "said": f"{cell.column} to {cell.row}: {share}{chance}{_users(cell)}",
    }


def _users(cell: Cell) -> str:
    """Of how many users, where that is published."""
    return "" if cell.users is None else f" ({cell.users:,} users)"


def _percent(share: float) -> str:
    return f"{share:+.0%}".replace("-", "\u2212")


def of_exposure(cells: Sequence[Cell]) -> Picture:
    """Exposure of item groups (columns) to user groups (rows), beside what relevance asks for."""
    told = [_exposed(cell) for cell in cells]
    # Over-exposure has no end, under-exposure has one: what is beyond +100% is as dark as -100%.
    colour = alt.Color(
        "share:Q",
        scale=alt.Scale(domain=[-1, -0.5, 0, 0.5, 1], range=_BOTH_WAYS, clamp=True),
        legend=_below(format="+.0%", values=[-1, -0.5, 0, 0.5, 1]),
    )
    columns = len({cell.column for cell in cells})
    base = alt.Chart(alt.InlineData(values=told)).encode(
        x=alt.X("column:N", title=None, sort=None, axis=alt.Axis(**_slanted(columns))),
        y=alt.Y("row:N", title=None, sort=None),
        tooltip="said:N",
    )
    text = base.mark_text(fontSize=12).encode(
        text="text:N",
        color=alt.condition("abs(datum.share) > 0.75", alt.value("white"), alt.value("#222222")),
    )
    marks = base.mark_text(fontSize=14).encode(
        text=alt.condition("datum.sure", alt.value("•"), alt.value("")),
        color=alt.condition("abs(datum.share) > 0.75", alt.value("white"), alt.value("#222222")),
    )
    fits = columns <= _ROOM_FOR_NUMBERS
    chart = alt.layer(base.mark_rect().encode(color=colour), text if fits else marks)
    ends = sorted(told, key=lambda cell: float(cell["share"]))
    chance = "numbers in brackets may be chance" if fits else "a dot marks what is beyond chance"
    return Picture(
        "Exposure of item groups (across) to user groups (down), beside what relevance asks for: purple "
        f"is under-exposed, green over-exposed (from +100% on the same colour); {chance}, all cells at once.",
        in_page_style(chart.properties(width="container", height=_CELL * len({cell.row for cell in cells}))),
        f"Heat map of {len(told)} pairs of groups, from {ends[0]['said']} to {ends[-1]['said']}.",
    )
