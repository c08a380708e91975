"""Every picture of a report, by what it is of: the one that answers, and those that may be folded away."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from evenhand import pictures as typed
from evenhand.documents import Answer, Document
from evenhand.errors import InputError
from evenhand.findings import Finding, Verdict
from evenhand.report.pages.arrange import Family, sections
from evenhand.report.pictures import curves, histograms, maps, online_audits, series, trade_offs, traffic
from evenhand.report.pictures.picture import Picture
from evenhand.report.pictures.rankings import ranked
from evenhand.report.vocabulary.names import audit
from evenhand.report.words.legible import legible

# Fewer pairs than this are as well read one by one.
_PAIRS = 3
_CONCERN = [Verdict.VIOLATION, Verdict.INCONCLUSIVE, Verdict.WITHIN_TOLERANCE, None, Verdict.NOT_APPLICABLE]


def main_picture(findings: Sequence[Finding]) -> Picture | None:
    """The one picture of findings of one measure.

    Where they are several families (two attributes, say, or settings), it is of the one that is furthest from
    a pass. None where there is nothing to draw.
    """
    made: list[tuple[int, int, list[Picture]]] = []
    for section in sections(findings):
        families = [(family, family.findings) for family in section.families]
        alike = {f.measure: [g for g in section.singles if g.measure == f.measure] for f in section.singles}
        families += [(_as_family(members), tuple(members)) for members in alike.values()]
        for family, members in families:
            own = [picture for finding in members[:1] for picture in pictures_of(finding)]
            concern = min(_CONCERN.index(finding.verdict) for finding in members)
            made.append((concern, len(made), pictures_together(family) or own))
    drawn = sorted((one for one in made if one[2]), key=lambda one: one[:2])
    return drawn[0][2][0] if drawn else None


def _as_family(findings: Sequence[Finding]) -> Family:
    """Findings that stand alone, as one picture has them."""
    from evenhand.report.words import sentences

    labels = tuple(sentences.place(finding) or sentences.title(finding) for finding in findings)
    return Family(tuple(findings), labels, ranked=False)


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
    if all({"users", "items"} <= f.about.keys() for f in known):
        return [maps.of_pairs_of_people_and_items(findings)]
    chosen, rest = family.split()
    picture = ranked(chosen.findings, chosen.labels, of=len(known) if rest else 0)
    return [] if picture is None else [picture]


def pictures_of(finding: Finding) -> list[Picture]:
    """Every picture for which a finding has the data by itself; most findings have none."""
    return [picture for data in finding.pictures for picture in _pictures(finding, data)]


def pictures_of_each(findings: Sequence[Finding]) -> list[list[Picture]]:
    """The pictures of findings that stand alone; what several draw together stands with the first."""
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
        case typed.Map(cells=cells) if cells and data.of != "exposure":  # that of pairs says more
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
    document = legible(document)
    answer = next((one for one in document.questions if one.question == name), None)
    chosen = [finding for finding in document.findings if finding.id == name]
    if answer is None and not chosen:
        asked = ", ".join(one.question for one in document.questions) or "none"
        raise InputError(
            f"There is no finding or question {name!r}; questions here are {asked}, and findings have an id."
        )
    picture = _of_question(document.findings, answer) if answer is not None else main_picture(chosen)
    if picture is None:
        raise InputError(f"There is nothing to draw of {name}: it is one number, or not shown.")
    return picture.chart()


def _of_question(findings: Sequence[Finding], answer: Answer) -> Picture | None:
    """That of the measure which its audit draws, or of the headline."""
    families = {family.name for family in answer.headline}
    headline = [f for f in findings if f.family is not None and f.family.name in families]
    names = {finding.audit for finding in headline}
    for name in names:
        drawn = getattr(audit(name), "drawn", "")
        picture = main_picture([f for f in findings if (f.audit, f.measure) == (name, drawn)])
        if picture is not None:
            return picture
    return main_picture(headline)
