"""What changed from one result to the next, by the ids of findings.

Of two intervals that miss the truth with probabilities a and b, the difference of their far ends misses that
of the two truths with a + b at most, whatever they have in common (the union bound). Two logs mostly share
users, whom a result does not name, so that nothing narrower can be claimed here; an audit of both logs at
once (`compare`, `series`) knows the users, and has narrower intervals.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from evenhand.about import WHOM, in_an_id
from evenhand.documents import Answer, Change, Comparison, Document
from evenhand.errors import InputError
from evenhand.findings import Finding, Interval
from evenhand.report.vocabulary.names import measure
from evenhand.report.words.legible import line
from evenhand.report.words.sentences import is_counted, value

METHOD = "union bound of the two intervals"
# Keys of a step that change what is concluded, or how surely, but not what is measured.
_SAME_NUMBER = frozenset(
    ["tolerance", "level", "name", "reason", "interval", "variance", "replicates", "permutations", "folds"]
)


# Numbers of some groups beside all others, each with that by which a result names the groups it compares:
# where one could be told only once, they are of other groups, and none of them can be said to have changed.
_BESIDE_ALL = {
    "opportunity": ("relative_utility", ("reo_penalty", "worst_ratio", "equality")),
    "stages": ("relative_utility", ("reo_penalty", "worst_ratio", "equality")),
    "compare": ("relative_utility_difference", ("reo_difference", "reo_penalty")),
    "experiments": ("relative_utility_difference", ("reo_difference", "reo_penalty")),
    "series": (
        "daily_relative_utility",
        ("running_penalty", "daily_penalty", "daily_worst_ratio", "penalty_change"),
    ),
    "parity": ("parity_deviation", ("rsp_penalty",)),
    "user_precision": ("precision", ("precision_penalty",)),
}

# Keys of an input that say what its columns and labels mean, and which rows and days it has.
_MEANING = ("columns", "label_definition", "made", "where", "timezone")
# Keys of a step that say of whom it asks.
_OF_WHOM = ("group", "user_group", "item_group", "attribute", "groups")


def compared(before: Document, now: Document) -> Comparison:
    """What changed since the document `before`."""
    otherwise = asked_otherwise(before, now)
    old, new = ({finding.id: finding for finding in one.findings} for one in (before, now))
    if not old.keys() & new.keys():
        raise _unrelated(before)
    dropped = _no_longer_asked(before, now)
    beside = [_compared_groups(one.findings) for one in (before, now)]
    was = before.scope.get("system")
    return Comparison(
        version=before.version,
        period=period(before),
        system=was if was != now.scope.get("system", was) else None,
        answers={answer.question: answer.verdict for answer in before.questions},
        asked_otherwise=otherwise,
        decided_otherwise=_decided_otherwise(before, now, old, new),
        changes=tuple(
            _change(key, old.get(key), new.get(key), otherwise, dropped, beside)
            for key in dict.fromkeys((*new, *old))
        ),
    )


def refuse_unrelated(before: Document, steps: Sequence[Mapping[str, Any]]) -> None:
    """Before anything is run: refuse an earlier result whose plan asks nothing that these steps ask."""
    asked = (before.plan or {}).get("audits")
    if asked and not {_of_whom(step) for step in asked} & {_of_whom(step) for step in steps}:
        raise _unrelated(before)


def _of_whom(step: Mapping[str, Any]) -> tuple[Any, ...]:
    """Which audit of which groups a step is: findings of others have other ids."""
    keys = (*_OF_WHOM, "attributes") if step["audit"] == "groups" else _OF_WHOM
    return step["audit"], *(frozenset(_columns(step.get(key))) for key in keys)


def _columns(said: Any) -> list[str]:
    return [str(one).rpartition(":")[2] for one in (said if isinstance(said, list) else [said])]


def _unrelated(before: Document) -> InputError:
    title = before.scope.get("title")
    return InputError(
        f"The earlier report{f' ({line(title)})' if title else ''} has no number in common with this audit, "
        "so that no change can be told; name an earlier report that asks the same of the same groups."
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
    if _mean_otherwise(old, new):
        return tuple(both)
    return tuple(
        audit
        for audit in both
        # One of two steps that is left out changes nothing for the other.
        if _without(_asked(old, audit), _asked(new, audit))
        and _without(_asked(new, audit), _asked(old, audit))
    )


def _without(steps: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [step for step in steps if step not in others]


def _no_longer_asked(before: Document, now: Document) -> set[str]:
    """The audits of steps that the earlier plan has, and that are not asked now: they were left out of this
    run, or are not in the plan."""
    old, new = before.plan, now.plan
    if old is None or new is None:
        return set()
    audits = {step["audit"] for step in old.get("audits", ())}
    return {audit for audit in audits if _without(_asked(old, audit), _asked(new, audit))}


def _decided_otherwise(
    before: Document, now: Document, old: Mapping[str, Finding], new: Mapping[str, Finding]
) -> dict[str, str | None]:
    """The questions of both that another audit, measure or attribute decides now, with the measure that did
    before. Where the same numbers were asked to decide, the question is the same, whichever was worst."""
    deciders = {answer.question: _decider(answer, old) for answer in before.questions}
    headlines = {answer.question: _headline(answer) for answer in before.questions}
    told: dict[str, str | None] = {}
    for answer in now.questions:
        if answer.question not in deciders:
            continue
        if headlines[answer.question] and headlines[answer.question] == _headline(answer):
            continue
        was, is_now = deciders[answer.question], _decider(answer, new)
        if was != is_now and None not in (was, is_now):
            told[answer.question] = was[1] if was is not None else None
    return told


def _headline(answer: Answer) -> set[str]:
    return {family.name for family in answer.headline}


def _decider(answer: Answer, findings: Mapping[str, Finding]) -> tuple[str, str, Collection[str]] | None:
    """The audit, the measure and the attributes that an answer rests on."""
    finding = findings.get(answer.decided_by or "")
    return None if finding is None else (finding.audit, finding.measure, _attributes(finding))


def _attributes(finding: Finding) -> set[str]:
    by = finding.about.get("by")
    named = [by] if isinstance(by, dict) else []
    groups = [one for key, one in finding.about.items() if key != "by" and isinstance(one, dict)]
    return {str(one) for said in named for one in said.values()} or {key for one in groups for key in one}


def _asked(plan: Mapping[str, Any], audit: str) -> list[dict[str, Any]]:
    steps = [step for step in plan.get("audits", ()) if step["audit"] == audit]
    return [{key: said for key, said in step.items() if key not in _SAME_NUMBER} for step in steps]


def _mean_otherwise(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether columns, labels or rows of an input of both are others than they were."""
    shared = old["inputs"].keys() & new["inputs"].keys()
    return (
        old.get("columns") != new.get("columns")
        or any(
            old["inputs"][name].get(key) != new["inputs"][name].get(key)
            for name in shared
            for key in _MEANING
        )
        or any(_joined(old["inputs"][name]) != _joined(new["inputs"][name]) for name in shared)
    )


def _joined(spec: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """By which keys an input has which columns of other tables, wherever these lie."""
    return {
        name: {key: said for key, said in one.items() if key != "path"}
        for name, one in spec.get("joined", {}).items()
    }


def _change(
    key: str,
    old: Finding | None,
    new: Finding | None,
    otherwise: Sequence[str],
    dropped: Collection[str],
    beside: Sequence[Mapping[Any, set[Any]]],
) -> Change:
    if old is None:
        return Change(id=key, change="new", why_not="number")
    if new is None:
        return Change(
            id=key,
            change="not_asked" if old.audit in dropped else "gone",
            before=value(old),
            verdict_before=old.verdict,
            why_not="number",
        )
    was, is_now = value(old), value(new)
    moved = None if was is None or is_now is None else is_now - was
    why_not = _why_not(old, new, otherwise, beside)
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


def _why_not(
    old: Finding, new: Finding, otherwise: Sequence[str], beside: Sequence[Mapping[Any, set[Any]]]
) -> Any:
    if old.estimate is None or new.estimate is None:
        return "number"
    if new.audit in otherwise:
        return "asked"
    if _groups(old) != _groups(new):
        return "groups"
    if _is_beside_all(new):
        then, now = (one.get(_place(new), set()) for one in beside)
        if then != now:
            return "groups"
    if old.doubts or new.doubts:
        return "doubts"
    return "interval" if bound(old.interval, new.interval) is None else None


def _groups(finding: Finding) -> set[str]:
    """The groups that the data chose, where the measure is of such."""
    told = finding.details.get(measure(finding.measure).chosen, ())
    return {word for one in told for word in one.values() if isinstance(word, str)}


def _is_beside_all(finding: Finding) -> bool:
    """Whether its number is of groups beside all others, so that it is another where others are told."""
    each, of_all = _BESIDE_ALL.get(finding.audit, ("", ()))
    # How precise what a group gets is has nothing to do with the other groups.
    return finding.measure in of_all or (finding.measure == each and each != "precision")


def _compared_groups(findings: Sequence[Finding]) -> dict[Any, set[Any]]:
    """The groups that a result compares, by audit and place."""
    found: dict[Any, set[Any]] = {}
    for one in findings:
        if _BESIDE_ALL.get(one.audit, ("",))[0] == one.measure:
            groups = [said for whom in WHOM if isinstance(said := one.about.get(whom), dict)]
            words = (tuple(sorted(group.items(), key=str)) for group in groups)
            found.setdefault(_place(one), set()).add(tuple(words))
    return found


def _place(finding: Finding) -> tuple[Any, ...]:
    """What findings of one comparison have in common: audit, attributes, and whatever is no group."""
    by = finding.about.get("by")
    groups = {whom: said for whom in WHOM if isinstance(said := finding.about.get(whom), dict)}
    told: Mapping[str, Any] = by if isinstance(by, dict) else groups
    attributes = {whom: tuple(group) for whom, group in told.items()}
    aside = (*WHOM, "by", "baseline")
    others = (in_an_id(key, value) for key, value in finding.about.items() if key not in aside)
    return finding.audit, tuple(sorted(attributes.items())), tuple(sorted(others))


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
