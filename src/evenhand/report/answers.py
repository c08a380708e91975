"""The verdict of a question: that of its headline, by one rule."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.documents import Answer, AnswerPart
from evenhand.findings import Finding, Verdict
from evenhand.report.vocabulary.names import audit, headlines


def answers(findings: Sequence[Finding]) -> tuple[Answer, ...]:
    """The answer to each question that was asked, in the order in which they were."""
    questions = dict.fromkeys(finding.question for finding in findings)
    told = (_answer(question, [f for f in findings if f.question == question]) for question in questions)
    return tuple(answer for answer in told if answer is not None)


def _answer(question: str, findings: Sequence[Finding]) -> Answer | None:
    headline = _headline(question, findings)
    parts = tuple(_part(name, members) for name, members in by_audit(findings).items())
    # Without a headline the question is not answered; what was judged must be seen all the same.
    if not headline and all(part.verdict is None for part in parts):
        return None
    families = {f.family.name: f.family for f in headline if f.family is not None}
    levels = _levels(headline)
    ranked = by_concern(headline)
    first = ranked[0] if ranked else None
    return Answer(
        question=question,
        verdict=verdict_of(headline),
        headline=tuple(families.values()),
        # Bonferroni: each family may miss by itself.
        level=round(max(0.0, 1 - sum(1 - level for level in levels)), 12) if levels else None,
        decided_by=None if first is None else first.id,
        estimate=None if first is None else first.estimate,
        interval=None if first is None else first.interval,
        tolerance=None if first is None else first.tolerance,
        beyond=tuple(f.id for f in ranked if f.verdict is Verdict.VIOLATION),
        more_data=None if first is None else first.more_data,
        parts=parts,
    )


def levels_behind(question: str, findings: Sequence[Finding]) -> list[float]:
    """The level of each set of intervals that an answer rests on; any of them may miss by itself."""
    return _levels(_headline(question, findings))


def _levels(headline: Sequence[Finding]) -> list[float]:
    # What was counted misses nothing, and what has no tolerance decides nothing.
    judged = [f for f in headline if f.tolerance is not None] or headline
    errs = {f.family.name: f.family.level for f in judged if f.family is not None and not _is_counted(f)}
    return [level for level in errs.values() if level is not None]


def _part(name: str, findings: Sequence[Finding]) -> AnswerPart:
    ranked = by_concern(_deciding(name, findings))
    return AnswerPart(
        audit=name, verdict=verdict_of_audit(name, findings), decided_by=ranked[0].id if ranked else None
    )


def _is_counted(finding: Finding) -> bool:
    interval = finding.interval
    return interval is not None and interval.validity == "exact" and interval.low == interval.high


def _headline(question: str, findings: Sequence[Finding]) -> list[Finding]:
    """The findings of the first headline measure that is there and was judged, or is there at all; where
    nothing could be computed, whatever says so."""
    listed = [_of(findings, *chosen) for chosen in headlines(question)]
    judged = [chosen for chosen in listed if any(finding.tolerance is not None for finding in chosen)]
    found = next(iter(judged or [chosen for chosen in listed if chosen]), [])
    nothing = headlines(question) and all(f.state in ("not_computable", "suppressed") for f in findings)
    return found or (list(findings) if nothing else [])


def headline_of(name: str, findings: Sequence[Finding]) -> list[Finding]:
    """The findings that an audit answers with."""
    return _of(findings, name, audit(name).headline)


def _of(findings: Sequence[Finding], name: str, measure: str) -> list[Finding]:
    return [f for f in findings if (f.audit, f.measure) == (name, measure) and f.state != "moot"]


def verdicts_of_audits(findings: Sequence[Finding]) -> dict[str, Verdict]:
    """What each audit found: a gate follows these."""
    told = {name: verdict_of_audit(name, members) for name, members in by_audit(findings).items()}
    return {name: verdict for name, verdict in told.items() if verdict is not None}


def verdict_of_audit(name: str, findings: Sequence[Finding]) -> Verdict | None:
    """What one audit found, by its own headline."""
    return verdict_of(_deciding(name, findings))


def _deciding(name: str, findings: Sequence[Finding]) -> list[Finding]:
    """The headline of an audit; where it has none, everything that it judged counts."""
    judged = [finding for finding in findings if finding.verdict is not None and finding.state != "moot"]
    return headline_of(name, findings) or judged


def by_audit(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    """The findings of each audit, in the order in which they were run."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.audit, []).append(finding)
    return found


def verdict_of(findings: Sequence[Finding]) -> Verdict | None:
    """A violation if any is, as all hold at once; within tolerance if all are; otherwise not decided."""
    judged = {finding.verdict for finding in findings if finding.verdict is not None}
    if Verdict.VIOLATION in judged:
        return Verdict.VIOLATION
    if judged == {Verdict.NOT_APPLICABLE}:
        return Verdict.NOT_APPLICABLE
    if judged - {Verdict.WITHIN_TOLERANCE}:
        return Verdict.INCONCLUSIVE
    return Verdict.WITHIN_TOLERANCE if judged else None


def by_concern(findings: Sequence[Finding]) -> list[Finding]:
    """Those that have an estimate, the ones furthest from a pass first; what nobody judged comes last."""
    return sorted((finding for finding in findings if finding.estimate is not None), key=_concern)


def _concern(finding: Finding) -> tuple[int, float, bool]:
    """Violations first, then what is not decided; each the furthest beyond its tolerance first, in units of
    the tolerance. Two groups are as far from their average: who gets less is named first."""
    order = [Verdict.VIOLATION, Verdict.INCONCLUSIVE, Verdict.WITHIN_TOLERANCE, None]
    assert finding.estimate is not None
    if finding.tolerance is None:
        far = abs(finding.estimate)
    elif finding.harm == "below":
        far = (finding.tolerance - finding.estimate) / (abs(finding.tolerance) or 1.0)
    else:
        beyond = abs(finding.estimate) if finding.harm == "outside" else finding.estimate
        far = (beyond - finding.tolerance) / (abs(finding.tolerance) or 1.0)
    return order.index(finding.verdict), -round(far, 9), finding.estimate > 0
