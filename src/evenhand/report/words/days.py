"""How many days are beyond the limit, each by itself and all at once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from evenhand.findings import Finding, Verdict, compared
from evenhand.report.words.numbers import count
from evenhand.report.words.people import listed

_IN_WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def dated(labels: Sequence[str]) -> str:
    """Days as one would say them: month and year once, where they are the same."""
    try:  # a number of eight digits would be a date, too
        dates = [date.fromisoformat(label if "-" in label else "") for label in labels]
    except ValueError:
        return f"day {listed(labels)}" if len(labels) == 1 else f"days {listed(labels)}"
    if len({(day.year, day.month) for day in dates}) == 1:
        return f"{listed([str(day.day) for day in dates])} {dates[0]:%B %Y}"
    if len({day.year for day in dates}) == 1:
        return f"{listed([f'{day.day} {day:%B}' for day in dates])} {dates[0].year}"
    return listed([f"{day.day} {day:%B %Y}" for day in dates])


def together(finding: Finding) -> str:
    """ "each day alone is beyond the limit; three remain so after correcting for 14 looks".

    A day has two intervals: its own, and a wider one that holds for all days at once, by which it is judged.
    """
    unit, looks = finding.details["unit"], _looks(finding)
    if finding.tolerance is None:
        return f"{looks} {unit}s were looked at"
    beyond, undecided, within = _judged(finding)
    for number, where in ((beyond, "beyond"), (within, "within")):
        if number == looks:
            every = f"all {looks} {unit}s are" if looks > 1 else f"the one {unit} is"
            return f"{every} {where} the limit"
    alone = _beyond_alone(finding)
    if alone > beyond and looks == 1:
        return f"the one {unit} alone is beyond the limit, but not with the allowance for further looks"
    if alone > beyond:
        each = f"{count(alone)} of {looks} {unit}s alone {'is' if alone == 1 else 'are'}"
        each = f"each {unit} alone is" if alone == looks > 1 else each
        left = _IN_WORDS[beyond] if beyond < len(_IN_WORDS) else count(beyond)
        remain = "remains" if beyond < 2 else "remain"
        return f"{each} beyond the limit; {left} {remain} so after correcting for {looks} looks"
    first = f"{count(beyond)} of {looks} {unit}s {'is' if beyond == 1 else 'are'}"
    first = first if beyond else f"no {unit} is shown to be"
    rest = ((undecided, "not decided"), (within, "within it"))
    others = ", ".join(f"{count(number)} {word}" for number, word in rest if number)
    return f"{first} beyond the limit{f'; {others}' if others else ''}"


def _looks(finding: Finding) -> int:
    return finding.details["days"] if finding.series is None else len(finding.series.known)


def _judged(finding: Finding) -> tuple[int, int, int]:
    """How many days are beyond the limit, not decided, and within it, all at once."""
    if finding.series is None:
        outside, undecided, within = (
            finding.details[f"days_{part}"] for part in ("outside", "undecided", "within")
        )
        return outside, undecided, within
    verdicts = [day.verdict for day in finding.series.known]
    beyond, within = (verdicts.count(one.value) for one in (Verdict.VIOLATION, Verdict.WITHIN_TOLERANCE))
    return beyond, len(verdicts) - beyond - within, within


def _beyond_alone(finding: Finding) -> int:
    """How many days are beyond the limit by their own interval."""
    tolerance, days = finding.tolerance, [] if finding.series is None else finding.series.known
    assert tolerance is not None
    alone = [compared(day.fixed.low, day.fixed.high, tolerance, finding.harm) for day in days]
    return alone.count(Verdict.VIOLATION)
