"""What one day of an audit keeps: its findings, with intervals that hold on every day at once, and perhaps a
compact row a user, with which days are pooled.

Each day is a sample with a truth of its own. However much days have in common (users who return with the
tastes they had), errors of single days add up to no more than their sum: so look t is made at the level
1 - error * spent(t), in parts that sum to 1, and all of them hold at once. A correction of a day is another
look, with a part of its own: whoever corrects a day has seen it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np

from evenhand.findings import Finding, Interval
from evenhand.following.user_rows import UserRows
from evenhand.stats.log_ratios.inversion import hull
from evenhand.stats.many_looks.looks import level_of_look

# Of the error that is asked for: days one by one have one half, all days so far as one sample the other.
DAILY, POOLED = 0.5, 0.5


@dataclass(frozen=True)
class DayResult:
    """`why` says why there are no findings, or why there are no rows; empty where there are both."""

    findings: tuple[Finding, ...]
    rows: UserRows | None = None
    why: str = ""

    def content(self) -> bytes:
        """As a store keeps it; equal days give equal bytes."""
        told: dict[str, Any] = {
            "findings": [one.model_dump(mode="json") for one in self.findings],
            "why": self.why,
        }
        arrays: dict[str, Any] = {}
        if self.rows is not None:
            told |= {"columns": self.rows.columns, "groups": self.rows.groups}
            arrays = {name: getattr(self.rows, name) for name in ("users", "group", "days", "sums")}
        arrays["told"] = np.frombuffer(json.dumps(told, ensure_ascii=False).encode(), dtype=np.uint8)
        kept = BytesIO()
        np.savez_compressed(kept, **arrays)
        return kept.getvalue()

    @classmethod
    def read(cls, content: bytes) -> DayResult:
        with np.load(BytesIO(content), allow_pickle=False) as kept:
            told = json.loads(kept["told"].tobytes())
            rows = None
            if "users" in kept:
                groups = tuple(tuple(name) for name in told["groups"])
                parts = (kept[name] for name in ("users", "group", "days", "sums"))
                rows = UserRows(tuple(told["columns"]), groups, *parts)
        return cls(tuple(Finding.model_validate(one) for one in told["findings"]), rows, told["why"])


def levels(level: float, look: int, share: float) -> tuple[float, float]:
    """The level of this look among all of them, and its level alone."""
    return level_of_look(level, look, share), level


def on_every_look(
    together: Iterable[Finding], alone: Iterable[Finding], level: float, how: str
) -> tuple[Finding, ...]:
    """The findings of one look, whose intervals hold with those of all other looks at `level`; the interval
    that holds for this look alone is in the details. `how` says how the error is shared."""
    by_id = {one.id: one for one in alone}
    found = []
    for one in together:
        changes: dict[str, Any] = {"p_value": None, "more_data": None, "pictures": ()}
        single = by_id[one.id].interval if one.id in by_id else None
        if one.interval is not None and single is not None:
            # What holds together holds alone too, whatever approximation each is made by.
            low, high = hull((one.interval.low, one.interval.high), (single.low, single.high))
            method = f"{single.method}, {how}"
            changes["interval"] = Interval(low=low, high=high, level=level, method=method, validity="anytime")
            changes["details"] = one.details | {"alone": {"low": single.low, "high": single.high}}
        found.append(one.amended(**changes))
    return tuple(found)
