"""What intervals would be with more rows, of more users: variances fall and degrees of freedom grow.

Users are what there would be more of, and not rows of the same ones, so that covariances of log U are divided
by the factor, whatever they are made of. A group that had no positive stays without one, so that nothing is
said where there is such a group.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from evenhand.findings import Finding
from evenhand.more_data import shrinking, with_more_data
from evenhand.opportunity.ab_tests.how import How
from evenhand.opportunity.inference.differences import penalty_difference
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import MeasuredLogs
from evenhand.opportunity.measures import Array, corrected_penalty, penalty
from evenhand.stats.log_ratios.clusters import Errors

IN_ALL_LOGS = "rows in all logs"
OF_BOTH = "users and items"


@dataclass(frozen=True)
class More:
    """The same logs with so many `times` the rows.

    Chance makes utilities differ more than they do, and less so with more rows: with `expected`, they are
    moved together to where h^2 is the corrected one and what noise would still add to it.
    """

    measured: MeasuredLogs
    times: float
    expected: bool

    @property
    def groups(self) -> tuple[str, ...]:
        return self.measured.groups

    @property
    def positives(self) -> Array:
        return self.measured.positives * self.times

    @property
    def totals(self) -> Array:
        return self.measured.totals * self.times

    def random_of(self, arm: int) -> Array | None:
        counted = self.measured.random_of(arm)
        return None if counted is None else counted * self.times

    def utilities(self, arm: int, zero_counts: Array | None = None) -> Array:
        utilities = self.measured.utilities(arm)
        h = float(penalty(utilities))
        if not self.expected or h == 0:
            return utilities
        true = corrected_penalty(utilities, self.measured.errors(arm).covariance)
        size = np.sqrt(true**2 + (h**2 - true**2) / self.times) / h
        mean = utilities.mean()
        return np.asarray(mean + (utilities - mean) * size)

    def ratio_bias(self, arm: int) -> Array:
        return self.measured.ratio_bias(arm) / self.times

    def own_noise(self, arm: int) -> Array:
        return self.measured.own_noise(arm) / self.times

    def clumping(self, arm: int) -> float:
        return self.measured.clumping(arm)

    def errors(self, *arms: int) -> Errors:
        """Of so many times the clusters, each with so much less to say: degrees of freedom grow with them."""
        errors = self.measured.errors(*arms)
        return Errors(
            errors.covariance / self.times,
            tuple(side * self.times**-0.75 for side in errors.sides),
            None if errors.most is None else int(errors.most * self.times),
        )


def _of(inference: ArmInference, rows: str = IN_ALL_LOGS) -> str:
    """What there must be more of: where items are a sample too, traffic on the same ones is not enough."""
    return OF_BOTH if len(inference.errors.sides) > 1 else rows


def penalty_with_more_rows(
    finding: Finding, inference: ArmInference, level: float, of: str = IN_ALL_LOGS
) -> Finding:
    """A finding of `inference.penalty_interval`, with how many rows would decide it."""
    if inference.has_zero:
        return finding
    true = corrected_penalty(inference.utilities, inference.covariance)

    def limits_at(times: float) -> tuple[float, float]:
        more = More(inference.arms, times, expected=True)
        return ArmInference(more, inference.arm, inference.seed).penalty_interval(level)

    return with_more_data(finding, limits_at, of=_of(inference, of), truth=true)


def utility_with_more_rows(finding: Finding, inference: ArmInference) -> Finding:
    """A finding of one of `inference.relative_utility_intervals`: estimate +- c / sqrt(n) on their scale."""
    if inference.has_zero:
        return finding
    groups = len(inference.utilities)

    def logit(d: float) -> float:
        return float(special.logit((1 + d) / groups))

    def back(place: float) -> float:
        return float(groups * special.expit(place) - 1)

    return with_more_data(finding, shrinking(finding, logit, back), of=_of(inference))


def ratio_with_more_rows(finding: Finding, inference: ArmInference) -> Finding:
    """A finding of `inference.worst_ratio_interval`: c / sqrt(n) on the scale of logs, around the least ratio
    that is to be expected of so many rows."""
    if inference.has_zero:
        return finding

    def ratio(times: float) -> float:
        utilities = More(inference.arms, times, expected=True).utilities(inference.arm)
        return float(utilities.min() / utilities.max())

    def limits_at(times: float) -> tuple[float, float]:
        low, high = shrinking(finding, math.log, math.exp)(times)
        assert finding.estimate is not None
        moved = ratio(times) / finding.estimate
        return low * moved, min(1.0, high * moved)

    return with_more_data(finding, limits_at, of=_of(inference), truth=ratio(math.inf))


def difference_with_more_rows(
    finding: Finding, arms: MeasuredLogs, arm: int, level: float, how: How
) -> Finding:
    """A finding of `penalty_difference` between an arm and the first, with how many rows would decide it.

    Intervals of other kinds are made of rows or of draws, and are taken to shrink like 1/sqrt(n).
    """
    both = [ArmInference(arms, i, how.seed) for i in (arm, 0)]
    if any(inference.has_zero for inference in both):
        return finding
    if how.interval != "hull":
        return with_more_data(finding, shrinking(finding), of=_of(both[0]))
    true = [corrected_penalty(inference.utilities, inference.covariance) for inference in both]

    def limits_at(times: float) -> tuple[float, float]:
        more = More(arms, times, expected=True)
        found = penalty_difference(more, arm, 0, level, how.seed, how.near_fair)
        return found.low, found.high

    return with_more_data(finding, limits_at, of=_of(both[0]), truth=true[0] - true[1])
