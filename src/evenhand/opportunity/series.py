"""Opportunity over time: every day of a default log against random traffic, and what changes between days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evenhand import inputs
from evenhand.asked.declared.opportunity import AskedSeries
from evenhand.errors import InputError
from evenhand.opportunity.logs.asked_rows import rows_asked_for, told
from evenhand.opportunity.logs.calendar import Period
from evenhand.opportunity.logs.counting import Bins, Clusters, Missing, Question
from evenhand.opportunity.logs.grouping import GroupColumns
from evenhand.opportunity.logs.preparation import unidentifiable
from evenhand.opportunity.over_time.findings import findings_of
from evenhand.opportunity.over_time.preparation import prepare_series
from evenhand.opportunity.over_time.readings import Judge
from evenhand.opportunity.over_time.timeline import Window
from evenhand.opportunity.random_log.findings import checks_of_random, doubted, warned_of_days
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of


def series(
    default: Any,
    random: Any,
    label: str | Sequence[str],
    group: GroupColumns,
    day: str,
    cluster: Clusters = None,
    level: float = 0.95,
    tolerance: float | None = 1 / 9,
    rng: int | np.random.Generator = 0,
    *,
    period: Period = "day",
    window: Window = None,
    baseline: int = 1,
    judge: Judge = "any",
    attributes: Any = None,
    on: str | Sequence[str] | None = None,
    missing: Missing = "refuse",
    bins: Bins | None = None,
    where: inputs.Where | None = None,
    probability: str | None = None,
    item: str | None = None,
    catalogue: Any = None,
    item_by: str | Sequence[str] | None = None,
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Follow equal opportunity from day to day; arguments that `audit` has mean the same here.

    `day` is a column of the default log: dates, times, text such as 2024-04-18, or numbers of days. `period`
    is "day" or "week" (from Monday). What users like may change from day to day, so each period is held
    against random traffic of its own, if the random log has the column too. `window` takes in more: the
    random traffic of its own and the `window` - 1 periods before; with "weekday" that of the same weekday,
    its own and the three before; with "all", and where the random log has no days, the whole random log. A
    warning says if the random log itself tells that what users like changed within that. Changes are against
    the period before, and against the first `baseline` periods together. `probability` may be up to a factor
    that is the same for all of the random log, not one for each day. With `item`, `random_items_by` is asked
    of the day as of the columns in `item_by`.

    Findings: `running_penalty` (all traffic up to the last day), `daily_penalty`, `daily_relative_utility` a
    group and `daily_worst_ratio` (each of the day that decides), `penalty_change` against the day before and
    against the baseline. With `judge` "any" a day decides that is outside the tolerance, if any is; with
    "latest" the latest day and the latest changes do, and the running penalty is left out.

    Each has all its days in its picture `series`, with two intervals: `fixed` holds for that day alone, `low`
    and `high` for every day at once, however many follow. Verdicts rest on the second.
    """
    AskedSeries.checked(
        group=group, cluster=cluster, on=on, missing=missing, bins=bins, where=where, level=level,
        label=label, probability=probability, item=item, item_by=item_by, day=day, tolerance=tolerance,
        period=period, window=window, baseline=baseline, judge=judge,
    )  # fmt: skip
    seed = seed_of(rng)
    question = Question.of(
        label, group, cluster, attributes, on, missing, probability, bins=bins, where=where
    )
    default = inputs.table(default, name="default log", engine=engine)
    if random is None:
        question, logs = rows_asked_for(question, default)
        question.joined(logs[0]).require(day)
        findings = unidentifiable("series", "daily_penalty", {"by": {"creators": question.group}})
        return AuditResult(told(findings, question, logs), {"default": default.fingerprint()}, seed)
    random = inputs.table(random, name="random log", engine=engine)
    question, logs = rows_asked_for(question, default, random)
    timeline = prepare_series(logs[0], logs[1], question, day, period, window, progress)
    checks, more = checks_of_random(random, question, item, catalogue, item_by, "series", seed, progress, day)
    if baseline >= len(timeline):
        raise InputError(
            f"baseline is {baseline}, but there are only {len(timeline)} {period}s with rows; nothing would "
            "be left to compare with it."
        )
    findings = findings_of(timeline, level, tolerance, baseline, judge, seed, progress)
    prints = timeline.prepared.fingerprints | more
    prints["default"] = prints["default"].amended(period=(timeline.labels[0], timeline.labels[-1]))
    findings = warned_of_days(doubted(told(findings, question, logs), checks), checks, day)
    return AuditResult(checks + findings, prints, seed)
