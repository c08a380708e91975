"""A monitor in sentences: what the last look says, which flags are open, which days are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from evenhand.documents import Document
from evenhand.findings import Finding, Verdict
from evenhand.following import is_of_all_days
from evenhand.monitor.page.lately import lately
from evenhand.monitor.page.model import Watch
from evenhand.report.words import verdicts
from evenhand.report.words.days import dated
from evenhand.report.words.legible import legible, line
from evenhand.report.words.numbers import count
from evenhand.report.words.people import listed, short_who

# More than this are counted, not named.
_NAMED = 3


def latest(watch: Watch) -> str:
    """The day of the last look: "26 April 2024", "the week of 22 April 2024"."""
    said = dated([watch.last_day])
    return f"the week of {said}" if watch.unit == "week" else said


def flags(watch: Watch) -> str:
    """Which flags are open, since when."""
    now = [(one.rule, one.opened) for one in watch.open_flags]
    if not now:
        before = sum(flag.state == "closed" for flag in watch.flags)
        return f"No flag is open; {_number(before, 'was', 'were')} before." if before else "No flag is open."
    return _open(now)


def standing(raised: Sequence[tuple[str, str]], findings: Sequence[Finding]) -> list[str]:
    """What stands whatever the last day says: since when single days are beyond the limit, flags that are
    open, by rule and day, and who is beyond the limit over all days together. A last day that is not decided
    takes nothing of it back."""
    said = [*lately(findings), *([_open(raised)] if raised else [])]
    beyond = dict.fromkeys(
        short_who(one) for one in findings if is_of_all_days(one) and one.verdict is Verdict.VIOLATION
    )
    named = [*beyond][:_NAMED] + ([f"{count(len(beyond) - _NAMED)} more"] if len(beyond) > _NAMED else [])
    return [*said, f"Beyond the limit over all days together: {listed(named)}."] if beyond else said


def _open(now: Sequence[tuple[str, str]]) -> str:
    now = sorted(now, key=lambda one: one[1])
    since = dated([now[0][1]])
    rules = Counter(line(rule) for rule, _ in now)
    if len(rules) > _NAMED:
        return f"{count(len(now))} flags are open, the first since {since}."
    named = listed([rule if number == 1 else f"{rule} ({number})" for rule, number in rules.items()])
    if len(now) == 1:
        return f"One flag is open: {named}, since {since}."
    return f"{count(len(now))} flags are open: {named}; the first since {since}."


def missing(watch: Watch) -> str:
    """How many days have data, and which do not."""
    unit, gaps = watch.unit, watch.gaps
    every = len(watch.calendar)
    if not gaps:
        return f"{_number(every, unit, f'{unit}s')} from {_span(watch)}, none missing."
    there = count(every - len(gaps))
    named = f": {_dates(gaps)}" if len(gaps) <= _NAMED else ""
    are = _number(len(gaps), "is", "are")
    return f"{there} of the {count(every)} {unit}s from {_span(watch)}; {are} missing{named}."


def left_out(document: Document) -> list[str]:
    """Groups that a look could not speak about, or had too few users of."""
    found = dict.fromkeys(
        (verdicts.left_out(one), one.why.rstrip("."))
        for finding in legible(document).findings
        for one in finding.excluded
        if one.why != "excluded as asked"
    )
    return [f"{what} was left out: {why}." for what, why in found]


def stretches(watch: Watch) -> list[str]:
    """The missing days, those that follow each other together: "4 to 6 March 2026"."""
    return [
        dated(list(one))
        if len(one) == 1
        else f"{dated([one[0]])} to {dated([one[-1]])} ({len(one)} {watch.unit}s)"
        for one in watch.stretches
    ]


def _span(watch: Watch) -> str:
    first, last = watch.calendar[0], watch.calendar[-1]
    return dated([first]) if first == last else f"{dated([first])} to {dated([last])}"


def _dates(labels: Sequence[str]) -> str:
    return dated(list(labels))


def _number(value: int, one: str, several: str) -> str:
    return f"{count(value)} {one if value == 1 else several}"
