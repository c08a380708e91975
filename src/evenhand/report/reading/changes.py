"""What a comparison adds to an answer that is beyond its limit: a change that mends it, or that does harm."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Finding, Verdict, compared
from evenhand.report.answers import by_concern
from evenhand.report.reading.model import Line
from evenhand.report.vocabulary.names import audit
from evenhand.report.words.sentences import sentence
from evenhand.report.words.several import mends

_COMPARISON = "compare"


def mended(findings: Sequence[Finding]) -> Line | None:
    """The tested arm of a comparison that is within the limit which the system as it is breaks; None if none
    is.

    A comparison judges changes by a limit of their own. Here the penalty under each arm is held against the
    limit of the audit of the same groups: the interval is the comparison's, the limit the audit's. An
    audit of a tested arm's log is not of the system as it is, and the first arm is no change.
    """
    for now in _audited(findings):
        if now.verdict is not Verdict.VIOLATION or _is_of_a_tested_arm(now, findings):
            continue
        tested = {f.subject["arm"]: f for f in _differences(now, findings)}
        inside = [
            arm
            for arm in _arms(now, findings)
            if arm.subject["arm"] in tested
            and tested[arm.subject["arm"]].verdict is not Verdict.VIOLATION
            and _is_inside(arm, now)
        ]
        if inside:
            best = min(inside, key=lambda finding: finding.estimate or 0.0)
            return Line(mends(best, now), best)
    return None


def own_answer(main: str, findings: Sequence[Finding]) -> Line | None:
    """What the comparison itself found, where the answer of another audit that is beyond its limit must not
    hide it: it is beyond its own, or that answer is about the log of a tested arm."""
    if main == _COMPARISON:
        return None
    differences = [f for f in findings if f.audit == _COMPARISON and f.measure == audit(_COMPARISON).headline]
    worst = by_concern(differences)[:1]
    told = any(
        finding.verdict is Verdict.VIOLATION
        or any(finding in _differences(now, findings) for now in _of_tested_arms(findings))
        for finding in worst
    )
    if not told:
        return None
    return Line(f"{audit(_COMPARISON).part} {sentence(worst[0])}", worst[0])


def _of_tested_arms(findings: Sequence[Finding]) -> list[Finding]:
    return [now for now in _audited(findings) if _is_of_a_tested_arm(now, findings)]


def _audited(findings: Sequence[Finding]) -> list[Finding]:
    """How unequal the audited log itself is."""
    return [
        f
        for f in findings
        if f.measure == "reo_penalty"
        and f.estimate is not None
        and f.tolerance is not None
        and "arm" not in f.subject
        and "stage" not in f.subject
    ]


def _arms(now: Finding, findings: Sequence[Finding]) -> list[Finding]:
    """The same number under each arm of a comparison of the same groups."""
    return [f for f in _of_comparison(now, findings) if f.measure == now.measure and f.estimate is not None]


def _differences(now: Finding, findings: Sequence[Finding]) -> list[Finding]:
    """Of each arm but the first, which all others are compared with."""
    headline = audit(_COMPARISON).headline
    return [f for f in _of_comparison(now, findings) if f.measure == headline]


def _of_comparison(now: Finding, findings: Sequence[Finding]) -> list[Finding]:
    by = now.subject["by"]
    return [f for f in findings if f.audit == _COMPARISON and f.subject.get("by") == by]


def _is_of_a_tested_arm(now: Finding, findings: Sequence[Finding]) -> bool:
    """Whether the audited log is that of a later arm, by the number itself: results that were joined have no
    plan, and one log may have two names. Of an arm's own log it is the same number, or nearly, where random
    traffic was matched; so the nearest arm is taken."""
    arms = _arms(now, findings)
    tested = {f.subject["arm"] for f in _differences(now, findings)}
    nearest = min(arms, key=lambda arm: abs((arm.estimate or 0.0) - (now.estimate or 0.0)), default=None)
    return nearest is not None and nearest.subject["arm"] in tested


def _is_inside(arm: Finding, now: Finding) -> bool:
    if arm.interval is None or arm.doubts or now.tolerance is None:
        return False
    verdict = compared(arm.interval.low, arm.interval.high, now.tolerance, now.harm)
    hides = any(exclusion.unidentified for exclusion in arm.excluded)
    return verdict is Verdict.WITHIN_TOLERANCE and not hides
