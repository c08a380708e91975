"""A monitor made by hand: two findings over some weeks, with whatever happened to them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from evenhand.findings import Finding, Interval, decide
from evenhand.monitor.page.model import Point, Watch
from evenhand.results import AuditResult

FIRST = date(2026, 1, 1)
TOLERANCE = 0.1
# What a document says besides its findings.
SCOPE = {"title": "Home feed", "system": "Ranker 7"}


def label(number: int) -> str:
    """Days are counted from 1."""
    return str(FIRST + timedelta(days=number - 1))


def penalty(estimate: float | None, group: str = "creator_age", half: float = 0.05) -> Finding:
    interval = None
    if estimate is not None:
        low, high = max(0.0, estimate - half), estimate + half
        interval = Interval(low=low, high=high, level=0.95, method="hull", validity="anytime")
    return Finding(
        audit="opportunity",
        measure="reo_penalty",
        about={"by": {"creators": (group,)}},
        estimate=estimate,
        interval=interval,
        tolerance=TOLERANCE,
    )


def point(finding: Finding) -> Point:
    if finding.interval is None or finding.estimate is None:
        return Point(None, verdict="not_applicable")
    verdict = decide(finding.interval, finding.tolerance)
    return Point(finding.estimate, finding.interval.low, finding.interval.high, verdict)


def watch(estimates: dict[int, float | None], group: str = "creator_age", **more: Any) -> Watch:
    """One finding with these estimates by the number of their days, of which others are missing."""
    found = {label(number): penalty(estimate, group) for number, estimate in sorted(estimates.items())}
    last = [*found.values()][-1]
    latest = AuditResult((last,), scope=more.pop("scope", SCOPE)).document
    finding = latest.findings[0]
    return Watch(
        name=more.pop("name", "home-feed"),
        unit=more.pop("unit", "day"),
        days=tuple(found),
        latest=latest,
        findings={finding.id: finding},
        points={finding.id: {day: point(one) for day, one in found.items()}},
        **more,
    )
