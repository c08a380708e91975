"""A document as it is read: the answer to each question first, then what it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evenhand.documents import Answer, Document
from evenhand.findings import Finding, Verdict
from evenhand.report.answers import by_audit, by_concern, headline_of, levels_behind, verdict_of_audit
from evenhand.report.pages.arrange import Section, sections
from evenhand.report.reading.answered import (
    also_beyond,
    by_others,
    least,
    lines,
    opening_of,
    served_least,
    speaking,
)
from evenhand.report.reading.changes import mended, own_answer
from evenhand.report.reading.model import Assumption, Card, Changed, Part, Reading, Row, Since, Undecided
from evenhand.report.reading.people import followed
from evenhand.report.vocabulary.names import audit
from evenhand.report.vocabulary.names import question as asked_by
from evenhand.report.vocabulary.opportunity import ABOUT_RANDOM, RANDOM_CHECKS
from evenhand.report.vocabulary.questions import QUESTIONS, TOPICS
from evenhand.report.words import agreed, overall, since, verdicts
from evenhand.report.words.advice import next_steps
from evenhand.report.words.legible import legible
from evenhand.report.words.people import short_who
from evenhand.report.words.sentences import how_much
from evenhand.report.words.several import roll_out

# Numbers that stand large on a card.
_NUMBERS = 3


def read(document: Document) -> Reading:
    """What is told of a document, and where."""
    document = legible(document)
    findings = document.findings
    premises = _assumptions(findings)
    given = {answer.question: answer for answer in document.questions}
    asked = dict.fromkeys(finding.question for finding in findings)
    told = (
        _card(question, given.get(question), [f for f in findings if f.question == question], premises)
        for question in asked
    )
    cards = tuple(replace(card, limit=agreed.limit_of(card.main.audit, document)) for card in told)
    return Reading(
        title=document.scope.get("title", "Fairness audit"),
        scope=overall.scope(document),
        overall=overall.lines(cards),
        at_once=overall.at_once(cards, _together(document)),
        cards=cards,
        people=followed(findings, document.questions),
        undecided=_undecided(findings, document.questions),
        assumptions=premises,
        notes=(*agreed.notes(document), *overall.notes(findings)),
        agreed=agreed.agreed(document),
        since=_since(document),
    )


def _since(document: Document) -> Since | None:
    """What changed, where an earlier audit was compared: those with another verdict first, then those that
    moved by more than chance, then what is new."""
    if document.compared is None:
        return None
    findings = {finding.id: finding for finding in document.findings}
    told = [one for one in document.compared.changes if one.id in findings]
    rank = {"verdict": 0, "number": 1, "same": 1, "new": 2}
    told.sort(key=lambda one: rank[one.change])
    moved = [one.change in ("verdict", "new") or since.has_moved(one) for one in told]
    usual = since.usual_level(document.compared)
    said = [Changed(findings[one.id], since.in_words(one, findings[one.id], usual)) for one in told]
    return Since(
        opening=tuple(since.opening(document.compared, document.questions, document.findings)),
        caution=since.caution(document.compared),
        changed=tuple(one for one, has in zip(said, moved, strict=True) if has),
        unchanged=tuple(one for one, has in zip(said, moved, strict=True) if not has),
    )


def _together(document: Document) -> float | None:
    """The level at which all questions hold at once, where that was asked for."""
    plan = document.plan or {}
    return min(step.get("level", 0.95) for step in plan["audits"]) if plan.get("together") else None


def _card(
    question: str, answer: Answer | None, findings: list[Finding], premises: Sequence[Assumption]
) -> Card:
    ran = by_audit(findings)
    main = _main(answer, findings)
    headline = headline_of(main, ran[main])
    rows = tuple(
        Row(short_who(finding), _how_much(finding, answer), finding)
        for finding in (*speaking(headline), *opening_of(main, ran[main]))
        if finding.estimate is not None
    )
    worst = served_least(main, ran[main], speaking(headline))
    if worst is not None:
        said = f"{how_much(worst)}: {least(worst, ran[main])}"
        rows = (*rows, Row(short_who(worst), said, worst, is_worst=True))
    parts = {name: _part(name, members, premises) for name, members in ran.items()}
    mends = mended(findings)
    under = _beyond_under(answer, main, ran)
    who = [] if worst is None else [short_who(worst)]
    steps = [roll_out(mends.finding)] if mends is not None else next_steps(_to_act_on(answer, findings), *who)
    # Else the answer stands alone, and a part that is beyond its limit beside it.
    is_beyond = answer is not None and answer.verdict is Verdict.VIOLATION
    own = own_answer(main, findings) if is_beyond and mends is None else None
    if own is not None and own.finding is not None and own.finding.verdict is Verdict.VIOLATION:
        steps = next_steps([own.finding])
    return Card(
        question=question,
        title=_title(question, answer, main),
        topic=audit(main).title.lower() if _is_a_part(main) else TOPICS.get(question, question),
        verdict=None if answer is None else answer.verdict,
        level=None if answer is None else answer.level,
        rows=rows,
        next_step=steps[0] if steps else "",
        main=parts[main],
        parts=tuple(part for name, part in parts.items() if name != main),
        levels=tuple(levels_behind(question, findings)),
        also=also_beyond(headline, [row.finding for row in rows]) if rows else "",
        others=by_others(headline, [row.finding for row in rows]) if rows else (),
        mended=mends,
        compared=own,
        beyond_under=under,
        decides=headline[0].measure if headline else "",
    )


def _beyond_under(answer: Answer | None, main: str, ran: Mapping[str, list[Finding]]) -> tuple[Finding, ...]:
    """What is beyond a limit and decides nothing, where the answer is not beyond: nobody should read an
    all-clear above it. Parts that are beyond by their own headline are said as such."""
    if answer is not None and answer.verdict is Verdict.VIOLATION:
        return ()
    told = [name for name in ran if name != main and verdict_of_audit(name, ran[name]) is Verdict.VIOLATION]
    unsaid = [finding for name, members in ran.items() if name not in told for finding in members]
    beyond = [finding for finding in by_concern(unsaid) if finding.verdict is Verdict.VIOLATION]
    first = speaking(beyond)[:1]
    return (*first, *(finding for finding in beyond if finding not in first))


def _to_act_on(answer: Answer | None, findings: list[Finding]) -> list[Finding]:
    """What asks for a next step: where the answer is a pass, nothing that is not decided under it does."""
    passed = answer is not None and answer.verdict is Verdict.WITHIN_TOLERANCE
    return [f for f in findings if not passed or f.verdict is not Verdict.INCONCLUSIVE]


def _how_much(finding: Finding, answer: Answer | None) -> str:
    """How much; that no limit stands behind a number where the question has one."""
    judged = answer is not None and answer.verdict is not None
    return how_much(finding) + ("; no limit was set for this" if judged and finding.tolerance is None else "")


def _title(question: str, answer: Answer | None, main: str) -> str:
    """The question; where only a part of it was asked, or nothing answers it, that of the audit that was run:
    a change that makes nothing worse does not show that creators get equal opportunity."""
    whole = answer is not None and answer.headline and not _is_a_part(main)
    asked = QUESTIONS.get(question, "") if whole else ""
    return asked or asked_by(main) or audit(main).title


def _is_a_part(name: str) -> bool:
    return bool(audit(name).part)


def _main(answer: Answer | None, findings: Sequence[Finding]) -> str:
    """The audit that answers: that of the headline, or the first that was run."""
    named = {family.name for family in answer.headline} if answer is not None else set()
    return next((f.audit for f in findings if f.family and f.family.name in named), findings[0].audit)


def _part(name: str, findings: list[Finding], premises: Sequence[Assumption]) -> Part:
    words = audit(name)
    headline = headline_of(name, findings)
    measures = words.numbers or ()
    numbers = [next((f for f in by_concern(findings) if f.measure == one), None) for one in measures]
    arranged = sections(findings)
    drawn = [f for f in findings if f.measure == (words.drawn or words.headline)]
    assumed = {text for finding in findings for text in finding.assumptions}
    known = [finding for finding in findings if finding.estimate is not None]
    return Part(
        audit=name,
        title=words.part or words.title,
        verdict=verdict_of_audit(name, findings),
        lines=lines(name, findings),
        drawn=_beside(speaking(headline), drawn, arranged),
        numbers=tuple(finding for finding in numbers if finding is not None)[:_NUMBERS],
        sections=tuple(arranged),
        assumptions=tuple(one.number for one in premises if one.text in assumed),
        warnings=tuple(dict.fromkeys(text for finding in known for text in finding.warnings)),
    )


def _beside(
    spoken: Sequence[Finding], drawn: Sequence[Finding], arranged: Sequence[Section]
) -> tuple[Finding, ...]:
    """What the one picture is of: where a measure has several settings, the one that the answer is about."""
    said = {finding.id for finding in spoken[:1]}
    near = {f.id for section in arranged if said & {m.id for m in section.members} for f in section.members}
    return tuple(finding for finding in drawn if finding.id in near) or tuple(drawn)


def _assumptions(findings: Sequence[Finding]) -> tuple[Assumption, ...]:
    """Each assumption once, with the questions whose numbers rest on it."""
    found: dict[str, dict[str, None]] = {}
    for finding in findings:
        for text in finding.assumptions:
            found.setdefault(text, {})[finding.question] = None
    tested = any(finding.measure in RANDOM_CHECKS and finding.estimate is not None for finding in findings)
    return tuple(
        Assumption(number, text, tuple(questions), text.startswith(ABOUT_RANDOM) and not tested)
        for number, (text, questions) in enumerate(found.items(), start=1)
    )


def _undecided(findings: Sequence[Finding], answers: Sequence[Answer]) -> tuple[Undecided, ...]:
    """What is not decided: numbers that decide a question first, each the nearest to a violation first."""
    headline = {family.name for answer in answers for family in answer.headline}
    ranked = by_concern([f for f in findings if f.verdict is Verdict.INCONCLUSIVE])
    ranked.sort(key=lambda finding: finding.family is None or finding.family.name not in headline)
    return tuple(Undecided(finding, verdicts.what_would_decide(finding)) for finding in ranked)
