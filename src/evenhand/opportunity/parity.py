"""Are groups shown in proportion to what they offer? Ranking-based statistical parity, which needs no labels.

U_k  = rows of group k / (requests * items of group k in the catalogue)      (Dong and others 2024, Eq. 24)
U_k - mean(U)                 deviation of a group, absolute                 (Eq. 25)
sqrt(mean((U_k/mean(U) - 1)^2))   RSP penalty                                (Eq. 26)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand import inputs
from evenhand.about import group_of
from evenhand.asked.declared.opportunity import AskedParity
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.findings import Count, Finding, Interval
from evenhand.opportunity.evidence import LogCounts, people_of
from evenhand.opportunity.inference.more_rows import penalty_with_more_rows
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.asked_rows import rows_asked_for, told
from evenhand.opportunity.logs.cautions import (
    LEAST_CLUSTERS,
    has_few_clusters,
    rests_on_few,
    unused_clusters,
)
from evenhand.opportunity.logs.counting import Bins, Missing, Question, one_cluster
from evenhand.opportunity.logs.grouping import GroupColumns
from evenhand.opportunity.logs.preparation import (
    clustering,
    dependence,
    known_users,
    left_out,
)
from evenhand.opportunity.measures import Array, penalty
from evenhand.parameters import whole
from evenhand.results import AuditResult
from evenhand.stats import normal
from evenhand.stats.log_ratios import counts
from evenhand.stats.log_ratios.clusters import Errors
from evenhand.stats.log_ratios.moderated import moderated_scores
from evenhand.stats.randomness import seed_of

NEVER_SHOWN = "It was never shown, so that no error can be told from this log: there is no interval."
# Of a group that fewer see, intervals were seen to hold in 92 to 93% of logs.
FEW_SEE = 10
KNOWN = "The catalogue holds every item that could have been shown, and its groups are known."


def parity(
    default: Any,
    catalogue: Any,
    group: GroupColumns,
    cluster: str | None = None,
    level: float = 0.95,
    tolerance: float | None = None,
    rng: int | np.random.Generator = 0,
    *,
    requests: float | None = None,
    attributes: Any = None,
    on: str | Sequence[str] | None = None,
    missing: Missing = "refuse",
    bins: Bins | None = None,
    where: inputs.Where | None = None,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Audit one log of default traffic against the catalogue; the other arguments as in `audit`.

    `catalogue` is {group: number of items}, or a table with a row an item and the column `group`. With the
    number of `requests` that the log comes from, U_k is the chance that an item of the group is shown in a
    request; without it, how often an item of the group was shown.

    Parity asks for equal exposure whatever users like; the opportunity audit asks for it given what they
    like. Findings: `rsp_penalty`, and a `parity_deviation` a group.
    """
    asked = AskedParity.checked(
        group=group, cluster=cluster, on=on, missing=missing, bins=bins, where=where, level=level,
        requests=requests, tolerance=tolerance,
    )  # fmt: skip
    seed = seed_of(rng)
    per = 1.0 if asked.requests is None else asked.requests
    cluster = one_cluster(cluster, "parity")
    question = Question.of(
        None, group, cluster, attributes, on, missing, bins=bins, where=where, labelled=False
    )
    table = inputs.table(default, name="default log", engine=engine)
    progress("counting default log")
    question, rows = rows_asked_for(question, table)
    log, fingerprint = question.count(rows[0])
    items, more = catalogued(catalogue, question, engine)
    said = tuple(unused_clusters(question.clusters, known_users(table)))
    findings = findings_of_parity(log, items, question, per, level, tolerance, seed, said)
    return AuditResult(told(findings, question, rows, random=False), {"default": fingerprint} | more, seed)


def catalogued(
    catalogue: Any, question: Question, engine: Any = None
) -> tuple[dict[str, int], dict[str, Fingerprint]]:
    """How many items of each group there are, and the fingerprint of the table that says so."""
    if isinstance(catalogue, Mapping):
        return {str(k): whole(f"catalogue[{k!r}]", v, least=0) for k, v in catalogue.items()}, {}
    shelf = inputs.table(catalogue, name="catalogue", engine=engine)
    shelf, offered = _offered(shelf, question)
    listed, fingerprint = offered.count(shelf)
    sizes = listed.rows.sum(axis=0).tolist()
    return dict(zip(listed.groups, sizes, strict=True)), {"catalogue": fingerprint}


def findings_of_parity(
    log: LogCounts, items: Mapping[str, int], question: Question, requests: float, level: float,
    tolerance: float | None, seed: int, said: tuple[str, ...] = (),
) -> tuple[Finding, ...]:  # fmt: skip
    """The findings of one log against a catalogue, from counts alone."""
    by, cluster = question.group, question.cluster
    unknown = [name for name in log.groups if not items.get(name)]
    if unknown:
        shown = int(log.over((unknown[0],)).total)
        raise InputError(
            f"the default log has {shown:,} rows of {by} = {unknown[0]}, but the catalogue has no such "
            "item: complete it."
        )
    groups = tuple(name for name, count in items.items() if count)
    if len(groups) < 2:
        raise InputError(f"the catalogue has {len(groups)} group, but parity compares at least two.")
    if has_few_clusters(log):
        raise InputError(
            f"the default log comes from fewer than {LEAST_CLUSTERS} {cluster}: too few to tell the error."
        )
    sizes = np.array([items[name] for name in groups], dtype=float)
    said = (*said, *rests_on_few(log, question.clusters, "rows of the default log"))
    said += _seen_by_few(log, question)
    return _findings(log.over(groups), sizes, requests, by, question.clusters, level, tolerance, seed, said)


def _seen_by_few(log: LogCounts, question: Question) -> tuple[str, ...]:
    """Said of all numbers: the mean that each is compared with has these groups in it, too."""
    if not log.clustered:
        return ()
    seeing = (log.rows > 0).sum(axis=0)
    few = int(((seeing > 0) & (seeing < FEW_SEE)).sum())
    if not few:
        return ()
    return (
        f"{few:,} of {len(log.groups):,} groups were shown to few (fewer than {FEW_SEE} {question.cluster}): "
        "what these happen to see decides, and intervals may be too narrow; take a longer log, or larger "
        "groups.",
    )


def _offered(shelf: inputs.Table, question: Question) -> tuple[inputs.Table, Question]:
    """The catalogue, and how it is counted: those rows that are asked for by a column that it has, since what
    is asked of items is asked of all of them."""
    where = {column: values for column, values in question.where.items() if column in shelf.columns}
    offered = replace(question, clusters=(), attribute_table=None, on=(), where=where)
    return inputs.kept(shelf, inputs.typed(shelf, where)), offered


def _findings(
    log: LogCounts, sizes: Array, requests: float, by: str, clusters: tuple[str, ...], level: float,
    tolerance: float | None, seed: int, said: tuple[str, ...] = (),
) -> tuple[Finding, ...]:  # fmt: skip
    scores = log.scores if log.clustered else None
    arms = Arms(
        groups=log.groups,
        positives=log.positives.sum(axis=0).astype(float)[None],
        totals=np.array([float(log.total)]),
        random_positives=sizes,
        random_total=float(sizes.sum()),
        scores=None if scores is None else scores[:, None, :],
        random_scores=None if scores is None else np.zeros_like(scores),
        random_variance=np.zeros(len(sizes)),
    )
    inference = ArmInference(arms, 0, seed)
    common: dict[str, Any] = {
        "audit": "parity",
        "assumptions": (KNOWN, dependence(clusters)),
        "excluded": left_out([log], by),
        "people": people_of(log),
    }
    low, high = inference.penalty_interval(level)
    of_a_row = 1 / sizes / requests
    rates = arms.positives[0] * of_a_row
    below, above = _reaches(arms, of_a_row, level, seed)
    relative = inference.relative_utility_intervals(level)
    deviations = rates - rates.mean()
    never = arms.positives[0] == 0
    whole = Finding(
        measure="rsp_penalty",
        about={"by": {"creators": by}},
        estimate=float(penalty(rates)),
        interval=Interval(low=low, high=high, level=level, method="hull" + clustering(log)),
        tolerance=tolerance,
        n=Count(log.total, "rows"),
        details={"groups": len(sizes)},
        warnings=said,
        **common,
    )
    return (
        penalty_with_more_rows(whole, inference, level, of="rows"),
        *(
            Finding(
                measure="parity_deviation",
                about={"creators": group_of(by, name)},
                estimate=float(deviations[k]),
                interval=None
                if never[k] or not above[k] > 0
                else Interval(
                    low=float(deviations[k] - below[k]),
                    high=float(deviations[k] + above[k]),
                    level=level,
                    method="score, simultaneous over groups" + clustering(log),
                ),
                n=Count(int(log.rows[:, k].sum()), "rows"),
                details={
                    "rate": rates[k],
                    "mean_rate": rates.mean(),
                    "items": int(sizes[k]),
                    # Of U_k/mean(U) - 1, all at once: ratios of groups follow from these.
                    "relative": {"low": relative[k][0], "high": relative[k][1]},
                },
                warnings=(NEVER_SHOWN, *said) if never[k] else said,
                **(common | {"people": {name: common["people"][name]}}),
            )
            for k, name in enumerate(log.groups)
        ),
    )


def _reaches(arms: Arms, of_a_row: Array, level: float, seed: int) -> tuple[Array, Array]:
    """How far below and above the interval of each deviation reaches, all at once; the number of rows is
    taken as given, and `of_a_row` is what one adds to the rate of its group.

    A count that came out low has a low variance with it, and of many small groups one is always low. So the
    group's own part has the limits of the score, which take the variance at the limit: for a count of
    relative variance v, A (1 + z^2 v/2 +- z sqrt(v + z^2 v^2/4)). So has what each other group adds to the
    mean, turned round. They are put together as in MOVER with their correlations (Zou 2007). A group that
    happens to lack the users who do most learns from the others how much they add. One that was never shown
    may have had z^2 rows, in clumps as large as those of the others, and so much lower are they.
    """
    positives = arms.positives[0]
    rates = positives * of_a_row
    if arms.scores is None:
        rows = arms.totals[0]
        errors = Errors(np.diag(counts.share_variance(positives, rows, "multinomial")) - 1 / rows)
    else:
        shares = positives / positives.sum()
        scores = moderated_scores(arms.scores - (arms.scores @ shares)[..., None])[:, 0]
        errors = Errors(counts.cluster_covariance(scores), (scores,), arms.errors(0).most)
    gradients = (np.eye(len(rates)) - 1 / len(rates)) * rates
    critical = normal.simultaneous_critical_value(
        gradients, errors.covariance, level, seed, errors.degrees(gradients)
    )
    # A row for each deviation, a column for each group that it is made of.
    reach, own_variances = np.broadcast_to(critical, rates.shape)[:, None], np.diag(errors.covariance)
    # A group that was never shown has no variance of its own, and no interval.
    spread = reach**2 * np.maximum(0.0, own_variances)
    half = np.sqrt(spread + spread**2 / 4)
    low, high = half - spread / 2, half + spread / 2

    def together(own: Array, others: Array) -> Array:
        """With the correlation that many users make, or without it, whichever reaches further: of many small
        groups without users the one that came out low would be held too narrowly."""
        reaches = np.where(np.eye(len(rates), dtype=bool), own, others)
        times = np.divide(reaches, np.sqrt(spread), out=np.zeros_like(reaches), where=spread > 0)
        correlated = critical**2 * errors.variances(gradients * times)
        apart = critical**2 * errors.variances(gradients) + (gradients**2 * (reaches**2 - spread)).sum(axis=1)
        return np.asarray(np.sqrt(np.maximum(0.0, np.maximum(correlated, apart))))

    clump = max(1.0, float((positives * own_variances).max()))
    missed = reach**2 * clump * np.where(positives > 0, 0.0, of_a_row) / len(rates)
    # A deviation falls where its own group comes less often, and where the others come more often.
    return np.hypot(together(low, high), np.linalg.norm(missed, axis=1)), together(high, low)
