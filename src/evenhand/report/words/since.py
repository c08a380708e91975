"""What changed since an earlier audit, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from evenhand.documents import Answer, Change, Comparison
from evenhand.findings import Finding, Interval, Verdict
from evenhand.report.vocabulary.measure import Measure
from evenhand.report.vocabulary.names import audit, capital, measure
from evenhand.report.vocabulary.questions import TOPICS
from evenhand.report.words import numbers, sentences, verdicts
from evenhand.report.words.days import dated
from evenhand.report.words.legible import line
from evenhand.report.words.people import listed, short_who

WHY_NOT: Mapping[str, str] = {
    "asked": "the plan asks it otherwise now",
    "groups": "the data chose other groups now",
    "doubts": "the data speaks against one of the two numbers",
    "interval": "one of the two has no interval",
    "number": "one of the two has no number",
}
# Numbers that are not in both, and what became of them.
_OTHERS = {"new": "new", "not_asked": "not asked for now", "gone": "gone"}
# Which way a number has moved, as it is counted.
Direction = Literal["worse", "better", "changed"]
_WAYS: Mapping[Direction, str] = {"worse": "worse", "better": "better", "changed": "neither"}
# More groups than this are counted, not named.
_NAMED = 4
_NARROWER = (
    "The same users may be in both, so that an interval on a change is as wide as both together; one audit "
    "of both logs (compare, or a series of days) would tell smaller changes."
)


def has_moved(change: Change) -> bool:
    """Whether the truth has changed, as far as the data can tell."""
    interval = change.interval
    return interval is not None and not interval.low <= 0 <= interval.high


def opening(compared: Comparison, answers: Sequence[Answer], findings: Sequence[Finding]) -> list[str]:
    """The sentences at the head: what became of the answers, how many numbers have changed, and which."""
    deciding = [one for one in findings if _decides(one, compared, answers)]
    by_id = {one.id: one for one in findings}
    moved = _moved(compared, by_id, {one.id for one in deciding})
    worse = [one for one in moved if which_way(one, by_id[one.id]) == "worse"]
    said = [_worse(worse, by_id, usual_level(compared))] if worse else []
    said.append(f"Since the earlier audit{_when(compared)}: {_answers(compared, answers)}")
    if compared.system is not None:
        said.append(f"That audit was of another system: {line(compared.system)}.")
    said += _not_compared(compared, findings)
    said += _beyond_now_or_then(compared, deciding)
    both = [one for one in compared.changes if one.change not in ("new", "not_asked", "gone")]
    told = [one for one in both if one.why_not != "asked"]
    if told:
        said.append(_how_many(moved, len(told), by_id, usual_level(compared)))
    others = [
        f"{numbers.count(count)} {'is' if count == 1 else 'are'} {words}"
        for kind, words in _OTHERS.items()
        if (count := sum(one.change == kind for one in compared.changes))
    ]
    return [*said, f"Of the other numbers, {listed(others)}."] if others else said


def _decides(finding: Finding, compared: Comparison, answers: Sequence[Answer]) -> bool:
    """Whether it is one of the numbers that decide a question which is asked as it was."""
    names = {one.name for answer in answers if _is_comparable(answer, compared) for one in answer.headline}
    return finding.family is not None and finding.family.name in names


def _beyond_now_or_then(compared: Comparison, deciding: Sequence[Finding]) -> Iterator[str]:
    """Who is beyond the limit in one of the two only: the same answer may be about other people."""
    was = {one.id: one.verdict_before for one in compared.changes if one.change == "verdict"}
    changed = [one for one in deciding if one.id in was]
    beyond = Verdict.VIOLATION
    now = [f"{short_who(f)} ({verdicts.WORDS[was[f.id]]} then)" for f in changed if f.verdict is beyond]
    then = [f"{short_who(f)} ({verdicts.WORDS[f.verdict]} now)" for f in changed if was[f.id] is beyond]
    if now:
        yield f"Beyond the limit now, and not then: {_few(now)}."
    if then:
        yield f"Beyond the limit then, and not now: {_few(then)}."


def _few(said: Sequence[str]) -> str:
    more = [f"{numbers.count(len(said) - _NAMED)} more"] if len(said) > _NAMED else []
    return listed([*said[:_NAMED], *more])


def which_way(change: Change, finding: Finding) -> Direction:
    """Whether a number that has moved is worse or better: nearer to harm, or further from it. Without a
    limit nobody has said where harm lies, and what is on the other side now is neither."""
    if finding.tolerance is None or not has_moved(change) or change.before is None or change.interval is None:
        return "changed"
    grows = change.interval.low > 0
    if finding.harm == "outside":
        equal = measure(finding.measure).no_effect or 0.0
        before, now = change.before - equal, change.before + (change.difference or 0.0) - equal
        if before * now < 0:
            return "changed"
        return "worse" if abs(now) > abs(before) else "better"
    return "worse" if grows == (finding.harm == "above") else "better"


def _moved(compared: Comparison, findings: Mapping[str, Finding], deciding: Collection[str]) -> list[Change]:
    """The numbers that have changed: those that decide first, then those judged."""
    told = [one for one in compared.changes if one.id in findings and one.why_not != "asked"]
    return sorted(
        (one for one in told if has_moved(one)),
        key=lambda one: (one.id not in deciding, findings[one.id].tolerance is None),
    )


def _worse(worse: Sequence[Change], findings: Mapping[str, Finding], usual: float | None) -> str:
    """What got worse, before anything is said of answers that may be the same. Those who lose come first."""
    lost = [one for one in worse if (one.interval is not None and one.interval.high < 0)]
    shown = next((one for one in lost if findings[one.id].harm == "outside"), worse[0])
    more = f"; and {numbers.count(len(worse) - 1)} more" if len(worse) > 1 else ""
    finding = findings[shown.id]
    sizes = [f"{sentences.size(finding, size)} {when}" for size, when in _sizes(shown, finding)]
    how = "; ".join([", ".join(sizes), _difference(shown, finding, usual).removeprefix("worse, ")])
    who = f"{sentences.title(finding).lower()}, {short_who(finding)}"
    return f"Worse than in the earlier audit: {who} ({how}){more}."


def _sizes(change: Change, finding: Finding) -> list[tuple[float, str]]:
    now = sentences.value(finding)
    return [(size, when) for size, when in ((change.before, "before"), (now, "now")) if size is not None]


def _named(change: Change, finding: Finding, usual: float | None) -> str:
    how = _difference(change, finding, usual)
    return f"{sentences.title(finding).lower()}, {short_who(finding)} ({how})"


def _how_many(
    moved: Sequence[Change], among: int, findings: Mapping[str, Finding], usual: float | None
) -> str:
    """How many numbers have changed, and which way; the first of them, where none is worse and so said."""
    have = "has" if len(moved) == 1 else "have"
    said = (
        f"{numbers.count(len(moved))} of {numbers.count(among)} numbers {have} changed by more than "
        "chance explains"
    )
    ways = [which_way(one, findings[one.id]) for one in moved]
    counted = [f"{numbers.count(ways.count(way))} {word}" for way, word in _WAYS.items() if way in ways]
    if "worse" in ways:
        return f"{said} ({', '.join(counted)})."
    more = f"; and {numbers.count(len(moved) - 1)} more" if len(moved) > 1 else ""
    return f"{said}: {_named(moved[0], findings[moved[0].id], usual)}{more}." if moved else f"{said}."


def _not_compared(compared: Comparison, findings: Sequence[Finding]) -> Iterator[str]:
    """What is asked or decided otherwise, of which no change can be told."""
    if compared.asked_otherwise:
        titles = ", ".join(audit(name).title.lower() for name in compared.asked_otherwise)
        yield f"Asked otherwise than before, so that nothing can be said of a change: {titles}."
    deciding = {one.question for one in findings if one.audit in compared.asked_otherwise}
    for question, before in compared.decided_otherwise.items():
        if question not in deciding:
            by = f"; then it was {measure(before).title.lower()}" if before else ""
            topic = capital(TOPICS.get(question, question))
            yield f"{topic}: another number answers this now{by}. The two answers are not compared."


def _when(compared: Comparison) -> str:
    if compared.period is None:
        return ""
    first, last = compared.period
    return f" ({dated([first])})" if first == last else f" ({dated([first])} to {dated([last])})"


def _answers(compared: Comparison, answers: Sequence[Answer]) -> str:
    asked = [answer for answer in answers if _is_comparable(answer, compared)]
    if not asked:
        return "no question was asked the same both times."
    differ = [answer for answer in asked if answer.verdict != compared.answers[answer.question]]
    if not differ:
        return "the same answer to the question." if len(asked) == 1 else "the same answers to all questions."
    told = [
        f"{TOPICS.get(one.question, one.question)} was {verdicts.WORDS[compared.answers[one.question]]}, is "
        f"{verdicts.WORDS[one.verdict]}"
        for one in differ
    ]
    return f"{'; '.join(told)}."


def _is_comparable(answer: Answer, compared: Comparison) -> bool:
    """Whether the answer is to what was asked before."""
    decides = [part.audit for part in answer.parts if part.decided_by == answer.decided_by]
    return (
        answer.question in compared.answers
        and answer.question not in compared.decided_otherwise
        and not set(decides) & set(compared.asked_otherwise)
    )


def usual_level(compared: Comparison) -> float | None:
    """The level that most intervals on changes have."""
    levels = [one.interval.level for one in compared.changes if one.interval is not None]
    return max(set(levels), key=levels.count) if levels else None


def caution(compared: Comparison) -> str:
    """What the intervals on changes promise, to be said once."""
    level = usual_level(compared)
    if level is None:
        return ""
    said = f"Each interval on a change holds in at least {numbers.percent_of(level)} of such comparisons."
    return f"{said} {_NARROWER}"


def in_words(change: Change, finding: Finding, usual: float | None) -> str:
    """What became of one number: "22% less often before; changed, by −12 to −4 points". A level that is not
    the usual one is said."""
    said = []
    if change.change == "verdict":
        said.append(f"was {verdicts.WORDS[change.verdict_before]}")
    if change.before is not None:
        said.append(f"{sentences.size(finding, change.before)} before")
    return "; ".join([*said, _difference(change, finding, usual)])


def _difference(change: Change, finding: Finding, usual: float | None) -> str:
    """By how much a number has changed, whether that is more than chance, and whether it is worse."""
    words, way = measure(finding.measure), which_way(change, finding)
    if change.change == "new":
        return "new"
    interval = change.interval
    if interval is None:
        return f"no interval on the change, as {WHY_NOT[change.why_not or 'interval']}"
    other = "" if interval.level == usual else f" (in at least {numbers.percent_of(interval.level)})"
    if words.show == "squared":  # what is shown is a root, whose change is not that of the square
        return f"{_which_way(interval)}{other}"
    low, high = (_figure(end, interval, words) for end in (interval.low, interval.high))
    if low == high:
        return f"changed by {low}" if way == "changed" else f"{way}, by {low}"
    ends = f"{low.removesuffix(' points').removesuffix(' point')} to {high}"
    return f"{way}, by {ends}{other}" if has_moved(change) else f"no change shown: {ends}{other}"


def _which_way(interval: Interval) -> str:
    return "larger now" if interval.low > 0 else "smaller now" if interval.high < 0 else "no change shown"


def _figure(end: float, interval: Interval, words: Measure) -> str:
    """An end of the change, with its sign and as many digits as the width of the interval asks for, and as
    tell it from no change."""
    show: numbers.Show = "points" if words.show == "percent" else words.show
    scale = numbers.SCALES[show]
    decimals = numbers.places((interval.high - interval.low) * scale / 5)
    while end and not round(end * scale, decimals):
        decimals += 1
    return numbers.figure(end, show, decimals, sign=True)
