"""The opportunity audit: do creators get equal opportunity, given what users like?

REO (Dong and others 2024). Positive labels are only known for what was shown, so the rate at which liked
pairs are shown needs a second log of uniformly random pairs: U_k is the share of liked pairs of group k
in default traffic over the same share in random traffic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evenhand import inputs
from evenhand.asked.opportunity import AskedOpportunity
from evenhand.findings import Finding, Interval
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.bootstrap import penalty_interval, refuse_unserved
from evenhand.opportunity.inference.more_rows import (
    penalty_with_more_rows,
    ratio_with_more_rows,
    utility_with_more_rows,
)
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.asked_rows import rows_asked_for, told
from evenhand.opportunity.logs.counting import Bins, Clusters, Missing, Question
from evenhand.opportunity.logs.grouping import Groups
from evenhand.opportunity.logs.preparation import (
    Prepared,
    clustering,
    prepare,
    unidentifiable,
)
from evenhand.opportunity.logs.weighting import refuse_formulas_for_counts, weight_details
from evenhand.opportunity.measures import corrected_penalty, penalty, relative_utilities
from evenhand.opportunity.random_log.uniform import checks_of_random
from evenhand.results import AuditResult
from evenhand.stats.counts import Variance
from evenhand.stats.randomness import seed_of

NO_TEST = (
    "No test keeps its level here: rows are clustered or weighted, and a group has no positive row, or there "
    "are fewer clusters that count than groups. Read the intervals."
)


def audit(
    default: Any,
    random: Any,
    label: str | Sequence[str],
    group: Groups,
    cluster: Clusters = None,
    level: float = 0.95,
    tolerance: float | None = 1 / 9,
    rng: int | np.random.Generator = 0,
    *,
    attributes: Any = None,
    on: str | Sequence[str] | None = None,
    missing: Missing = "refuse",
    bins: Bins | None = None,
    where: inputs.Where | None = None,
    probability: str | None = None,
    item: str | None = None,
    catalogue: Any = None,
    item_by: str | Sequence[str] | None = None,
    interval: str = "hull",
    variance: Variance = "multinomial",
    replicates: int = 10_000,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Audit one log of default traffic against one log of random traffic.

    Tables are whatever `evenhand.table` opens. `label` is one 0/1 column or several, of which any counts.
    `group` is a column of both logs, or of `attributes`, found by the key column(s) `on`: an item's, a
    user's or a pair's. Several columns make a group of each combination. `bins`, {"age": [18, 25, 35]}, cuts
    a number into bands, each with its lower edge and without its upper one. `where` says which rows of all
    logs are looked at, {"country": ["DE", "AT"], "premium": True}: a column has one of its values, and all
    columns do. `cluster` names the user column, so that a user's rows count as dependent; with two
    names, ("user_id", "creator_id"), so do the rows of a creator, or item, and the numbers are then about
    creators like these and not about these alone.
    `tolerance` is that of the penalty and of the relative utilities; the worst ratio is held against
    (1 - tolerance)/(1 + tolerance), which is .8 for 1/9. `missing` says what to do with rows without
    a group: refuse them, make them a group, or exclude and count them. `probability` is a column of the
    random log with the probability, up to one common factor, with which each row was drawn, where that is not
    the same for all.

    `item` names the column with the item of a random row, and `catalogue` the table of all items that could
    be drawn: findings then begin with whether the random log is random, `random_items`, `random_repeats` and
    `random_missing`, which have no verdict. `item_by` names columns of the random log, of the time or of the
    user (day, country): `random_items_by` says whether what is drawn depends on them.

    Findings: `reo_penalty`, `relative_utility` for each group, `worst_ratio`, `equality`.

    `interval` is how the penalty's is made: `hull` (default), `delta` or `ray`, its parts, or the bootstrap's
    `percentile`, `normal` and `bca`. `variance="independent"` with `interval="delta"` is the
    source's Algorithm 1.
    """
    AskedOpportunity.checked(
        group=group, cluster=cluster, on=on, missing=missing, bins=bins, where=where, level=level,
        label=label, probability=probability, item=item, item_by=item_by, tolerance=tolerance,
        interval=interval, variance=variance, replicates=replicates,
    )  # fmt: skip
    seed = seed_of(rng)
    question = Question.of(
        label, group, cluster, attributes, on, missing, probability, bins=bins, where=where
    )
    refuse_formulas_for_counts(question, interval, variance)
    default = inputs.table(default, name="default log", engine=engine)
    if random is None:
        question, logs = rows_asked_for(question, default)
        question.joined(logs[0])
        findings = unidentifiable("opportunity", "reo_penalty", {"by": question.group})
        return AuditResult(told(findings, question, logs), {"default": default.fingerprint()}, seed)
    random = inputs.table(random, name="random log", engine=engine)
    question, logs = rows_asked_for(question, default, random)
    prepared = prepare({"default": logs[0]}, logs[1], question, progress)
    checks, more = checks_of_random(random, question, item, catalogue, item_by, "opportunity", seed, progress)
    findings = findings_of(
        prepared, level=level, tolerance=tolerance, seed=seed, interval=interval, variance=variance,
        replicates=replicates,
    )  # fmt: skip
    return AuditResult(checks + told(findings, question, logs), prepared.fingerprints | more, seed)


def findings_of(
    prepared: Prepared,
    *,
    level: float,
    tolerance: float | None,
    seed: int,
    interval: str = "hull",
    variance: Variance = "multinomial",
    replicates: int = 10_000,
) -> tuple[Finding, ...]:
    """The findings of one default log, from counts alone."""
    subject: dict[str, str | int | float] = {"by": prepared.group}
    log, random = prepared.logs[0], prepared.random
    common: dict[str, Any] = {
        "audit": "opportunity",
        "n": log.total + random.total,
        "excluded": prepared.excluded,
        "assumptions": prepared.assumptions,
        "warnings": prepared.warnings,
        "people": prepared.people,
    }
    if not prepared.comparable:
        return (Finding(measure="reo_penalty", subject=subject, estimate=None, **common),)
    arms = Arms.from_logs([log], random, variance)
    inference = ArmInference(arms, 0, seed)
    utilities = inference.utilities
    # Rounded, so that 1/9 gives .8 and not .7999999999999999.
    ratio_tolerance = None if tolerance is None else round((1 - tolerance) / (1 + tolerance), 12)
    if interval in ("percentile", "normal", "bca"):
        refuse_unserved(log, "default", prepared.group, interval)
        bounds = penalty_interval(log, random, interval, replicates, seed, level)  # type: ignore[arg-type]
        method = f"bootstrap {interval}, {replicates:,} replicates"
    else:
        bounds = inference.penalty_interval(level, interval)  # type: ignore[arg-type]
        method = interval
    method += clustering(log)
    order = np.argsort(utilities)
    test = inference.equality()
    whole = Finding(
        measure="reo_penalty",
        subject=subject,
        estimate=float(penalty(utilities)),
        interval=_interval(bounds, level, method),
        tolerance=tolerance,
        details={
            "corrected": corrected_penalty(utilities, inference.covariance),
            "groups": len(utilities),
            "variance": variance,
            **weight_details(random),
        },
        **common,
    )
    worst = Finding(
        measure="worst_ratio",
        subject=subject,
        estimate=float(utilities[order[0]] / utilities[order[-1]]),
        interval=_interval(inference.worst_ratio_interval(level), level, "simultaneous over all pairs"),
        tolerance=ratio_tolerance,
        harm="below",
        details={"lowest": random.groups[order[0]], "highest": random.groups[order[-1]]},
        **common,
    )
    return (
        # Also of the bootstrap's kinds of interval, which are not made again for that.
        penalty_with_more_rows(whole, inference, level),
        *_relative_utilities(inference, log, random, level, tolerance, common, subject),
        ratio_with_more_rows(worst, inference),
        Finding(
            measure="equality",
            subject=subject,
            estimate=None if test is None else test.statistic,
            p_value=None if test is None else test.p_value,
            details={} if test is None else {"df": test.df, **_of_test(inference)},
            **(common if test is not None else common | {"warnings": (NO_TEST, *prepared.warnings)}),
        ),
    )


def _of_test(inference: ArmInference) -> dict[str, str | float]:
    """Which test it is, and where rows come in clusters by how many Hotelling's T^2 knows its error."""
    if inference.has_zero:
        return {"test": "score"}
    degrees = inference.errors.degrees_together
    return {"test": "Wald"} | ({} if degrees is None else {"error_df": round(float(degrees), 1)})


def _relative_utilities(
    inference: ArmInference,
    log: LogCounts,
    random: LogCounts,
    level: float,
    tolerance: float | None,
    common: dict[str, Any],
    subject: dict[str, str | int | float],
) -> list[Finding]:
    estimates = relative_utilities(inference.utilities)
    together = inference.relative_utility_intervals(level)
    alone = inference.relative_utility_intervals(level, simultaneous=False)
    findings = []
    for k, group in enumerate(random.groups):
        counts = {
            "rows_default": log.rows[:, k].sum(),
            "rows_random": random.rows[:, k].sum(),
            "positives_default": log.positives[:, k].sum(),
            "positives_random": random.positives[:, k].sum(),
            **weight_details(random, k),
        }
        one = Finding(
            measure="relative_utility",
            subject=subject | {"group": group},
            estimate=float(estimates[k]),
            interval=_interval(together[k], level, "logit scale, simultaneous over groups"),
            tolerance=tolerance,
            harm="outside",
            details=counts | {"pointwise": {"low": alone[k][0], "high": alone[k][1]}},
            **(
                common
                | {
                    "n": int(counts["rows_default"] + counts["rows_random"]),
                    "people": {group: common["people"][group]},
                }
            ),
        )
        findings.append(utility_with_more_rows(one, inference))
    return findings


def _interval(bounds: tuple[float, float], level: float, method: str) -> Interval:
    return Interval(low=bounds[0], high=bounds[1], level=level, method=method)
