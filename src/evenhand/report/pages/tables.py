"""Findings as rows of a table and as lists of facts, for whichever page they stand on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.findings import Finding, Interval
from evenhand.report.pages.arrange import Family
from evenhand.report.vocabulary.names import capital, measure, term
from evenhand.report.words import numbers, sentences, verdicts

NOTHING = "–"
# Where a finding has how many rows of its group are positive: in all, or in default and random traffic.
POSITIVES = ("positives", "positives_default", "positives_random")
_LONGEST_LIST = 12


@dataclass(frozen=True)
class Row:
    """One finding, each cell as text."""

    finding: Finding
    label: str
    estimate: str
    interval: str
    tolerance: str
    n: str
    p_value: str
    day: str = ""
    positives: str = ""

    @property
    def verdict(self) -> str:
        return verdicts.WORDS[self.finding.verdict]

    @property
    def shape(self) -> str:
        return verdicts.SHAPES[self.finding.verdict]

    @property
    def key(self) -> str:
        """The verdict as a class name."""
        return self.finding.verdict or "none"


def row(finding: Finding, label: str = "") -> Row:
    known = measure(finding.measure)

    def figure(value: float | None, sign: bool = known.directions is not None, unit: bool = True) -> str:
        if value is None:
            return NOTHING
        if known.sign_in_words:
            return sentences.size(finding, value)
        return sentences.figure(finding, value, sign=sign, unit=unit)

    interval = finding.interval
    return Row(
        finding=finding,
        label=label or sentences.title(finding),
        estimate=figure(sentences.value(finding)),
        interval=NOTHING
        if interval is None
        else "counted"
        if sentences.is_counted(interval)
        else f"{figure(interval.low, unit=False)} to {figure(interval.high)}",
        tolerance=NOTHING
        if finding.tolerance is None
        else _limit(finding) + figure(finding.tolerance, sign=False),
        n=NOTHING if finding.n is None else numbers.count(finding.n.count),
        p_value=NOTHING if finding.p_value is None else numbers.p_value(finding.p_value),
        day=str(finding.details.get("day", "")) if finding.series is not None else "",
        positives=_positives(finding),
    )


def _positives(finding: Finding) -> str:
    """Positive rows of a group in each log, which decide how much its rows tell: "412+96"."""
    counts = [finding.details.get(key) for key in POSITIVES]
    return "+".join(numbers.count(count) for count in counts if isinstance(count, int))


def head_of_positives(shown: Sequence[Row]) -> tuple[str, ...]:
    """The head over positive rows, in short lines: which traffic each number is of, where there are two."""
    in_two_logs = any("+" in row.positives for row in shown)
    return ("Liked in", "default", "+ random") if in_two_logs else ("Liked",)


def _limit(finding: Finding) -> str:
    return {"above": "≤ ", "below": "≥ ", "outside": "± "}[finding.harm]


def rows(family: Family) -> list[Row]:
    return [row(finding, label) for finding, label in zip(family.findings, family.labels, strict=True)]


def facts(finding: Finding) -> list[tuple[str, str]]:
    """How a number was computed, term by term; what the finding does not say is left out."""
    known = measure(finding.measure)
    found = [("Measure", f"{finding.audit}.{finding.measure}"), ("Definition", known.definition)]
    if finding.interval is not None:
        interval = finding.interval
        found += [
            ("Interval", _made(interval)),
            ("Validity", f"{interval.validity}: {sentences.VALIDITY_WORDS[interval.validity]}"),
        ]
    if finding.estimate is not None and sentences.value(finding) != finding.estimate:
        found.append(("As published", sentences.figure(finding, finding.estimate)))
    if finding.n is not None:
        found.append(("Based on", f"{numbers.count(finding.n.count)} {finding.n.of}"))
    if finding.p_value is not None:
        found.append(("P-value", numbers.p_value(finding.p_value)))
    found += [(capital(term(name)), text) for name, text in _flat(finding.details)]
    return [(term, text) for term, text in found if text]


def _made(interval: Interval) -> str:
    """The level of an interval and how it was made; what was counted has no level."""
    if sentences.is_counted(interval):
        return interval.method
    return f"{numbers.percent_of(interval.level)}, {interval.method}"


def _flat(details: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in details.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}, ")
        else:
            yield prefix + name, _as_text(value)


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        if len(value) > _LONGEST_LIST or any(isinstance(item, dict | list) for item in value):
            return f"{numbers.count(len(value))} values, in findings.json"
        return ", ".join(_as_text(item) for item in value)
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: NOTHING}[value]
    if isinstance(value, int):
        return numbers.count(value)
    return f"{value:.4g}".replace("-", "−") if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Together:
    """The facts of several findings: those that are the same said once, the others as a table."""

    common: list[tuple[str, str]]
    columns: list[str]
    lines: list[tuple[str, list[str]]]


def facts_together(family: Family) -> Together:
    each = [dict(facts(finding)) for finding in family.findings]
    terms = list(dict.fromkeys(term for found in each for term in found))
    # A finding without an estimate says little about how it was made, which is no difference worth a column.
    same = {
        term for term in terms if len({found[term] for found in each if term in found}) == 1 and len(each) > 1
    }
    columns = [term for term in terms if term not in same]
    first = {term: text for found in reversed(each) for term, text in found.items()}
    return Together(
        common=[(term, first[term]) for term in terms if term in same],
        columns=columns,
        lines=[
            (label, [found.get(term, NOTHING) for term in columns])
            for label, found in zip(family.labels, each, strict=True)
        ],
    )
