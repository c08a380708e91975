"""What a reader is told. No layout, no colours, and no number that is not a finding's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evenhand.findings import Finding, Verdict
from evenhand.report.pages.arrange import Section
from evenhand.report.words.agreed import Heading


@dataclass(frozen=True)
class Line:
    """A sentence, and the finding whose numbers it says."""

    text: str
    finding: Finding | None = None


@dataclass(frozen=True)
class Row:
    """One side of an answer on the first screen: who, and how much. `is_worst`: it decides nothing, and names
    who gets least."""

    who: str
    how_much: str
    finding: Finding
    is_worst: bool = False


@dataclass(frozen=True)
class Part:
    """What one audit says to a question: its answer in a few lines, what to draw, and all the rest."""

    audit: str
    title: str
    verdict: Verdict | None
    lines: tuple[Line, ...]
    drawn: tuple[Finding, ...]
    numbers: tuple[Finding, ...]
    sections: tuple[Section, ...]
    # By their place in the list of the whole reading, counted from 1.
    assumptions: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Card:
    """The answer to one question. `main` is the audit that answers it, `parts` are what others add."""

    question: str
    title: str
    topic: str
    verdict: Verdict | None
    level: float | None
    rows: tuple[Row, ...]
    next_step: str
    main: Part
    parts: tuple[Part, ...] = ()
    # Of each set of intervals that the answer rests on.
    levels: tuple[float, ...] = ()
    # What its limit is called: agreed, or the default.
    limit: str = "limit"
    # Who else is beyond the limit, besides the rows.
    also: str = ""
    # What was found by attributes that no row is of.
    others: tuple[str, ...] = ()
    # That a change which was tested mends what was found, where one does.
    mended: Line | None = None
    # What a comparison itself found, where an answer beyond its limit would hide it.
    compared: Line | None = None
    # Numbers beyond limits of their own that decide nothing, where the answer is not beyond; the worst first.
    beyond_under: tuple[Finding, ...] = ()
    # The measure whose findings answer.
    decides: str = ""

    @property
    def beyond_beside(self) -> tuple[Part, ...]:
        """Parts that are beyond their limits where the answer itself is not: a gate stops for them."""
        told = self.verdict is Verdict.VIOLATION
        return () if told else tuple(part for part in self.parts if part.verdict is Verdict.VIOLATION)


@dataclass(frozen=True)
class Cell:
    """What one question says of a group, and the finding that has it: of those that decide the question the
    furthest from a pass, or else of any."""

    verdict: Verdict | None
    finding: Finding


@dataclass(frozen=True)
class People:
    """One group through all questions; a question without a cell was not asked of it. `key` is how ids of
    findings name it; the findings are in the order of concern."""

    label: str
    key: str
    cells: Mapping[str, Cell]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Undecided:
    """A number that is not decided, and what it would take."""

    finding: Finding
    takes: str


@dataclass(frozen=True)
class Assumption:
    """What numbers rest on, and whose. `untested`: a check could have looked at it, and was not asked for."""

    number: int
    text: str
    questions: tuple[str, ...]
    untested: bool = False

    @property
    def said(self) -> str:
        return f"{self.text} Not tested in this result." if self.untested else self.text


@dataclass(frozen=True)
class Changed:
    """What became of a number since an earlier audit."""

    finding: Finding
    told: str


@dataclass(frozen=True)
class Since:
    """What changed since an earlier audit: a few sentences, and the numbers with another verdict or value."""

    opening: tuple[str, ...]
    caution: str
    changed: tuple[Changed, ...]
    unchanged: tuple[Changed, ...]


@dataclass(frozen=True)
class Reading:
    """A whole result as it is read: the answer first, and under it what it rests on."""

    title: str
    scope: tuple[tuple[str, str], ...]
    overall: tuple[Line, ...]
    at_once: str
    cards: tuple[Card, ...]
    people: tuple[People, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    notes: tuple[str, ...] = field(default=())
    # What the plan agreed beforehand, by the headings of its frame.
    agreed: tuple[Heading, ...] = ()
    since: Since | None = None
