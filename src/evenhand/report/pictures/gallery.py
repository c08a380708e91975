"""Every picture of a report, by what it is of: the one that answers, and those that may be folded away."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from evenhand import pictures as typed
from evenhand.documents import Document
from evenhand.errors import InputError
from evenhand.findings import Finding
from evenhand.report.answers import by_concern
from evenhand.report.pages.arrange import Family, Section, sections
from evenhand.report.pictures.kinds import (
    curves,
    histograms,
    maps,
    online_audits,
    series,
    trade_offs,
    traffic,
)
from evenhand.report.pictures.kinds.rankings import ranked
from evenhand.report.pictures.picture import Picture
from evenhand.report.reading.model import Part
from evenhand.report.reading.read import read
from evenhand.report.vocabulary.names import audit
from evenhand.report.words import sentences
from evenhand.report.words.legible import legible

# Fewer pairs than this are as well read one by one.
_PAIRS = 3


def picture_of(part: Part) -> Picture | None:
    """The one picture of a part of a card: of what it draws; where that is one number, of the groups that it
    is about, if any."""
    drawn = main_picture(part.drawn)
    if drawn is not None and len(drawn.rows) > 1:
        return drawn
    ids = {finding.id for finding in part.drawn}
    near = [section for section in part.sections if ids & {finding.id for finding in section.members}]
    told = near or part.sections
    grouped = [f for section in told for family in section.families for f in family.findings]
    alone = [f for section in told for f in section.singles]
    return main_picture(grouped) or drawn or main_picture(alone)


def main_picture(findings: Sequence[Finding]) -> Picture | None:
    """The one picture of findings: of those which bring a picture along if any do, and of several families
    (two attributes, say, or settings) of the one that is furthest from a pass. None where there is nothing.
    """
    judged = by_concern([finding for finding in findings if finding.tolerance is not None])
    ordered = judged + [finding for finding in findings if finding.tolerance is None]
    families = [family for section in sections(findings) for family in _families(section)]
    for finding in sorted(ordered, key=lambda finding: not finding.pictures):
        family = next((family for family in families if finding in family.findings), None)
        if family is not None:
            families.remove(family)
            alone = pictures_of(finding) if len(family.findings) == 1 else []
            if pictures := alone or pictures_together(family) or pictures_of(finding):
                return pictures[0]
    return None


def _families(section: Section) -> list[Family]:
    """All findings of a section, those of one measure that stand alone as one family."""
    alike: dict[str, list[Finding]] = {}
    for finding in section.singles:
        alike.setdefault(finding.measure, []).append(finding)
    known = audit(section.audit).section
    return [
        *section.families,
        *(
            Family(
                tuple(members),
                tuple(sentences.place(one, leave_out=known) or sentences.title(one) for one in members),
                ranked=False,
            )
            for members in alike.values()
        ),
    ]


def pictures_together(family: Family) -> list[Picture]:
    """The pictures that findings of one measure make together, the one to be shown first; of those that no
    other picture shows, a dot and an interval each."""
    findings, labels = family.findings, family.labels
    known = [finding for finding in findings if finding.estimate is not None]
    if not known:
        return []
    disparities = {
        label: path
        for finding, label in zip(findings, labels, strict=True)
        for lines in finding.drawn(typed.Lines, "disparity")
        for path in lines.lines
    }
    if disparities:
        return [curves.against_disparity(disparities)]
    followed = [f for f in known if f.series is not None]
    if followed and all("against" in f.subject for f in followed):
        return [series.changes(followed)] if len(followed) <= 2 else []
    if followed and all("group" in f.subject for f in followed):
        return series.of_groups(followed)
    if any("relative_utility_now" in f.details for f in known):
        boosted = [(f, label) for f, label in zip(findings, labels, strict=True) if f.estimate is not None]
        return [traffic.before_and_after(boosted)]
    if known[0].measure == "days_needed":
        return traffic.against_share(findings)
    if len(known) >= _PAIRS and all({"first", "second"} <= f.subject.keys() for f in known):
        return [maps.of_pairs(findings)]
    if _is_map(known):
        return [maps.of_pairs_of_people_and_items(findings)]
    picture = ranked(findings, labels, drawn=family.split()[0].findings)
    return [] if picture is None else [picture]


def _is_map(findings: Sequence[Finding]) -> bool:
    """Whether each is about a group of users and one of items."""
    return all({"users", "items"} <= finding.about.keys() for finding in findings)


def pictures_of(finding: Finding) -> list[Picture]:
    """Every picture for which a finding has the data by itself; most findings have none."""
    return [picture for data in finding.pictures for picture in _pictures(finding, data)]


def pictures_of_each(findings: Sequence[Finding], beside: Sequence[Family] = ()) -> list[list[Picture]]:
    """The pictures of findings that stand alone, `beside` families of the same section; what several draw
    together stands with the first, and what a family draws whole is not drawn twice."""
    pairs = max((len(family.findings) for family in beside if _is_map(family.findings)), default=0)
    findings = [
        finding.amended(id=finding.id, pictures=())
        if any(len(drawn.cells) <= pairs for drawn in finding.drawn(typed.Map, "exposure"))
        else finding
        for finding in findings
    ]
    changes = [
        f for f in findings if f.series is not None and "against" in f.subject and f.estimate is not None
    ]
    if not 1 < len(changes) <= 2:
        return [pictures_of(finding) for finding in findings]
    together = [series.changes(changes)]
    return [
        pictures_of(finding) if finding not in changes else together if finding is changes[0] else []
        for finding in findings
    ]


def _pictures(finding: Finding, data: typed.Picture) -> list[Picture]:
    match data:
        case typed.Series(days=days) if days and data.known:
            changed = "against" in finding.subject
            return [series.changes([finding]) if changed else series.over_days(finding)]
        case typed.Map(cells=cells) if cells:
            made = maps.of_map(finding, data)
            return [] if made is None else [made]
        case typed.Lines(of="search"):
            return [curves.searched(data.line("gap"))]
        case typed.Lines(of="traffic"):
            return [traffic.against_days(data)]
        case typed.Lines(of="share"):
            return [trade_offs.against_relevance(data)]
        case typed.Lines(of="alpha"):
            return online_audits.against_alpha(data)
        case typed.Lines(of="ended"):
            return [online_audits.durations(data.line("ended"))]
        case typed.Bounds():
            return [online_audits.arms_over_time(data)]
        case typed.Shares(of="gain", groups=groups) if len(groups) == 1:
            return [histograms.gains(finding, data)]
        case typed.Shares(groups=groups) if len(groups) == 2:
            return [histograms.two_sides(data)]
    return []  # nothing is left of it, or several findings make it together


def chart_of(document: Document, name: str) -> alt.LayerChart:
    """The picture of a finding, by its id, or of a question: an Altair chart in plain colours.

    Raises where there is no such finding or question, and where it has no picture.
    """
    cards = {card.question: card for card in read(document).cards}
    chosen = [finding for finding in legible(document).findings if finding.id == name]
    if name not in cards and not chosen:
        asked = ", ".join(cards) or "none"
        raise InputError(
            f"There is no finding or question {name!r} here; asked were: {asked}. Findings go by their id."
        )
    picture = picture_of(cards[name].main) if name in cards else main_picture(chosen)
    if picture is None:
        raise InputError(f"There is nothing to draw of {name}: it is not shown, or not a size.")
    return picture.chart()
