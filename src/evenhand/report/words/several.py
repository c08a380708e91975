"""What several findings say together: stages of a system, days, and a change that mends."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Finding, Verdict
from evenhand.report.words import sentences, series
from evenhand.report.words.advice import WHOLE

Said = list[tuple[str, Finding | None]]


def stages(findings: Sequence[Finding]) -> Said:
    """Which stages to begin with: those that are beyond the limit by themselves, if any is."""
    judged = [f for f in findings if "stage" in f.subject and f.measure == "reo_penalty" and f.tolerance]
    if not judged:
        return []
    alone = [f for f in judged if f.subject["stage"] != WHOLE]
    outside = [f for f in alone if f.verdict is Verdict.VIOLATION]
    within = [str(f.subject["stage"]) for f in alone if f.verdict is Verdict.WITHIN_TOLERANCE]
    if outside:
        names = " and ".join(str(f.subject["stage"]) for f in outside)
        rest = (
            f"; {' and '.join(within)} {'is' if len(within) == 1 else 'are'} within the limit"
            if within
            else ""
        )
        return [(f"Start with {names}{rest}.", None), *((sentences.sentence(f), f) for f in outside[:1])]
    whole = [f for f in judged if f.subject["stage"] == WHOLE]
    if any(f.verdict is Verdict.VIOLATION for f in whole):
        told = "No stage is beyond the limit by itself: small differences of several stages add up."
        return [(told, None), *((sentences.sentence(f), f) for f in whole[:1])]
    return [(sentences.sentence(f), f) for f in whole[:1]]


def days(findings: Sequence[Finding]) -> Said:
    """What the latest day says, and which days were unequal."""
    followed = series.daily_penalty(findings)
    if followed is None:
        return []
    return [(series.latest(followed), followed), (series.which_days(followed), followed)]


def mends(arm: Finding, now: Finding) -> str:
    """That an arm is back inside the limit that the system as it is breaks."""
    assert arm.estimate is not None
    assert arm.interval is not None
    assert now.estimate is not None
    assert now.tolerance is not None
    before, after = (sentences.figure(now, one) for one in (now.estimate, arm.estimate))
    ends = sentences.bounds(now, arm.interval.low, arm.interval.high)
    return (
        f"The tested change, {arm.subject['arm']}, brings creators on average back inside the limit: with "
        f"it opportunity typically differs by {after} ({ends}; {sentences.limit(now)}), and by {before} "
        "in the system as it is."
    )


def roll_out(arm: Finding | None) -> str:
    """What to do where a tested change mends what was found."""
    assert arm is not None
    return f"Roll out {arm.subject['arm']} once it is sure that users lose nothing by it."
