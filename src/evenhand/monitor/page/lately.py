"""Since when single days are beyond the limit: all days together say so late, as days before count too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

from evenhand.findings import Finding, Verdict
from evenhand.pictures import Blank, Day
from evenhand.report.vocabulary.names import capital
from evenhand.report.words import sentences
from evenhand.report.words.days import dated
from evenhand.report.words.numbers import count
from evenhand.report.words.people import listed

_STATES = (
    (Verdict.VIOLATION.value, "beyond it"),
    (Verdict.WITHIN_TOLERANCE.value, "within it"),
    (Verdict.INCONCLUSIVE.value, "not decided"),
    (None, "not to be judged"),
)


def lately(findings: Sequence[Finding]) -> list[str]:
    """Of every penalty of single days: since when they are beyond the limit, what all days together say, and
    how to see those days alone. A day is judged by the interval that holds on all days at once."""
    penalties = [one for one in findings if one.measure == "daily_penalty" and one.series is not None]
    told = []
    for one in penalties:
        pooled = [each for each in findings if each.measure == "running_penalty" and each.about == one.about]
        told += _since(one, pooled, f" ({sentences.place(one)})" if len(penalties) > 1 else "")
    return told


def _since(finding: Finding, pooled: Sequence[Finding], whom: str) -> list[str]:
    """Nothing where no day is beyond the limit since the last one that is within it."""
    days = () if finding.series is None else finding.series.days
    judged = [None if isinstance(day, Blank) else day.verdict for day in days]
    within = [place for place, verdict in enumerate(judged) if verdict == Verdict.WITHIN_TOLERANCE.value]
    after = within[-1] + 1 if within else 0
    if Verdict.VIOLATION.value not in judged[after:]:
        return []
    first = judged.index(Verdict.VIOLATION.value, after)
    unit = finding.details["unit"]
    begun = ("the week of " if unit == "week" else "") + dated([days[first].day])
    said = [f"Since {begun}, {_many(finding, days[first:], unit)}{whom}."]
    said += [_together(one, len(days), judged[:first], unit) for one in pooled]
    if first:
        said.append(
            f"To see these {unit}s alone: evenhand monitor show ... --from {days[first].day}. "
            f"{capital(unit)}s that are picked because they look bad look worse than they are, for which its "
            "intervals do not allow."
        )
    return [one for one in said if one]


def _many(finding: Finding, days: Sequence[Day | Blank], unit: str) -> str:
    """ "every day is beyond the limit by itself (6 days; the latest 37%, 11 to 53%; limit 11%)"."""
    beyond = [day for day in days if isinstance(day, Day) and day.verdict == Verdict.VIOLATION.value]
    last, number = beyond[-1], len(days)
    size = f"{sentences.figure(finding, last.estimate)}, {sentences.bounds(finding, last.low, last.high)}"
    size += f"; {sentences.limit(finding)}"
    if len(beyond) == number:
        every = f"every {unit}{'' if _none_missing(days, unit) else ' that was added'}"
        many = f"{count(number)} {unit}{'' if number == 1 else 's'}"
        return f"{every} is beyond the limit by itself ({many}; the latest {size})"
    are = "is" if len(beyond) == 1 else "are"
    others = [None if isinstance(day, Blank) else day.verdict for day in days]
    alone = "by itself" if len(beyond) == 1 else "each by itself"
    return (
        f"{count(len(beyond))} of {count(number)} {unit}s {are} beyond the limit {alone}, "
        f"{_counted(others, Verdict.VIOLATION.value)} (the last of them, {dated([last.day])}, {size})"
    )


def _none_missing(days: Sequence[Day | Blank], unit: str) -> bool:
    first, last = date.fromisoformat(days[0].day), date.fromisoformat(days[-1].day)
    return last - first == timedelta(days=(7 if unit == "week" else 1) * (len(days) - 1))


def _together(pooled: Finding, many: int, before: Sequence[str | None], unit: str) -> str:
    """What all days together say where that is less, and the days that count in it besides. There may be
    fewer looks at them than days: one that came late was looked at with the last."""
    if pooled.verdict not in (Verdict.INCONCLUSIVE, Verdict.WITHIN_TOLERANCE):
        return ""
    every = f"all {count(many)} {unit}s taken together are" if many > 1 else f"the one {unit} in all is"
    if pooled.verdict is Verdict.WITHIN_TOLERANCE:
        return f"{capital(every)} within the limit{_before(before, unit)}."
    return f"Whether {every} beyond the limit is not decided{_before(before, unit)}."


def _before(judged: Sequence[str | None], unit: str) -> str:
    if not judged:
        return ""
    them = f"{unit} before" if len(judged) == 1 else f"{count(len(judged))} {unit}s before"
    were = "was" if len(judged) == 1 else "were"
    if len(set(judged)) > 1:
        number, _, rest = _counted(judged).partition(" ")
        return f": among them are the {them}, of which {number} {'was' if number == '1' else 'were'} {rest}"
    there = "is" if len(judged) == 1 else "are"
    return f": among them {there} the {them}, which {were} {dict(_STATES)[judged[0]]}"


def _counted(judged: Sequence[str | None], leave_out: str = "") -> str:
    numbers = Counter(judged)
    return listed(
        [f"{count(numbers[key])} {word}" for key, word in _STATES if numbers[key] and key != leave_out]
    )
