"""The picture of one person's audit as SVG: how much better each policy is than their own, between which
limits.

Horizontal places are percentages, so that it fits any width while its text keeps its size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.report.words.numbers import count

ROW, TOP, BOTTOM = 17, 20, 24  # pixels
_LEFT, _WIDTH = 24.0, 74.0  # percent: where limits are drawn; names stand before that
_REACHES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75)


@dataclass(frozen=True)
class Row:
    y: int
    label: str
    state: str  # better, ruled_out, open, unknown
    low: float
    high: float
    estimate: float | None
    caps: tuple[float, ...]  # limits that are within the picture


@dataclass(frozen=True)
class Arms:
    rows: tuple[Row, ...]
    height: int
    own: float
    limit: float
    ticks: tuple[tuple[float, str], ...]
    description: str


def reach(people: Iterable[Mapping[str, Any]], epsilon: float) -> float:
    """How far the pictures of all people go to either side: as far as needed, in steps, so that they shrink
    together and seldom."""
    tried = [policy for one in people for policy in one["policies"] if _is_known(policy)]
    widest = max((max(-policy["low"], policy["high"]) for policy in tried), default=1.0)
    return next((one for one in _REACHES if one >= max(widest, 2 * epsilon)), 1.0)


def arms(one: Mapping[str, Any], epsilon: float, most: float) -> Arms | None:
    """None for a person of whom no policies are told: they were deleted."""
    policies: Sequence[Mapping[str, Any]] = one["policies"]
    if not policies:
        return None

    def place(value: float) -> float:
        inside = min(1.0, max(0.0, (value + most) / (2 * most)))
        return round(_LEFT + _WIDTH * inside, 2)

    rows = tuple(
        Row(
            y=TOP + ROW * number + ROW // 2,
            label=f"person {policy['of']}",
            state=policy["state"] if _is_known(policy) else "unknown",
            low=place(policy["low"]),
            high=place(policy["high"]),
            estimate=place(policy["estimate"]) if _is_known(policy) else None,
            caps=tuple(place(end) for end in (policy["low"], policy["high"]) if abs(end) < most),
        )
        for number, policy in enumerate(policies)
    )
    ticks = tuple((place(value), _signed(value)) for value in (-most, 0.0, most))
    bottom = TOP + ROW * len(rows)
    return Arms(rows, bottom + BOTTOM, place(0.0), place(epsilon), ticks, _in_words(one))


def _is_known(policy: Mapping[str, Any]) -> bool:
    """Whether anything is: rewards go from 0 to 1, and no more."""
    return policy["estimate"] is not None and (policy["low"] > -1 or policy["high"] < 1)


def _signed(value: float) -> str:
    return "0" if value == 0 else f"{'−' if value < 0 else '+'}{abs(value):g}"


def _in_words(one: Mapping[str, Any]) -> str:
    tried = [policy for policy in one["policies"] if _is_known(policy)]
    states = [policy["state"] for policy in tried]
    said = [
        f"Chart for person {one['number']}: limits of how much more reward the recommendations of "
        f"{count(len(one['policies']))} others give than their own."
    ]
    for policy in tried:
        if policy["state"] == "better":
            limits = f"{policy['low']:.2f} to {policy['high']:.2f}"
            said.append(f"Those of person {policy['of']} give more: {limits}.")
    if tried:
        widest = max(tried, key=lambda policy: policy["high"])
        said.append(
            f"{count(states.count('ruled_out'))} are ruled out, {count(states.count('open'))} are open; the "
            f"most that any may give is {widest['high']:.2f} more."
        )
    untried = len(one["policies"]) - len(tried)
    return " ".join([*said, f"Of {count(untried)} nothing is known yet."] if untried else said)
