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
from evenhand.asked.declared.opportunity import AskedOpportunity
from evenhand.opportunity.findings import findings_of
from evenhand.opportunity.logs.asked_rows import rows_asked_for, told
from evenhand.opportunity.logs.counting import Bins, Clusters, Missing, Question
from evenhand.opportunity.logs.grouping import GroupColumns
from evenhand.opportunity.logs.preparation import prepare, unidentifiable
from evenhand.opportunity.logs.weighting import refuse_formulas_for_counts
from evenhand.opportunity.random_log.findings import checks_of_random, doubted
from evenhand.results import AuditResult
from evenhand.stats.log_ratios.counts import Variance
from evenhand.stats.randomness import seed_of


def audit(
    default: Any,
    random: Any,
    label: str | Sequence[str],
    group: GroupColumns,
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
    `percentile`, `normal` and `bca`. `variance="independent"` with `interval="delta"` is
    Algorithm 1 of Dong and others (2024).
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
        findings = unidentifiable("opportunity", "reo_penalty", {"by": {"creators": question.group}})
        return AuditResult(told(findings, question, logs), {"default": default.fingerprint()}, seed)
    random = inputs.table(random, name="random log", engine=engine)
    question, logs = rows_asked_for(question, default, random)
    prepared = prepare({"default": logs[0]}, logs[1], question, progress)
    checks, more = checks_of_random(random, question, item, catalogue, item_by, "opportunity", seed, progress)
    findings = findings_of(
        prepared, level=level, tolerance=tolerance, seed=seed, interval=interval, variance=variance,
        replicates=replicates,
    )  # fmt: skip
    return AuditResult(
        checks + doubted(told(findings, question, logs), checks), prepared.fingerprints | more, seed
    )
