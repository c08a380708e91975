"""How much random traffic, and for how many days, an audit or an A/B test needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.inputs import Where
from evenhand.opportunity.evidence import MOST_ROWS
from evenhand.opportunity.logs.counting import Bins, Missing, one_cluster
from evenhand.opportunity.logs.grouping import GroupColumns
from evenhand.opportunity.measures import penalty
from evenhand.opportunity.traffic import findings, pilots, trade_off_findings
from evenhand.opportunity.traffic.aims import MOST_DAYS, Aim
from evenhand.opportunity.traffic.expected import Traffic, rows_of_share
from evenhand.opportunity.traffic.pilots import LEAST_SHARE
from evenhand.opportunity.traffic.precision import PENALTY
from evenhand.opportunity.traffic.trade_off import TradeOff
from evenhand.parameters import number, shown, text
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of

# Less than anybody means, and enough for quotients to stay numbers.
LEAST_AMOUNT = 1e-6


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
    against days for the first of them, and `bound_ratio`, what the source's bounds ask for.

    With `days`, the time that there is, the question is turned round: `share_needed` is the least share of
    random traffic, up to one half, that reaches the aim in time. A share need not be named then; one that is
    has its own `planned_half_width` or `planned_power`. With an `importance` g, above 0 and below 1,
    `balanced_share` is the share with the largest (1 - g) relevance + g accuracy (Eq. 28 of the source):
    relevance is how many of its liked rows traffic keeps, accuracy is 1 - half-width, or the power. What is
    wanted may then be left out. The details of the first finding have the `trade_off`, share by share.
    """
    level = number("level", level, 0.5, 0.9999)
    seed = seed_of(rng)
    if days is not None:
        days = number("days", days, 0, MOST_DAYS, above=True)
        days = int(days) if days.is_integer() else days
    if importance is not None:
        if days is None:
            raise InputError(
                "importance weighs what so many days would tell against their cost: name the days."
            )
        importance = number("importance", importance, 0.001, 0.999)
    if (half_width is not None and treatment is not None) or (
        half_width is None and treatment is None and importance is None
    ):
        raise InputError(
            "half_width or treatment must be given, and not both: how exact an audit shall be, or which "
            "change an A/B test shall find."
        )
    if half_width is not None:
        half_width = number("half_width", half_width, LEAST_AMOUNT, 1)
    of = text("of", of)
    design_effect = number("design_effect", design_effect, LEAST_AMOUNT)
    if treatment is None:
        if power is not None:
            raise InputError("power belongs to an A/B test: name the treatment that it shall find.")
    elif of != PENALTY:
        raise InputError(
            f"of is {shown(of)}, but an A/B test is planned for the penalty: leave it out, or give a "
            "half_width."
        )
    rows = number("rows_a_day", rows_a_day, LEAST_AMOUNT, MOST_ROWS)
    # Each arm of an A/B test has so many; one random log serves both.
    all_rows = rows if treatment is None else 2 * rows
    if days is not None and random_rows_a_day is None and random_share is None:
        daily = {}
    else:
        daily = _random_rows(all_rows, random_rows_a_day, random_share)
    first = next(iter(daily.values()), rows)
    fingerprints: dict[str, Fingerprint] = {}
    if rates is not None or utilities is not None:
        if default is not None or random is not None:
            raise InputError("rates and utilities stand in place of a pilot: give one or the other.")
        if bins or where:
            raise InputError("bins and where are about the logs of a pilot: leave them out of assumed rates.")
        traffic = pilots.assumed(rates, utilities, rows, first, design_effect)
        pilot = None
    else:
        if default is None or random is None:
            raise InputError(
                "a pilot needs both a default and a random log; without one, assume rates and utilities."
            )
        if design_effect != 1:
            raise InputError("design_effect is for assumed rates: name the pilot's cluster column instead.")
        asked = {
            "label": label, "group": group, "cluster": one_cluster(cluster, "plan_traffic"), "on": on,
            "attribute_table": attributes, "missing": missing, "probability": probability, "bins": bins,
            "where": where,
        }  # fmt: skip
        pilot, tell = pilots.counted(default, random, asked, engine, progress)
        fingerprints = pilot.fingerprints
        traffic = Traffic.from_pilot(pilot.logs[0], pilot.random, rows, first).without_noise()
    if treatment is not None:
        traffic = traffic.with_treatment(_factors(treatment))
        if abs(float(penalty(traffic.utilities[1]) - penalty(traffic.utilities[0]))) < 1e-6:
            raise InputError(
                "treatment does not change the penalty, so no traffic could show that: choose other factors."
            )
        wanted = number("power", 0.8 if power is None else power, 0.5, 0.99)
        aim = Aim("power", wanted, PENALTY, level, seed)
    else:
        if of != PENALTY and of not in traffic.groups:
            raise InputError(f"of is {of!r}, but must be 'penalty' or a group: {', '.join(traffic.groups)}.")
        aim = Aim("half_width", half_width, of, level, seed)
    name = pilot.group if pilot is not None else pilots.name_of(group)
    if days is None:
        found = findings.findings_of(traffic, daily, aim, name, pilot, progress)
    else:
        in_time = TradeOff(traffic, days, aim)
        found = trade_off_findings.findings_of(in_time, importance, daily, name, pilot, progress)
    return AuditResult(found if pilot is None else tell(found), fingerprints, seed)


def _random_rows(
    rows: float, random_rows: float | None, share: float | Sequence[float] | None
) -> dict[float, float]:
    """Random rows a day by their share of all traffic."""
    if (random_rows is None) == (share is None):
        raise InputError("random_rows_a_day or random_share must be given, and not both.")
    if random_rows is not None:
        random_rows = number("random_rows_a_day", random_rows, LEAST_AMOUNT, MOST_ROWS)
        return {random_rows / (rows + random_rows): random_rows}
    shares = (
        list(share) if isinstance(share, Sequence | np.ndarray) and not isinstance(share, str) else [share]
    )
    if not shares:
        raise InputError("random_share is empty: name at least one share, such as 0.01.")
    daily = {}
    for one in shares:
        checked = number("random_share", one, LEAST_SHARE, 0.99)
        daily[checked] = rows_of_share(checked, rows)
    return daily


def _factors(treatment: Any) -> dict[str, float]:
    if not isinstance(treatment, Mapping) or not treatment:
        raise InputError(
            "treatment must say by which factor the opportunity of a group changes: {group: 1.2}."
        )
    names = pilots.group_names("treatment", treatment)
    factors = (number(f"treatment[{name!r}]", f, LEAST_AMOUNT, 100) for name, f in treatment.items())
    return dict(zip(names, factors, strict=True))
