"""A result as one HTML file that needs nothing else: no network, no fonts, no time in it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from evenhand.documents import Document, text_of
from evenhand.findings import Verdict
from evenhand.report.pages import tables
from evenhand.report.pages.arrange import Family, Section, sections, shared
from evenhand.report.pictures import palette, vega
from evenhand.report.pictures.gallery import pictures_of_each, pictures_together
from evenhand.report.pictures.picture import Picture
from evenhand.report.pictures.strips import strip
from evenhand.report.vocabulary.names import audit, capital, measure, question, section_heading, spaced
from evenhand.report.words import advice, numbers, sentences, summary, verdicts
from evenhand.report.words.legible import legible

# How many sentences of each verdict stand at the top; the others are further down.
_LISTED = {Verdict.VIOLATION: 5, Verdict.INCONCLUSIVE: 3, Verdict.NOT_APPLICABLE: 3}


@dataclass(frozen=True)
class Panel:
    """The part of a family whose table is shown at once."""

    family: Family
    rows: list[tables.Row]

    def noted(self, said: list[str]) -> bool:
        """Whether any row has more to say than its numbers, beside what is `said` of all."""
        return any(
            row.finding.excluded or any(text not in said for text in row.finding.warnings)
            for row in self.rows
        )


def render(document: Document) -> str:
    """The report of a document. Equal documents give equal text."""
    digest = hashlib.sha256(text_of(document).encode()).hexdigest()
    document = legible(document)
    specifications: list[dict[str, Any]] = []
    findings = document.findings
    anchors = {id(finding): f"finding-{number}" for number, finding in enumerate(findings, start=1)}
    parts = [_section(section, specifications) for section in sections(findings)]
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            title=document.scope.get("title", "Fairness audit"),
            question=document.scope.get("question", ""),
            scope=[
                (capital(spaced(k)), v) for k, v in document.scope.items() if k not in ("title", "question")
            ],
            headline=summary.headline(findings),
            judged=summary.judged(findings),
            counts=summary.counts(findings),
            asides=summary.asides(findings),
            key_results=summary.further_results(findings),
            next_steps=advice.next_steps(findings),
            attention=[
                (verdict, listed[: _LISTED[verdict]], len(listed) - _LISTED[verdict])
                for verdict, listed in summary.by_verdict(findings)
            ],
            sections=parts,
            everything=[tables.row(finding) for finding in findings],
            anchor=lambda finding: anchors[id(finding)],
            verdict_meanings=verdicts.MEANINGS.items(),
            document=document,
            digest=digest,
            colours=palette.css(),
            charts=specifications,
            library=vega.library() if specifications else "",
        )
    )


def _section(section: Section, specifications: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "heading": section_heading(audit(section.audit).title, section.about),
        "question": question(section.audit),
        "families_first": section.families_first,
        "assumptions": section.shared_assumptions,
        "warnings": section.shared_warnings,
        "singles": [
            (finding, _numbered(pictures, specifications))
            for finding, pictures in zip(
                section.singles, pictures_of_each(section.singles, section.families), strict=True
            )
        ],
        "alone": section.singles,
        "families": [_family(family, section, specifications) for family in section.families],
    }


def _family(family: Family, section: Section, specifications: list[dict[str, Any]]) -> dict[str, Any]:
    prominent, rest = family.split()
    in_family = shared([finding.warnings for finding in family.findings if finding.estimate is not None])
    return {
        "title": sentences.title(family.first) + _by_what(family),
        "context": family.context,
        "first": family.first,
        "pictures": _numbered(pictures_together(family), specifications),
        "members": family.findings,
        "assumptions": list(dict.fromkeys(text for f in family.findings for text in f.assumptions)),
        "counts": summary.counts(family.findings),
        "warnings": [text for text in in_family if text not in section.shared_warnings],
        "said": [*in_family, *section.shared_warnings],
        "prominent": _panel(prominent),
        "rest": None if rest is None else _panel(rest),
        "interval": _interval_heading(family),
        "heading": capital(family.member),
        "computed": tables.facts_together(family),
    }


def _by_what(family: Family) -> str:
    return f", {family.member} by {family.member}" if family.ranked else ""


def _numbered(pictures: list[Picture], specifications: list[dict[str, Any]]) -> list[tuple[int, Picture]]:
    """Pictures, each with the number of its specification."""
    numbered = []
    for picture in pictures:
        specifications.append(picture.specification)
        numbered.append((len(specifications), picture))
    return numbered


def _interval_heading(family: Family) -> str:
    """The head of the interval column, with the level where all intervals share it."""
    levels = {finding.interval.level for finding in family.findings if finding.interval is not None}
    return f"{numbers.percent_of(levels.pop())} interval" if len(levels) == 1 else "Interval"


def _panel(part: Family) -> Panel:
    return Panel(part, tables.rows(part))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("evenhand.report.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        verdicts=verdicts,
        words=sentences,
        audit=audit,
        facts=tables.facts,
        strip=strip,
        row=tables.row,
        measure=measure,
        numbers=numbers,
    )
    return environment
