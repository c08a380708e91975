"""What to do about what was found."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Finding, Verdict
from evenhand.report.vocabulary.names import audit

_DOUBTED = (
    "First see to what speaks against the numbers that cannot be decided either way: the warnings say what "
    "it is, and more of the same data does not help."
)
# What the stages of a system are called together.
_WHOLE = "all stages"


def next_steps(findings: Sequence[Finding]) -> list[str]:
    """What to do, once for each audit and verdict, or the lack of one."""
    # What is outside comes before what is not decided. Where the data speaks against a number, more of it
    # does not help.
    sure = [f for f in findings if not f.doubts]
    steps = [audit(f.audit).advice.get(f.verdict) for f in sorted(sure, key=_is_not_outside)]
    doubted = [_DOUBTED] if len(sure) < len(findings) else []
    return list(dict.fromkeys([*doubted, *_about_stages(findings), *(step for step in steps if step)]))


def _is_not_outside(finding: Finding) -> bool:
    return finding.verdict is not Verdict.VIOLATION


def _about_stages(findings: Sequence[Finding]) -> list[str]:
    """Which stages to look at first: those outside by themselves, if any is."""
    outside = list(
        dict.fromkeys(
            str(f.subject["stage"])
            for f in findings
            if "stage" in f.subject and f.verdict is Verdict.VIOLATION
        )
    )
    alone = [name for name in outside if name != _WHOLE]
    if alone:
        return [f"Look at {' and '.join(alone)} first, outside the tolerance by {_itself(alone)}."]
    if outside:
        return [
            "Only all stages together are outside the tolerance, no stage by itself: look for stages that "
            "lean the same way, whose small differences multiply."
        ]
    return []


def _itself(names: Sequence[str]) -> str:
    return "itself" if len(names) == 1 else "themselves"
