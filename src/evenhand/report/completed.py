"""What a finding has from its audit and measure, filled in where a result is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evenhand.about import identifier, numbered
from evenhand.findings import Family, Finding
from evenhand.report.vocabulary.measure import GROUPS, SHOWN
from evenhand.report.vocabulary.names import audit, measure

# Checks of the data are about no question of fairness.
CHECKS = "checks"


def completed(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, each with its question, unit and family; of those with one id, the later are numbered."""
    taken: set[str] = set()
    told = []
    for finding in findings:
        changes = {} if finding.family is not None else _belongings(finding)
        if finding.id in taken:
            changes["id"] = numbered(finding.id, taken)
        told.append(finding.amended(**changes) if changes else finding)
        taken.add(told[-1].id)
    return tuple(told)


def beside(ours: Sequence[Finding], theirs: Sequence[Finding]) -> tuple[Finding, ...]:
    """Theirs, to be joined with ours: intervals of two audits that asked alike hold for each of them alone,
    so that they are two families, of which the later is numbered."""
    taken = {finding.family.name for finding in ours if finding.family is not None} - {CHECKS}
    names: dict[str, str] = {}
    for finding in theirs:
        if finding.family is not None and finding.family.name not in names:
            names[finding.family.name] = numbered(finding.family.name, taken)
            taken.add(names[finding.family.name])
    return tuple(
        finding
        if finding.family is None or names[finding.family.name] == finding.family.name
        else finding.amended(family=finding.family.amended(name=names[finding.family.name]))
        for finding in theirs
    )


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
