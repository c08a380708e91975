"""A gate: whether what audits found stops a release."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from evenhand.findings import Finding, Verdict
from evenhand.report.answers import by_concern, verdicts_of_audits
from evenhand.report.vocabulary.names import audit
from evenhand.report.words import verdicts
from evenhand.report.words.people import short_who
from evenhand.report.words.sentences import how_much

# What could not be computed was not checked: a gate must not open for it.
FAILING: Mapping[str, Collection[Verdict]] = {
    "violation": (Verdict.VIOLATION, Verdict.NOT_APPLICABLE),
    "inconclusive": (Verdict.VIOLATION, Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE),
}
_TOO_SMALL = "--fail-on {fail_on} fails: all that was held against a limit is of too few people to be shown."
# A verdict that has a verb of its own needs no other.
_IS = {Verdict.NOT_APPLICABLE: ""}
# Audits that are named before the others are counted.
_NAMED = 3


def stops(findings: Sequence[Finding], shown: Sequence[Finding], fail_on: str) -> bool:
    """Whether a gate that fails on this stops: for the verdict of any audit, or because all that was judged
    is too small to be `shown`, of which the report says that it is no pass. Where there was nothing to check
    (a position along a direction that is not there) nothing stops."""
    return _is_unseen(shown) or bool(_stopping(findings, fail_on))


def why(findings: Sequence[Finding], shown: Sequence[Finding], fail_on: str) -> str:
    """Which audits stop it, each with the number that decides it; "" where none does. An answer may be within
    its limit, and an audit beside it not."""
    if not (stopping := _stopping(findings, fail_on)):
        return _TOO_SMALL.format(fail_on=fail_on) if _is_unseen(shown) else ""
    told = [_said(name, verdict, shown) for name, verdict in stopping.items()]
    more = [f"{len(told) - _NAMED} more"] if len(told) > _NAMED else []
    return f"--fail-on {fail_on} fails: {'; '.join([*told[:_NAMED], *more])}."


def _is_unseen(shown: Sequence[Finding]) -> bool:
    published = {finding.verdict for finding in shown if finding.state != "moot"} - {None}
    return published == {Verdict.NOT_APPLICABLE}


def _stopping(findings: Sequence[Finding], fail_on: str) -> dict[str, Verdict]:
    ran = verdicts_of_audits(findings)
    return {name: verdict for name, verdict in ran.items() if verdict in FAILING[fail_on]}


def _said(name: str, verdict: Verdict, shown: Sequence[Finding]) -> str:
    said = f"{audit(name).title} {_IS.get(verdict, 'is ')}{verdicts.WORDS[verdict]}"
    deciding = by_concern([f for f in shown if f.audit == name and f.verdict is verdict])
    of_headline = [f for f in deciding if f.measure == audit(name).headline]
    for finding in (of_headline or deciding)[:1]:
        said += f": {short_who(finding)}, {how_much(finding)}"
    return said
