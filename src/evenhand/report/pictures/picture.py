"""A picture as a page, a file or a notebook takes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

from evenhand.report.pictures.palette import in_plain_colours

Row = Mapping[str, str | int | float | bool | None]
# What fits beside a column of text; a page gives its own.
_WIDTH = 640
# The page's own stack: Vega measures text on a canvas, which does not know "inherit".
_FONT = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', system-ui, sans-serif"
# Where there is little room: a telephone.
NARROW = "containerSize()[0] < 500"


@dataclass(frozen=True)
class Picture:
    """What is drawn, in Vega-Lite with the page's CSS variables for colours; what to know to read it; the
    picture in words for those who do not see it; and its data, whole, one row a mark, with plain names for
    columns: a picture of very many leaves some of them out, its `rows` never do."""

    caption: str
    specification: dict[str, Any]
    description: str
    rows: Sequence[Row] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        self.specification["description"] = self.description  # for who opens the picture by itself

    def chart(self) -> alt.LayerChart:
        """The same for a notebook or a file of its own: in plain colours, and as wide as a column of text."""
        made: alt.LayerChart = alt.LayerChart.from_dict(in_plain_colours(self.specification, _WIDTH))
        return made


def in_page_style(
    chart: alt.LayerChart | alt.FacetChart, height: int, title: str = "", subtitle: str = ""
) -> dict[str, Any]:
    """The specification with the page's type and colours, and without the address of its schema."""
    drawn = chart.properties(width="container", height=height)
    if title:
        under = subtitle or alt.Undefined
        drawn = drawn.properties(
            title=alt.TitleParams(title, anchor="start", frame="bounds", offset=10, subtitle=under)
        )
    configured = drawn.configure(
        background="transparent",
        # What surrounds a picture says what is in it, once; a word for each of its marks would drown that.
        aria=False,
        font=_FONT,
        view=alt.ViewConfig(stroke=None),
        title=alt.TitleConfig(
            color="var(--muted)", fontSize=12, fontWeight="normal",
            subtitleColor="var(--muted)", subtitleFontSize=12,
        ),
        legend=alt.LegendConfig(
            labelColor="var(--ink)", titleColor="var(--muted)", labelFontSize=12, titleFontSize=12,
            titleFontWeight="normal", orient="bottom", labelLimit=220, rowPadding=4, offset=8,
        ),
        axis=alt.AxisConfig(
            labelColor="var(--ink)",
            titleColor="var(--muted)",
            gridColor="var(--line)",
            domainColor="var(--line)",
            tickColor="var(--line)",
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            labelLimit=alt.ExprRef(f"{NARROW} ? 120 : 280"),
        ),
        axisY=alt.AxisConfig(grid=False, ticks=False, domain=False, labelPadding=8),
    )  # fmt: skip
    specification: dict[str, Any] = configured.to_dict()
    specification.pop("$schema", None)
    return specification


def below(labels: Iterable[str], **more: Any) -> alt.Legend:
    """A legend under the picture, in as many columns as its labels have room for."""
    wide = 45 + 7 * max(map(len, labels), default=0)
    narrow, elsewhere = (max(1, min(4, room // wide)) for room in (310, 600))
    return alt.Legend(
        title=None, orient="bottom", columns=alt.ExprRef(f"{NARROW} ? {narrow} : {elsewhere}"), **more
    )  # fmt: skip


def data(rows: Sequence[Mapping[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=[dict(row) for row in rows])
