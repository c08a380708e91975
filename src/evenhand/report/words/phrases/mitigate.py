"""What a mitigation did, in words."""

from __future__ import annotations

from evenhand.findings import Finding
from evenhand.report.words.numbers import decimals_of, figure

Words = dict[str, str]
_NO_CHANGE = "it may be chance"


def lists(finding: Finding) -> Words:
    """A change of lists. Where not one changed there is no interval, so that the finding says which it is."""
    change = finding.details["change"]
    unchanged = "neither of its groups' lists changed" if finding.measure == "uf_change" else "unchanged"
    return _ends(finding) | {"meaning": {"none": unchanged, "unclear": _NO_CHANGE}.get(change, change)}


def _ends(finding: Finding) -> Words:
    """What it was and what it is, with the digits of the change, and at least two."""

    def said(value: float) -> str:
        return figure(value, "number", max(2, decimals_of(value, finding, "number", None)))

    return {end: said(finding.details[end]) for end in ("before", "after")}


def accuracy(finding: Finding) -> Words:
    limits, guessing = finding.interval, finding.details["guessing"]
    if limits is not None and limits.low > guessing:
        return {"meaning": "more than chance"}
    below = limits is not None and limits.high < guessing
    return {"meaning": "below chance" if below else "it may be chance"}


def accuracy_change(finding: Finding) -> Words:
    return {"meaning": _told(finding, "less", "more")}


def association_change(finding: Finding) -> Words:
    """Weaker means nearer to 0, on either side: of a group that leans the other way now, the change alone
    does not tell it, and the sum of both must be known to be on one side of 0, too."""
    total = finding.details.get("sum")
    if total is None or total["low"] <= 0 <= total["high"]:
        either = "a change, neither clearly weaker nor clearly stronger"
        return _ends(finding) | {"meaning": _told(finding, either, either)}
    on_this_side = ("weaker", "stronger") if total["low"] > 0 else ("stronger", "weaker")
    return _ends(finding) | {"meaning": _told(finding, *on_this_side)}


def ranking_change(finding: Finding) -> Words:
    told = "unchanged" if finding.interval is None else _told(finding, "worse", "better")
    return _ends(finding) | {"meaning": told}


def _told(finding: Finding, below: str, above: str) -> str:
    """The word for a change whose whole interval lies on one side."""
    if finding.interval is None or finding.interval.low <= 0 <= finding.interval.high:
        return _NO_CHANGE
    return below if finding.interval.high < 0 else above
