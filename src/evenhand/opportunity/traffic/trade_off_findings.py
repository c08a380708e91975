"""A plan for the time that there is as findings: the share of random traffic, and what is traded for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from evenhand.about import About
from evenhand.findings import Count, Finding
from evenhand.opportunity.logs.preparation import Prepared
from evenhand.opportunity.traffic.aims import LEAST_POSITIVES, LEAST_RANDOM, Aim
from evenhand.opportunity.traffic.findings import (
    as_named,
    bound,
    cautions,
    collected,
    cost,
    in_days,
    of_every_finding,
    percent,
)
from evenhand.opportunity.traffic.pilot_noise import share_interval
from evenhand.opportunity.traffic.trade_off import MOST_SHARE, TradeOff
from evenhand.pictures import Line, Lines


def findings_of(
    trade_off: TradeOff,
    importance: float | None,
    named: Collection[float],
    by: str,
    pilot: Prepared | None,
    progress: Callable[[str], None],
) -> tuple[Finding, ...]:
    """The share that the aim needs, that of the best balance, and the shares that were `named`."""
    traffic, aim, days = trade_off.traffic, trade_off.aim, trade_off.days
    common = of_every_finding(traffic, aim, pilot)
    asked_of: About = {"by": {"creators": by}, "days": days}
    asked: dict[str, About] = {}
    if aim.wanted is not None:
        asked["share_needed"] = asked_of
    if importance is not None:
        asked["balanced_share"] = asked_of | {"importance": importance}
    if not trade_off.is_possible:
        why = (_too_few(days, MOST_SHARE),)
        return tuple(
            Finding(measure=name, about=about, estimate=None, warnings=why, **common)
            for name, about in asked.items()
        )
    found: dict[str, float | None] = {}
    progress(f"what shares of random traffic would tell in {in_days(days)}")
    if aim.wanted is not None:
        found["share_needed"] = trade_off.share_needed()
    if importance is not None:
        others = [share for share in (found.get("share_needed"), *named) if share is not None]
        found["balanced_share"] = trade_off.balanced_share(importance, others)
    shares = dict.fromkeys(share for share in (*found.values(), *named) if share is not None)
    reached = {share: trade_off.at(share) for share in shares if share >= trade_off.shares[0]}
    findings = []
    for name, share in found.items():
        if share is None:
            why = (_out_of_reach(days, _gives(aim, trade_off.at(MOST_SHARE))),)
            findings.append(Finding(measure=name, about=asked[name], estimate=None, warnings=why, **common))
        else:
            findings.append(_answer(name, trade_off, share, asked[name], pilot, common))
    findings[0] = findings[0].amended(pictures=(_curve(trade_off, reached, found),))
    for share in named:
        about: About = {"by": {"creators": by}, "share": as_named(share), "days": days}
        value = reached.get(share)
        warnings = (_too_few(days, share),) if value is None else ()
        findings.append(
            Finding(measure=f"planned_{aim.kind}", about=about, estimate=value, warnings=warnings, **common)
        )
    if aim.kind == "half_width" and (needed := found.get("share_needed")) is not None:
        findings.append(bound(traffic.with_share(needed), days, aim, asked_of, common))
    for share in shares:
        about = {"by": {"creators": by}, "share": as_named(share)}
        findings.append(cost(traffic.with_share(share), share, days, about, common))
    return tuple(findings)


def _answer(
    name: str,
    trade_off: TradeOff,
    share: float,
    about: About,
    pilot: Prepared | None,
    common: dict[str, Any],
) -> Finding:
    traffic, aim, days = trade_off.traffic.with_share(share), trade_off.aim, trade_off.days
    details = {
        "aim": aim.details(traffic),
        "reached": trade_off.at(share),
        "relevance_cost": traffic.relevance_cost(share),
        **collected(traffic, days),
    }
    warnings = cautions(pilot)
    if name == "balanced_share":
        warnings += _at_an_edge(trade_off, share) + _mostly_missed(aim, trade_off.at(share))
    limits = None
    if name == "share_needed" and pilot is not None:
        limits = share_interval(trade_off.traffic, days, share, aim, MOST_SHARE)
    return Finding(
        measure=name,
        about=about,
        estimate=share,
        interval=limits,
        n=Count(round(traffic.random_rows * days), "random rows"),
        details=details,
        warnings=warnings,
        **common,
    )


def _curve(trade_off: TradeOff, reached: dict[float, float], found: Mapping[str, float | None]) -> Lines:
    """What every share would tell and cost; the answers and the named shares are points of it."""
    points = dict(zip(trade_off.shares.tolist(), trade_off.reached, strict=True)) | reached
    marks = {"days": trade_off.days, "target": trade_off.aim.wanted, **found}
    costs = tuple((share, trade_off.traffic.relevance_cost(share)) for share in sorted(points))
    return Lines(
        of="share",
        aim=trade_off.aim.kind,
        lines=(
            Line(name="reached", points=tuple((share, float(points[share])) for share in sorted(points))),
            Line(name="relevance_cost", points=costs),
        ),
        marks={name: mark for name, mark in marks.items() if mark is not None},
    )


def _gives(aim: Aim, reached: float) -> str:
    if aim.kind == "half_width":
        return f"an interval of ±{100 * reached:.2g} points"
    return f"{reached:.0%} of A/B tests that find the change"


def _at_an_edge(trade_off: TradeOff, share: float) -> tuple[str, ...]:
    if share == trade_off.shares[0]:
        return (
            "The best balance is at the least share that can be planned for: with this importance, what "
            "random traffic would tell is worth less than what it costs.",
        )
    if share == trade_off.shares[-1]:
        return (
            f"The best balance is at {percent(MOST_SHARE)}, the most that is looked at: with this "
            "importance, random traffic costs less than what it tells is worth.",
        )
    return ()


def _mostly_missed(aim: Aim, reached: float) -> tuple[str, ...]:
    if aim.kind == "half_width" or reached >= 0.5:
        return ()
    return (
        "Even with the best balance an A/B test would miss the change more often than not: take more days, "
        "give accuracy more weight, or plan for a larger change.",
    )


def _out_of_reach(days: float, gives: str) -> str:
    return (
        f"In {in_days(days)} no share of random traffic up to {percent(MOST_SHARE)} is enough: that much "
        f"would give {gives}. Default traffic has chance in it too, which random traffic does not cure: take "
        "more days, or a coarser aim."
    )


def _too_few(days: float, share: float) -> str:
    return (
        f"In {in_days(days)} with {percent(share)} random traffic, a group has too few random rows to be "
        f"sure that an audit, which must expect {LEAST_RANDOM} liked ones, does not leave it out, or fewer "
        f"than {LEAST_POSITIVES} liked rows of default traffic: take more days."
    )
