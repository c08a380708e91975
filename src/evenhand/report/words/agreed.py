"""What a plan agreed beforehand, under the headings of its frame: scope, identify, monitor, revisions.

It is read from the plan in the document; a result without a plan has none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from evenhand.documents import Document
from evenhand.report.vocabulary.names import audit, capital, spaced
from evenhand.report.words.days import dated
from evenhand.report.words.legible import line

# A heading, and under it what is said of what.
Heading = tuple[str, tuple[tuple[str, str], ...]]
_SCOPE = {
    "system": "System",
    "pipeline": "Place in the pipeline",
    "question": "Question",
    "stakeholders": "Who is affected",
    "attributes": "Attributes, and why",
    "harm": "Harm that is feared",
    "owner": "Owner",
}
_LONGEST = 800
# Values that are named of those an input took.
_TAKEN = 5
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def agreed(document: Document) -> tuple[Heading, ...]:
    """The headings of the plan under which anything was said."""
    plan = document.plan or {}
    told = (
        ("Scope", _scope(plan.get("scope", {}))),
        ("Identify", _identify(plan)),
        ("Monitor and flag", _plain(plan.get("monitoring", {}))),
        ("Revisions", _revisions(plan)),
    )
    return tuple((heading, rows) for heading, found in told if (rows := _legible(found)))


def _legible(rows: Iterator[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((line(name), line(text, _LONGEST)) for name, text in rows if text)


def _scope(scope: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, name in _SCOPE.items():
        said = scope.get(key)
        if isinstance(said, dict):
            said = "; ".join(f"{spaced(one)}: {why}" for one, why in said.items())
        yield name, "; ".join(said) if isinstance(said, list) else str(said or "")


def _identify(plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    said = plan.get("identify", {})
    yield "Compared with", said.get("comparison", "")
    yield "Period", _days(said["period"]) if "period" in said else ""
    for number, step in enumerate(plan.get("audits", ()), start=1):
        # A default is nothing that the plan says.
        limit = None if number in plan.get("default_limits", ()) else step.get("tolerance")
        parts = (
            []
            if limit is None
            else [f"tolerance {limit:.4g}" if isinstance(limit, float) else f"tolerance {limit}"]
        )
        parts += [step["reason"]] if "reason" in step else []
        # What has a name or a reason was agreed; every key of every step is in the plan below.
        if "reason" in step or "name" in step:
            yield (
                step.get("name") or audit(step["audit"]).title,
                "; ".join(parts) or audit(step["audit"]).title,
            )


def _plain(said: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in said.items():
        yield capital(spaced(key)), _in_words(value)


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{spaced(str(key))} {_in_words(one)}" for key, one in value.items())
    if isinstance(value, list):
        return "; ".join(map(_in_words, value))
    return str(value)


def _revisions(plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for one in plan.get("revisions", ()):
        yield dated([one["when"]]), f"{one['who']}: {one['what']}"


def _days(period: list[str]) -> str:
    first, last = period
    return dated([first]) if first == last else f"{dated([first])} to {dated([last])}"


def least(document: Document, min_cell: int) -> int:
    """Of how many people numbers tell at least, where this many were asked for now: also what was hidden when
    the result was saved is gone."""
    return max(min_cell, (document.plan or {}).get("min_cell", 0))


def limit_of(name: str, document: Document) -> str:
    """What the limit of an audit is called: agreed, where a plan names it; proposed, where the plan has
    guesses that nobody has looked at; the default, where it names none; and just the limit, where there is no
    plan to know it by. A monitor follows an audit under other names."""
    if document.plan is None:
        return "limit"
    default = _with_default_limits(document.plan)
    asked = {step.get("audit") for step in document.plan.get("audits", ())}
    if name in default or (default and name not in asked):
        return "default limit"
    if any(label == name for label, _ in _steps_without_a_limit(document.plan)):
        return "limit"  # named for some steps of the audit, and not for others
    return "proposed limit" if document.plan.get("unchecked") else "agreed limit"


def _with_default_limits(plan: Mapping[str, Any]) -> list[str]:
    """The audits whose limit nobody has named, for any of their steps."""
    numbers = plan.get("default_limits", ())
    named = {step["audit"] for n, step in enumerate(plan.get("audits", ()), start=1) if n not in numbers}
    found = dict.fromkeys(plan["audits"][number - 1]["audit"] for number in numbers)
    return [one for one in found if one not in named]


def _steps_without_a_limit(plan: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Steps without a limit of audits that have one elsewhere: the audit, and what the step is called."""
    whole = _with_default_limits(plan)
    steps = [plan["audits"][number - 1] for number in plan.get("default_limits", ())]
    return [
        (step["audit"], str(step.get("name") or f"{audit(step['audit']).title.lower()} by {_of(step)}"))
        for step in steps
        if step["audit"] not in whole
    ]


def _of(step: Mapping[str, Any]) -> str:
    said = step.get("group") or step.get("attribute") or "other groups"
    return spaced(", ".join(said) if isinstance(said, list) else str(said))


def notes(document: Document) -> Iterator[str]:
    """What a reader must know of the plan before the answers: what was left out, and what was not agreed."""
    plan = document.plan or {}
    if left := plan.get("left_out"):
        ran, named = len(plan["audits"]), ", ".join(map(line, left))
        yield f"Only {ran} of the {ran + len(left)} audits of the plan were run; left out: {named}."
    known = [one["fingerprint"] for one in plan.get("revisions", ()) if "fingerprint" in one]
    if known and known[-1] != plan.get("fingerprint"):
        yield "The plan has been changed since its last revision; nobody has written down what and why."
    for left in plan.get("untaken", ()):
        names = " and ".join(map(line, left["inputs"]))
        rows = f"{left['rows']:,} of the {left['of']:,} rows"
        yield f"No input takes {rows} of the file of {names}: see `where`."
    for took in plan.get("taken", ()):
        counted = enumerate(took["values"].items())
        values = [f"{line(value)} ({count:,}{'' if at else ' rows'})" for at, (value, count) in counted]
        more = f" and {len(values) - _TAKEN} more" if len(values) > _TAKEN else ""
        yield (
            f"{line(took['input'])} takes several values, as its `where` says only what it leaves out "
            f"(`not`): {', '.join(values[:_TAKEN])}{more}"
            ". If one of them is no part of it, leave it out, too."
        )
    if marks := plan.get("unchecked"):
        said = "1 line is" if marks == 1 else f"{marks} lines are"
        yield f"{said} marked CHECK in the plan: what was guessed there, nobody has agreed on yet."
    default = [audit(name).title.lower() for name in _with_default_limits(plan)]
    default += [called for _, called in _steps_without_a_limit(plan)]
    if default:
        titles = ", ".join(map(line, default))
        yield f"The plan names no limit for {titles}: the default is taken, on which nobody has agreed."
    yield from _outside(document, plan.get("identify", {}).get("period"))


def _outside(document: Document, period: list[str] | None) -> Iterator[str]:
    """Inputs that have days which the plan is not about."""
    if period is None:
        return
    known = {name: one.period for name, one in document.inputs.items() if one.period is not None}
    beyond = [
        line(name)
        for name, (first, last) in known.items()
        # Days may be mere numbers, which are of no calendar.
        if _DATE.match(first) and (first[:10] < period[0] or last[:10] > period[1])
    ]
    if beyond:
        yield f"The plan is about {_days(period)}, but there are other days in {', '.join(beyond)}."
