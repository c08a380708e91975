"""A plan of random traffic as findings: days, what they would show, and what they would cost."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

from evenhand.about import About
from evenhand.findings import Count, Finding
from evenhand.opportunity.logs.preparation import Prepared
from evenhand.opportunity.measures import Array, penalty
from evenhand.opportunity.traffic.aims import LEAST_POSITIVES, LEAST_RANDOM, MOST_DAYS, Aim
from evenhand.opportunity.traffic.expected import Traffic
from evenhand.opportunity.traffic.pilot_noise import days_interval
from evenhand.opportunity.traffic.precision import PENALTY
from evenhand.opportunity.traffic.published_bounds import sufficient_rows
from evenhand.pictures import Line, Lines

AUDIT = "traffic_plan"
MOST_LISTED = 8  # groups
Subject = dict[str, str | int | float]
# Days to show around the planned ones, as multiples of them.
AROUND_A_WIDTH = (0.25, 0.5, 1, 2, 4)
AROUND_A_POWER = (0.5, 1, 1.5)
TOLD_LATER = (
    "A longer log may tell groups that this pilot leaves out, and then intervals are of all of them and "
    "wider than planned: take a longer pilot, or merge groups."
)
AS_PLANNED = "Traffic stays as it is assumed here: rates, rows a day and how rows depend on each other."
NEW_USERS = (
    "More days bring more users, as many a row as in the pilot. Where the same users come back day after day "
    "their rows tell less, and intervals come out wider than planned."
)
LIKED_ALIKE = (
    "All groups are liked about as often. An audit leaves out a group with few random rows, however many of "
    "them are liked: one that is liked more often than others needs more random traffic than is planned here."
)


def findings_of(
    traffic: Traffic,
    daily: dict[float, float],
    aim: Aim,
    by: str,
    pilot: Prepared | None,
    progress: Callable[[str], None],
) -> tuple[Finding, ...]:
    """`daily` has the random rows a day of each share of all traffic; the first share is the plan."""
    common = of_every_finding(traffic, aim, pilot)
    needed: dict[float, float | None] = {}
    findings, costs = [], []
    for share, random_rows in daily.items():
        progress(f"days with {percent(share)} random traffic")
        at_share = traffic.with_random_rows(random_rows)
        needed[share] = days = aim.days(at_share)
        about: About = {"by": {"creators": by}, "share": as_named(share)}
        findings.append(_days(at_share, days, aim, about, common, pilot))
        costs.append(cost(at_share, share, days, about, common))
    share = next(iter(daily))
    planned = needed[share]
    if planned is not None:
        about = {"by": {"creators": by}, "share": as_named(share)}
        progress("what other numbers of days would show")
        around = _around(traffic, planned, aim)
        findings[0] = findings[0].amended(pictures=(_curve(around, aim, planned),))
        findings += [
            Finding(measure=f"planned_{aim.kind}", about=about | {"days": days}, estimate=reached, **common)
            for days, reached in around
        ]
        if aim.kind == "half_width":
            findings.append(bound(traffic, planned, aim, about, common))
    return (*findings, *costs)


def of_every_finding(traffic: Traffic, aim: Aim, pilot: Prepared | None) -> dict[str, Any]:
    return {
        "audit": AUDIT,
        "people": None if pilot is None else pilot.people,
        "assumptions": (
            *_assumed(traffic, aim),
            AS_PLANNED,
            *(() if traffic.scores is None else (NEW_USERS,)),
            *(pilot.assumptions if pilot is not None else (LIKED_ALIKE,)),
        ),
    }


def _assumed(traffic: Traffic, aim: Aim) -> list[str]:
    """The numbers that a plan is made from, which nobody could read off its answer."""

    def listed(rates: Array) -> str:
        named = [f"{percent(rate)} {name}" for name, rate in zip(traffic.groups, rates, strict=True)]
        return ", ".join(named[:MOST_LISTED]) + (" and so on" if len(named) > MOST_LISTED else "")

    own, *treated = traffic.rates
    said = [
        f"{traffic.rows:,.0f} rows of default traffic a day{' in each arm' if treated else ''}, of which are "
        f"liked and of a group: {listed(own)}.",
        f"Of all pairs are liked and of a group: {listed(traffic.random_rates)}.",
        f"Intervals have a level of {percent(aim.level)}, for one look.",
    ]
    if treated:
        said.insert(1, f"In the other arm, of the rows are liked and of a group: {listed(treated[0])}.")
    return said


def _days(
    traffic: Traffic,
    days: float | None,
    aim: Aim,
    about: About,
    common: dict[str, Any],
    pilot: Prepared | None,
) -> Finding:
    if days is None:
        why = f"More than {MOST_DAYS:,.0f} days would be needed: take more random traffic or a coarser aim."
        warnings = (why, *(() if pilot is None else pilot.warnings))
        return Finding(measure="days_needed", about=about, estimate=None, warnings=warnings, **common)
    return Finding(
        measure="days_needed",
        about=about,
        estimate=days,
        interval=None if pilot is None else days_interval(traffic, days, aim),
        n=Count(round(traffic.random_rows * days), "random rows"),
        details={
            "aim": aim.details(traffic),
            **collected(traffic, days),
        },
        warnings=cautions(pilot),
        **common,
    )


def collected(traffic: Traffic, days: float) -> dict[str, Any]:
    """What so many days of logs would hold."""
    return {
        "daily": traffic.random_rows,
        "default_rows": traffic.rows * days,
        "random_rows": traffic.random_rows * days,
        "random_positives": dict(zip(traffic.groups, traffic.random_positives(days).tolist(), strict=True)),
        "design_effect": traffic.effect_of_clusters(),
        "penalty": float(penalty(traffic.utilities[0])),
    }


def cautions(pilot: Prepared | None) -> tuple[str, ...]:
    if pilot is None:
        return ()
    unknown = any(exclusion.unidentified for exclusion in pilot.excluded)
    return (*pilot.warnings, *((TOLD_LATER,) if unknown else ()))


def _around(traffic: Traffic, planned: float, aim: Aim) -> list[tuple[int, float]]:
    factors = AROUND_A_POWER if aim.kind == "power" else AROUND_A_WIDTH
    least = traffic.days_until(LEAST_POSITIVES, LEAST_RANDOM)
    chosen = sorted({max(1, ceil(max(least, planned * factor))) for factor in factors})
    return [(days, aim.reached(traffic, days)) for days in chosen]


def _curve(around: list[tuple[int, float]], aim: Aim, planned: float) -> Lines:
    assert aim.wanted is not None
    line = Line(name="reached", points=tuple(around))
    return Lines(of="traffic", aim=aim.kind, lines=(line,), marks={"target": aim.wanted, "planned": planned})


def bound(traffic: Traffic, planned: float, aim: Aim, about: About, common: dict[str, Any]) -> Finding:
    """How many times the planned random rows Dong and others' bounds ask for."""
    assert aim.wanted is not None
    default_rows, random_rows = sufficient_rows(
        traffic.rates[0], traffic.random_rates, aim.wanted, aim.level, all_groups=aim.of != PENALTY
    )
    return Finding(
        measure="bound_ratio",
        about=about,
        estimate=random_rows / (traffic.random_rows * planned),
        details={"default_rows": default_rows, "random_rows": random_rows},
        **common,
    )


def cost(traffic: Traffic, share: float, days: float | None, about: About, common: dict[str, Any]) -> Finding:
    """The share of liked impressions that random traffic costs."""
    liked, liked_at_random = float(traffic.rates[0].sum()), float(traffic.liked_at_random.sum())
    details: dict[str, float] = {"liked_default": liked, "liked_random": liked_at_random}
    if days is not None:
        details["fewer_liked_rows"] = traffic.random_rows * days * (liked - liked_at_random)
    return Finding(
        measure="relevance_cost",
        about=about,
        estimate=traffic.relevance_cost(share),
        details=details,
        **common,
    )


def as_named(share: float) -> float:
    """A share with as many digits as a reader sees: two that look alike are about the same."""
    return float(f"{share:.3g}")


def percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def in_days(days: float) -> str:
    return "1 day" if days == 1 else f"{days:,.6g} days"
