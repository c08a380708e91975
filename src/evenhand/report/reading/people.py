"""The same groups of people through all questions."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Finding, Verdict
from evenhand.report.answers import by_concern
from evenhand.report.reading.model import Cell, People
from evenhand.report.words.people import people

# Items are not people, and who is shown to whom is a question to the users.
_WHOSE = ("creators", "users")
_FURTHEST_FROM_A_PASS = (
    Verdict.VIOLATION,
    Verdict.INCONCLUSIVE,
    Verdict.NOT_APPLICABLE,
    Verdict.WITHIN_TOLERANCE,
)


def followed(findings: Sequence[Finding]) -> tuple[People, ...]:
    """Every group that any finding is about, those with a violation first."""
    found: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        for whose in _WHOSE:
            if isinstance(finding.about.get(whose), dict):
                found.setdefault((whose, str(finding.about[whose])), []).append(finding)
    rows = [_row(whose, members) for (whose, _), members in found.items()]
    return tuple(sorted(rows, key=_concern))


def _row(whose: str, findings: list[Finding]) -> People:
    questions = dict.fromkeys(finding.question for finding in findings)
    cells = {question: _cell([f for f in findings if f.question == question]) for question in questions}
    group = findings[0].about[whose]
    assert isinstance(group, dict)
    return People(people(findings[0], whose, group), cells, tuple(findings))


def _cell(findings: list[Finding]) -> Cell:
    """The finding furthest from a pass, of those that were judged."""
    judged = [finding for finding in findings if finding.verdict is not None]
    chosen = (by_concern(judged) or judged or by_concern(findings) or findings)[0]
    return Cell(chosen.verdict, chosen)


def _concern(row: People) -> int:
    verdicts = {cell.verdict for cell in row.cells.values()}
    return next(
        (place for place, one in enumerate(_FURTHEST_FROM_A_PASS) if one in verdicts), len(verdicts) + 4
    )
