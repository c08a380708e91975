"""The same groups of people through all questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from evenhand.about import in_an_id
from evenhand.documents import Answer
from evenhand.findings import Finding, Verdict
from evenhand.report.answers import by_concern
from evenhand.report.reading.model import Cell, People
from evenhand.report.words.people import attributes_of, people, served_worst
from evenhand.report.words.sentences import title

# Items are not people, and who is shown to whom is a question to the users.
_WHOSE = ("creators", "users")
_FURTHEST_FROM_A_PASS = (
    Verdict.VIOLATION,
    Verdict.INCONCLUSIVE,
    Verdict.NOT_APPLICABLE,
    Verdict.WITHIN_TOLERANCE,
)


def followed(findings: Sequence[Finding], answers: Sequence[Answer]) -> tuple[People, ...]:
    """Every group that any finding is about, those with a violation first."""
    names = {family.name for answer in answers for family in answer.headline}
    headline = [f for f in findings if f.family is not None and f.family.name in names]
    found: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        for whose in _WHOSE:
            group = finding.about.get(whose)
            if isinstance(group, dict):
                found.setdefault((whose, in_an_id(whose, group)), []).append(finding)
    rows = [_row(whose, key, members, headline) for (whose, key), members in found.items()]
    # Labels name a group alone: men may be creators and users, who are not the same people.
    called = Counter(row.label for row in rows)
    told = [
        replace(row, label=f"{row.label} ({whose})") if called[row.label] > 1 else row
        for (whose, _), row in zip(found, rows, strict=True)
    ]
    return tuple(sorted(told, key=_concern))


def _row(whose: str, key: str, findings: list[Finding], headline: Sequence[Finding]) -> People:
    group = findings[0].about[whose]
    assert isinstance(group, dict)
    label = people(findings[0], whose, group)
    # A gap between groups names those that it is of: it is about them as much as about all. Creators and
    # users may have groups of one name.
    gaps = [
        f
        for f in headline
        if whose not in f.about and set(group) <= set(attributes_of(f, whose)) and label in served_worst(f)
    ]
    about = findings + gaps
    deciding = {finding.id for finding in headline}
    cells = {}
    for question in dict.fromkeys(finding.question for finding in about):
        asked = [finding for finding in about if finding.question == question]
        cells[question] = _cell([f for f in asked if f.id in deciding] or asked, asked, whose)
    known = by_concern(about)
    return People(label, key, cells, (*known, *(f for f in about if f.estimate is None)))


def _cell(deciding: list[Finding], asked: list[Finding], whose: str) -> Cell:
    """The finding furthest from a pass, of those that were judged. Where that is a gap between groups, the
    verdict is the gap's and the number the group's own: a gap among means would be read as a mean."""
    judged = [finding for finding in deciding if finding.verdict is not None]
    chosen = (by_concern(judged) or judged or by_concern(deciding) or deciding)[0]
    metric = chosen.about.get("metric")
    same = [f for f in asked if f.audit == chosen.audit and f.about.get("metric") == metric]
    own = [f for f in same if whose in f.about]
    return Cell(chosen.verdict, chosen if whose in chosen.about or not own else own[0])


def columns(rows: Sequence[People]) -> dict[str, str]:
    """What the numbers of each question are, by the name that most of them have."""
    named: dict[str, list[str]] = {}
    for row in rows:
        for question, cell in row.cells.items():
            named.setdefault(question, []).append(kind_of(cell.finding))
    return {question: max(dict.fromkeys(names), key=names.count) for question, names in named.items()}


def kind_of(finding: Finding) -> str:
    """What a number is, as it is said at the head of a column: "Mean of the group, mrr@5"."""
    metric = finding.about.get("metric")
    return f"{title(finding)}, {metric}" if metric else title(finding)


def _concern(row: People) -> int:
    verdicts = {cell.verdict for cell in row.cells.values()}
    return next(
        (place for place, one in enumerate(_FURTHEST_FROM_A_PASS) if one in verdicts), len(verdicts) + 4
    )
