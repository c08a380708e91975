"""From the counts of one default log and of random traffic to findings."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.about import About, group_of
from evenhand.findings import Count, Finding, Interval
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.bootstrap import penalty_interval, refuse_unserved
from evenhand.opportunity.inference.more_rows import (
    penalty_with_more_rows,
    ratio_with_more_rows,
    utility_with_more_rows,
)
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.cautions import FEW_CLUSTERS
from evenhand.opportunity.logs.preparation import Prepared, clustering
from evenhand.opportunity.logs.weighting import weight_details
from evenhand.opportunity.measures import corrected_penalty, penalty, relative_utilities
from evenhand.stats.log_ratios.counts import Variance

NO_TEST = (
    "No test keeps its level here: rows are clustered or weighted, and a group has no positive row, or there "
    "are fewer clusters that count than groups. Read the intervals."
)

A_FEW_WHO_LEAN = (
    "Positive rows of a log come mostly from a few users, or other clusters: where these lean to some groups "
    "the test alarms at 5% in up to 8% of logs of a fair system. Read the intervals."
)


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
    about: About = {"by": {"creators": prepared.group}}
    log, random = prepared.logs[0], prepared.random
    common: dict[str, Any] = {
        "audit": "opportunity",
        "n": Count(log.total + random.total, "rows"),
        "excluded": prepared.excluded,
        "assumptions": prepared.assumptions,
        "warnings": prepared.warnings,
        "people": prepared.people,
    }
    if not prepared.comparable:
        return (Finding(measure="reo_penalty", about=about, estimate=None, **common),)
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
        about=about,
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
        about=about,
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
        *_relative_utilities(inference, log, random, level, tolerance, common, prepared.group),
        ratio_with_more_rows(worst, inference),
        Finding(
            measure="equality",
            about=about,
            estimate=None if test is None else test.statistic,
            p_value=None if test is None else test.p_value,
            details={} if test is None else {"df": test.df, **_of_test(inference)},
            **(common | {"warnings": (*_of_equality(test is not None, prepared), *prepared.warnings)}),
        ),
    )


def _of_equality(tested: bool, prepared: Prepared) -> tuple[str, ...]:
    """What must be said of the test alone."""
    if not tested:
        return (NO_TEST,)
    logs = [log for log in (*prepared.logs, prepared.random) if log.clustered]
    return (A_FEW_WHO_LEAN,) if any(log.effective_clusters[0] < FEW_CLUSTERS for log in logs) else ()


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
    by: str,
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
            about={"creators": group_of(by, group)},
            estimate=float(estimates[k]),
            interval=_interval(together[k], level, "logit scale, simultaneous over groups"),
            tolerance=tolerance,
            harm="outside",
            details=counts | {"pointwise": {"low": alone[k][0], "high": alone[k][1]}},
            **(
                common
                | {
                    "n": Count(int(counts["rows_default"] + counts["rows_random"]), "rows"),
                    "people": {group: common["people"][group]},
                }
            ),
        )
        findings.append(utility_with_more_rows(one, inference))
    return findings


def _interval(bounds: tuple[float, float], level: float, method: str) -> Interval:
    return Interval(low=bounds[0], high=bounds[1], level=level, method=method)
