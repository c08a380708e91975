"""What a direction tells, and which items and audiences are meant, in words."""

from __future__ import annotations

from evenhand.about import Subject
from evenhand.findings import Finding
from evenhand.report.vocabulary.names import capital, spaced
from evenhand.report.words.numbers import p_value
from evenhand.report.words.people import listed
from evenhand.report.words.sentences import figure, told

Words = dict[str, str]
_MADE = {"svc": "by a classifier", "centroid": "between the means"}


def line(subject: Subject) -> str:
    """The name of a direction; where several ways to make it are compared, with the way."""
    way = _MADE.get(str(subject.get("method")))
    return str(subject["direction"]) if way is None else f"{subject['direction']} ({way})"


def along(finding: Finding) -> Words:
    return {"direction": line(finding.subject)}


def way(finding: Finding) -> Words:
    """Which way a group of items leans, and how much."""
    side = finding.details.get("lean")
    assert finding.estimate is not None
    leans = f"leans to {side}" if side is not None and told(finding) else "no clear lean"
    summed = finding.details.get("aggregate") == "sum"
    return {
        "way": f"{leans}: {figure(finding, finding.estimate)} in {'summed ' if summed else ''}cosine",
        "cosine": "cosine summed over its items" if summed else "mean cosine",
    }


def direction(finding: Finding) -> Words:
    way = _MADE.get(str(finding.subject.get("method")))
    return {
        "along": "" if way is None else f" along the line made {way}",
        "guessed": _guessed(finding),
        "leaning": _leaning(finding),
        "meaning": _meaning(finding),
    }


def _meaning(finding: Finding) -> str:
    assert finding.p_value is not None
    largest, details = p_value(finding.p_value), finding.details
    if details["passes"]:
        return f"more than chance by all of its tests ({largest})"
    return (
        f"not more than chance by all of its tests: one has p above {details['significance']:g} ({largest})"
    )


def _guessed(finding: Finding) -> str:
    """How well a classifier does, each value counted alike: naming the largest value tells nothing, and is
    then as good as chance."""
    balanced, guessing = finding.details["accuracy"]["balanced"], finding.details["guessing"]
    by = spaced(str(finding.subject["by"]))
    by = "the attribute" if by == "attribute" else by  # what one without a name is called
    users = f"{balanced:.0%} of new users (chance: {guessing:.0%})"
    if not finding.details["passes"]:
        # Nothing that a classifier may say otherwise.
        return f"no direction of {by} is shown. A classifier guesses {by} for {users}"
    if balanced > guessing:
        return f"{by} can be guessed for {users}"
    return f"the vectors differ by {by}, but a classifier guesses no better than chance: for {users}"


def _leaning(finding: Finding) -> str:
    """ "Sport and games lean most to men, cooking and drama to women. "."""
    sides: dict[str, list[str]] = finding.details.get("leaning", {})
    told = [(side, listed(names), "leans" if len(names) == 1 else "lean") for side, names in sides.items()]
    if not told:
        return ""
    (side, names, lean), *others = told
    return (
        capital(", ".join([f"{names} {lean} most to {side}", *(f"{n} to {s}" for s, n, _ in others)])) + ". "
    )


def items(finding: Finding) -> Words:
    return {"popularity": popularity(finding.subject)}


def popularity(subject: Subject) -> str:
    """ "items of 50 users or more": by how many users took them."""
    if subject["popularity"] == "all":
        return "all items"
    split = f"{subject['threshold']:,} users"
    return (
        f"items of {split} or more" if subject["popularity"] == "popular" else f"items of fewer than {split}"
    )
