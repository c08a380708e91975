"""Steps of one audit that ask different things of the same groups: findings say of which step they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evenhand.about import WHOM
from evenhand.asked.step import Step
from evenhand.results import AuditResult

# A key of a step that is longer than this in words is left to the plan.
_LONGEST = 60
# Keys that mean something else in what a finding is about: groups, whosever they are.
_OF_GROUPS = {"group", "groups", "user_group", "item_group", "attribute", "attributes", "item_groups", *WHOM}


def told_apart(steps: Sequence[Step], results: Sequence[AuditResult]) -> list[AuditResult]:
    """The results; findings of several steps that would have one id also say what the steps differ in: the
    `label` is liked in one and shared in the other. What takes many words is left to their order."""
    found = Counter(finding.id for result in results for finding in result.findings)
    told = []
    for step, result in zip(steps, results, strict=True):
        alike = [other for other in steps if other.audit == step.audit]
        apart = {key: said for key in _differing(alike) if (said := _in_words(getattr(step, key)))}
        findings = tuple(
            f.amended(about={**apart, **f.about}, family=None) if apart and found[f.id] > 1 else f
            for f in result.findings
        )
        told.append(replace(result, findings=findings))
    return told


def _differing(steps: Sequence[Step]) -> list[str]:
    keys = type(steps[0]).model_fields
    apart = [key for key in keys if any(getattr(step, key) != getattr(steps[0], key) for step in steps)]
    return [key for key in apart if key not in _OF_GROUPS | Step.FOR_PEOPLE]


def _in_words(value: Any) -> str:
    """A value of a plan in a few words; nothing for what was not given, or is long."""
    if isinstance(value, dict):
        said = " and ".join(f"{key} {_in_words(one)}" for key, one in value.items())
    elif isinstance(value, list | tuple):
        said = " and ".join(map(_in_words, value))
    else:
        said = "" if value is None or isinstance(value, bool) else str(value)
    return said if len(said) <= _LONGEST else ""
