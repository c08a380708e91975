"""Which stage of a recommender makes opportunity unequal? Each stage against the one before it.

A log of what a stage passed on stands in the place of default traffic, the log of the stage before in the
place of random traffic (Dong and others 2024, App. I.4). Utilities multiply: that of the whole system is the
product of those of its stages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand import inputs
from evenhand.asked.declared.opportunity import AskedStages
from evenhand.documents import Fingerprint
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.findings import findings_of
from evenhand.opportunity.logs.asked_rows import rows_asked_for, told
from evenhand.opportunity.logs.cautions import NOTHING_KNOWN, Known
from evenhand.opportunity.logs.counting import Bins, Clusters, Missing, Question
from evenhand.opportunity.logs.grouping import GroupColumns
from evenhand.opportunity.logs.preparation import (
    SAME_LABEL,
    count_logs,
    known_columns,
    line_up,
    named_logs,
)
from evenhand.results import AuditResult
from evenhand.stats.randomness import seed_of

WHOLE = "all stages"


def stages(
    logs: Mapping[str, Any],
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
    engine: Any = None,
    progress: Callable[[str], None] = lambda message: None,
) -> AuditResult:
    """Audit every stage of a recommender; other arguments as in `audit`.

    `logs` are shown pairs by the stage that chose them, in the order of the stages and starting with
    "random": {"random": r, "recall": items drawn after recall and shown, "ranking": default traffic}.
    Findings are those of `audit`, with the stage in what they are about, and those of all stages together.
    """
    logs = named_logs("logs", logs)
    names = list(logs)
    if len(names) < 3 or names[0] != "random":
        raise InputError(
            "logs must be a log a stage in order, beginning with 'random' and with at least two stages after "
            f"it, but has {', '.join(map(repr, names)) or 'nothing'}."
        )
    if WHOLE in names:
        raise InputError(f"a stage is called {WHOLE!r}, which is what all together are called: rename it.")
    AskedStages.checked(
        group=group, cluster=cluster, on=on, missing=missing, bins=bins, where=where, level=level,
        label=label, probability=probability, tolerance=tolerance,
    )  # fmt: skip
    seed = seed_of(rng)
    question = Question.of(
        label, group, cluster, attributes, on, missing, probability, bins=bins, where=where
    )
    tables = {name: inputs.table(log, name=f"{name} log", engine=engine) for name, log in logs.items()}
    question, rows = rows_asked_for(question, *tables.values())
    # What a stage shows may be rows of the stage before.
    question = replace(question, pairs=question.item is not None)
    counted, fingerprints = count_logs(dict(zip(tables, rows, strict=True)), question, progress)
    findings = findings_of_stages(
        counted, question, level, tolerance, seed, fingerprints, known_columns(tables["random"])
    )
    return AuditResult(told(findings, question, rows), fingerprints, seed)


def findings_of_stages(
    counted: Mapping[str, LogCounts],
    question: Question,
    level: float,
    tolerance: float | None,
    seed: int,
    fingerprints: dict[str, Fingerprint],
    known: Known = NOTHING_KNOWN,
) -> tuple[Finding, ...]:
    """The findings of all stages, from counts alone: of each log, that of random traffic first."""
    names = list(counted)
    pairs = list(zip(names[1:], names, strict=False))
    findings: list[Finding] = []
    for name, chosen, before in [
        (WHOLE, names[-1], "random"),
        *((chosen, chosen, before) for chosen, before in pairs),
    ]:
        prepared = line_up(
            {chosen: counted[chosen]}, counted[before], question.group, fingerprints,
            clusters=question.clusters, known=known, reference=before,
            probability=question.probability if before == "random" else None,
        )  # fmt: skip
        if before != "random":
            sample = f"The {before} log is a uniform sample of the pairs that {before} passed on."
            prepared = replace(prepared, assumptions=(sample, SAME_LABEL, *prepared.assumptions[2:]))
        findings += [
            finding.amended(audit="stages", about={**finding.about, "stage": name})
            for finding in findings_of(prepared, level=level, tolerance=tolerance, seed=seed)
        ]
    return tuple(findings)
