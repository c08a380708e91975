"""A result with a name that is cut, two that are hidden, and one that could not be computed."""

from __future__ import annotations

import pytest

from evenhand.findings import Count, Finding, Interval
from evenhand.results import AuditResult


def group_mean(
    group: str, estimate: float | None, users: int = 400, tolerance: float | None = 0.5
) -> Finding:
    return Finding(
        audit="groups",
        measure="group_mean",
        about={"users": {"town": group}, "metric": "mrr@5"},
        estimate=estimate,
        interval=None
        if estimate is None
        else Interval(low=estimate - 0.1, high=estimate + 0.1, level=0.95, method="normal"),
        tolerance=tolerance,
        harm="below",
        n=Count(users, "users"),
    )


@pytest.fixture
def result() -> AuditResult:
    return AuditResult(
        findings=(
            group_mean("Köln", 0.3),
            group_mean("Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch" * 3, 0.7),
            group_mean("Ulm", None),
            group_mean("Bonn", 0.2, users=2),
            group_mean("Trier", 0.6, users=6),  # from which the one before would follow
        ),
        scope={"title": "Home feed"},
        seed=0,
    )
