"""A plan of random traffic as findings: days, what they would show, and what they would cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any

from evenhand.findings import Finding
from evenhand.opportunity.bounds import sufficient_rows
from evenhand.opportunity.cautions import FEW_POSITIVES
from evenhand.opportunity.expected import Traffic
from evenhand.opportunity.measures import penalty
from evenhand.opportunity.precision import (
    MOST_DAYS,
    PENALTY,
    days_for_half_width,
    days_for_power,
    half_width,
    power,
)
from evenhand.opportunity.preparation import Prepared

AUDIT = "traffic_plan"
Subject = dict[str, str | int | float]
# Days to show around the planned ones, as multiples of them.
AROUND_A_WIDTH = (0.25, 0.5, 1, 2, 4)
AROUND_A_POWER = (0.5, 1, 1.5)
AS_PLANNED = "Traffic stays as it is assumed here: rates, rows a day and how rows depend on each other."


@dataclass(frozen=True)
class Aim:
    """What is wanted: a half-width of the penalty or of a group, or the power of an A/B test."""

    half_width: float | None
    power: float | None
    of: str

    def days(self, traffic: Traffic, level: float, seed: int) -> float | None:
        if self.half_width is not None:
            return days_for_half_width(traffic, self.half_width, self.of, level, seed)
        assert self.power is not None
        return days_for_power(traffic, self.power, level, seed)

    def reached(self, traffic: Traffic, days: float, level: float, seed: int) -> float:
        """Half-width, or power, after so many days."""
        if self.half_width is not None:
            return half_width(traffic, days, self.of, level, seed)
        return power(traffic, days, level, seed)

    def in_words(self, traffic: Traffic) -> str:
        if self.half_width is not None:
            what = "the penalty" if self.of == PENALTY else f"the relative utility of {self.of}"
            return f"tell {what} to ±{100 * self.half_width:.3g} points"
        change = float(penalty(traffic.utilities[1]) - penalty(traffic.utilities[0]))
        return f"find a change of the penalty by {100 * change:+.2g} points in {self.power:.0%} of A/B tests"


def findings_of(
    traffic: Traffic,
    daily: dict[float, float],
    aim: Aim,
    by: str,
    level: float,
    seed: int,
    pilot: Prepared | None,
    progress: Callable[[str], None],
) -> tuple[Finding, ...]:
    """`daily` has the random rows a day of each share of all traffic; the first share is the plan."""
    assumptions = (AS_PLANNED, *(pilot.assumptions if pilot is not None else ()))
    common: dict[str, Any] = {"audit": AUDIT, "assumptions": assumptions}
    needed: dict[float, float | None] = {}
    findings, costs = [], []
    for share, random_rows in daily.items():
        progress(f"days with {_percent(share)} random traffic")
        at_share = traffic.with_random_rows(random_rows)
        needed[share] = days = aim.days(at_share, level, seed)
        subject: Subject = {"by": by, "share": _percent(share)}
        findings.append(_days(at_share, days, aim, subject, common, pilot))
        costs.append(_cost(at_share, share, days, subject, common))
    share = next(iter(daily))
    planned = needed[share]
    if planned is not None:
        subject = {"by": by, "share": _percent(share)}
        progress("what other numbers of days would show")
        around = _around(traffic, planned, aim, level, seed)
        findings[0] = findings[0].model_copy(
            update={"details": findings[0].details | {"traffic_curve": _curve(around, aim, planned)}}
        )
        name = "planned_half_width" if aim.half_width is not None else "planned_power"
        findings += [
            Finding(measure=name, subject=subject | {"days": days}, estimate=reached, **common)
            for days, reached in around
        ]
        if aim.half_width is not None:
            findings.append(_bound(traffic, planned, aim, level, subject, common))
    return (*findings, *costs)


def _days(
    traffic: Traffic,
    days: float | None,
    aim: Aim,
    subject: Subject,
    common: dict[str, Any],
    pilot: Prepared | None,
) -> Finding:
    if days is None:
        why = f"More than {MOST_DAYS:,.0f} days would be needed: take more random traffic or a coarser aim."
        return Finding(measure="days_needed", subject=subject, estimate=None, warnings=(why,), **common)
    positives = dict(zip(traffic.groups, traffic.random_positives(days).tolist(), strict=True))
    rare = [name for name, count in positives.items() if count < FEW_POSITIVES]
    warnings = [] if pilot is None else list(pilot.warnings)
    if rare:
        warnings.append(
            f"The aim is reached with fewer than {FEW_POSITIVES} liked rows of {', '.join(rare)} in random "
            "traffic, where intervals are approximate: collect for longer."
        )
    whole = ceil(days)
    return Finding(
        measure="days_needed",
        subject=subject,
        estimate=days,
        n=round(traffic.random_rows * days),
        details={
            "days": "1 day" if whole == 1 else f"{whole:,} days",
            "daily": f"{traffic.random_rows:,.0f}",
            "aim": aim.in_words(traffic),
            "default_rows": traffic.rows * days,
            "random_rows": traffic.random_rows * days,
            "random_positives": positives,
            "design_effect": traffic.effect_of_clusters(),
            "penalty": float(penalty(traffic.utilities[0])),
        },
        **common | {"warnings": tuple(warnings)},
    )


def _around(traffic: Traffic, planned: float, aim: Aim, level: float, seed: int) -> list[tuple[int, float]]:
    factors = AROUND_A_POWER if aim.half_width is None else AROUND_A_WIDTH
    chosen = sorted({max(1, ceil(planned * factor)) for factor in factors})
    return [(days, aim.reached(traffic, days, level, seed)) for days in chosen]


def _curve(around: list[tuple[int, float]], aim: Aim, planned: float) -> dict[str, Any]:
    kind = "half_width" if aim.half_width is not None else "power"
    target = aim.half_width if aim.half_width is not None else aim.power
    return {"kind": kind, "target": target, "planned": planned, "points": [list(point) for point in around]}


def _bound(
    traffic: Traffic,
    planned: float,
    aim: Aim,
    level: float,
    subject: Subject,
    common: dict[str, Any],
) -> Finding:
    """How many times the planned random rows the source's bounds ask for."""
    assert aim.half_width is not None
    default_rows, random_rows = sufficient_rows(
        traffic.rates[0], traffic.random_rates, aim.half_width, level, all_groups=aim.of != PENALTY
    )
    return Finding(
        measure="bound_ratio",
        subject=subject,
        estimate=random_rows / (traffic.random_rows * planned),
        details={"default_rows": default_rows, "random_rows": random_rows},
        **common,
    )


def _cost(
    traffic: Traffic,
    share: float,
    days: float | None,
    subject: Subject,
    common: dict[str, Any],
) -> Finding:
    """The share of liked impressions that random traffic costs (the first part of Eq. 28 of the source)."""
    liked, liked_at_random = float(traffic.rates[0].sum()), float(traffic.random_rates.sum())
    details: dict[str, float] = {"liked_default": liked, "liked_random": liked_at_random}
    if days is not None:
        details["fewer_liked_rows"] = traffic.random_rows * days * (liked - liked_at_random)
    return Finding(
        measure="relevance_cost",
        subject=subject,
        estimate=share * (1 - liked_at_random / liked),
        details=details,
        **common,
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"
