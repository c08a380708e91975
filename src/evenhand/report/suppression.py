"""Very small groups are not published: what is left out of a saved document, and what that cannot protect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evenhand.findings import Exclusion, Finding
from evenhand.report.vocabulary import measure
from evenhand.report.words import SUPPRESSED

_GROUPS = ("group", "value")
_NAMELESS = "(suppressed group)"
_ENDS = ("highest", "lowest")
# The two values of an attribute that a finding compares, which are people, whatever else it is about.
_VALUES = ("toward", "away")


def suppress(findings: Sequence[Finding], min_cell: int) -> tuple[Finding, ...]:
    """The findings, with every number of a named group of fewer than `min_cell` taken out.

    A finding is about a named group when its subject has the key `group`, `value` for those who have one
    value of an attribute, or `who` for several together. Its
    estimate, interval, p-value, count and details go; that it existed, and why it is empty, stay. So does a
    finding that compares such a group with another (a worst ratio), and the group's name in the details of
    other findings.

    The limits: a finding without `n` cannot be judged and is kept. What remains still rests on the
    suppressed rows, so who knows the total and all other groups can recover the missing one by
    subtraction, and two reports on nearly the same people can be compared. Where that matters, merge
    small groups before the audit instead.
    """
    small: dict[tuple[str, str], set[str]] = {}
    for finding in findings:
        for key in _GROUPS:
            if key in finding.subject and _is_about_few_people(finding, min_cell):
                small.setdefault(_attribute(finding), set()).add(str(finding.subject[key]))
        if _other_is_small(finding, min_cell):
            small.setdefault(_attribute(finding), set()).add(str(finding.subject["other"]))
        small.setdefault(_attribute(finding), set()).update(_named_as_small(finding.details, min_cell))
    return tuple(_published(finding, small.get(_attribute(finding), set()), min_cell) for finding in findings)


def _is_about_few_people(finding: Finding, min_cell: int) -> bool:
    """Whether a finding is about very few; groups of items, such as genres, have nobody to protect."""
    return finding.n is not None and finding.n < min_cell and measure(finding.measure).counted != "items"


def _other_is_small(finding: Finding, min_cell: int) -> bool:
    """Whether the group that another is compared with has too few users."""
    users = finding.details.get("other_users")
    return "other" in finding.subject and isinstance(users, int) and users < min_cell


def _named_as_small(value: Any, min_cell: int) -> Iterator[str]:
    """Groups that details name beside the number of their users: {"group": ..., "users": 3}."""
    for part in _dicts(value):
        for name, users in (("group", "users"), *((end, f"{end}_users") for end in _ENDS)):
            if name in part and isinstance(part.get(users), int) and part[users] < min_cell:
                yield str(part[name])


def _ends(value: Any) -> Iterator[str]:
    """Every group that details name as one end of a comparison."""
    for part in _dicts(value):
        yield from (str(part[end]) for end in (*_ENDS, *_VALUES) if end in part)


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _dicts(item)


def _attribute(finding: Finding) -> tuple[str, str]:
    return finding.audit, str(finding.subject.get("by", ""))


def _published(finding: Finding, small_groups: set[str], min_cell: int) -> Finding:
    if any(_is_small(exclusion, min_cell) for exclusion in finding.excluded):
        excluded = tuple(
            exclusion.model_copy(update={"count": None}) if _is_small(exclusion, min_cell) else exclusion
            for exclusion in finding.excluded
        )
        finding = finding.model_copy(update={"excluded": excluded})
    decides_by_few = _decides_by_few(finding.details, min_cell)
    if finding.details:
        finding = finding.model_copy(update={"details": _without_small(finding.details, min_cell)})
    is_about_few = "who" in finding.subject and finding.n is not None and finding.n < min_cell
    if decides_by_few:
        unit = finding.details.get("unit", "day")
        days: dict[str, Any] = {k: v for k, v in finding.details.items() if k in ("unit", "series")}
        return _emptied(finding, f"fewer than {min_cell} rows in the {unit} that decides", days)
    if not small_groups and not is_about_few:
        return finding
    compared = {str(finding.subject[key]) for key in (*_GROUPS, "other") if key in finding.subject}
    named = (set(_ends(finding.details)) | compared) & small_groups
    values = {str(finding.details[end]) for end in _VALUES if end in finding.details}
    counted = "users" if named & values else measure(finding.measure).counted
    if not named and not is_about_few:
        return finding.model_copy(update={"details": _without_names(finding.details, small_groups)})
    return _emptied(finding, f"fewer than {min_cell} {counted} in this group")


def _emptied(finding: Finding, why: str, details: dict[str, Any] | None = None) -> Finding:
    """That there is a finding, and why it is not published; `details` are what may be."""
    return Finding(
        audit=finding.audit,
        measure=finding.measure,
        subject=finding.subject,
        estimate=None,
        tolerance=finding.tolerance,
        harm=finding.harm,
        assumptions=finding.assumptions,
        warnings=(f"{SUPPRESSED}{why}",),
        details=details or {},
    )


def _is_small(exclusion: Exclusion, min_cell: int) -> bool:
    return exclusion.count is not None and 0 < exclusion.count < min_cell


def _without_small(details: dict[str, Any], min_cell: int) -> dict[str, Any]:
    """Details without the lists' entries about fewer than `min_cell` users; of days, that they are there.

    A table of counts goes as a whole: its total is known, so that one missing cell would follow.
    """

    def kept(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: kept(item) for key, item in value.items()}
        if isinstance(value, list):
            if any(_is_small_cell(item, min_cell) for item in value):
                return []
            few = [_is_about_few(item, min_cell) for item in value]
            return [
                {"day": item["day"], "estimate": None} if hidden else kept(item)
                for item, hidden in zip(value, few, strict=True)
                if not hidden or ("day" in item and not all(few))
            ]
        return value

    return kept(details)


def _is_about_few(item: Any, min_cell: int) -> bool:
    if not isinstance(item, dict):
        return False
    # What a change is held against follows from the change.
    counts = item.get("users", item.get("n")), item.get("against_n")
    return any(isinstance(counted, int) and counted < min_cell for counted in counts)


def _is_small_cell(item: Any, min_cell: int) -> bool:
    """Whether an entry is one of a table of counts, of few but not of nobody."""
    return isinstance(item, dict) and isinstance(item.get("count"), int) and 0 < item["count"] < min_cell


def _decides_by_few(details: dict[str, Any], min_cell: int) -> bool:
    """Whether a series is told by a day that is itself not published."""
    return any(
        entry.get("day") == details.get("day") and _is_about_few(entry, min_cell)
        for entry in details.get("series", ())
    )


def _without_names(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without_names(item, names) for key, item in value.items() if key not in names}
    if isinstance(value, list):
        return [_without_names(item, names) for item in value]
    return _NAMELESS if isinstance(value, str) and value in names else value
