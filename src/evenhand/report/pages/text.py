"""A result for terminals in at most 30 lines, whatever was audited: answers, their basis, what to do."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from evenhand.documents import Document
from evenhand.findings import Verdict
from evenhand.report.pages.cut import cut
from evenhand.report.reading.model import Card, Reading
from evenhand.report.reading.read import read
from evenhand.report.words import sentences, verdicts
from evenhand.report.words.numbers import count

WIDTH = 80
LONGEST = 29  # a command may add one
STYLES = {
    Verdict.VIOLATION: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.NOT_APPLICABLE: "dim",
    Verdict.WITHIN_TOLERANCE: "blue",
    None: "dim",
}
# How many lines each may take: with these, five questions and all the rest are mostly 30 lines at 80 columns.
_TITLE, _OVERALL, _STEP, _STEPS, _NOTES = 1, 4, 2, 2, 2
# Lines of an answer, and whether a number under it that is beyond its own limit is told, too; where there are
# too many lines these go first, then words: no question is left out before its words are.
_ANSWER = ((2, True), (2, False), (1, False))


class Short:
    """The answers of a document, for `rich` to print."""

    def __init__(self, document: Document, where: str = "") -> None:
        self._reading = read(document)
        self._where = where

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from _lines(self._reading, self._where, max(40, options.max_width))


def plain(document: Document) -> str:
    """The answers as text of 80 columns, without colour."""
    page = io.StringIO()
    Console(file=page, width=WIDTH, color_system=None, force_terminal=False).print(Short(document))
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines())


def _lines(reading: Reading, where: str, width: int) -> list[Text]:
    """The title, one answer over all, a line or two a question, and what the answers rest on."""
    head = [Text(line, style="bold") for line in cut(reading.title, width, _TITLE)]
    for line in reading.overall:
        head += [Text(one) for one in cut(line.text, width, _OVERALL)]
    tail = _tail(reading, where, width)
    room = LONGEST - len(head) - len(tail) - 2
    for most, under in _ANSWER:
        rows = [row for card in reading.cards for row in _answer(card, width, most, under)]
        if len(rows) <= room:
            break
    else:
        rows = [
            *rows[: room - 1],
            Text(f"  and {len(rows) - room + 1} more lines, in the report", style="dim"),
        ]
    return [*head, Text(), *rows, Text(), *tail]


def _answer(card: Card, width: int, most: int, under: bool) -> list[Text]:
    """A question: its verdict, who, and how much; where it has no row, the first sentence. A part of it that
    is beyond its limit, where the answer is not, or a number under it, stands below."""
    # One row: the first that has the verdict, where what opens the answer has none.
    rows = sorted(card.rows, key=lambda row: row.finding.verdict is not card.verdict)
    told = [f"{row.who}: {row.how_much}" for row in rows] or [line.text for line in card.main.lines[:1]]
    said = _said(card.verdict, card.title, told, width, most)
    named = [f"{row.who}: {row.how_much}" for row in rows[1:] if row.is_worst and under]
    said += [Text(f"  {line}") for text in named for line in cut(text, width - 2, most)]
    said += [Text(f"  {line}") for text in card.others if under for line in cut(text, width - 2, 1)]
    for part in card.beyond_beside:
        said += _said(part.verdict, part.title, [line.text for line in part.lines], width, most)
    for finding in card.beyond_under[:1] if under else ():
        said += _said(finding.verdict, sentences.title(finding), [sentences.sentence(finding)], width, most)
    return said


def _said(verdict: Verdict | None, title: str, told: Sequence[str], width: int, most: int) -> list[Text]:
    said = f"{verdicts.SHAPES[verdict]} {verdicts.WORDS[verdict]}: "
    head = Text.assemble((said, STYLES[verdict]), (cut(title, width - len(said), 1)[0], "bold"))
    body = [f"  {line}" for text in told[:1] for line in cut(text, width - 2, most)]
    return [head, *(Text(line) for line in body)]


def _tail(reading: Reading, where: str, width: int) -> list[Text]:
    said = list(reading.notes[:_NOTES])
    if reading.since is not None:
        said += reading.since.opening
    if reading.undecided:
        open_numbers = count(len(reading.undecided))
        said.append(f"Not decided: {open_numbers} of the numbers; a report says what each would take.")
    if reading.assumptions:
        number = len(reading.assumptions)
        rests = "1 assumption" if number == 1 else f"{number} assumptions"
        said.append(f"Rests on {rests}, listed in the report.")
    tail = [Text(line, style="dim") for text in said for line in cut(text, width, _STEP)]
    steps = list(dict.fromkeys(card.next_step for card in reading.cards if card.next_step))
    for step in steps[:_STEPS]:
        tail += [Text(line) for line in cut(f"Next: {step}", width, _STEP)]
    if where:  # whole, so that it can be opened from the terminal
        tail.append(Text(f"Report: {where}", overflow="ignore", no_wrap=True))
    return tail
