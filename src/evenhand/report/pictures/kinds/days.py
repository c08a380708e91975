"""The axis of days, or weeks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

import altair as alt

from evenhand.report.pictures.picture import NARROW

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
# With more days than this, months are written below them.
_MONTHS = 120
# With no more days than this, each has a tick: left alone, there would be more ticks than days.
_EACH = 6
_HALF = {"day": 12, "week": 84}


def are_dates(labels: Sequence[str]) -> bool:
    return all(_DATE.fullmatch(label) for label in labels)


def axis(labels: Sequence[str], unit: str, field: str = "") -> alt.X:
    """Days without their year, which stands below them once; fewer of them where there is little room."""
    dated = are_dates(labels)
    years = sorted({label[:4] for label in labels})
    written = ("%b" if len(years) == 1 else "%b %y") if len(labels) > _MONTHS else "%d %b"
    # Weeks are named by their Mondays; left alone, ticks would stand on Sundays.
    few = labels[:: max(1, -(-len(labels) // _EACH))]
    said = dated and (unit == "week" or len(labels) <= _EACH)
    starts = [date.fromisoformat(label) for label in few] if said else []
    ticks = [alt.DateTime(year=d.year, month=d.month, date=d.day, utc=True) for d in starts]
    return alt.X(
        field or ("day:T" if dated else "day:Q"),
        title=" to ".join(dict.fromkeys((years[0], years[-1]))) if dated else unit,
        # A date is read as midnight in Greenwich, and must not be written as the evening before elsewhere.
        scale=alt.Scale(type="utc", nice=False, padding=6)
        if dated
        else alt.Scale(nice=False, zero=False, padding=6),
        axis=alt.Axis(
            grid=False,
            tickCount=alt.ExprRef(f"{NARROW} ? 3 : 7"),
            tickMinStep=alt.Undefined if dated else 1,
            labelOverlap=True,
            format=written if dated else "d",
            values=ticks or alt.Undefined,
        ),
    )


def apart(labels: Sequence[str], unit: str, parts: float) -> str:
    """An expression for a day moved by this part of a day, or week: to draw something beside it."""
    if are_dates(labels):
        return f"time(toDate(datum.day)) + {round(parts * 2 * _HALF[unit] * 3_600_000)}"
    return f"toNumber(datum.day) + {parts:g}"
