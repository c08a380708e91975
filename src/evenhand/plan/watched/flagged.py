"""Flags of a plan that nothing could ever raise: a measure, audit or id that no look at a day has.

An alarm that never rings is noticed by nobody, so it is a mistake of the plan, and not of a day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from evenhand.asked.sentences import guess
from evenhand.asked.step import Step
from evenhand.plan.checking.mistakes import Mistake
from evenhand.plan.watched.monitoring import FlagRule


def that_never_rise(flags: Mapping[int, FlagRule], steps: Iterable[Step]) -> Iterator[Mistake]:
    """What is wrong with flags, by their places in the plan. Of an id only what it begins with is known
    before data: audit and measure."""
    asked = {step.audit: step.found_daily for step in steps}
    found = sorted(
        {(audit, one) for daily in asked.values() for audit, those in daily.items() for one in those}
    )
    if not found:
        return  # without an audit that can be followed no day is added, which is said then
    for place, rule in flags.items():
        for key, said in _wrong(rule, found, {name: list(daily) for name, daily in asked.items()}):
            yield Mistake(("monitoring", "flags", place, key), f"the flag {rule.name!r}: {said}")


def _wrong(
    rule: FlagRule, found: list[tuple[str, str]], asked: dict[str, list[str]]
) -> Iterator[tuple[str, str]]:
    audits = sorted({audit for audit, _ in found})
    if rule.audit is not None and rule.audit not in audits:
        if called := asked.get(rule.audit):
            yield "audit", f"from day to day the audit {rule.audit!r} is called {called[0]!r}; write that"
        else:
            yield "audit", _no("audit", rule.audit, audits)
    measures = [one for audit, one in found if rule.audit in (None, audit) or rule.audit not in audits]
    if rule.measure is not None and rule.measure not in measures:
        yield "measure", _no("measure", rule.measure, measures)
    if rule.id is not None and not any(_can_begin(rule.id, f"{audit}.{one}") for audit, one in found):
        heads = [f"{audit}.{one}" for audit, one in found]
        yield "id", _no("id", rule.id, heads, rule.id.partition("/")[0]) + "; ids begin so, and go on with /"


def _no(what: str, given: str, known: list[str], head: str | None = None) -> str:
    return (
        f"no look at a day has the {what} {given!r}{guess(given if head is None else head, known)}; "
        f"what it has: {', '.join(known)}"
    )


def _can_begin(pattern: str, head: str) -> bool:
    """Whether an id that begins with this audit and measure can fit."""
    begins = re.split(r"[*?]", pattern, maxsplit=1)[0]
    if begins == pattern or "/" in begins:
        return pattern == head or begins.startswith(f"{head}/")
    return f"{head}/".startswith(begins)
