"""The first words of a report: what was audited, and one answer over all questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from evenhand.documents import Document
from evenhand.findings import Finding, Verdict
from evenhand.report.reading.answered import speaking
from evenhand.report.reading.model import Card, Line
from evenhand.report.vocabulary.names import audit, capital, measure, spaced
from evenhand.report.vocabulary.questions import TOPICS
from evenhand.report.words import sentences, summary
from evenhand.report.words.days import dated
from evenhand.report.words.numbers import count, percent_of

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
_NO_PASS: dict[Verdict | None, tuple[Line, ...]] = {
    Verdict.INCONCLUSIVE: (Line("What is not decided is not a pass."),),
    Verdict.NOT_APPLICABLE: (Line("What could not be computed is not a pass."),),
}
_NO_PROOF = (
    "This is about these measures, this data and these limits; it does not show that the system is fair."
)
# Keys of steps that say what is liked: others read the same tables for what was shown alone.
_READS_LABELS = ("label", "relevance", "candidates")
# What a scope may say, in the order to be read; the title is a heading.
_SCOPE = ("system", "question", "owner")


def scope(document: Document) -> tuple[tuple[str, str], ...]:
    """What was audited: the system, when, and what counts as liked."""
    told = {
        **dict.fromkeys(_SCOPE, ""),
        **document.scope,
        "period": _period(document),
        "counts": _label(document),
    }
    told.pop("title", None)
    names = {"counts": "What counts as liked"}
    order = [
        "system",
        "period",
        "counts",
        *(key for key in told if key not in ("system", "period", "counts")),
    ]
    return tuple((names.get(key, capital(spaced(key))), told[key]) for key in order if told.get(key))


def _period(document: Document) -> str:
    ends = [one.period for one in document.inputs.values() if one.period is not None]
    if not ends:
        return ""
    first, last = min(start for start, _ in ends), max(end for _, end in ends)
    return dated([first]) if first == last else f"{dated([first])} to {dated([last])}"


def _label(document: Document) -> str:
    """In the words of whoever made the tables, or else by the columns that were named."""
    defined = dict.fromkeys(one.label for one in document.inputs.values() if one.label)
    if len(defined) > 1 and (by_label := _questions_of(document)):
        return "; ".join(
            f"{label} ({', '.join(of)})" if (of := by_label.get(label)) else label for label in defined
        )
    if defined:
        return "; ".join(defined)
    named: dict[str, None] = {}
    for step in (document.plan or {}).get("audits", ()):
        label = step.get("label", ())
        named |= dict.fromkeys([label] if isinstance(label, str) else label)
    made = [how for label in named for how in _made(document, label)]
    return "; ".join(dict.fromkeys(made)) or " or ".join(map(spaced, named))


def _questions_of(document: Document) -> dict[str, list[str]]:
    """Of each definition, what the audits of the plan ask that read a table with it."""
    found: dict[str, list[str]] = {}
    for step in (document.plan or {}).get("audits", ()):
        if not any(key in step for key in _READS_LABELS):
            continue
        topic = TOPICS.get(audit(step["audit"]).serves, "")
        for name in _texts(step):
            label = document.inputs[name].label if name in document.inputs else None
            if label and topic and topic not in found.setdefault(label, []):
                found[label].append(topic)
    return found


def _texts(value: Any) -> Iterator[str]:
    """All texts of a step: names of inputs are among them."""
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(one)


def _made(document: Document, label: str) -> list[str]:
    """How the inputs of the plan make a label of the values of a column: "answer is like or love"."""
    inputs = (document.plan or {}).get("inputs", {}).values()
    made = [one.get("made", {}).get(label, {}) for one in inputs]
    return [
        f"{spaced(one['column'])} is {' or '.join(map(str, one['among']))}"
        for one in made
        if isinstance(one, dict) and one.get("among") and one.get("column")
    ]


def lines(cards: Sequence[Card]) -> tuple[Line, ...]:
    """One answer over all questions; a tested change that mends what was found comes first, and what is
    beyond a limit of its own where the answer is not."""
    told = [card.mended for card in cards if card.mended is not None]
    # All but what is said of the change is about the system without it.
    now = "as the system is now, " if told else ""
    judged = [card for card in cards if card.verdict is not None]
    beside = [card.compared for card in cards if card.compared is not None]
    beside += [
        Line(f"{part.title} {line.text}", line.finding)
        for card in cards
        for part in card.beyond_beside
        for line in part.lines[:1]
    ]
    under = () if beside else beyond_under(cards, now)
    if not judged:
        return (*told, *beside, *(under or _unjudged(cards)))
    if len(cards) == 1:
        return (*told, *beside, *under, *_alone(cards[0], now))
    beyond, within, undecided, other = (
        [card for card in judged if card.verdict is verdict]
        for verdict in (
            Verdict.VIOLATION, Verdict.WITHIN_TOLERANCE, Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE
        )
    )  # fmt: skip
    said = []
    if beyond:
        has = "has an answer" if len(beyond) == 1 else "have an answer"
        which = _of_how_many(len(beyond), len(judged))
        said.append(capital(f"{now}{which} {has} beyond the {_limit(beyond)}: {_listed(beyond)}."))
    elif len(within) == len(judged) and not (beside or under):
        all_ = f"{capital(_of_how_many(len(judged), len(judged)))} are within their limits."
        one = f"The one question that has a limit is within it: {_listed(judged)}."
        said.append(f"{one if len(judged) == 1 else all_} {_NO_PROOF}")
    elif not (beside or under):
        said.append("Nothing is shown to be beyond its limit.")
    if undecided:
        said.append(f"Not decided, which is not a pass: {_listed(undecided)}.")
    if other:
        said.append(f"Could not be computed: {_listed(other)}.")
    clean = [card for card in within if under or not card.beyond_under]
    if clean and (beside or under or len(within) < len(judged)):
        said.append(f"Within the limit: {_listed(clean)}.")
    said += [_within_by(card) for card in within if card not in clean]
    return (*told, *beside, *under, *(Line(text) for text in said))


def _within_by(card: Card) -> str:
    """Of an answer that is within its limit while other numbers are beyond theirs: by which measure it is,
    and by which it is not."""
    titles = Counter(measure(finding.measure).title for finding in card.beyond_under)
    others = " and ".join(f"{count(number)} by {_inside(title)}" for title, number in titles.items())
    verb = "is" if len(card.beyond_under) == 1 else "are"
    by = f" by {_inside(measure(card.decides).title)}" if card.decides else ""
    return capital(f"{card.topic}: within the limit{by}, but {others} {verb} beyond.")


def _inside(title: str) -> str:
    """A title within a sentence: "association of a group (GEAA)"."""
    return title if title[:2].isupper() else f"{title[:1].lower()}{title[1:]}"


def beyond_under(cards: Sequence[Card], now: str = "") -> tuple[Line, ...]:
    """That no answer is beyond its limit and yet a number is: the worst one, and what decides instead."""
    found = [(card, finding) for card in cards for finding in card.beyond_under]
    if not found or any(card.verdict is Verdict.VIOLATION for card in cards):
        return ()
    worst = speaking([finding for _, finding in found])[0]
    topic = next(card.topic for card, finding in found if finding is worst)
    decides = audit(next(card.main.audit for card, finding in found if finding is worst)).headline
    many = "one number is" if len(found) == 1 else f"{count(len(found))} numbers are, among them"
    said = sentences.sentence(worst)
    other = f"Another number decides {topic}: {measure(decides).title.lower()}." if decides else ""
    text = f"{now}no answer is beyond its limit, but {many}: {said[:1].lower()}{said[1:]} {other}"
    return (Line(capital(text.strip()), worst),)


def _alone(card: Card, now: str) -> tuple[Line, ...]:
    """The answer to the one question; who and how much stand beside it."""
    if card.verdict is Verdict.NOT_APPLICABLE or not card.rows:
        return (*card.main.lines[:1], *_NO_PASS.get(card.verdict, ()))
    said = {
        Verdict.VIOLATION: capital(f"{now}the answer is beyond the {card.limit}: {card.topic}."),
        Verdict.WITHIN_TOLERANCE: f"The answer is within the {card.limit}: {card.topic}. {_NO_PROOF}",
        Verdict.INCONCLUSIVE: f"Not decided: {card.topic}.",
    }
    return (Line(said[card.verdict or Verdict.INCONCLUSIVE]), *_NO_PASS.get(card.verdict, ()))


def _of_how_many(some: int, every: int) -> str:
    """ "one of two questions", "both questions", "all three questions"."""
    number, of = (_number(one).lower() for one in (some, every))
    if some < every:
        return f"{number} of {of} questions"
    return {1: "the one question that has a limit", 2: "both questions"}.get(every, f"all {of} questions")


def _limit(cards: Sequence[Card]) -> str:
    """What the limits of several questions are called, where all have one name."""
    names = {card.limit for card in cards}
    return names.pop() if len(names) == 1 else "limit"


def _unjudged(cards: Sequence[Card]) -> tuple[Line, ...]:
    """Without a limit there are numbers: those of the first question, and that nobody set one."""
    if not cards:
        return (Line("There are no findings."),)
    first = cards[0].main.lines[:1]
    if all(audit(card.main.audit).simulated for card in cards):
        return (*first, Line("This is a calculation to plan by: it judges no system."))
    return (*first, Line("No limit was set, so there are numbers and no verdicts."))


def _listed(cards: Sequence[Card]) -> str:
    topics = [card.topic for card in cards]
    return topics[0] if len(topics) == 1 else f"{', '.join(topics[:-1])} and {topics[-1]}"


def _number(value: int) -> str:
    return _NUMBERS[value] if value < len(_NUMBERS) else count(value)


def at_once(cards: Sequence[Card], together: float | None) -> str:
    """At which level each question holds, and what that means over all of them."""
    levels = {card.topic: card.level for card in cards if card.level is not None}
    sets = {card.topic: _sets(card) for card in cards}
    if not levels:
        return ""
    if together is not None:
        return (
            f"All questions were asked together (Holm): in at least {percent_of(together)} of such reports "
            "none is said to be beyond its limit that is not."
        )
    usual = max(set(levels.values()), key=list(levels.values()).count)
    others = [
        f", that on {topic} in at least {percent_of(level)}{sets[topic]}"
        for topic, level in levels.items()
        if level != usual
    ]
    because = next(sets[topic] for topic, level in levels.items() if level == usual)
    said = "How far chance can mislead: each answer, with all intervals behind it, is right in at least "
    said += f"{percent_of(usual)} of such audits{because}{''.join(others)}."
    if len(levels) > 1:
        error = min(1.0, sum(1 - level for level in levels.values()))
        said += (
            f" In up to {percent_of(round(error, 12))} of such reports one of the answers is wrong by "
            "chance; where a plan asks all questions together, in at most 5% one is said to be beyond its "
            "limit that is not."
        )
    return said


def _sets(card: Card) -> str:
    """Why an answer is less sure than the intervals that stand beside it."""
    if len(card.levels) < 2:
        return ""
    each = f" of {percent_of(card.levels[0])} each" if len(set(card.levels)) == 1 else ""
    return f" (it rests on {len(card.levels)} sets of intervals{each}, any of which may miss)"


def notes(findings: Sequence[Finding]) -> tuple[str, ...]:
    """What the answers leave out: rows by choice, what is hidden, what the data itself speaks against."""
    return (*_rows_asked_for(findings), *summary.asides(findings))


def _rows_asked_for(findings: Sequence[Finding]) -> list[str]:
    """Which rows the numbers are about, where some were chosen: nobody may take a part for the whole."""
    chosen = list(dict.fromkeys(finding.about.get("where") for finding in findings))
    if len(chosen) == 1:
        return [f"Only rows with {where} were looked at." for where in chosen if where]
    return [f"Some of the numbers are about rows with {where} alone." for where in chosen if where]
