"""What to do about what was found."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Finding, Verdict
from evenhand.report.vocabulary.names import audit
from evenhand.report.words.people import listed

_DOUBTED = "See to the warnings first: more of the same data would not decide these numbers."
# What the stages of a system are called together.
WHOLE = "all stages"


def next_steps(findings: Sequence[Finding], worst: str = "these users") -> list[str]:
    """What to do, once for each audit and verdict, or the lack of one; `worst` are those who get least."""
    # What is outside comes before what is not decided. Where the data speaks against a number, more of it
    # does not help.
    sure = [f for f in findings if not f.doubts]
    steps = [_step(f, worst) for f in sorted(sure, key=_is_not_outside)]
    # A number without a limit decides nothing: more data is not in vain for its doubts.
    judged = [f for f in findings if f.tolerance is not None] or findings
    doubted = [_DOUBTED] if any(f.doubts for f in judged) else []
    return list(dict.fromkeys([*doubted, *_about_stages(findings), *(step for step in steps if step)]))


def _step(finding: Finding, worst: str) -> str | None:
    step = audit(finding.audit).advice.get(finding.verdict)
    return step(finding) if callable(step) else step and step.replace("{worst}", worst)


def _is_not_outside(finding: Finding) -> bool:
    return finding.verdict is not Verdict.VIOLATION


def _about_stages(findings: Sequence[Finding]) -> list[str]:
    """Which stages to look at first: those beyond the limit by themselves, if any is."""
    verdicts: dict[str, set[Verdict | None]] = {}
    for finding in findings:
        if "stage" in finding.subject and finding.tolerance is not None:
            verdicts.setdefault(str(finding.subject["stage"]), set()).add(finding.verdict)
    beyond = [name for name, found in verdicts.items() if Verdict.VIOLATION in found]
    alone = [name for name in beyond if name != WHOLE]
    if not alone:
        return ["No stage is beyond the limit by itself: look for small differences that add up."] * bool(
            beyond
        )
    within = [name for name, found in verdicts.items() if found == {Verdict.WITHIN_TOLERANCE}]
    rest = f"; {listed(within)} {'is within its' if len(within) == 1 else 'are within their'} limit"
    return [f"Start with {listed(alone)}{rest if within else ''}."]
