"""A result as one HTML file that needs nothing else: no network, no fonts, no time in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from evenhand.documents import Document, text_of
from evenhand.report.pages import tables
from evenhand.report.pages.album import Album, packed
from evenhand.report.pages.anchors import anchor
from evenhand.report.pages.environment import environment, library
from evenhand.report.pages.folded import folded
from evenhand.report.pictures import palette
from evenhand.report.pictures.gallery import picture_of
from evenhand.report.reading.model import Card, Part
from evenhand.report.reading.people import columns, kind_of
from evenhand.report.reading.read import read
from evenhand.report.words import summary
from evenhand.report.words.agreed import least
from evenhand.report.words.legible import legible, lines

# Rows of a list that everybody reads; the others are folded, unless they are so few that it saves nothing.
_FIRST, _FEW = 12, 2
# Rows of a folded list; whoever looks for more finds it in the list of every finding.
_MOST = 100


def render(document: Document, min_cell: int | None = None) -> str:
    """The report of a document, from which what tells of fewer than `min_cell` people was taken, where that
    is known. Equal documents give equal text."""
    hidden = "" if min_cell is None else summary.hidden_below(document.findings, least(document, min_cell))
    return environment().get_template("page.html.j2").render(alone(told(document)) | {"hidden": hidden})


def alone(page: dict[str, Any]) -> dict[str, Any]:
    """What a page is told, with all that draws its pictures where no server does."""
    album = page["album"]
    return page | {
        "library": library() if album.placed else "",
        "pictures": packed(album.as_json()) if album.placed else "",
    }


def told(document: Document) -> dict[str, Any]:
    """What the templates of a report are told; their pictures lie in the `album`."""
    digest = hashlib.sha256(text_of(document).encode()).hexdigest()
    document = legible(document)
    reading = read(document)
    album = Album()
    cards = [_card(card, album) for card in reading.cards]
    return {
        "reading": reading,
        "cards": cards,
        "topics": {card.question: card.topic for card in reading.cards},
        "document": document,
        "plan": None if document.plan is None else lines(json.dumps(document.plan, indent=2, default=str)),
        "digest": digest,
        "judged": summary.judged(document.findings),
        "everything": [tables.row(finding) for finding in document.findings],
        "kinds": columns(reading.people),
        "kind_of": kind_of,
        "of_gaps": any(
            cell.verdict != cell.finding.verdict for row in reading.people for cell in row.cells.values()
        ),
        "hidden": "",
        "cut": _cut,
        "most": _MOST,
        "album": album,
        "colours": palette.css(),
    }


def _cut(rows: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """What is shown at once of a list, and the rest."""
    return (rows, ()) if len(rows) <= _FIRST + _FEW else (rows[:_FIRST], rows[_FIRST:])


def _card(card: Card, album: Album) -> dict[str, Any]:
    """A card with its pictures: the main ones before those that are folded, which do not repeat them."""
    drawn = {part.audit: _main(part, card, album) for part in (card.main, *card.parts)}
    return {
        "card": card,
        "parts": [
            {
                "part": part,
                "anchor": anchor(f"{card.question}.{part.audit}"),
                "picture": drawn[part.audit],
                "sections": [folded(section, album, part.warnings) for section in part.sections],
            }
            for part in (card.main, *card.parts)
        ],
    }


def _main(part: Part, card: Card, album: Album) -> Any:
    picture = picture_of(part)
    return None if picture is None else album.put(picture, f"{card.question}-{part.audit}")
