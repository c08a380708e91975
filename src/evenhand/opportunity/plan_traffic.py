"""How much random traffic, and for how many days, an audit or an A/B test needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from evenhand.asked.declared.traffic import LEAST_AMOUNT, AskedTraffic
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.inputs import Where
from evenhand.opportunity.logs.counting import Bins, Missing
from evenhand.opportunity.logs.grouping import GroupColumns
from evenhand.opportunity.measures import penalty
from evenhand.opportunity.traffic import findings, pilots, trade_off_findings
from evenhand.opportunity.traffic.aims import Aim
from evenhand.opportunity.traffic.expected import Traffic, rows_of_share
from evenhand.opportunity.traffic.precision import PENALTY
from evenhand.opportunity.traffic.trade_off import TradeOff
from evenhand.parameters import number, shown
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of


def plan_traffic(
    default: Any = None,
    random: Any = None,
    label: str | Sequence[str] | None = None,
    group: GroupColumns | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    *,
    attributes: Any = None,
    on: str | Sequence[str] | None = None,
    missing: Missing = "refuse",
    bins: Bins | None = None,
    where: Where | None = None,
    probability: str | None = None,
    rates: Mapping[str, float] | None = None,
    utilities: Mapping[str, float] | None = None,
    design_effect: float = 1.0,
    rows_a_day: float | None = None,
    random_rows_a_day: float | None = None,
    random_share: float | Sequence[float] | None = None,
    half_width: float | None = None,
    of: str = PENALTY,
    treatment: Mapping[str, float] | None = None,
    power: float | None = None,
    days: float | None = None,
    importance: float | None = None,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Plan the random traffic of an audit, from a pilot or from assumed rates.

    A pilot is a `default` and a `random` log, as for `audit`, or their `LogCounts`. Without one, `rates` is
    the share of all pairs that are liked and belong to each group, and `utilities` how many times as often
    they come in default traffic; `design_effect` is how many dependent rows are worth one independent row (a
    pilot with a `cluster` has its own).

    `rows_a_day` are rows of default traffic that are logged (in each arm); `random_rows_a_day` those of
    random traffic, or `random_share` its share of all traffic: one, or several to compare.

    What is wanted is either a `half_width` of the interval of the penalty (or `of` a group's relative
    utility), or the `power` to find the `treatment`, {group: factor of its opportunity}, in an A/B test by
    `compare`.

    Findings: `days_needed` and `relevance_cost` for each share, `planned_half_width` or `planned_power`
    against days for the first of them, and `bound_ratio`, what Dong and others' bounds ask for.

    With `days`, the time that there is, the question is turned round: `share_needed` is the least share of
    random traffic, up to one half, that reaches the aim in time. A share need not be named then; one that is
    has its own `planned_half_width` or `planned_power`. With an `importance` g, above 0 and below 1,
    `balanced_share` is the share with the largest (1 - g) relevance + g accuracy (Eq. 28 of Dong and others):
    relevance is how many of its liked rows traffic keeps, accuracy is 1 - half-width, or the power. What is
    wanted may then be left out. The details of the first finding have the `trade_off`, share by share.
    """
    asked = AskedTraffic.checked(
        rows_a_day=rows_a_day, random_share=random_share, random_rows_a_day=random_rows_a_day,
        half_width=half_width, of=of, treatment=treatment, power=power, days=days, importance=importance,
        level=level, label=label, group=group, cluster=cluster, on=on, missing=missing, bins=bins,
        where=where, probability=probability, rates=rates, utilities=utilities, design_effect=design_effect,
    )  # fmt: skip
    seed = seed_of(rng)
    days = asked.days
    if days is not None and days.is_integer():
        days = int(days)
    if importance is not None and days is None:
        raise InputError("importance weighs what so many days would tell against their cost: name the days.")
    if (half_width is not None and treatment is not None) or (
        half_width is None and treatment is None and importance is None
    ):
        raise InputError(
            "half_width or treatment must be given, and not both: how exact an audit shall be, or which "
            "change an A/B test shall find."
        )
    if treatment is None:
        if power is not None:
            raise InputError("power belongs to an A/B test: name the treatment that it shall find.")
    elif of != PENALTY:
        raise InputError(
            f"of is {shown(of)}, but an A/B test is planned for the penalty: leave it out, or give a "
            "half_width."
        )
    rows = asked.rows_a_day
    # Each arm of an A/B test has so many; one random log serves both.
    all_rows = rows if treatment is None else 2 * rows
    if days is not None and random_rows_a_day is None and random_share is None:
        daily = {}
    else:
        daily = _random_rows(all_rows, asked.random_rows_a_day, asked.random_share)
    first = next(iter(daily.values()), rows)
    fingerprints: dict[str, Fingerprint] = {}
    if rates is not None or utilities is not None:
        if default is not None or random is not None:
            raise InputError("rates and utilities stand in place of a pilot: give one or the other.")
        if bins or where:
            raise InputError("bins and where are about the logs of a pilot: leave them out of assumed rates.")
        traffic = pilots.assumed(rates, utilities, rows, first, asked.design_effect)
        pilot = None
    else:
        if default is None or random is None:
            raise InputError(
                "a pilot needs both a default and a random log; without one, assume rates and utilities."
            )
        if design_effect != 1:
            raise InputError("design_effect is for assumed rates: name the pilot's cluster column instead.")
        question = {
            "label": label, "group": group, "cluster": cluster, "on": on, "attribute_table": attributes,
            "missing": missing, "probability": probability, "bins": bins, "where": where,
        }  # fmt: skip
        pilot, tell = pilots.counted(default, random, question, engine, progress)
        fingerprints = pilot.fingerprints
        traffic = Traffic.from_pilot(pilot.logs[0], pilot.random, rows, first).without_noise()
    if treatment is not None:
        traffic = traffic.with_treatment(_factors(treatment))
        if abs(float(penalty(traffic.utilities[1]) - penalty(traffic.utilities[0]))) < 1e-6:
            raise InputError(
                "treatment does not change the penalty, so no traffic could show that: choose other factors."
            )
        wanted = 0.8 if asked.power is None else asked.power
        aim = Aim("power", wanted, PENALTY, asked.level, seed)
    else:
        if of != PENALTY and of not in traffic.groups:
            raise InputError(f"of is {of!r}, but must be 'penalty' or a group: {', '.join(traffic.groups)}.")
        aim = Aim("half_width", asked.half_width, asked.of, asked.level, seed)
    name = pilot.group if pilot is not None else pilots.name_of(group)
    if days is None:
        found = findings.findings_of(traffic, daily, aim, name, pilot, progress)
    else:
        in_time = TradeOff(traffic, days, aim)
        found = trade_off_findings.findings_of(in_time, asked.importance, daily, name, pilot, progress)
    return AuditResult(found if pilot is None else tell(found), fingerprints, seed)


def _random_rows(
    rows: float, random_rows: float | None, share: float | list[float] | None
) -> dict[float, float]:
    """Random rows a day by their share of all traffic."""
    if (random_rows is None) == (share is None):
        raise InputError("random_rows_a_day or random_share must be given, and not both.")
    if random_rows is not None:
        return {random_rows / (rows + random_rows): random_rows}
    if not share:
        raise InputError("random_share is empty: name at least one share, such as 0.01.")
    shares = share if isinstance(share, list) else [share]
    return {one: rows_of_share(one, rows) for one in shares}


def _factors(treatment: Any) -> dict[str, float]:
    if not isinstance(treatment, Mapping) or not treatment:
        raise InputError(
            "treatment must say by which factor the opportunity of a group changes: {group: 1.2}."
        )
    names = pilots.group_names("treatment", treatment)
    factors = (number(f"treatment[{name!r}]", f, LEAST_AMOUNT, 100) for name, f in treatment.items())
    return dict(zip(names, factors, strict=True))
