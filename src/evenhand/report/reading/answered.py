"""The answer of one audit in a few lines: the worst on either side, or that all is within its limit."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Finding, Verdict
from evenhand.report.answers import by_concern, headline_of, verdict_of
from evenhand.report.reading.model import Line
from evenhand.report.vocabulary.names import audit, capital, measure
from evenhand.report.words import sentences, verdicts
from evenhand.report.words.people import attributes_of, in_words, listed, short_who
from evenhand.report.words.several import days, stages

# Sentences of one audit before the reader is sent to the rest of it.
_MOST = 2
# Others that are beyond the limit before the rest of them is counted only.
_NAMED = 4


def speaking(findings: Sequence[Finding]) -> list[Finding]:
    """The findings that speak for the headline: beyond the limit, one for each side, those served worse
    first; where none is beyond, the one that is furthest from a pass."""
    ranked = by_concern(findings)
    beyond = [finding for finding in ranked if finding.verdict is Verdict.VIOLATION]
    if not beyond:
        return ranked[:1]
    worse = [finding for finding in beyond if not _served_better(finding)]
    better = [finding for finding in beyond if _served_better(finding)]
    return worse[:1] + better[:1]


def _served_better(finding: Finding) -> bool:
    """Whether a group gets more than its share, which is somebody else's loss."""
    no_effect = measure(finding.measure).no_effect or 0.0
    return finding.harm == "outside" and finding.estimate is not None and finding.estimate > no_effect


def opening_of(name: str, findings: Sequence[Finding]) -> list[Finding]:
    """What is said before the headline of an audit, if anything is."""
    known = [f for f in findings if f.estimate is not None and f.audit == name]
    return [finding for finding in known if finding.measure == audit(name).opens][:1]


_WHOSE_GROUPS = ("users", "creators", "items")


def served_least(name: str, findings: Sequence[Finding], spoken: Sequence[Finding]) -> Finding | None:
    """Of the groups that the first of the `spoken` findings is made of, the one that has least of what the
    audit names them by, where that finding names none."""
    measured = audit(name).worst
    if not measured or not spoken:
        return None
    asked = _apart_from_groups(spoken[0])
    groups = [
        f
        for f in findings
        if (f.audit, f.measure) == (name, measured)
        and _apart_from_groups(f) == asked
        and f.estimate is not None
    ]
    return min(groups, key=lambda finding: finding.estimate or 0.0) if len(groups) > 1 else None


def _apart_from_groups(finding: Finding) -> tuple[object, ...]:
    """What a finding of a group has in common with that of all groups."""
    others = {key: value for key, value in finding.about.items() if key not in ("by", *_WHOSE_GROUPS)}
    return *(attributes_of(finding, whose) for whose in _WHOSE_GROUPS), others


def least(finding: Finding, findings: Sequence[Finding]) -> str:
    """That a group has least, and whether it is told from the next: intervals of one family hold at once. One
    that is not shown may have less."""
    asked = _apart_from_groups(finding)
    others = [
        f
        for f in findings
        if (f.audit, f.measure) == (finding.audit, finding.measure)
        and f is not finding
        and _apart_from_groups(f) == asked
    ]
    ends = [f.interval.low for f in others if f.interval is not None]
    is_told = finding.interval is not None and bool(ends) and finding.interval.high < min(ends)
    said = "the least" if all(f.estimate is not None for f in others) else "the least of those shown"
    return said if is_told else f"{said}, though another group may really have less"


def lines(name: str, findings: Sequence[Finding]) -> tuple[Line, ...]:
    """What the findings of one audit say, in a line or two."""
    if said := stages(findings) or days(findings):
        return tuple(Line(text, finding) for text, finding in said)
    headline = headline_of(name, findings)
    opening = [Line(sentences.sentence(finding), finding) for finding in opening_of(name, findings)]
    if not headline:
        keys = [f for f in findings if measure(f.measure).key_result and f.estimate is not None]
        known = [f for f in findings if f.estimate is not None and "group" not in f.subject]
        chosen = keys or known or list(findings)
        return tuple(Line(sentences.sentence(finding), finding) for finding in chosen[:_MOST])
    told = [Line(sentences.sentence(finding), finding) for finding in speaking(headline)]
    first = told[0].finding if told else headline[0]
    if not told:
        told = [Line(sentences.sentence(headline[0]), headline[0])]
    if first is not None and first.verdict is Verdict.INCONCLUSIVE:
        told.append(Line(verdicts.what_would_decide(first), first))
    said_of = [line.finding for line in told]
    worst = served_least(name, findings, [first] if first is not None else [])
    if worst is not None:
        named = sentences.sentence(worst).removesuffix(".")
        told.append(Line(f"{named}: {least(worst, findings)}.", worst))
    if rest := _rest(headline, said_of):
        told.append(Line(rest))
    told += [Line(text) for text in by_others(headline, said_of)]
    return (*opening, *told)


def _rest(headline: Sequence[Finding], said: Sequence[Finding | None]) -> str:
    """Who else is beyond the limit, or that all are within it."""
    if others := also_beyond(headline, said):
        return others
    if len(headline) > 1 and all(f.verdict is Verdict.WITHIN_TOLERANCE for f in headline):
        return f"All {len(headline)} are within the limit."
    return ""


def also_beyond(headline: Sequence[Finding], said: Sequence[Finding | None]) -> str:
    """Who is beyond the limit and was not said yet, the worst by name; empty where nobody is. The same people
    may have several findings, as with several betas."""
    beyond = [f for f in by_concern(headline) if f.verdict is Verdict.VIOLATION and f not in said]
    told = {short_who(finding) for finding in said if finding is not None}
    names = [name for name in dict.fromkeys(map(short_who, beyond)) if name not in told]
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return f"Also beyond the limit: {listed([*names[:_NAMED], *more])}." if names else ""


def by_others(headline: Sequence[Finding], said: Sequence[Finding | None]) -> tuple[str, ...]:
    """What was found by further attributes, of which nothing was said: "Creators by size: not decided".
    Audits of one kind have one answer, and none of them may be missing from it."""
    found: dict[str, list[Finding]] = {}
    for finding in headline:
        found.setdefault(in_words(finding)["everybody"], []).append(finding)
    return tuple(
        f"{capital(everybody)}: {verdicts.WORDS[verdict_of(members)]}."
        for everybody, members in found.items()
        if not any(one in members for one in said)
    )
