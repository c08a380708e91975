"""The words of one room: what its audits and measures are called, and what to do about what they find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from evenhand.about import Subject
from evenhand.findings import Finding, Verdict
from evenhand.report.vocabulary.measure import Measure

# Advice of several audits where a verdict is inconclusive.
MORE_USERS = "Take more users, or compare fewer and larger groups."


@dataclass(frozen=True)
class Audit:
    """How to speak about one audit.

    `question` is the one that its page begins with; where it is empty, that of its declaration in
    `asked/audits.py`. `serves` is the id of the question that it helps to answer. `headline` is the measure
    whose families are the answer: all of their intervals hold at once, and everything else under the question
    explains it and is not counted. Where several audits of a question have one, the first that was run is
    the answer, in the order in which rooms list their audits.

    `opens` is a measure that is said before the headline, as that means little without it: which way items
    lean, without what can be guessed. On the card of its question, `part` is the heading under which an audit
    stands where another one answers, `drawn` is the measure in its one picture (the headline where it is not
    said) and `numbers` are the measures that stand large beside it.

    `worst` is a measure of single groups: where the headline names none, the group that has least of it is
    said beside it.

    `section` are the keys of a subject that make a section of the report: an attribute, and for some audits
    more. An audit that is `listed` answers a list of like questions, so that there is a picture of all,
    however few. `arms` are names for machines as a reader would call them. `simulated` audits are of made-up
    users or logs: they say how an audit would do, and nothing about a system. `labels` say a key of a subject
    where a heading or a table names it, from the whole subject; an empty one leaves the key out.
    `advice` is what to do about a verdict, or the lack of one, in which `{worst}` are the people of the group
    that has least; a function of the finding where more than the verdict decides.
    """

    title: str
    serves: str
    question: str = ""
    headline: str = ""
    opens: str = ""
    worst: str = ""
    part: str = ""
    drawn: str = ""
    numbers: tuple[str, ...] = ()
    section: tuple[str, ...] = ("by", "where")
    listed: bool = False
    arms: Mapping[str, str] = field(default_factory=dict)
    simulated: bool = False
    labels: Mapping[str, Callable[[Subject], str]] = field(default_factory=dict)
    advice: Mapping[Verdict | None, str | Callable[[Finding], str]] = field(default_factory=dict)


def unsaid(subject: Subject) -> str:
    """The label of a key that another one says."""
    return ""


@dataclass(frozen=True)
class Room:
    """All words of a room. `headings` are words in a subject that need more words in a heading, `terms`
    names in a finding's details that are too short to be understood."""

    audits: Mapping[str, Audit]
    measures: Mapping[str, Measure]
    headings: Mapping[str, str] = field(default_factory=dict)
    terms: Mapping[str, str] = field(default_factory=dict)
