"""Days of a series, and plans of random traffic, in words."""

from __future__ import annotations

from typing import Any

from evenhand.about import Subject
from evenhand.findings import Finding
from evenhand.report.vocabulary.names import capital
from evenhand.report.words import days, numbers

Words = dict[str, str]
# From here on the split of an A/B test is not the one that was planned.
MISMATCH = 0.05
COLLECT = "Collect more traffic, random traffic first."


def more_of_arms(finding: Finding) -> str:
    """Of what a comparison needs more. Chance in random traffic that arms share nearly cancels in their
    difference; not so where each arm's own interval is taken, as where both are nearly fair."""
    if not finding.details.get("shared_random", True):
        return COLLECT
    if finding.interval is None or "hulls" in finding.interval.method:
        return "Collect more traffic, in the arms and at random."
    return "Collect more traffic, in the arms first: chance in the random log that they share nearly cancels."


def day(finding: Finding) -> Words:
    """Which day decides, and what all days say together."""
    when = _when(finding.details)
    return {"tally": days.together(finding), "when": when, "When": capital(when)}


def _when(details: dict[str, Any]) -> str:
    said = days.dated([details["day"]])
    return f"in the week of {said}" if details["unit"] == "week" else f"on {said}"


def span(finding: Finding) -> Words:
    """The first and the last day."""
    return {"since": days.dated([finding.details["first"]]), "until": days.dated([finding.details["last"]])}


def change(finding: Finding) -> Words:
    """Which change of a series it is, when, and against what."""
    details = finding.details
    if details["judge"] == "latest":
        which = "the latest change"
    else:
        clear = details["days_clear"] > 0
        which = "the largest clear change" if clear else "the largest change, which is not clear"
    against = held_against(finding.subject)
    at = "over" if against.endswith("s") else "in" if details["unit"] == "week" else "on"
    return {"which": which, "when": _when(details), "than": f"{at} the {against}"}


def held_against(subject: Subject) -> str:
    """ "day before", "first 3 days"."""
    unit, periods = subject["unit"], subject.get("periods", 1)
    if subject["against"] == "before":
        return f"{unit} before"
    return f"first {periods} {unit}s" if periods != 1 else f"first {unit}"


def split(finding: Finding) -> Words:
    """Whether the arms have the users that were planned. The p-value holds over all looks: a large one is no
    frequency, as few tests that are split as planned ever come near it."""
    p = finding.p_value
    if p is None or p > MISMATCH:
        return {"mismatch": "which is no sign of a mismatch, however often it is looked at"}
    few = numbers.at_most(p)
    return {"mismatch": f"which is a mismatch: {few} tests that are split as planned ever look so"}


def planned(finding: Finding) -> Words:
    """A share of random traffic, and what it is for."""
    subject, details = finding.subject, finding.details
    said = {"share": percent(float(subject["share"]))} if "share" in subject else {}
    if "days" in subject:
        said["length"] = "1 day" if subject["days"] == 1 else f"{subject['days']:,.6g} days"
    if "importance" in subject:
        importance = float(subject["importance"])
        said |= {"weight": percent(importance), "rest": percent(1 - importance)}
    aim = details.get("aim", {})
    if "wanted" in aim:
        said["aim"] = _aim(aim)
    if "reached" in details:
        said["gives"] = _gives(aim["kind"], details["reached"])
    return said


def _aim(aim: dict[str, Any]) -> str:
    if aim["kind"] == "half_width":
        what = f"the relative utility of {aim['of']}" if "of" in aim else "the penalty"
        return f"tell {what} to ±{100 * aim['wanted']:.3g} points"
    change = f"{100 * aim['change']:+.2g} points".replace("-", "−")
    return f"find a change of the penalty by {change} in {aim['wanted']:.0%} of A/B tests"


def _gives(kind: str, reached: float) -> str:
    if kind == "half_width":
        return f"an interval of ±{100 * reached:.2g} points"
    return f"{reached:.0%} of A/B tests that find the change"


def percent(share: float) -> str:
    return f"{100 * share:.3g}%"
