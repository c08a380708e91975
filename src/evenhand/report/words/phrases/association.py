"""What a direction tells, and which items and audiences are meant, in words."""

from __future__ import annotations

from evenhand.about import Subject
from evenhand.findings import Finding
from evenhand.report.words.numbers import p_value

Words = dict[str, str]
_MADE = {"svc": "by a classifier", "centroid": "between the means"}


def line(subject: Subject) -> str:
    """The name of a direction; where several ways to make it are compared, with the way."""
    way = _MADE.get(str(subject.get("method")))
    return str(subject["direction"]) if way is None else f"{subject['direction']} ({way})"


def along(finding: Finding) -> Words:
    return {"direction": line(finding.subject)}


def direction(finding: Finding) -> Words:
    passes = finding.details["passes"]
    by = str(finding.subject["by"]).replace("_", " ")
    tell = (
        f"the vectors differ by {by} along a direction"
        if passes
        # Nothing that a classifier may say otherwise.
        else f"no direction is shown along which the vectors differ by {by}"
    )
    return {
        "direction": line(finding.subject),
        "tell": tell,
        "told": _told(finding),
        "leaning": _leaning(finding),
        "meaning": _meaning(finding),
    }


def _meaning(finding: Finding) -> str:
    assert finding.p_value is not None
    largest, details = p_value(finding.p_value), finding.details
    if details["passes"]:
        return f"more than chance by all of its tests ({largest})"
    return (
        "not more than chance can do: at least one of its tests has p above "
        f"{details['significance']:g} ({largest})"
    )


def _told(finding: Finding) -> str:
    """How well a classifier does, each value counted alike: naming the largest value tells nothing, and is
    then as good as guessing."""
    balanced, guessing = finding.details["accuracy"]["balanced"], finding.details["guessing"]
    said = f"{balanced:.0%} of users that it did not learn from, each value counted alike"
    if balanced > guessing:
        return f"A classifier tells {said}, where guessing tells {guessing:.0%}"
    return f"A classifier does no better than guessing: it tells {said}, where guessing tells {guessing:.0%}"


def _leaning(finding: Finding) -> str:
    sides: dict[str, list[str]] = finding.details.get("leaning", {})
    listed = [f"{' and '.join(names)} to {side}" for side, names in sides.items()]
    return f"Items that lean most: {', '.join(listed)}. " if listed else ""


def items(finding: Finding) -> Words:
    return {"popularity": popularity(finding.subject)}


def popularity(subject: Subject) -> str:
    """ "50 users or more": how many users took the items."""
    if subject["popularity"] == "all":
        return "all"
    split = f"{subject['threshold']:,} users"
    return f"{split} or more" if subject["popularity"] == "popular" else f"fewer than {split}"
