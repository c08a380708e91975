"""A monitor as one HTML file, in the dress of the report: it needs nothing else, and asks nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.findings import Finding
from evenhand.monitor.page import words
from evenhand.monitor.page.model import Watch
from evenhand.monitor.page.picture import over_time
from evenhand.report.answers import answers, by_concern
from evenhand.report.pages import tables
from evenhand.report.pages.album import Album, Placed
from evenhand.report.pages.environment import environment
from evenhand.report.pages.html import alone
from evenhand.report.pictures import palette
from evenhand.report.reading.model import Card, Line
from evenhand.report.reading.read import read
from evenhand.report.words import summary
from evenhand.report.words.days import dated
from evenhand.report.words.legible import legible, line

# Findings that are drawn on a card at once; the others are folded.
_FIRST = 3
# Findings that are drawn on the whole page: each carries a year of days.
_MOST = 60
_STATES = ("open", "closed", "withdrawn")


@dataclass(frozen=True)
class Followed:
    """A finding with its picture, and whether the last look has it."""

    finding: Finding
    picture: Placed | None
    is_current: bool
    known_days: int


def render(watch: Watch) -> str:
    """The page of a monitor. Equal monitors give equal text."""
    template = environment("evenhand.monitor.page").get_template("monitor.html.j2")
    return template.render(alone(told(watch)))


def told(watch: Watch) -> dict[str, Any]:
    """What the template of a monitor is told; its pictures lie in the `album`."""
    whole = watch.latest.amended(findings=tuple(watch.findings.values()))
    shown = legible(whole)
    current = {finding.id for finding in watch.latest.findings}
    now = shown.amended(findings=tuple(f for f in shown.findings if f.id in current))
    reading = read(now)
    album = Album()
    drawn = _drawn(watch, shown.findings, album)
    cards = [_card(card, drawn) for card in reading.cards]
    asked = {card.question for card in reading.cards}
    gone = [one for one in drawn if one.finding.question not in asked]
    return {
        "watch": watch,
        "title": shown.scope.get("title") or line(watch.name),
        "scope": [(name, text) for name, text in reading.scope if name in ("System", "Owner")],
        "latest": words.latest(watch),
        "overall": _overall(watch, reading.overall, now.findings),
        "left_out": words.left_out(watch.latest),
        "days": words.missing(watch),
        "stretches": words.stretches(watch),
        "flags": sorted(watch.flags, key=lambda one: _STATES.index(one.state)),
        "cards": cards,
        "gone": gone,
        "first": _FIRST,
        "judged": summary.judged(shown.findings),
        "topics": {card.question: card.topic for card in reading.cards},
        "named": {finding.id: finding for finding in shown.findings},
        "everything": [(one, tables.row(one.finding)) for one in drawn],
        "dated": lambda label: dated([label]),
        "line": line,
        "album": album,
        "colours": palette.css(),
    }


def _overall(watch: Watch, latest: Sequence[Line], findings: Sequence[Finding]) -> list[Line]:
    """What stands comes before what the last day says."""
    raised = [(one.rule, one.opened) for one in watch.open_flags]
    first = [Line(said) for said in words.standing(raised, findings)]
    first += [Line(f"The latest {watch.unit} by itself:")] if first else []
    return [*first, *latest, *([] if raised else [Line(words.flags(watch))]), *_unusual(watch)]


def _unusual(watch: Watch) -> list[Line]:
    """What is unusual about the rows of the last day stands above; that of other days is with the days."""
    return [Line(line(said, 800)) for label, said in watch.remarks if label == watch.last_day]


def _drawn(watch: Watch, findings: Sequence[Finding], album: Album) -> list[Followed]:
    """Every followed finding, those that are drawn first: what has an open flag, what answers a question,
    what is furthest from a pass."""
    current = {finding.id for finding in watch.latest.findings}
    raised = {flag.finding for flag in watch.open_flags}
    before = {flag.finding for flag in watch.flags}
    deciding = {answer.decided_by for answer in answers(findings)}
    concern = {finding.id: place for place, finding in enumerate(by_concern(findings))}

    def order(finding: Finding) -> tuple[Any, ...]:
        return (
            finding.id not in raised,
            finding.id not in deciding,
            finding.id not in before,
            concern.get(finding.id, len(concern)),
        )

    told = []
    for finding in sorted(findings, key=order):
        points = watch.points[finding.id]
        picture = over_time(watch, finding) if len(album.placed) < _MOST else None
        placed = None if picture is None else album.put(picture, finding.id)
        known = sum(point.estimate is not None for point in points.values())
        told.append(Followed(finding, placed, finding.id in current, known))
    return told


def _card(card: Card, drawn: Sequence[Followed]) -> dict[str, Any]:
    mine = [one for one in drawn if one.finding.question == card.question]
    pictured = [one for one in mine if one.picture is not None]
    return {
        "card": card,
        "first": pictured[:_FIRST],
        "others": pictured[_FIRST:],
        "undrawn": len(mine) - len(pictured),
    }
