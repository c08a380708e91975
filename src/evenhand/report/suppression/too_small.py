"""Which groups of people are too small to be published, and which others go with them.

A group is a cell of a table whose total is known, or whose values add up to nothing: who knows all cells but
one knows that one too. So where a cell is hidden a second one is, the smallest that is left, until at least
two are hidden that together have enough people; and nothing says which of them was too small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from evenhand.findings import Finding
from evenhand.report.vocabulary.names import measure

Family = tuple[str, ...]
Name = TypeVar("Name", str, int)
# Keys of a subject that name people: a group, those with a value of an attribute, several groups together.
PEOPLE = ("group", "value", "who")
# Groups that details name as the ends of a comparison, with the number of their users.
ENDS = ("highest", "lowest")


def is_small(people: int | None, min_cell: int) -> bool:
    """Of nobody there is nobody to protect."""
    return people is not None and 0 < people < min_cell


def family(finding: Finding) -> Family:
    """Findings of one family are about the same groups, whatever the audit.

    Checks of the data, such as how many users an arm has, are about other cells than the audit itself.
    """
    by = str(finding.subject.get("by", ""))
    if measure(finding.measure).check:
        return (by, finding.measure, str(finding.subject.get("experiment", "")))
    return (by,)


def people_of(finding: Finding) -> dict[str, int]:
    """The groups that a finding is of or made of, each with how many people it has at least.

    Of a finding that does not say so itself, `n` is taken, and what its details name beside a number of
    users; groups of items, such as genres, have nobody to protect.
    """
    if finding.people is not None:
        return finding.people
    found: dict[str, int] = {}
    subject, details = finding.subject, finding.details
    if finding.n is not None and finding.n.of != "items":
        found |= {str(subject[key]): finding.n.count for key in PEOPLE if key in subject}
    others = details.get("other_users")
    if "other" in subject and isinstance(others, int):
        found[str(subject["other"])] = others
    for part in dicts({key: value for key, value in details.items() if key in ("halves", *ENDS)}):
        found |= {str(part[end]): part[f"{end}_users"] for end in ENDS if f"{end}_users" in part}
    return found


def dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from dicts(item)


def hidden_groups(findings: Sequence[Finding], min_cell: int) -> dict[Family, frozenset[str]]:
    """The names that are not published, by family: too small anywhere, or telling of one that is."""
    sizes: dict[Family, dict[str, int]] = {}
    for finding in findings:
        known = sizes.setdefault(family(finding), {})
        for name, people in people_of(finding).items():
            if people > 0:
                known[name] = min(people, known.get(name, people))
    for finding in findings:
        for name, people in _left_out(finding).items():
            # What one audit leaves out is no part of its numbers, but may be of another's.
            known = sizes[family(finding)]
            if name in known and people > 0:
                known[name] = min(people, known[name])
    return {of: with_others(known, min_cell) for of, known in sizes.items()}


def _left_out(finding: Finding) -> dict[str, int]:
    """Groups that were left out, with their people."""
    start = f"{finding.subject.get('by', '')} = "
    counted = [(one.what, one.count if one.people is None else one.people) for one in finding.excluded]
    return {what.removeprefix(start): n for what, n in counted if what.startswith(start) and n is not None}


def with_others(sizes: Mapping[Name, int], min_cell: int) -> frozenset[Name]:
    """Those of too few people, and those from which one of them would follow."""
    hidden = {name for name, people in sizes.items() if people < min_cell}
    if not hidden:
        return frozenset()
    rest = sorted(sizes.keys() - hidden, key=lambda name: (sizes[name], name))
    while rest and (len(hidden) < 2 or sum(sizes[name] for name in hidden) < min_cell):
        hidden.add(rest.pop(0))
    return frozenset(hidden)
