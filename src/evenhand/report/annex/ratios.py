"""Impact ratios: the selection rate of a group over that of the most selected one, where findings hold it.

Three findings do, and each selects in a sense of its own: an item of the group is shown (`parity_deviation`),
an item that users like is shown (`relative_utility`), an item gets attention from a group of users
(`pair_exposure`). Others do not: precision, metrics of lists and envy are about how users are served, and
nobody is selected there.

Nothing is estimated here. Where the relative rates r_k of all groups lie in their intervals at once, so does

    R_k = min(1, r_k / max_{j != k} r_j)   in   [l_k / max_{j != k} h_j, h_k / max_{j != k} l_j], at most 1,

whichever group the most selected one really is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.about import in_an_id
from evenhand.findings import Finding
from evenhand.report.vocabulary.names import audit, spaced
from evenhand.report.words.people import listed, people
from evenhand.report.words.sentences import place
from evenhand.report.words.verdicts import left_out

Bounds = tuple[float, float]
_MOST_DECIMALS = 6


@dataclass(frozen=True)
class Rate:
    """How often a group is selected, up to a factor that all groups of its table share, and between which
    values that lies for all groups at once, where that is known."""

    finding: Finding
    value: float
    bounds: Bounds | None = None


@dataclass(frozen=True)
class Row:
    """One group: what it rests on, its rate, its impact ratio, and between which values the ratio lies."""

    group: str
    rests_on: str
    rate: float
    ratio: float
    bounds: Bounds | None


@dataclass(frozen=True)
class Ratios:
    """The impact ratios of the groups that one audit compares, the least selected first; `hidden` are groups
    of which the findings hold no rate, `left_out` what is in no group, and `doubts` what speaks against all:
    then no ratio has an interval."""

    audit: str
    selected: str
    rate: str
    where: str
    attributes: tuple[str, ...]
    level: float | None
    rows: tuple[Row, ...]
    hidden: int
    left_out: tuple[str, ...]
    doubts: tuple[str, ...] = ()

    @property
    def crossed(self) -> bool:
        """Whether its groups are combinations of several attributes."""
        return len(self.attributes) > 1

    @property
    def title(self) -> str:
        kind = "Intersection" if self.crossed else "Groups"
        said = f"{kind} of {listed(map(spaced, self.attributes))}, {audit(self.audit).title.lower()}"
        return f"{said}, {self.where}" if self.where else said


@dataclass(frozen=True)
class _Carrier:
    """A measure that holds a selection rate: who is selected, in which sense, what the rate is in, and where
    a finding has it."""

    whom: str
    selected: str
    rate: str
    of: Callable[[Finding], Rate | None]


def ratios(findings: Sequence[Finding]) -> list[Ratios]:
    """The tables that these findings allow: one for each audit, attribute and setting."""
    tables: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        carrier = _CARRIERS.get(finding.measure)
        group = finding.about.get(carrier.whom) if carrier is not None else None
        if isinstance(group, dict):
            tables.setdefault(_table(finding, group), []).append(finding)
    made = (_ratios(members) for members in tables.values())
    return [table for table in made if table is not None]


def _table(finding: Finding, group: Mapping[str, Any]) -> tuple[str, ...]:
    """What the findings of one table have in common."""
    whom = _CARRIERS[finding.measure].whom
    others = (in_an_id(key, value) for key, value in finding.about.items() if key not in (whom, "by"))
    return finding.audit, finding.measure, *group, "", *others


def _ratios(findings: Sequence[Finding]) -> Ratios | None:
    first = findings[0]
    carrier = _CARRIERS[first.measure]
    rates = [rate for finding in findings if (rate := carrier.of(finding)) is not None]
    most = max((rate.value for rate in rates), default=0.0)
    if len(rates) < 2 or most <= 0:
        return None
    doubts = tuple(dict.fromkeys(doubt for finding in findings for doubt in finding.doubts))
    bounds = ratio_bounds([None if doubts else rate.bounds for rate in rates])
    levels = {rate.finding.interval.level for rate in rates if rate.finding.interval is not None}
    rows = [
        Row(_named(rate.finding, carrier.whom), _count(rate.finding), rate.value, rate.value / most, bound)
        for rate, bound in zip(rates, bounds, strict=True)
    ]
    known = None not in bounds
    group = first.about[carrier.whom]
    assert isinstance(group, dict)
    return Ratios(
        audit=first.audit,
        selected=carrier.selected,
        rate=carrier.rate,
        where=place(first, leave_out=("by", "group")) + _audience(first, carrier),
        attributes=tuple(group),
        level=min(levels) if known and levels else None,
        rows=tuple(sorted(rows, key=lambda row: row.ratio)),
        hidden=len(findings) - len(rates),
        left_out=tuple(dict.fromkeys(left_out(one) for finding in findings for one in finding.excluded)),
        doubts=doubts,
    )


def ratio_bounds(rates: Sequence[Bounds | None]) -> list[Bounds | None]:
    """The bounds of all ratios, from bounds of rates that hold at once; none where one rate has none."""
    known = [bounds for bounds in rates if bounds is not None]
    if len(known) < len(rates):
        return [None] * len(rates)
    made: list[Bounds | None] = []
    for k, (low, high) in enumerate(known):
        others = [bounds for j, bounds in enumerate(known) if j != k]
        most_low, most_high = max(one for one, _ in others), max(one for _, one in others)
        made.append((_over(low, most_high), _over(high, most_low)))
    return made


def _over(rate: float, most: float) -> float:
    return min(1.0, max(0.0, rate) / most) if most > 0 else 1.0


def figure(ratio: float) -> str:
    """A ratio as it is shown: what is below 1 does not look like 1."""
    decimals = 2
    while ratio < 1 and decimals < _MOST_DECIMALS and round(ratio, decimals) == 1:
        decimals += 1
    return f"{ratio:.{decimals}f}"


def _count(finding: Finding) -> str:
    return "" if finding.n is None else f"{finding.n.count:,} {finding.n.of}"


def _named(finding: Finding, whom: str) -> str:
    group = finding.about[whom]
    assert isinstance(group, dict)
    return people(finding, whom, group)


def _audience(finding: Finding, carrier: _Carrier) -> str:
    """To which users, where items are shown to groups of them."""
    users = finding.about.get("users")
    shown = carrier.whom == "items" and isinstance(users, dict)
    return f" to {people(finding, 'users', users)}" if shown and isinstance(users, dict) else ""


def _relative(finding: Finding) -> Rate | None:
    if finding.estimate is None:
        return None
    interval = finding.interval
    bounds = None if interval is None else (1 + interval.low, 1 + interval.high)
    return Rate(finding, 1 + finding.estimate, bounds)


def _shown(finding: Finding) -> Rate | None:
    """How often an item of the group is shown; its interval over the mean of all groups, where known."""
    rate, relative = finding.details.get("rate"), finding.details.get("relative")
    if finding.estimate is None or not isinstance(rate, int | float):
        return None
    if not isinstance(relative, dict) or not {"low", "high"} <= relative.keys():
        return Rate(finding, float(rate))
    return Rate(finding, float(rate), (1 + relative["low"], 1 + relative["high"]))


def _attention(finding: Finding) -> Rate | None:
    exposure = finding.details.get("exposure")
    if finding.estimate is None or not isinstance(exposure, int | float):
        return None
    return Rate(finding, float(exposure))


_CARRIERS = {
    "parity_deviation": _Carrier(
        "creators", "an item of the group is shown", "how often an item of the group is shown", _shown
    ),
    "relative_utility": _Carrier(
        "creators",
        "an item of the group that users like is shown",
        "how often a liked item of the group is shown, over the mean of all groups",
        _relative,
    ),
    "pair_exposure": _Carrier(
        "items",
        "an item of the group gets the attention of a user",
        "mean attention that an item of the group gets",
        _attention,
    ),
}
