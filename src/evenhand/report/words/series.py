"""A series of days in a sentence or two: which days were unequal, and what the latest one says."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Finding, Verdict
from evenhand.pictures import Blank, Day
from evenhand.report.vocabulary.names import capital
from evenhand.report.words import sentences, verdicts
from evenhand.report.words.days import dated, together

# More days than this are counted, not named.
_NAMED = 4


def daily_penalty(findings: Sequence[Finding]) -> Finding | None:
    """The penalty of each day, where there is one such series with a tolerance and an estimate."""
    found = [
        f
        for f in findings
        if f.measure == "daily_penalty" and f.tolerance is not None and f.series is not None
    ]
    return found[0] if len(found) == 1 else None


def which_days(finding: Finding) -> str:
    """ "Each day alone is beyond the limit; two remain so after correcting for 14 looks: 25 and 26 April 2024
    (57%)."."""
    days, unit = known_days(finding), finding.details["unit"]
    # Of the latest, `latest` says so.
    unknown = sum(day.estimate is None for day in all_days(finding)[:-1])
    left = f" {unknown} {unit}{'' if unknown == 1 else 's'} before it could not be judged." if unknown else ""
    if not days:
        return left.strip()
    beyond = [entry for entry in days if entry.verdict == Verdict.VIOLATION.value]
    named = f": {_on(beyond, unit)}" if 0 < len(beyond) <= _NAMED and len(beyond) < len(days) else ""
    size = f" ({_range(finding, beyond)})" if beyond else ""
    return f"{capital(together(finding))}{named}{size}.{left}"


def latest(finding: Finding) -> str:
    """ "On 26 April 2024, the latest day, the penalty was 57% (50 to 64%): beyond the limit."."""
    last, unit = all_days(finding)[-1], finding.details["unit"]
    when = f"{'In' if unit == 'week' else 'On'} {_on([last], unit)}, the latest {unit},"
    if isinstance(last, Blank):
        return f"{when} opportunity could not be judged."
    said = verdicts.WORDS[None if last.verdict is None else Verdict(last.verdict)]
    bounds = sentences.bounds(finding, last.low, last.high)
    size = sentences.figure(finding, last.estimate)
    return f"{when} the penalty was {size} ({bounds}): {said}."


def all_days(finding: Finding) -> tuple[Day | Blank, ...]:
    return () if finding.series is None else finding.series.days


def known_days(finding: Finding) -> list[Day]:
    """The days that have an estimate, with their limits."""
    return [] if finding.series is None else finding.series.known


def _on(entries: Sequence[Day | Blank], unit: str) -> str:
    said = dated([entry.day for entry in entries])
    return f"the week{'' if len(entries) == 1 else 's'} of {said}" if unit == "week" else said


def _range(finding: Finding, entries: Sequence[Day]) -> str:
    sizes = sorted(float(entry.estimate) for entry in entries)
    least, most = (sentences.figure(finding, size) for size in (sizes[0], sizes[-1]))
    return least if least == most else sentences.bounds(finding, sizes[0], sizes[-1])
