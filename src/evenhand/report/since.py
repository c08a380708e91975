"""What changed from one result to the next, by the ids of findings.

Of two intervals that miss the truth with probabilities a and b, the difference of their far ends misses that
of the two truths with a + b at most, whatever they have in common (the union bound). Two logs mostly share
users, whom a result does not name, so that nothing narrower can be claimed here; an audit of both logs at
once (`compare`, `series`) knows the users, and has narrower intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.documents import Change, Comparison, Document
from evenhand.findings import Finding, Interval
from evenhand.report.vocabulary.names import measure
from evenhand.report.words.sentences import is_counted, value

METHOD = "union bound of the two intervals"
# Keys of a step that change what is concluded, or how surely, but not what is measured.
_SAME_NUMBER = frozenset(
    ["tolerance", "level", "name", "reason", "interval", "variance", "replicates", "permutations", "folds"]
)


def compared(before: Document, now: Document) -> Comparison:
    """What changed since the document `before`."""
    otherwise = asked_otherwise(before, now)
    old, new = ({finding.id: finding for finding in one.findings} for one in (before, now))
    return Comparison(
        version=before.version,
        period=period(before),
        answers={answer.question: answer.verdict for answer in before.questions},
        asked_otherwise=otherwise,
        changes=tuple(
            _change(key, old.get(key), new.get(key), otherwise) for key in dict.fromkeys((*new, *old))
        ),
    )


def period(document: Document) -> tuple[str, str] | None:
    """The first and the last day of all inputs whose days are known."""
    ends = [one.period for one in document.inputs.values() if one.period is not None]
    return (min(start for start, _ in ends), max(end for _, end in ends)) if ends else None


def asked_otherwise(before: Document, now: Document) -> tuple[str, ...]:
    """The audits of both that ask other things of the data; all of them, where what a label or a column
    means has changed. Results without plans are taken to ask the same."""
    old, new = before.plan, now.plan
    if old is None or new is None:
        return ()
    known = dict.fromkeys(step["audit"] for step in new.get("audits", ()))
    was = {step["audit"] for step in old.get("audits", ())}
    both = [audit for audit in known if audit in was]
    if _meanings(before) != _meanings(now):
        return tuple(both)
    return tuple(audit for audit in both if _asked(old, audit) != _asked(new, audit))


def _asked(plan: Mapping[str, Any], audit: str) -> list[dict[str, Any]]:
    steps = [step for step in plan.get("audits", ()) if step["audit"] == audit]
    return [{key: said for key, said in step.items() if key not in _SAME_NUMBER} for step in steps]


def _meanings(document: Document) -> Any:
    plan = document.plan or {}
    named = {
        name: (spec.get("columns"), spec.get("label_definition")) for name, spec in plan["inputs"].items()
    }
    return plan.get("columns"), sorted(named.items(), key=str)


def _change(key: str, old: Finding | None, new: Finding | None, otherwise: Sequence[str]) -> Change:
    if old is None or new is None:
        kept = old or new
        assert kept is not None
        told = {} if old is None else {"before": value(old), "verdict_before": old.verdict}
        return Change(id=key, change="new" if old is None else "gone", why_not="number", **told)
    was, is_now = value(old), value(new)
    moved = None if was is None or is_now is None else is_now - was
    why_not = _why_not(old, new, otherwise)
    change = "verdict" if old.verdict != new.verdict else "same" if was == is_now else "number"
    return Change(
        id=key,
        change=change,
        before=was,
        verdict_before=old.verdict,
        difference=moved,
        interval=None if why_not else bound(old.interval, new.interval),
        why_not=why_not,
    )


def _why_not(old: Finding, new: Finding, otherwise: Sequence[str]) -> Any:
    if old.estimate is None or new.estimate is None:
        return "number"
    if new.audit in otherwise:
        return "asked"
    if _groups(old) != _groups(new):
        return "groups"
    if old.doubts or new.doubts:
        return "doubts"
    return "interval" if bound(old.interval, new.interval) is None else None


def _groups(finding: Finding) -> set[str]:
    """The groups that the data chose, where the measure is of such."""
    told = finding.details.get(measure(finding.measure).chosen, ())
    return {word for one in told for word in one.values() if isinstance(word, str)}


def bound(old: Interval | None, new: Interval | None) -> Interval | None:
    """The interval of the change from what `old` is of to what `new` is of; none where it would promise
    nothing."""
    if old is None or new is None or "none" in (old.validity, new.validity):
        return None
    # What was counted misses nothing.
    error = sum(1 - one.level for one in (old, new) if not is_counted(one))
    level = round(1 - error, 12) if error else new.level
    if level < 0.5:
        return None
    both = {old.validity, new.validity}
    return Interval(
        low=new.low - old.high,
        high=new.high - old.low,
        level=level,
        method=METHOD if error else "counted, not estimated, both times",
        validity=both.pop() if len(both) == 1 else "fixed",
    )
