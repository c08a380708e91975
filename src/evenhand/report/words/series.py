"""A series of days in a sentence or two: which days were unequal, and what the latest one says."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from evenhand.findings import Finding, Verdict
from evenhand.pictures import Blank, Day
from evenhand.report.words import sentences, verdicts

# More days than this are counted, not named.
_NAMED = 4
_OTHERS = {
    Verdict.INCONCLUSIVE.value: "undecided",
    Verdict.WITHIN_TOLERANCE.value: "within the tolerance",
}


def daily_penalty(findings: Sequence[Finding]) -> Finding | None:
    """The penalty of each day, where there is one such series with a tolerance and an estimate."""
    found = [
        f
        for f in findings
        if f.measure == "daily_penalty" and f.tolerance is not None and f.series is not None
    ]
    return found[0] if len(found) == 1 else None


def which_days(finding: Finding) -> str:
    """ "On 25 and 26 April 2024 opportunity was unequal (57%); the other 12 days are undecided."."""
    days = known_days(finding)
    unit = finding.details["unit"]
    # Of the latest, `latest` says so.
    unknown = sum(day.estimate is None for day in all_days(finding)[:-1])
    left = f" {unknown} {unit}{'' if unknown == 1 else 's'} before it could not be judged." if unknown else ""
    return _judged(finding, days, unit) + left if days else left.strip()


def _judged(finding: Finding, days: Sequence[Day], unit: str) -> str:
    outside = [entry for entry in days if entry.verdict == Verdict.VIOLATION.value]
    others = [entry.verdict for entry in days if entry.verdict != Verdict.VIOLATION.value]
    rest = [f"{others.count(key)} {word}" for key, word in _OTHERS.items() if key in others]
    if not outside:
        if len(rest) == 1:
            word = rest[0].split(" ", 1)[1]
            every = "All" if len(days) == len(all_days(finding)) else "The other"
            return (
                f"{every} {len(days)} {unit}s are {word}."
                if len(days) > 1
                else f"The other {unit} is {word}."
            )
        return f"No {unit} of {len(days)} is shown to be outside the tolerance: {', '.join(rest)}."
    statement = f"{_named(outside, unit, len(days))} opportunity was unequal ({_range(finding, outside)})"
    if not others:
        return f"{statement}."
    if len(rest) > 1:
        return f"{statement}; of the other {len(others)}, {' and '.join(rest)}."
    word = rest[0].split(" ", 1)[1]
    other = f"the other {unit} is" if len(others) == 1 else f"the other {len(others)} {unit}s are"
    return f"{statement}; {other} {word}."


def latest(finding: Finding) -> str:
    """ "On 26 April 2024, the latest day, it was 57% (50% to 64%): outside the tolerance of 11%."."""
    last, unit = all_days(finding)[-1], finding.details["unit"]
    when = f"{_on([last], unit)}, the latest {unit},"
    if isinstance(last, Blank):
        return f"{when} opportunity could not be judged."
    said = verdicts.WORDS[None if last.verdict is None else Verdict(last.verdict)]
    low, high = (sentences.figure(finding, getattr(last, side), unit=False) for side in ("low", "high"))
    size = sentences.figure(finding, last.estimate)
    return f"{when} the penalty was {size} ({low} to {high}): {said}."


def all_days(finding: Finding) -> tuple[Day | Blank, ...]:
    return () if finding.series is None else finding.series.days


def known_days(finding: Finding) -> list[Day]:
    """The days that have an estimate, with their limits."""
    return [] if finding.series is None else finding.series.known


def _named(entries: Sequence[Day], unit: str, days: int) -> str:
    at = "In" if unit == "week" else "On"
    if len(entries) == days:
        return f"{at} every one of {days} {unit}s" if days > 1 else f"{at} the one {unit}"
    if len(entries) > _NAMED:
        return f"{at} {len(entries)} of {days} {unit}s"
    return _on(entries, unit)


def _on(entries: Sequence[Day | Blank], unit: str) -> str:
    said = in_words([entry.day for entry in entries])
    if unit == "week":
        return f"In the week{'' if len(entries) == 1 else 's'} of {said}"
    return f"On {said}"


def in_words(labels: Sequence[str]) -> str:
    """Days as one would say them: month and year once, where they are the same."""
    try:
        dates = [date.fromisoformat(label) for label in labels]
    except ValueError:
        return f"day {_listed(labels)}" if len(labels) == 1 else f"days {_listed(labels)}"
    if len({(day.year, day.month) for day in dates}) == 1:
        return f"{_listed([str(day.day) for day in dates])} {dates[0]:%B %Y}"
    if len({day.year for day in dates}) == 1:
        return f"{_listed([f'{day.day} {day:%B}' for day in dates])} {dates[0].year}"
    return _listed([f"{day.day} {day:%B %Y}" for day in dates])


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _range(finding: Finding, entries: Sequence[Day]) -> str:
    sizes = sorted(float(entry.estimate) for entry in entries)
    least, most = (sentences.figure(finding, size) for size in (sizes[0], sizes[-1]))
    return least if least == most else f"{least} to {most}"
