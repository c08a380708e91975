"""What can be known of tables of users and candidates before any is read."""

from __future__ import annotations

from typing import Any

from evenhand.groups.arguments import columns_among
from evenhand.groups.arguments import tolerance as checked_tolerance
from evenhand.groups.attributes import DERIVED
from evenhand.inputs import Table


def check_before_reading(
    *,
    users: Table,
    attributes: str | list[str],
    candidates: Table | None = None,
    history: Table | None = None,
    recommender: Any = None,
    metric: str | list[str] | None = None,
    tolerance: float | None = None,
    bounds: Any = None,
    goal: str | None = None,
    **others: Any,
) -> None:
    """Raise if columns are not there, or if no gap could be beyond the tolerance; `others` are arguments that
    have nothing to do with either."""
    wanted = [attributes] if isinstance(attributes, str) else attributes
    # Lists are re-ranked by a metric of theirs, never by a column of users.
    listed = [metric] if isinstance(metric, str) else metric or []
    metrics = [] if goal else listed
    columns = columns_among(metrics, users)
    checked_tolerance(tolerance, metrics, None if bounds is None else (bounds[0], bounds[1]))
    made = DERIVED if history is not None else ()
    users.require(*(name for name in wanted if name not in made))
    if candidates is not None and (not metrics or len(columns) < len(metrics)):
        scored = () if recommender is not None else ("score",)
        candidates.require("user_id", "item_id", "label", *scored)
