"""A/B tests of equal opportunity: several default logs against one shared random log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.findings import Finding, Interval
from evenhand.opportunity.counting import Missing, Question
from evenhand.opportunity.differences import (
    Difference,
    NearFair,
    penalty_difference,
    relative_utility_differences,
)
from evenhand.opportunity.inference import ArmInference, Arms
from evenhand.opportunity.measures import corrected_penalty, penalty
from evenhand.opportunity.preparation import (
    Prepared,
    check_level,
    check_tolerance,
    check_variance,
    clustering,
    prepare,
    unidentifiable,
)
from evenhand.opportunity.weighting import refuse_formulas_for_counts, weight_details
from evenhand.results import AuditResult
from evenhand.stats.counts import Variance
from evenhand.stats.randomness import seed_of


def compare(
    arms: Mapping[str, Any],
    random: Any,
    label: str | Sequence[str],
    group: str,
    cluster: str | None = None,
    level: float = 0.95,
    tolerance: float | None = None,
    rng: int | np.random.Generator = 0,
    *,
    attributes: Any = None,
    on: str | Sequence[str] | None = None,
    missing: Missing = "refuse",
    probability: str | None = None,
    variance: Variance = "multinomial",
    shared_random: bool = True,
    near_fair: NearFair = "bounds",
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Compare every arm with the first one; arguments as in `audit`.

    Findings: `reo_penalty` of each arm, `reo_difference` and, a group, `relative_utility_difference` of
    each arm minus the first. Intervals of the groups hold for all groups of one comparison at once; several
    arms are not corrected for their number. `tolerance` is how much larger than the first arm's a
    penalty may be; without one there is no verdict. A group's change has none, since moving is no harm.

    All arms are measured against the same random log, so its noise is common to them and mostly cancels.
    `shared_random=False` with `variance="independent"` is the source's Algorithm 2, which does not know that.
    """
    if len(arms) < 2:
        raise InputError(f"arms has {len(arms)} entries, but a comparison needs at least two logs.")
    if "random" in arms:
        raise InputError("an arm is called 'random', which is the name of the random log: rename the arm.")
    if near_fair not in ("bounds", "mover"):
        raise InputError(f"near_fair is {near_fair!r}, but must be 'bounds' or 'mover'.")
    check_level(level)
    check_tolerance(tolerance)
    check_variance(variance)
    refuse_formulas_for_counts(probability, "hull", variance)
    seed = seed_of(rng)
    question = Question.of(label, group, cluster, attributes, on, missing, probability)
    tables = {arm: inputs.table(log, name=f"{arm} log", engine=engine) for arm, log in arms.items()}
    if random is None:
        for table in tables.values():
            question.joined(table)
        findings = unidentifiable("compare", "reo_difference", {"by": group})
        return AuditResult(findings, {arm: table.fingerprint() for arm, table in tables.items()}, seed)
    random = inputs.table(random, name="random log", engine=engine)
    prepared = prepare(tables, random, question, progress)
    return AuditResult(
        _findings(prepared, level, tolerance, seed, variance, shared_random, near_fair),
        prepared.fingerprints,
        seed,
    )


def _findings(
    prepared: Prepared,
    level: float,
    tolerance: float | None,
    seed: int,
    variance: Variance,
    shared_random: bool,
    near_fair: NearFair,
) -> tuple[Finding, ...]:
    random = prepared.random
    common: dict[str, Any] = {
        "audit": "compare",
        "excluded": prepared.excluded,
        "assumptions": (*prepared.assumptions, *((SHARED,) if shared_random else ())),
        "warnings": prepared.warnings,
    }
    baseline = prepared.arms[0]
    if not prepared.comparable:
        return tuple(
            Finding(measure="reo_difference", subject=_subject(prepared, arm), estimate=None, **common)
            for arm in prepared.arms[1:]
        )
    arms = Arms.from_logs(prepared.logs, random, variance, shared_random)
    clustered = clustering(random)
    findings = []
    for i, arm in enumerate(prepared.arms):
        inference = ArmInference(arms, i, seed)
        low, high = inference.penalty_interval(level)
        findings.append(
            Finding(
                measure="reo_penalty",
                subject={"by": prepared.group, "arm": arm},
                estimate=float(penalty(inference.utilities)),
                interval=Interval(low=low, high=high, level=level, method="hull" + clustered),
                n=prepared.logs[i].total + random.total,
                details={
                    "corrected": corrected_penalty(inference.utilities, inference.covariance),
                    "groups": len(random.groups),
                    **weight_details(random),
                },
                **common,
            )
        )
    for i, arm in enumerate(prepared.arms[1:], start=1):
        n = prepared.logs[0].total + prepared.logs[i].total + random.total
        change = penalty_difference(arms, i, 0, level, seed, near_fair)
        warnings = prepared.warnings
        if change.p_value is None:
            warnings = (*warnings, NO_P_VALUE)
        findings.append(
            Finding(
                measure="reo_difference",
                subject=_subject(prepared, arm),
                **_estimate(change, level, tolerance, clustered),
                n=n,
                details={"baseline": baseline, "shared_random": shared_random, "variance": variance},
                **(common | {"warnings": warnings}),
            )
        )
        together = relative_utility_differences(arms, i, 0, level, seed)
        alone = relative_utility_differences(arms, i, 0, level, seed, simultaneous=False)
        rows = sum(counts.rows.sum(axis=0) for counts in (prepared.logs[0], prepared.logs[i], random))
        for k, (group, change, pointwise) in enumerate(zip(random.groups, together, alone, strict=True)):
            findings.append(
                Finding(
                    measure="relative_utility_difference",
                    subject=_subject(prepared, arm) | {"group": group},
                    **_estimate(change, level, None, clustered + ", simultaneous over groups"),
                    n=int(rows[k]),
                    details={"pointwise": {"low": pointwise.low, "high": pointwise.high}},
                    **common,
                )
            )
    return tuple(findings)


SHARED = "All arms served comparable users in the period that the random log covers."
NO_P_VALUE = (
    "No p-value: an arm may be exactly fair, where the penalty has a kink and can only err upwards. "
    "Read the interval."
)


def _subject(prepared: Prepared, arm: str) -> dict[str, str | int | float]:
    return {"by": prepared.group, "arm": arm, "baseline": prepared.arms[0]}


def _estimate(change: Difference, level: float, tolerance: float | None, suffix: str) -> dict[str, Any]:
    return {
        "estimate": change.estimate,
        "interval": Interval(low=change.low, high=change.high, level=level, method=change.method + suffix),
        "p_value": change.p_value,
        "tolerance": tolerance,
    }
