"""Findings for tests, in fewer words: flat subjects, and a plain number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.about import group_of
from evenhand.findings import Count, Finding


def short(
    subject: Mapping[str, Any] | None = None, n: int | None = None, whom: str = "creators", **values: Any
) -> Finding:
    """`short({"by": "age", "group": "18-24"}, n=100, ...)`, of 100 rows."""
    counted = None if n is None else Count(n, "rows")
    return Finding(about=about(subject or {}, whom), n=counted, **values)


def about(subject: Mapping[str, Any], whom: str = "creators") -> dict[str, Any]:
    """What a flat subject says, by whom and attribute."""
    told = dict(subject)
    if "group" not in told or "by" not in told:
        return told | ({"by": {whom: told["by"]}} if "by" in told else {})
    group = group_of(str(told.pop("by")), str(told["group"]))
    return {whom if key == "group" else key: group if key == "group" else of for key, of in told.items()}
