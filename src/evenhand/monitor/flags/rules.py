"""When a finding raises a flag: one rule of a plan and one finding, nothing else."""

from __future__ import annotations

import re
from hashlib import sha256

from evenhand.findings import Finding, Verdict
from evenhand.plan.monitoring import FlagRule

# These say nothing about whether the limit is kept.
_SILENT = (None, Verdict.NOT_APPLICABLE)


def follows(rule: FlagRule, finding: Finding) -> bool:
    """Whether the rule is about this finding."""
    return (
        rule.audit in (None, finding.audit)
        and rule.measure in (None, finding.measure)
        and (rule.id is None or _pattern(rule.id).fullmatch(finding.id) is not None)
    )


def met(rule: FlagRule, finding: Finding) -> bool | None:
    """Whether the finding raises the flag; None where it says nothing either way.

    What could not be computed, is hidden, or has no limit is no all-clear. Of a value the whole interval
    must be beyond: an estimate alone would raise flags by chance.
    """
    if rule.verdicts:
        if finding.verdict in rule.verdicts:
            return True
        return None if finding.verdict in _SILENT else False
    if finding.estimate is None or finding.doubts:
        return None
    low = finding.estimate if finding.interval is None else finding.interval.low
    high = finding.estimate if finding.interval is None else finding.interval.high
    if rule.above is not None:
        return low > rule.above
    assert rule.below is not None
    return high < rule.below


def condition(rule: FlagRule) -> str:
    """What the rule asks, as a short mark: two rules of one name that differ in it are not the same. What
    follows and who is told may change meanwhile."""
    asked = rule.model_dump_json(exclude={"name", "then", "tell", "when"})
    return sha256(f"{asked}{rule.verdicts}".encode()).hexdigest()[:16]


def _pattern(text: str) -> re.Pattern[str]:
    """`*` and `?` as in names of files; brackets are brackets, which ids may have."""
    return re.compile(
        "".join({"*": ".*", "?": "."}.get(letter, re.escape(letter)) for letter in text), re.DOTALL
    )
