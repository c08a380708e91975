"""When a finding raises a flag: one rule of a plan and one finding, nothing else."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Literal

from evenhand.findings import Finding, Verdict
from evenhand.plan.watched.monitoring import FlagRule

# What a look says of a rule: it raises the flag, shows that there is no cause for it, or does not decide.
Said = Literal["raises", "clears", "undecided"]
# These say nothing about whether the limit is kept.
_SILENT = (None, Verdict.NOT_APPLICABLE)


def follows(rule: FlagRule, finding: Finding) -> bool:
    """Whether the rule is about this finding."""
    return (
        rule.audit in (None, finding.audit)
        and rule.measure in (None, finding.measure)
        and (rule.id is None or _pattern(rule.id).fullmatch(finding.id) is not None)
    )


def said(rule: FlagRule, finding: Finding) -> Said | None:
    """What the finding says of the flag; None where it says nothing at all.

    What could not be computed, is hidden, or has no limit is no all-clear, and neither is what is not
    decided. Of a value the whole interval must be beyond: an estimate alone would raise flags, and close
    them, by chance.
    """
    if rule.verdicts:
        if finding.verdict in rule.verdicts:
            return "raises"
        if finding.verdict in _SILENT:
            return None
        is_open = finding.verdict is Verdict.INCONCLUSIVE and Verdict.VIOLATION in rule.verdicts
        return "undecided" if is_open else "clears"
    if finding.estimate is None or finding.doubts:
        return None
    low = finding.estimate if finding.interval is None else finding.interval.low
    high = finding.estimate if finding.interval is None else finding.interval.high
    if rule.above is not None:
        return "raises" if low > rule.above else "clears" if high <= rule.above else "undecided"
    assert rule.below is not None
    return "raises" if high < rule.below else "clears" if low >= rule.below else "undecided"


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
