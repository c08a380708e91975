"""Values as the plan calls them: "women" for F, wherever a value of that attribute is shown.

Only what is shown changes; ids, and the document itself, have the values of the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.about import WHOM, Parts, combined, group_name
from evenhand.documents import Document
from evenhand.findings import Finding
from evenhand.report.words.people import attributes_of, parted

# Where findings and their pictures name groups, besides what they are about.
_NAMES = frozenset(
    ("highest", "lowest", "toward", "away", "lean", "side", "value", "audience", "group", "test", "leaning",
     "most_biased", "row", "column", "other")
)  # fmt: skip
_AGAINST = " against "


def labelled(document: Document) -> Document:
    """`document` with labels in place of values; the same where there are none."""
    if not document.labels:
        return document
    return document.amended(findings=tuple(_labelled(one, document.labels) for one in document.findings))


def faults(findings: tuple[Finding, ...], labels: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What is wrong with labels for these findings: values that no group has, and names that another has."""
    seen: dict[str, set[str]] = {}
    for finding in findings:
        for attribute, value in _values(finding):
            seen.setdefault(attribute, set()).add(value)
    found = []
    for attribute, values in labels.items():
        known = seen.get(attribute, set())
        found += [f"no group has {attribute}.{value}" for value in values if value not in known]
        found += [
            f"{attribute}.{value} would be called {label!r}, which another group is"
            for value, label in values.items()
            if label in known - {value} and label not in values
        ]
    return found


def _values(finding: Finding) -> list[tuple[str, str]]:
    groups = [group for group in finding.about.values() if isinstance(group, dict)]
    found = [(attribute, str(value)) for group in groups for attribute, value in group.items()]
    by = attributes_of(finding, "users")
    if len(by) == 1:
        ends = [finding.about.get("value"), *(finding.details.get(end) for end in ("toward", "away"))]
        found += [(by[0], str(value)) for value in ends if value is not None]
    return found


def _labelled(finding: Finding, labels: Mapping[str, Mapping[str, str]]) -> Finding:
    named = _Named(finding, labels)
    if not named.labels or finding.labels:  # a label may look like another value
        return finding
    return finding.amended(
        id=finding.id,
        labels=named.labels,
        about={key: named.about(key, value) for key, value in finding.about.items()},
        excluded=tuple(one.amended(what=named.left_out(one.what)) for one in finding.excluded),
        details=named.inside(finding.details),
        pictures=[named.picture(one.model_dump(mode="json", exclude_none=True)) for one in finding.pictures],
    )


class _Named:
    """What the groups of one finding are called."""

    def __init__(self, finding: Finding, labels: Mapping[str, Mapping[str, str]]) -> None:
        self.by = {whom: attributes_of(finding, whom) for whom in WHOM}
        groups = [group for group in finding.about.values() if isinstance(group, dict)]
        attributes = {name for by in self.by.values() for name in by} | {
            name for group in groups for name in group
        }
        self.labels = {name: dict(labels[name]) for name in sorted(attributes) if name in labels}

    def about(self, key: str, value: Any) -> Any:
        if isinstance(value, dict):
            return value if key == "by" else self.group(value)
        return (
            self.name(value)
            if isinstance(value, str) and key in ("value", "audience", "direction")
            else value
        )

    def group(self, parts: Parts) -> dict[str, Any]:
        return {name: self.labels.get(name, {}).get(str(value), value) for name, value in parts.items()}

    def name(self, name: str) -> str:
        """A group by its name; one that two attributes have is left as it is, as it may be either."""
        if name.count(_AGAINST) == 1:
            return _AGAINST.join(map(self.name, name.split(_AGAINST)))
        said = {}
        for whom, by in self.by.items():
            parts = parted(by, name) if by else {}
            shown = self.group(dict(parts))
            if shown != parts and set(parts) <= set(by):
                said[whom] = group_name(shown, by)
        return next(iter(said.values())) if len(set(said.values())) == 1 else name

    def left_out(self, what: str) -> str:
        """A group that was left out, which audits call by its attribute: "gender = F"."""
        by, equals, name = what.partition(" = ")
        is_group = equals and any(
            attributes and combined(attributes) == by for attributes in self.by.values()
        )
        return f"{by} = {self.name(name)}" if is_group else what

    def inside(self, value: Any, key: str = "") -> Any:
        """The same with labels for the groups that it names, at any depth."""
        if isinstance(value, dict) and key in _NAMES:  # by group
            return {self.name(one): self.inside(inner, "group") for one, inner in value.items()}
        if isinstance(value, dict):
            return {one: self.inside(inner, one) for one, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.inside(inner, key) for inner in value]
        return self.name(value) if isinstance(value, str) and key in _NAMES else value

    def picture(self, picture: dict[str, Any]) -> dict[str, Any]:
        """A map says which attribute its rows and columns are of."""
        if picture["kind"] != "map" or not (picture.get("rows") and picture.get("columns")):
            return self.inside(picture)
        rows, columns = (self.labels.get(picture[side], {}) for side in ("rows", "columns"))
        cells = [
            cell
            | {
                "row": rows.get(cell["row"], cell["row"]),
                "column": columns.get(cell["column"], cell["column"]),
            }
            for cell in picture["cells"]
        ]
        return picture | {"cells": cells}
