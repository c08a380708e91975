"""Very small groups are not published: what is left of findings that tell of them, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from evenhand.findings import Exclusion, Finding
from evenhand.report.suppression import parts
from evenhand.report.suppression.too_small import (
    ENDS,
    PEOPLE,
    dicts,
    family,
    hidden_groups,
    is_small,
    people_of,
)
from evenhand.report.vocabulary.names import measure

# The two values of an attribute that a finding compares, which are people, whatever else it is about.
VALUES = ("toward", "away")
# What a subject has from the data and not from who asked: the days that a plan comes to.
DERIVED = ("days",)


def suppress(findings: Sequence[Finding], min_cell: int) -> tuple[Finding, ...]:
    """The findings, without every number that tells of fewer than `min_cell` people.

    Each finding says which groups it is of or made of, and how many people each has (`Finding.people`); where
    one has too few, all that rests on it goes, and with it a second group from which it would follow: see
    `small_cells`. Estimate, interval, p-value, counts and details go; that there is a finding, and why it is
    empty, stays. Counts of what was left out go in the same way, and days of a series on which a group has
    too few.

    The limits: intervals of other groups may hold for all groups at once, hidden ones among them, so that who
    guesses the hidden rows can run the audit again and see whether the last digits agree; and two reports on
    nearly the same people can be compared. Where that matters, merge small groups before the audit.
    """
    if min_cell <= 1:
        return tuple(findings)
    hidden = hidden_groups(findings, min_cell)
    series = [finding.series for finding in findings if finding.series is not None]
    days = parts.hidden_days(series, min_cell)
    shown = [_published(finding, hidden[family(finding)], days, min_cell) for finding in findings]
    uncounted = _counted_elsewhere(findings, min_cell)
    shown = [_without_counts(one, min_cell) if _by(one) in uncounted else one for one in shown]
    # A total less what is published is what is hidden.
    touched = {_by(one) for one, other in zip(findings, shown, strict=True) if one is not other}
    return tuple(
        _without_totals(finding)
        if _by(finding) in touched and (measure(finding.measure).check or finding.excluded)
        else finding
        for finding in _hidden_last(shown)
    )


def _counted_elsewhere(findings: Sequence[Finding], min_cell: int) -> set[str]:
    """Attributes whose audits left very few out, in a report that counts everybody by another attribute, too:
    the others of the first would add up to all but the few."""
    few = {
        _by(finding)
        for finding in findings
        for one in finding.excluded
        if is_small(one.count if one.people is None else one.people, min_cell)
    }
    return few if len({_by(finding) for finding in findings}) > 1 else set()


def _without_counts(finding: Finding, min_cell: int) -> Finding:
    """A finding without any number of people or rows, which says so; what it estimates stays."""
    why = (
        f"How many people or rows there are is not shown: fewer than {min_cell} people were left out, and "
        "how many they are would follow from it."
    )
    return finding.amended(
        n=None,
        people=None,
        warnings=finding.warnings if finding.n is None else (*finding.warnings, why),
        **parts.changed(finding, parts.without_counts),
        excluded=tuple(one.amended(count=None, people=None) for one in finding.excluded),
    )


def _hidden_last(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Findings of one measure often come in order of their size: what is hidden has no place among them.

    Nor a number: those that are alike once they are hidden, such as the days of a plan, are there once.
    """
    for _, same in groupby(findings, key=lambda one: (one.audit, one.measure, _by(one))):
        members = list(same)
        yield from (one for one in members if one.state != "suppressed")
        hidden = {str(one): one for one in members if one.state == "suppressed"}
        yield from sorted(hidden.values(), key=lambda one: str(one.subject))


def _by(finding: Finding) -> str:
    return str(finding.subject.get("by", ""))


def _published(finding: Finding, hidden: frozenset[str], days: frozenset[str], min_cell: int) -> Finding:
    people = people_of(finding)
    named = people.keys() | _named(finding)
    if named & hidden or any(is_small(count, min_cell) for count in people.values()):
        return _emptied(finding, _why(finding, min_cell), hidden)
    if finding.series is not None and parts.decides_by_few(finding, days, min_cell):
        unit = finding.series.unit
        why = f"fewer than {min_cell} people in a group in the {unit} that decides"
        left = parts.changed(finding, lambda value: parts.without_small(value, days, min_cell))
        return _emptied(finding, why, hidden).amended(details={"unit": unit}, pictures=left["pictures"])
    changes: dict[str, Any] = {
        "excluded": tuple(_without_count(one, min_cell) for one in finding.excluded),
        "warnings": _without(finding.warnings, f"{_by(finding)} = ", hidden),
        **parts.changed(finding, lambda value: parts.without_small(value, days, min_cell)),
    }
    if finding.people is None and hidden:
        changes["details"] = parts.without_names(changes["details"], hidden)
    if changes["pictures"] != finding.pictures and finding.series is not None:
        changes["n"] = None  # all days less those that are published
    changes = {key: value for key, value in changes.items() if value != getattr(finding, key)}
    return finding.amended(**changes) if changes else finding


def _named(finding: Finding) -> set[str]:
    """Groups that a finding which does not say of whom it is made names all the same."""
    if finding.people is not None:
        return set()
    named = {str(finding.subject[key]) for key in (*PEOPLE, "other") if key in finding.subject}
    return named | {
        str(part[end]) for part in dicts(finding.details) for end in (*ENDS, *VALUES) if end in part
    }


def _why(finding: Finding, min_cell: int) -> str:
    """The same for the group that is small and for the one that goes with it: nobody can tell which."""
    if len(people_of(finding)) == 1:
        return f"fewer than {min_cell} people in this group, or in one that would follow from it"
    return f"it would tell of a group of fewer than {min_cell} people; merge small groups, or take more data"


def _emptied(finding: Finding, why: str, hidden: Iterable[str]) -> Finding:
    """That there is a finding, and why it is not published."""
    return Finding(
        audit=finding.audit,
        measure=finding.measure,
        about={key: value for key, value in finding.about.items() if key not in DERIVED},
        estimate=None,
        state="suppressed",
        tolerance=finding.tolerance,
        harm=finding.harm,
        assumptions=_without(finding.assumptions, "of a group: ", hidden),
        warnings=(why,),
    )


def _without(said: tuple[str, ...], lists: str, hidden: Iterable[str]) -> tuple[str, ...]:
    """What is said, less what `lists` groups and names a hidden one: "No positive row of age = 65+"."""
    names = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in hidden]
    return tuple(text for text in said if lists not in text or not any(name.search(text) for name in names))


def _without_count(exclusion: Exclusion, min_cell: int) -> Exclusion:
    people = exclusion.count if exclusion.people is None else exclusion.people
    if not is_small(people, min_cell):
        return exclusion
    why = f"these are fewer than {min_cell} people, of whom nothing more is shown"
    return exclusion.amended(count=None, people=None, why=why)


def _without_totals(finding: Finding) -> Finding:
    n = None if measure(finding.measure).check else finding.n
    return finding.amended(n=n, **parts.changed(finding, parts.without_totals))
