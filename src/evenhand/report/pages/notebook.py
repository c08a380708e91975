"""A result inside a notebook: the answers, or one question, without scripts and in the notebook's colours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, Template

from evenhand.documents import Document
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.report.pages import tables
from evenhand.report.reading.model import Card
from evenhand.report.reading.read import read
from evenhand.report.words import sentences, verdicts


def render(document: Document) -> str:
    """The answers as a fragment of HTML."""
    return _template("notebook.html.j2").render(reading=read(document), verdicts=verdicts, words=sentences)


@dataclass(frozen=True)
class ShownCard:
    """One question and its answer, to be shown in a notebook or printed."""

    card: Card

    def __str__(self) -> str:
        card = self.card
        told = [f"{verdicts.SHAPES[card.verdict]} {verdicts.WORDS[card.verdict]}: {card.title}"]
        told += [card.mended.text] if card.mended is not None else []
        told += [line.text for line in card.main.lines]
        told += [f"{_marked(finding)} {sentences.sentence(finding)}" for finding in card.beyond_under[:1]]
        told += [f"{part.title} {' '.join(line.text for line in part.lines)}" for part in card.parts]
        return "\n".join([*told, *([f"What to do: {card.next_step}"] if card.next_step else [])])

    def _repr_html_(self) -> str:
        numbers = [tables.row(finding) for finding in self.card.main.numbers]
        return _template("notebook_card.html.j2").render(
            card=self.card, numbers=numbers, verdicts=verdicts, words=sentences
        )


def _marked(finding: Finding) -> str:
    return (
        f"{verdicts.SHAPES[finding.verdict]} {sentences.title(finding)}, {verdicts.WORDS[finding.verdict]}:"
    )


def card(document: Document, question: str) -> ShownCard:
    """The card of one question, by its id."""
    cards = {one.question: one for one in read(document).cards}
    if question not in cards:
        raise InputError(f"There is no question {question!r} here; asked were: {', '.join(cards) or 'none'}.")
    return ShownCard(cards[question])


@cache
def _template(name: str) -> Template:
    loader = PackageLoader("evenhand.report.pages")
    return Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True).get_template(
        name
    )
