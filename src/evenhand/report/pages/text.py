"""A result for terminals in at most 30 lines, whatever was audited: answers, their basis, what to do."""

from __future__ import annotations

import calendar
import io
import re
from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from evenhand.documents import Document
from evenhand.findings import Verdict
from evenhand.report.reading.model import Card, Reading
from evenhand.report.reading.read import read
from evenhand.report.words import sentences, verdicts
from evenhand.report.words.numbers import count

WIDTH = 80
# Those that hold an interval, and not a part of a name.
_BRACKETS = re.compile(r" \([^()]*(?:\d|counted)[^()]*\)")
_MONTH = "|".join(calendar.month_name[1:])
_DATE = re.compile(rf"(?:\d{{1,2}}(?:,| and)? )+(?:{_MONTH})(?: \d{{4}})?")
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
    head = [Text(line, style="bold") for line in _cut(reading.title, width, _TITLE)]
    for line in reading.overall:
        head += [Text(one) for one in _cut(line.text, width, _OVERALL)]
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
    said += [Text(f"  {line}") for text in card.others if under for line in _cut(text, width - 2, 1)]
    for part in card.beyond_beside:
        said += _said(part.verdict, part.title, [line.text for line in part.lines], width, most)
    for finding in card.beyond_under[:1] if under else ():
        said += _said(finding.verdict, sentences.title(finding), [sentences.sentence(finding)], width, most)
    return said


def _said(verdict: Verdict | None, title: str, told: Sequence[str], width: int, most: int) -> list[Text]:
    said = f"{verdicts.SHAPES[verdict]} {verdicts.WORDS[verdict]}: "
    head = Text.assemble((said, STYLES[verdict]), (_cut(title, width - len(said), 1)[0], "bold"))
    body = [f"  {line}" for text in told[:1] for line in _cut(text, width - 2, most)]
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
    tail = [Text(line, style="dim") for text in said for line in _cut(text, width, _STEP)]
    steps = list(dict.fromkeys(card.next_step for card in reading.cards if card.next_step))
    for step in steps[:_STEPS]:
        tail += [Text(line) for line in _cut(f"Next: {step}", width, _STEP)]
    if where:  # whole, so that it can be opened from the terminal
        tail.append(Text(f"Report: {where}", overflow="ignore", no_wrap=True))
    return tail


def _cut(text: str, width: int, most: int) -> list[str]:
    """So many lines of a text. Words go first: the brackets behind its number (the interval, the limit) stay
    whole wherever they fit, and then the interval in them."""
    brackets = [*_BRACKETS.finditer(text)]
    if brackets and len(wrap(text, width)) > most:
        head, rest = text[: brackets[-1].start()], text[brackets[-1].end() :]
        after = rest if rest in ("", ".") else " …"
        inside = brackets[-1][0].removesuffix(")")
        parts = [f"{inside.partition(by)[0]} …)" for by in ("; ", ", ") if by in inside]
        for end in (f"{inside}){after}", *parts):
            for said in (f"{head}{end}", *_shorter(head, end)):
                if len(lines := wrap(said, width)) <= most:
                    return lines
    return wrap(text, width, max_lines=most, placeholder=" …") or [""]


def _shorter(text: str, end: str) -> Iterator[str]:
    """The text with ever fewer words: first those far behind its last number, then those before it; the two
    behind it ("less often") go last. A date is no number: what is said of a day is not its year."""
    words = text.split()
    told = _DATE.sub(lambda date: re.sub(r"\d", "x", date[0]), text).split()
    number = max((place for place, word in enumerate(told) if any(map(str.isdigit, word))), default=0)
    near = min(number + 3, len(words))
    for kept in range(len(words) - 1, near - 1, -1):
        yield f"{' '.join(words[:kept])} …{end}"
    more = "" if near == len(words) else " …"
    for kept in range(number - 1, -1, -1):
        yield f"{' '.join([*words[:kept], '…', *words[number:near]])}{more}{end}"
    yield f"… {words[number]} …{end}"
