"""From the counts of A/B tests to findings: each arm minus its baseline, corrected for their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.about import About, group_of
from evenhand.findings import Count, Finding, Interval
from evenhand.opportunity.ab_tests.how import How
from evenhand.opportunity.ab_tests.sample_ratio_findings import doubts
from evenhand.opportunity.evidence import people_of
from evenhand.opportunity.inference.bootstrap import refuse_unserved
from evenhand.opportunity.inference.bootstrap_differences import bootstrap_differences, welch_differences
from evenhand.opportunity.inference.differences import (
    Difference,
    delta_difference,
    penalty_difference,
    relative_utility_differences,
)
from evenhand.opportunity.inference.more_rows import difference_with_more_rows
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.preparation import Prepared, clustering
from evenhand.opportunity.logs.weighting import weight_details
from evenhand.opportunity.measures import corrected_penalty, penalty
from evenhand.stats.multiplicity import holm

SHARED = "All arms served comparable users in the period that the random log covers."
NO_P_VALUE = (
    "No p-value: an arm may be exactly fair, where the penalty has a kink and can only err upwards. "
    "Read the interval."
)
NEAR_FAIR = (
    "An arm may be exactly fair, where the penalty can only err upwards: this kind of interval then covers "
    "the truth less often than it says, and its p-value is not to be trusted. interval='hull' holds there."
)


@dataclass(frozen=True)
class ABTest:
    """Arms that are compared with the first of them, and what their findings are about."""

    prepared: Prepared
    arms: tuple[str, ...]
    about: About
    warnings: tuple[str, ...] = ()
    checks: tuple[Finding, ...] = ()
    assumptions: tuple[str, ...] = ()

    @property
    def comparisons(self) -> int:
        return len(self.arms) - 1


@dataclass(frozen=True)
class _Change:
    """One arm minus the baseline: at the level for all comparisons together, and alone."""

    together: Difference
    alone: Difference
    groups: list[Difference]
    groups_alone: list[Difference]
    may_be_fair: bool  # one of the two arms


def findings_of(ab_tests: Sequence[ABTest], how: How, audit: str) -> tuple[Finding, ...]:
    """All findings of these tests.

    Intervals hold for all comparisons at once (Bonferroni: whatever the arms have in common, and for every
    kind of interval); p-values are Holm's. Those of groups hold for all groups of all comparisons.
    """
    number = sum(ab_test.comparisons for ab_test in ab_tests)
    arms = [_arms(ab_test.prepared, how) for ab_test in ab_tests]
    changes = [
        [] if each is None else _changes(ab_test.prepared, each, how, number)
        for ab_test, each in zip(ab_tests, arms, strict=True)
    ]
    flat = [change for each in changes for change in each]
    adjusted = _holm([change.together.p_value for change in flat], number)
    # Of two groups each mirrors the other, so that they are one test.
    groups = [change.groups if len(change.groups) > 2 else change.groups[:1] for change in flat]
    group_number = sum(len(each) for each in groups)
    group_p_values = iter(_holm([group.p_value for each in groups for group in each], group_number))
    by_group = [[next(group_p_values) for _ in each] for each in groups]
    corrected = iter(zip(adjusted, by_group, strict=True))
    findings: list[Finding] = []
    for ab_test, measured, made in zip(ab_tests, arms, changes, strict=True):
        common: dict[str, Any] = {
            "audit": audit,
            "excluded": ab_test.prepared.excluded,
            "assumptions": (
                *ab_test.prepared.assumptions,
                *((SHARED,) if how.shared_random else ()),
                *ab_test.assumptions,
            ),
            "warnings": (*ab_test.prepared.warnings, *ab_test.warnings),
        }
        findings += ab_test.checks
        if measured is None:
            findings += [
                Finding(measure="reo_difference", about=_about(ab_test, i), estimate=None, **common)
                for i in range(1, len(ab_test.arms))
            ]
            continue
        findings += _penalties(ab_test, measured, how, common)
        for i, change in enumerate(made, start=1):
            p_value, p_of_groups = next(corrected)
            doubted = common | {"doubts": doubts(ab_test.checks)}
            findings += _differences(ab_test, i, measured, change, p_value, p_of_groups, how, number, doubted)
    return tuple(findings)


def _holm(p_values: list[float | None], number: int) -> list[float | None]:
    """Adjusted for `number` tests, of which those without a p-value can never be the smallest."""
    padded = np.ones(max(number, len(p_values)))
    padded[: len(p_values)] = [1.0 if p is None else p for p in p_values]
    adjusted = holm(padded).tolist()
    return [None if p is None else q for p, q in zip(p_values, adjusted, strict=False)]


def _arms(prepared: Prepared, how: How) -> Arms | None:
    if not prepared.comparable:
        return None
    return Arms.from_logs(prepared.logs, prepared.random, how.variance, how.shared_random)


def _each(how: How, number: int) -> float:
    """The level of one of so many comparisons."""
    return how.level if number == 1 else 1 - (1 - how.level) / number


def _changes(prepared: Prepared, arms: Arms, how: How, number: int) -> list[_Change]:
    at = _each(how, number)
    made = []
    for i in range(1, len(prepared.arms)):
        together, alone = _penalty_change(prepared, arms, i, how, (at, how.level))
        groups = relative_utility_differences(arms, i, 0, at, how.seed)
        pointwise = relative_utility_differences(arms, i, 0, how.level, how.seed, simultaneous=False)
        hulls = [ArmInference(arms, arm, how.seed).penalty_interval(how.level) for arm in (0, i)]
        made.append(_Change(together, alone, groups, pointwise, any(low <= 0 for low, _ in hulls)))
    return made


def _penalty_change(
    prepared: Prepared, arms: Arms, i: int, how: How, levels: tuple[float, float]
) -> Sequence[Difference]:
    if how.interval == "hull":
        return [penalty_difference(arms, i, 0, level, how.seed, how.near_fair) for level in levels]
    for arm in (0, i):
        refuse_unserved(prepared.logs[arm], prepared.arms[arm], prepared.group, how.interval)
    if how.interval == "delta":
        return [delta_difference(arms, i, 0, level) for level in levels]
    logs = prepared.logs[i], prepared.logs[0], prepared.random
    if how.interval == "welch":
        return welch_differences(*logs, levels, how.seed, folds=how.folds)
    return bootstrap_differences(
        *logs, how.interval, levels, how.seed,  # type: ignore[arg-type]
        replicates=how.replicates, shared_random=how.shared_random,
    )  # fmt: skip


def _penalties(ab_test: ABTest, arms: Arms, how: How, common: dict[str, Any]) -> list[Finding]:
    prepared = ab_test.prepared
    findings = []
    for i, arm in enumerate(ab_test.arms):
        inference = ArmInference(arms, i, how.seed)
        low, high = inference.penalty_interval(how.level)
        method = "hull" + clustering(prepared.random)
        findings.append(
            Finding(
                measure="reo_penalty",
                about={**ab_test.about, "arm": arm},
                estimate=float(penalty(inference.utilities)),
                interval=Interval(low=low, high=high, level=how.level, method=method),
                n=Count(prepared.logs[i].total + prepared.random.total, "rows"),
                people=people_of(prepared.logs[i], prepared.random),
                details={
                    "corrected": corrected_penalty(inference.utilities, inference.covariance),
                    "groups": len(prepared.random.groups),
                    **weight_details(prepared.random),
                },
                **common,
            )
        )
    return findings


def _differences(
    ab_test: ABTest,
    i: int,
    arms: Arms,
    change: _Change,
    p_value: float | None,
    group_p_values: list[float | None],
    how: How,
    number: int,
    common: dict[str, Any],
) -> list[Finding]:
    prepared, random = ab_test.prepared, ab_test.prepared.random
    logs = (prepared.logs[0], prepared.logs[i], random)
    people = people_of(*logs)
    corrected = f", Bonferroni over {number} comparisons" if number > 1 else ""
    suffix = clustering(random) + corrected
    alone = {"low": change.alone.low, "high": change.alone.high, "p_value": change.alone.p_value}
    whole = Finding(
        measure="reo_difference",
        about=_about(ab_test, i),
        estimate=change.together.estimate,
        interval=_interval(change.together, how.level, suffix),
        p_value=p_value,
        tolerance=how.tolerance,
        n=Count(sum(log.total for log in logs), "rows"),
        people=people,
        details={
            "baseline": ab_test.arms[0],
            "shared_random": how.shared_random,
            "variance": how.variance,
            **weight_details(random),
            **({"comparisons": number, "unadjusted": alone} if number > 1 else {}),
        },
        **(common | {"warnings": (*common["warnings"], *_about_fairness(change, how))}),
    )
    if how.more_data:
        whole = difference_with_more_rows(whole, arms, i, _each(how, number), how)
    findings = [whole]
    rows = sum(log.rows.sum(axis=0) for log in logs)
    for k, group in enumerate(random.groups):
        together, pointwise = change.groups[k], change.groups_alone[k]
        details: dict[str, Any] = {"pointwise": {"low": pointwise.low, "high": pointwise.high}}
        if pointwise.p_value is not None:
            details["pointwise"]["p_value"] = pointwise.p_value
        findings.append(
            Finding(
                measure="relative_utility_difference",
                about=_about(ab_test, i) | {"creators": group_of(prepared.group, group)},
                estimate=together.estimate,
                interval=_interval(together, how.level, suffix + ", simultaneous over groups"),
                harm="outside",  # as that of a group's relative utility
                p_value=group_p_values[k % len(group_p_values)],
                n=Count(int(rows[k]), "rows"),
                people={group: people[group]},
                details=details,
                **common,
            )
        )
    return findings


def _about_fairness(change: _Change, how: How) -> list[str]:
    if how.interval == "hull":
        return [NO_P_VALUE] if change.together.p_value is None else []
    return [NEAR_FAIR] if change.may_be_fair else []


def _about(ab_test: ABTest, i: int) -> About:
    return {**ab_test.about, "arm": ab_test.arms[i], "baseline": ab_test.arms[0]}


def _interval(change: Difference, level: float, suffix: str) -> Interval:
    return Interval(low=change.low, high=change.high, level=level, method=change.method + suffix)
