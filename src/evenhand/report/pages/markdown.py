"""A result as Markdown, for the summary page of a build: the answers, what is not decided, what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from evenhand.documents import Document
from evenhand.report.reading.model import Card, Part
from evenhand.report.reading.read import read
from evenhand.report.vocabulary.names import capital
from evenhand.report.words import verdicts
from evenhand.report.words.numbers import count
from evenhand.report.words.people import short_who
from evenhand.report.words.sentences import how_much, title

# What Markdown would obey, and the end of a cell; what HTML would obey is escaped as there.
_OBEYED = re.compile(r"([\\`*_{}\[\]()#+!|~@$-])")
# What becomes a link without any mark: "https://", "www.".
_ADDRESS = re.compile(r"(?i)(:(?=//)|www(?=[.]))")
# Names are cut at this length: the report has them whole.
_LONGEST = 200
_UNDECIDED = 5
_CHANGED = 5


def render(document: Document) -> str:
    """The document as Markdown of a page or less."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: Document) -> Iterator[str]:
    reading = read(document)
    yield f"## {plain(reading.title)}"
    yield ""
    for line in reading.overall:
        yield plain(line.text, cut=False)
        yield ""
    yield "| | Question | Who | How much |"
    yield "|---|---|---|---|"
    for card in reading.cards:
        yield from _rows(card)
    yield ""
    for step in dict.fromkeys(card.next_step for card in reading.cards if card.next_step):
        yield f"- {plain(step, cut=False)}"
    if reading.undecided:
        yield ""
        yield f"**Not decided: {count(len(reading.undecided))}**"
        yield ""
        for one in reading.undecided[:_UNDECIDED]:
            said = f"{short_who(one.finding)}: {how_much(one.finding)}"
            yield f"- {plain(said)}. {plain(one.takes, cut=False)}"
    if reading.since is not None:
        yield ""
        yield plain(" ".join([*reading.since.opening, reading.since.caution]), cut=False)
        yield ""
        for changed in reading.since.changed[:_CHANGED]:
            said = f"{short_who(changed.finding)}: {how_much(changed.finding)}"
            yield f"- {plain(said)}. {capital(plain(changed.told, cut=False))}."
    for note in reading.notes:
        yield ""
        yield plain(note, cut=False)
    yield ""
    yield (
        f"{plain(reading.at_once, cut=False)} It rests on {count(len(reading.assumptions))} assumptions, "
        "which the report lists."
    ).strip()


def _rows(card: Card) -> Iterator[str]:
    rows = [(row.who, row.how_much) for row in card.rows]
    for place, (who, size) in enumerate(rows or [("", _first(card.main))]):
        head = (_verdict(card.verdict), plain(card.title)) if not place else ("", "")
        yield _row(*head, plain(who), plain(size))
    for said in (card.also, *card.others):
        if said:
            yield _row("", "", "", plain(said))
    for finding in card.beyond_under[:1]:
        yield _row(
            _verdict(finding.verdict),
            plain(title(finding)),
            plain(short_who(finding)),
            plain(how_much(finding)),
        )
    for part in card.parts:
        yield _row(_verdict(part.verdict), plain(part.title), "", plain(_first(part)))


def _first(part: Part) -> str:
    return part.lines[0].text if part.lines else ""


def _verdict(verdict: verdicts.Verdict | None) -> str:
    return f"{verdicts.SHAPES[verdict]} {verdicts.WORDS[verdict]}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def plain(text: str, *, cut: bool = True) -> str:
    """Text on one line, with nothing in it that Markdown obeys."""
    flowing = " ".join(text.split())
    if cut and len(flowing) > _LONGEST:
        flowing = f"{flowing[:_LONGEST]}…"
    return escape(_ADDRESS.sub(r"\1\\", _OBEYED.sub(r"\\\1", flowing)), quote=False)
