"""A/B tests of equal opportunity: several default logs against one shared random log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from evenhand import inputs
from evenhand.about import About
from evenhand.asked.declared.ab_tests import AskedOfDifferences
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.opportunity.ab_tests.findings import ABTest, findings_of
from evenhand.opportunity.ab_tests.how import How
from evenhand.opportunity.ab_tests.overlap import assigned_users, equal_counts, users_in_several_arms
from evenhand.opportunity.ab_tests.planned_split import CHANGED, UNCHECKED, Split, planned
from evenhand.opportunity.ab_tests.sample_ratio_findings import sample_ratios
from evenhand.opportunity.inference.differences import NearFair
from evenhand.opportunity.logs.asked_rows import rows_asked_for, told
from evenhand.opportunity.logs.counting import Bins, Clusters, Missing, Question
from evenhand.opportunity.logs.grouping import GroupColumns
from evenhand.opportunity.logs.preparation import named_logs, prepare, unidentifiable
from evenhand.opportunity.logs.weighting import refuse_formulas_for_counts
from evenhand.opportunity.random_log.findings import checks_of_random, doubted
from evenhand.results import AuditResult
from evenhand.stats.log_ratios.counts import Variance


def compare(
    arms: Mapping[str, Any],
    random: Any,
    label: str | Sequence[str],
    group: GroupColumns,
    cluster: Clusters = None,
    level: float = 0.95,
    tolerance: float | None = None,
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
    split: Split = "equal",
    split_by: str | None = None,
    interval: str = "hull",
    variance: Variance = "multinomial",
    shared_random: bool = True,
    near_fair: NearFair = "bounds",
    replicates: int = 10_000,
    folds: int = 20,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Compare every arm with the first one; arguments as in `audit`.

    Findings: `reo_penalty` of each arm, `reo_difference` and, a group, `relative_utility_difference` of
    each arm minus the first. With several arms besides the first, intervals of differences hold for all of
    them at once (Bonferroni) and p-values are Holm's; `details` has what each would be alone. Those of
    groups hold for all groups too. `tolerance` is how much larger than the first arm's a
    penalty may be; without one there is no verdict. A group's change has none, since moving is no harm.

    With `cluster`, `sample_ratio` comes first: whether the arms have the users that were planned, by a test
    that may be looked at every day. `split` is the plan: "equal" (default), the share of every arm, or "any"
    where users were not what was assigned. `split_by`, a column that was known of users before they were
    assigned (country, device), asks the same of each of its values. Where the plan differs between them, as
    between the phases of a ramp-up, `split` is given for each, in the order in which users come to them:
    `{"ramp": {"control": .9, "treatment": .1}, "full": "equal"}`. A user then counts once, at the first of
    them at which an arm has him, and in that arm. Arms that do not have their users are not comparable, and
    their differences are inconclusive whatever the interval.

    All arms are measured against the same random log, so its noise is common to them and mostly cancels.
    `shared_random=False` takes it as if each arm had its own.

    `interval` is how that of `reo_difference` is made. `hull` (default): the delta method, and the
    difference of the two hulls where an arm may be exactly fair. `delta`: the delta method always; with
    `shared_random=False` and `variance="independent"` it is Dong and others' Algorithm 2. `welch`: their
    Algorithm 3, the penalties of `folds` parts of the logs, taken as if the arms had a random log each.
    `normal`: Algorithm 4, from `replicates` of the bootstrap, and `percentile` and `bca` from the same. With
    a cluster, parts and replicates are made of its buckets.
    """
    arms = named_logs("arms", arms)
    if len(arms) < 2:
        raise InputError(f"arms has {len(arms)} entries, but a comparison needs at least two logs.")
    if "random" in arms:
        raise InputError("an arm is called 'random', which is the name of the random log: rename the arm.")
    plan = planned(split, list(arms), split_by)
    asked = AskedOfDifferences.checked(
        group=group, cluster=cluster, on=on, missing=missing, bins=bins, where=where, level=level,
        label=label, probability=probability, item=item, item_by=item_by, tolerance=tolerance,
        split_by=split_by, interval=interval, variance=variance, shared_random=shared_random,
        near_fair=near_fair, replicates=replicates, folds=folds,     )  # fmt: skip
    how = How.of(asked, rng)
    question = Question.of(
        label, group, cluster, attributes, on, missing, probability, bins=bins, where=where
    )
    refuse_formulas_for_counts(question, interval, variance)
    tables = {arm: inputs.table(log, name=f"{arm} log", engine=engine) for arm, log in arms.items()}
    if random is None:
        question, logs = rows_asked_for(question, *tables.values())
        for log in logs:
            question.joined(log)
        findings = told(
            unidentifiable("compare", "reo_difference", {"by": {"creators": question.group}}), question, logs
        )
        return AuditResult(findings, {arm: table.fingerprint() for arm, table in tables.items()}, how.seed)
    random = inputs.table(random, name="random log", engine=engine)
    question, logs = rows_asked_for(question, *tables.values(), random)
    tables = dict(zip(tables, logs, strict=False))
    prepared = prepare(tables, logs[-1], question, progress)
    checks, more = checks_of_random(random, question, item, catalogue, item_by, "compare", how.seed, progress)
    order = plan.values if plan is not None else ()
    assigned = assigned_users(tables, question.cluster, split_by, order)
    said = (*users_in_several_arms(assigned, question.cluster), *equal_counts(prepared))
    if plan is not None and plan.changes:
        said = (*said, CHANGED.format(by=split_by))
    by: About = {"by": {"creators": question.group}}
    ratio: tuple[Finding, ...] = ()
    if plan is not None and assigned is not None and assigned.by_user:
        ratio = sample_ratios(
            assigned.by_value, assigned.unclear, plan, prepared.arms, "compare", by, split_by,
            everyone=assigned.everyone,
        )  # fmt: skip
    unchecked = () if ratio else (UNCHECKED,)
    ab_test = ABTest(prepared, prepared.arms, by, said, ratio, unchecked)
    findings = told(findings_of([ab_test], how, "compare"), question, logs)
    return AuditResult(checks + doubted(findings, checks), prepared.fingerprints | more, how.seed)
