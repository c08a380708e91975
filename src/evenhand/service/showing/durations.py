"""How long things take, in words: spans of time, the pace of an audit, and what is to be expected of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.report.words.numbers import count

View = Mapping[str, Any]
_UNITS = ((86_400.0, "day"), (3_600.0, "hour"), (60.0, "minute"), (1.0, "second"))
_SURELY = 60.0  # seconds; of less nobody can tell a pace


def pace(view: View) -> str:
    """How often people are served."""
    lasted = _lasted(view)
    if lasted is None:
        who = "Of those who were not deleted nobody" if view["deleted"] else "Nobody"
        return f"{who} {'has been served yet' if view['outcome'] is None else 'was served'}."
    served = f"{count(view['visits'])} {'visit' if view['visits'] == 1 else 'visits'}"
    if lasted < _SURELY:
        return f"{served} in less than a minute."
    length, unit = rate(view["visits"] / lasted)
    return f"{served} in {span(lasted)}, about {length} {unit}."


def _lasted(view: View) -> float | None:
    """Seconds from the first visit to the last event; None before the first."""
    if view["began_at"] is None or not view["visits"]:
        return None
    return float(view["last_at"] - view["began_at"])


def rate(a_second: float) -> tuple[str, str]:
    """So many a minute, an hour or a day, so that there is at least one."""
    units = {"a minute": 60.0, "an hour": 3_600.0, "a day": 86_400.0}
    unit = next((name for name, length in units.items() if a_second * length >= 1), "a day")
    value = a_second * units[unit]
    return f"{value:,.2g}" if value < 10 else f"{value:,.0f}", unit


def span(seconds: float) -> str:
    """ "1 hour", "90 minutes", "2.5 days"."""
    for length, unit in _UNITS:
        if seconds >= length * (1 if unit == "second" or seconds % length == 0 else 1.999):
            break
    value = seconds / length
    said = f"{value:,.0f}" if value >= 10 or value == round(value) else f"{value:.2g}"
    return f"{said} {unit if said == '1' else f'{unit}s'}"


_WORLDS = {
    "nobody_better_off": "nobody is better off with others' recommendations",
    "another_is_better": "another's recommendations are better by {gap:g}",
    "own_is_better": "their own recommendations are better by {gap:g}",
}


def expected(view: View) -> list[dict[str, str]]:
    """How many visits a person an audit typically takes, and how long that is at the present pace."""
    known, lasted = view["expected"], _lasted(view)
    if known is None:
        return []
    each_s = None if lasted is None or lasted < _SURELY else lasted * view["targets"] / view["visits"]
    gap = min(2 * view["asked"]["epsilon"], 0.4)
    rows = []
    for name, words in _WORLDS.items():
        steps, days = known["steps_a_user"][name], known["days"][name]
        seconds = None if each_s is None or steps is None else steps * each_s
        if days is not None:  # so many a day were agreed, which is the most
            seconds = max(seconds or 0.0, days * 86_400)
        rows.append(
            {
                "if": words.format(gap=gap),
                "visits": "more than 20 million" if steps is None else f"about {count(round(steps))}",
                "takes": "–" if seconds is None else f"about {span(seconds)}",
            }
        )
    return rows
