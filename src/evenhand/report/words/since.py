"""What changed since an earlier audit, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.documents import Answer, Change, Comparison
from evenhand.findings import Finding
from evenhand.report.vocabulary.measure import Measure
from evenhand.report.vocabulary.names import audit, measure
from evenhand.report.vocabulary.questions import TOPICS
from evenhand.report.words import numbers, sentences, verdicts
from evenhand.report.words.days import dated

WHY_NOT: Mapping[str, str] = {
    "asked": "the plan asks it otherwise now",
    "groups": "the data chose other groups now",
    "doubts": "the data speaks against one of the two numbers",
    "interval": "one of the two has no interval",
    "number": "one of the two has no number",
}
NARROWER = (
    "The same users may be in both, so that these intervals are as wide as both together; one audit of both "
    "logs (compare, or a series of days) would tell smaller changes."
)


def has_moved(change: Change) -> bool:
    """Whether the truth has changed, as far as the data can tell."""
    interval = change.interval
    return interval is not None and not interval.low <= 0 <= interval.high


def opening(compared: Comparison, answers: Sequence[Answer]) -> list[str]:
    """The sentences at the head: what became of the answers, and of how many numbers."""
    said = [f"Since the earlier audit{_when(compared)}: {_answers(compared, answers)}"]
    both = [one for one in compared.changes if one.change not in ("new", "gone")]
    moved = [one for one in both if has_moved(one)]
    told = (
        f"{numbers.count(len(moved))} of {numbers.count(len(both))} numbers have changed by more than chance "
        "explains"
    )
    for kind in ("new", "gone"):
        count = sum(one.change == kind for one in compared.changes)
        told += f", {numbers.count(count)} {'is' if count == 1 else 'are'} {kind}" if count else ""
    said.append(f"{told}.")
    if compared.asked_otherwise:
        titles = ", ".join(audit(name).title.lower() for name in compared.asked_otherwise)
        said.append(f"Asked otherwise than before, so that nothing can be said of a change: {titles}.")
    return said


def _when(compared: Comparison) -> str:
    if compared.period is None:
        return ""
    first, last = compared.period
    return f" ({dated([first])})" if first == last else f" ({dated([first])} to {dated([last])})"


def _answers(compared: Comparison, answers: Sequence[Answer]) -> str:
    asked = [answer for answer in answers if answer.question in compared.answers]
    if not asked:
        return "no question was asked both times."
    differ = [answer for answer in asked if answer.verdict != compared.answers[answer.question]]
    if not differ:
        return "the same answer to the question." if len(asked) == 1 else "the same answers to all questions."
    told = [
        f"{TOPICS.get(one.question, one.question)} was {verdicts.WORDS[compared.answers[one.question]]}, is "
        f"{verdicts.WORDS[one.verdict]}"
        for one in differ
    ]
    return f"{'; '.join(told)}."


def in_words(change: Change, finding: Finding) -> str:
    """What became of one number: "22% less often before; changed by −4 to +12 points"."""
    words = measure(finding.measure)
    said = []
    if change.change == "verdict":
        said.append(f"was {verdicts.WORDS[change.verdict_before]}")
    if change.before is not None:
        said.append(f"{sentences.size(finding, change.before)} before")
    return "; ".join([*said, difference(change, words)])


def difference(change: Change, words: Measure) -> str:
    """By how much a number has changed, and whether that is more than chance."""
    if change.change == "new":
        return "new"
    if change.interval is None:
        return f"no interval on the change, as {WHY_NOT[change.why_not or 'interval']}"
    low, high = (_figure(end, change, words) for end in (change.interval.low, change.interval.high))
    if low == high:
        return f"changed by {low}"
    low = low.removesuffix(" points") if high.endswith(" points") else low
    level = f"in at least {numbers.percent_of(change.interval.level)} of such comparisons"
    if has_moved(change):
        return f"changed, by {low} to {high} ({level})"
    return f"no change shown: {low} to {high} ({level})"


def _figure(end: float, change: Change, words: Measure) -> str:
    """An end of the change, with its sign and as many digits as the width of the interval asks for."""
    assert change.interval is not None
    show: numbers.Show = {"percent": "points", "squared": "number"}.get(words.show, words.show)  # type: ignore[assignment]
    scale = numbers.SCALES[show]
    width = (change.interval.high - change.interval.low) * scale
    decimals = numbers.places(width / 5 if width else abs(end) * scale / 10)
    return numbers.figure(end, show, decimals, sign=True)
