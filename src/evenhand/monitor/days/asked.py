"""Which days a question about some days has in it, and which of those asked for it lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from evenhand.monitor.days.dates import Period

_NAMED = 5


def days_in_it(
    there: Sequence[str],
    known: Mapping[str, bool],
    bounds: Sequence[str | None],
    period: Period,
) -> str:
    """ "7 days, 2026-10-12 to 2026-10-18; of the 14 asked for 7 were forgotten (2026-10-05 to 2026-10-11)".

    `there` are the days that were taken together, in order. `known` are all days that were ever added, and
    whether they were forgotten; one that is known, not forgotten and not there was counted in another way.
    """
    asked = _between(bounds[0] or there[0], bounds[1] or there[-1], period)
    lacks: dict[str, list[str]] = {}
    for label in sorted(set(asked) - set(there)):
        why = {None: "never added", True: "forgotten", False: "counted in another way"}[known.get(label)]
        lacks.setdefault(why, []).append(label)
    span = there[0] if len(there) == 1 else f"{there[0]} to {there[-1]}"
    said = f"{len(there):,} {period if len(there) == 1 else f'{period}s'}, {span}"
    if not lacks:
        return said
    parts = [
        f"{len(days):,} {'was' if len(days) == 1 else 'were'} {why} ({_named(days, asked)})"
        for why, days in lacks.items()
    ]
    return f"{said}; of the {len(asked):,} asked for {' and '.join(parts)}"


def _between(first: str, last: str, period: Period) -> list[str]:
    """All days from one to another; of weeks their Mondays."""
    at, end = date.fromisoformat(first), date.fromisoformat(last)
    at += timedelta(-at.weekday() % 7 if period == "week" else 0)
    step = 7 if period == "week" else 1
    return [(at + timedelta(days)).isoformat() for days in range(0, (end - at).days + 1, step)]


def _named(days: Sequence[str], asked: Sequence[str]) -> str:
    first = asked.index(days[0])
    if len(days) > 1 and list(days) == list(asked[first : first + len(days)]):
        return f"{days[0]} to {days[-1]}"
    more = f" and {len(days) - _NAMED:,} more" if len(days) > _NAMED else ""
    return ", ".join(days[:_NAMED]) + more
