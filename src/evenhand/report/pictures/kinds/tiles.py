"""A map of tiles: every row with every column, on the one scale of colours that all maps have."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from evenhand.report.pictures.names import in_two_lines, shortened
from evenhand.report.pictures.palette import BOUNDS, MAP, ON_MAP
from evenhand.report.pictures.picture import NARROW, data

CELL = 32
# More of them than this and nobody reads them; those that stand out are drawn.
_MOST_ROWS, _MOST_COLUMNS = 24, 16
# How wide a letter or digit is, about.
_LETTER = 6.8
# Letters of a number beside the scale of colours that leave room for the next.
_SHORT = 4
# How long the scale of colours is where there is room, and how wide a column with a level name.
_SCALE, _LEVEL = 260, 75


@dataclass(frozen=True)
class Tile:
    """A value, and what stands in the tile: a number, and where there is no room for it a sign."""

    row: str
    column: str
    value: float
    text: str
    sign: str = ""


@dataclass(frozen=True)
class Drawn:
    """A map, how tall it is, and how much of it is not drawn, in words."""

    chart: alt.LayerChart
    height: int
    left_out: str
    columns: int


def drawn(
    tiles: Sequence[Tile],
    *,
    rows: str = "",
    columns: str = "",
    middle: float = 0.0,
    reach: float | None = None,
    order: Sequence[str] = (),
    number: Callable[[float], str],
) -> Drawn:
    """Tiles in the order in which they come, or in this one. `middle` is what is neither purple nor green,
    and `reach` how far from it the colours go; by default as far as the values do."""
    far = {tile: abs(tile.value - middle) for tile in tiles}
    kept = [_outstanding([(getattr(t, side), far[t]) for t in tiles], most) for side, most in (
        ("row", _MOST_ROWS), ("column", _MOST_COLUMNS),
    )]  # fmt: skip
    if order:
        kept = [[name for name in order if name in names] for names in kept]
    shown = [tile for tile in tiles if tile.row in kept[0] and tile.column in kept[1]]
    span = _round_number(max(far.values(), default=0.0) or 1.0) if reach is None else reach
    bounds = [float(f"{middle + span * bound:.6g}") for bound in BOUNDS]
    wide = len(kept[1])
    points = [
        {
            "row": shortened(tile.row), "column": shortened(tile.column),
            "value": float(f"{tile.value:.6g}"), "text": tile.text, "sign": tile.sign,
        }
        for tile in shown
    ]  # fmt: skip
    down, across = ([*map(shortened, names)] for names in kept)
    # How wide the tiles are: what is left beside the names of rows.
    beside = min(120, 15 + _LETTER * max(map(len, down)))
    left = f"(containerSize()[0] - {beside:.0f})"
    base = alt.Chart(data(points)).encode(
        x=alt.X("column:N", title=columns or None, sort=across, axis=alt.Axis(**_slanted(wide, left))),
        y=alt.Y("row:N", title=None, sort=down, axis=alt.Axis(**in_two_lines(down))),
        tooltip=[alt.Tooltip(f"{name}:N", title=title) for name, title in _titles(rows, columns)],
    )
    legend = alt.Legend(
        title=None, type="gradient", orient="bottom", direction="horizontal", gradientThickness=12,
        gradientLength=alt.ExprRef(f"clamp({left} - 10, 100, {_SCALE})"),
        labelFontSize=10, labelOverlap=False, labelExpr=_labels(bounds, number, left),
    )  # fmt: skip
    fill = alt.Color("value:Q", scale=alt.Scale(type="threshold", domain=bounds, range=MAP), legend=legend)
    ink = alt.Color("value:Q", scale=alt.Scale(type="threshold", domain=bounds, range=ON_MAP), legend=None)
    # A number that does not fit its tile would stand in the next one.
    needed = 6 + _LETTER * max(len(tile.text) for tile in shown)
    written = base.transform_calculate(written=f"{left} / {wide} >= {needed:.0f} ? datum.text : datum.sign")
    layers = [
        base.mark_rect(stroke="var(--paper)", strokeWidth=1).encode(color=fill),
        written.mark_text(fontSize=alt.ExprRef(f"{NARROW} ? 11 : 12")).encode(text="written:N", color=ink),
    ]
    chart = alt.layer(*layers).resolve_scale(color="independent")
    total = [len(dict.fromkeys(getattr(tile, side) for tile in tiles)) for side in ("row", "column")]
    return Drawn(chart, CELL * len(kept[0]), _said(kept, total), wide)


def _titles(rows: str, columns: str) -> list[tuple[str, str]]:
    return [("row", rows or "row"), ("column", columns or "column"), ("text", "value")]


def _outstanding(named: Sequence[tuple[str, float]], most: int) -> list[str]:
    """Names in their order; of too many, those with the value that is furthest from the middle."""
    furthest: dict[str, float] = {}
    for name, distance in named:
        furthest[name] = max(distance, furthest.get(name, 0.0))
    chosen = sorted(furthest, key=lambda name: -furthest[name])[:most]
    return [name for name in furthest if name in chosen]


def _said(kept: Sequence[Sequence[str]], total: Sequence[int]) -> str:
    if [len(names) for names in kept] == list(total):
        return ""
    return (
        f"Drawn are {len(kept[0])} of {total[0]} rows and {len(kept[1])} of {total[1]} columns, those that "
        "stand out; the data has all."
    )


def _round_number(value: float) -> float:
    """1, 2 or 5 times a power of ten, at least as large."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(float(f"{digit * power:.6g}") for digit in (1, 2, 5, 10) if digit * power >= value * 0.999999)


def _labels(bounds: Sequence[float], number: Callable[[float], str], left: str) -> str:
    """Numbers between the colours, as an expression that looks them up by their place: no more of them than
    have room beside each other."""
    numbers = [number(bound) for bound in bounds]
    chosen = (0, 2, 3, 5) if max(map(len, numbers)) <= _SHORT else (0, 1, 4, 5)
    wide, narrow = (
        [f"'{one}'" if place in places else "''" for place, one in enumerate(numbers)]
        for places in (chosen, (0, 5))
    )
    places = ", ".join(repr(bound) for bound in bounds)
    said = f"({left} < {_SCALE} ? [{', '.join(narrow)}] : [{', '.join(wide)}])"
    return f"{said}[indexof([{places}], datum.value)]"


def _slanted(columns: int, left: str) -> dict[str, Any]:
    """Names of columns: level, slanted where they would touch, and on end where they still would."""
    slanted = f"({left} / {columns} < {_LEVEL})"
    return {
        "labelAngle": alt.ExprRef(f"{slanted} ? ({left} / {columns} < 16 ? -90 : -60) : 0"),
        "labelAlign": alt.ExprRef(f"{slanted} ? 'right' : 'center'"),
        "labelBaseline": alt.ExprRef(f"{slanted} ? 'middle' : 'top'"),
        "labelFontSize": alt.ExprRef(f"clamp(round({left} / {columns}), 9, 12)"),
        "labelLimit": 110,
        "labelOverlap": False,
    }
