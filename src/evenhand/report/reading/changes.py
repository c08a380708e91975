"""Whether a change that was tested brings a system back inside the limit that it breaks."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Finding, Verdict, compared
from evenhand.report.reading.model import Line
from evenhand.report.words.several import mends


def mended(findings: Sequence[Finding]) -> Line | None:
    """The arm of a comparison that is within the limit which the system as it is breaks; None if none is.

    A comparison judges changes by a limit of their own. Here the penalty under each arm is held against the
    limit of the audit of the same groups: the interval is the comparison's, the limit the audit's.
    """
    for now in findings:
        if now.measure != "reo_penalty" or "arm" in now.subject or "stage" in now.subject:
            continue
        if now.verdict is not Verdict.VIOLATION or now.tolerance is None:
            continue
        arms = [f for f in findings if f.audit == "compare" and f.measure == now.measure]
        inside = [f for f in arms if f.subject["by"] == now.subject["by"] and _is_inside(f, now)]
        if inside:
            best = min(inside, key=lambda finding: finding.estimate or 0.0)
            return Line(mends(best, now), best)
    return None


def _is_inside(arm: Finding, now: Finding) -> bool:
    if arm.interval is None or arm.doubts or now.tolerance is None:
        return False
    verdict = compared(arm.interval.low, arm.interval.high, now.tolerance, now.harm)
    hides = any(exclusion.unidentified for exclusion in arm.excluded)
    return verdict is Verdict.WITHIN_TOLERANCE and not hides
