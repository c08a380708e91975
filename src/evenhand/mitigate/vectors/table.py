"""The findings of a comparison of embeddings as one table: a row for each number, a column for each time."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from evenhand.association import AFTER, BEFORE, ORIGINAL
from evenhand.findings import Finding
from evenhand.report.words.phrases.association import line

COLUMNS = {BEFORE: "before", AFTER: "after", ORIGINAL: "beside_original"}
NUMBERS = (*COLUMNS.values(), "change", "low", "high")


def before_after(findings: Sequence[Finding]) -> pd.DataFrame:
    """measure, how (method, classifier or metric), about (group, pair or users), and the numbers.

    `low` and `high` are the interval of the change. Where a direction did not pass its tests, what lies along
    it is empty, as it says nothing.
    """
    rows: dict[tuple[str, ...], dict[str, float | None]] = {}
    for finding in findings:
        row = rows.setdefault(_key(finding), dict.fromkeys(NUMBERS))
        when = finding.subject.get("when")
        if when is not None:
            row[COLUMNS[str(when)]] = finding.estimate
            continue
        limits = finding.interval
        row |= {
            "before": finding.details["before"],
            "after": finding.details["after"],
            "change": finding.estimate,
            "low": None if limits is None else limits.low,
            "high": None if limits is None else limits.high,
        }
    names = ("measure", "how", "direction", "about")
    table = pd.DataFrame([dict(zip(names, key, strict=True)) | row for key, row in rows.items()])
    return table.astype(dict.fromkeys(NUMBERS, "float64"))


def _key(finding: Finding) -> tuple[str, ...]:
    subject = finding.subject
    how = next((str(subject[key]) for key in ("classifier", "metric", "method") if key in subject), "")
    about = subject.get("group", subject.get("who", ""))
    if "first" in subject:
        about = f"{subject['first']} against {subject['second']}"
    along = line(subject) if "direction" in subject else ""
    return finding.measure.removesuffix("_change"), how, along, str(about)
