"""What a finding has from its audit and measure, filled in where a result is made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from evenhand.about import identifier
from evenhand.findings import Family, Finding
from evenhand.report.vocabulary.measure import GROUPS, SHOWN
from evenhand.report.vocabulary.names import audit, measure

# Checks of the data are about no question of fairness.
CHECKS = "checks"


def completed(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, each with its question, unit and family; of those with one id, the later are numbered."""
    seen: Counter[str] = Counter()
    told = []
    for finding in findings:
        seen[finding.id] += 1
        changes = {} if finding.family is not None else _belongings(finding)
        if seen[finding.id] > 1:
            changes["id"] = f"{finding.id}~{seen[finding.id]}"
        told.append(finding.amended(**changes) if changes else finding)
    return tuple(told)


def _belongings(finding: Finding) -> dict[str, object]:
    words = measure(finding.measure)
    return {
        "question": audit(finding.audit).serves,
        "unit": words.unit or SHOWN.get(words.show, ""),
        "family": _family(finding),
    }


def _family(finding: Finding) -> Family:
    words, subject = measure(finding.measure), finding.subject
    if words.check:
        return Family(name=CHECKS)
    shared = {key: value for key, value in subject.items() if key not in words.together}
    if "first" in subject and "first" in words.together:  # pairs of groups hold together, apart from groups
        shared["of"] = "pairs"
    holds = not any(key in GROUPS for key in shared)
    level = finding.interval.level if finding.interval is not None and holds else None
    return Family(name=identifier(finding.audit, finding.measure, {**shared}), level=level)
