"""How much random traffic, and for how many days, an audit or an A/B test needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.findings import Fingerprint
from evenhand.opportunity import traffic_findings
from evenhand.opportunity.counting import Missing, Question
from evenhand.opportunity.evidence import MOST_ROWS, LogCounts
from evenhand.opportunity.expected import Traffic
from evenhand.opportunity.measures import penalty
from evenhand.opportunity.precision import PENALTY
from evenhand.opportunity.preparation import Prepared, check_level, line_up, prepare
from evenhand.parameters import number, shown
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of


def plan_traffic(
    default: Any = None,
    random: Any = None,
    label: str | Sequence[str] | None = None,
    group: str | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    *,
    attributes: Any = None,
    on: str | Sequence[str] | None = None,
    missing: Missing = "refuse",
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
    """
    check_level(level)
    seed = seed_of(rng)
    if (half_width is None) == (treatment is None):
        raise InputError(
            "half_width or treatment must be given, and not both: how exact an audit shall be, or which "
            "change an A/B test shall find."
        )
    if half_width is not None:
        half_width = number("half_width", half_width, 0, 1, above=True)
        if power is not None:
            raise InputError("power belongs to an A/B test: name the treatment that it shall find.")
    elif of != PENALTY:
        raise InputError(
            f"of is {shown(of)}, but an A/B test is planned for the penalty: leave it out, or give a "
            "half_width."
        )
    rows = number("rows_a_day", rows_a_day, 0, MOST_ROWS, above=True)
    # Each arm of an A/B test has so many; one random log serves both.
    all_rows = rows if treatment is None else 2 * rows
    daily = _random_rows(all_rows, random_rows_a_day, random_share)
    first = next(iter(daily.values()))
    fingerprints: dict[str, Fingerprint] = {}
    if rates is not None or utilities is not None:
        if default is not None or random is not None:
            raise InputError("rates and utilities stand in place of a pilot: give one or the other.")
        traffic = _assumed(
            rates, utilities, rows, first, number("design_effect", design_effect, 0, above=True)
        )
        pilot = None
    else:
        if default is None or random is None:
            raise InputError(
                "a pilot needs both a default and a random log; without one, assume rates and utilities."
            )
        if design_effect != 1:
            raise InputError("design_effect is for assumed rates: name the pilot's cluster column instead.")
        question = (label, group, cluster, attributes, on, missing, probability)
        pilot = _pilot(default, random, question, engine, progress)
        fingerprints = pilot.fingerprints
        traffic = Traffic.from_pilot(pilot.logs[0], pilot.random, rows, first)
    name = group or "group"
    if treatment is not None:
        traffic = traffic.with_treatment(_factors(treatment))
        if abs(float(penalty(traffic.utilities[1]) - penalty(traffic.utilities[0]))) < 1e-6:
            raise InputError(
                "treatment does not change the penalty, so no traffic could show that: choose other factors."
            )
        wanted = number("power", 0.8 if power is None else power, 0.5, 0.99)
        aim = traffic_findings.Aim(None, wanted, PENALTY)
    else:
        if of != PENALTY and of not in traffic.groups:
            raise InputError(f"of is {of!r}, but must be 'penalty' or a group: {', '.join(traffic.groups)}.")
        aim = traffic_findings.Aim(half_width, None, of)
    findings = traffic_findings.findings_of(traffic, daily, aim, name, level, seed, pilot, progress)
    return AuditResult(findings, fingerprints, seed)


def _random_rows(
    rows: float, random_rows: float | None, share: float | Sequence[float] | None
) -> dict[float, float]:
    """Random rows a day by their share of all traffic."""
    if (random_rows is None) == (share is None):
        raise InputError("random_rows_a_day or random_share must be given, and not both.")
    if random_rows is not None:
        random_rows = number("random_rows_a_day", random_rows, 0, MOST_ROWS, above=True)
        return {random_rows / (rows + random_rows): random_rows}
    shares = (
        list(share) if isinstance(share, Sequence | np.ndarray) and not isinstance(share, str) else [share]
    )
    if not shares:
        raise InputError("random_share is empty: name at least one share, such as 0.01.")
    daily = {}
    for one in shares:
        checked = number("random_share", one, 0, 0.99, above=True)
        daily[checked] = rows * checked / (1 - checked)
    return daily


def _assumed(
    rates: Mapping[str, float] | None,
    utilities: Mapping[str, float] | None,
    rows: float,
    random_rows: float,
    design_effect: float,
) -> Traffic:
    if rates is None or utilities is None:
        raise InputError("rates and utilities belong together: both are needed for every group.")
    for name, given in (("rates", rates), ("utilities", utilities)):
        if not isinstance(given, Mapping):
            raise InputError(f"{name} must be a number for each group: {{group: 0.02}}.")
    if set(rates) != set(utilities):
        odd = sorted(set(rates) ^ set(utilities), key=str)
        raise InputError(f"rates and utilities must name the same groups, but {odd[0]!r} is in one only.")
    if len(rates) < 2:
        raise InputError(f"rates has {len(rates)} group, but equal opportunity compares at least two.")
    p = np.array([number(f"rates[{name!r}]", rate, 0, 1, above=True) for name, rate in rates.items()])
    u = np.array([number(f"utilities[{name!r}]", utilities[name], 0, above=True) for name in rates])
    for what, shares in (("rates", p), ("rates times utilities", p * u)):
        if shares.sum() > 1:
            raise InputError(
                f"{what} add up to {shares.sum():.3g}, but are shares of all rows: at most 1 together."
            )
    names = tuple(str(name) for name in rates)
    return Traffic(names, (p * u)[None], p, rows, random_rows, design_effect)


def _pilot(
    default: Any,
    random: Any,
    question: tuple[Any, ...],
    engine: Any,
    progress: Callable[[str], None],
) -> Prepared:
    label, group, *_ = question
    if isinstance(default, LogCounts) != isinstance(random, LogCounts):
        raise InputError("a pilot is two logs or the counts of two logs, not one of each.")
    if isinstance(default, LogCounts):
        if default.clustered != random.clustered:
            raise InputError(
                "one log of the pilot is counted by cluster and the other is not; count both alike."
            )
        pilot = line_up({"default": default}, random, group or "group", {})
    else:
        if label is None or group is None:
            raise InputError("label and group must be named, to count a pilot's logs.")
        log = inputs.table(default, name="default log", engine=engine)
        reference = inputs.table(random, name="random log", engine=engine)
        pilot = prepare({"default": log}, reference, Question.of(*question), progress)
    if not pilot.comparable:
        raise InputError(f"The pilot cannot be planned from. {pilot.warnings[0]}")
    never = [
        g for g, a in zip(pilot.random.groups, pilot.logs[0].positives.sum(axis=0), strict=True) if a == 0
    ]
    if never:
        raise InputError(
            f"the pilot's default log has no positive row of {', '.join(never)}, so its rate is not known: "
            "take a longer pilot, or assume rates and utilities."
        )
    return pilot


def _factors(treatment: Any) -> dict[str, float]:
    if not isinstance(treatment, Mapping) or not treatment:
        raise InputError(
            "treatment must say by which factor the opportunity of a group changes: {group: 1.2}."
        )
    return {str(name): number(f"treatment[{name!r}]", f, 0, 100, above=True) for name, f in treatment.items()}
