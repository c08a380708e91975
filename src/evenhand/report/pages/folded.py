"""What is folded under a card: every number of an audit, its pictures, tables, and how it was computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evenhand.report.pages import tables
from evenhand.report.pages.album import Album
from evenhand.report.pages.arrange import Family, Section, shared
from evenhand.report.pictures.gallery import pictures_of_each, pictures_together
from evenhand.report.vocabulary.names import audit, capital, measure, section_heading
from evenhand.report.words import numbers, sentences, summary

# More members of a family than this have no table here: those that stand out, and the list of every finding.
_MOST = 100
# So many measures of one kind are lines of one table.
_TABLE = 3


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


def folded(section: Section, album: Album, said: tuple[str, ...]) -> dict[str, Any]:
    """A section; what the card has `said` of warnings is not said again."""
    pictures = pictures_of_each(section.singles, section.families)
    alike = [finding for finding in section.singles if measure(finding.measure).show == "squared"]
    in_a_table = alike if len(alike) >= _TABLE else []
    return {
        "heading": section_heading(audit(section.audit).title, section.about),
        "families_first": section.families_first,
        "said": said,
        "singles": [
            (finding, album.put_new(drawn, finding.measure))
            for finding, drawn in zip(section.singles, pictures, strict=True)
            if finding not in in_a_table
        ],
        "measures": in_a_table,
        "pictures": [
            placed
            for finding, drawn in zip(section.singles, pictures, strict=True)
            if finding in in_a_table
            for placed in album.put_new(drawn, finding.measure)
        ],
        "alone": section.singles,
        "families": [_family(family, album, said) for family in section.families],
    }


def _family(family: Family, album: Album, said: tuple[str, ...]) -> dict[str, Any]:
    prominent, rest = family.split()
    in_family = shared([finding.warnings for finding in family.findings if finding.estimate is not None])
    return {
        "title": sentences.title(family.first) + _by_what(family),
        "context": family.context,
        "first": family.first,
        "pictures": album.put_new(pictures_together(family), family.first.measure),
        "members": family.findings,
        "counts": summary.counts(family.findings),
        "warnings": [text for text in in_family if text not in said],
        "said": [*in_family, *said],
        "prominent": _panel(prominent),
        "rest": None if rest is None or len(family.findings) > _MOST else _panel(rest),
        "interval": _interval_heading(family),
        "heading": capital(family.member),
        "computed": tables.facts_together(prominent),
    }


def _by_what(family: Family) -> str:
    return f", {family.member} by {family.member}" if family.ranked else ""


def _interval_heading(family: Family) -> str:
    """The head of the interval column, with the level where all intervals share it."""
    levels = {finding.interval.level for finding in family.findings if finding.interval is not None}
    return f"{numbers.percent_of(levels.pop())} interval" if len(levels) == 1 else "Interval"


def _panel(part: Family) -> Panel:
    return Panel(part, tables.rows(part))
