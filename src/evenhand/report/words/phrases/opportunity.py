"""Days of a series, and plans of random traffic, in words."""

from __future__ import annotations

from datetime import date
from typing import Any

from evenhand.about import Subject
from evenhand.findings import Finding

Words = dict[str, str]


def day(finding: Finding) -> Words:
    """ "of 29 days 9 are outside the tolerance, 2 undecided, 18 within", and the day that decides."""
    details = finding.details
    return {"tally": _tally(details, finding.tolerance is not None), "when": _when(details)}


def _when(details: dict[str, Any]) -> str:
    if details["unit"] == "week":
        return f"in the week of {details['day']}"
    return f"on {details['day']}" if _is_date(details["day"]) else f"on day {details['day']}"


def _is_date(label: str) -> bool:
    try:
        date.fromisoformat(label)
    except ValueError:
        return False
    return "-" in label  # a number of eight digits is one, too


def _tally(details: dict[str, Any], judged: bool) -> str:
    days, unit = details["days"], details["unit"]
    if not judged:
        return f"{days} {unit}s were looked at"
    outside, undecided, within = (details[f"days_{part}"] for part in ("outside", "undecided", "within"))
    if within == days:
        return f"all {days} {unit}s are within the tolerance"
    are = "is" if outside == 1 else "are"
    return f"of {days} {unit}s {outside} {are} outside the tolerance, {undecided} undecided, {within} within"


def change(finding: Finding) -> Words:
    """Which change of a series it is, when, and against what."""
    details = finding.details
    if details["judge"] == "latest":
        which = "the latest change"
    else:
        clear = details["days_clear"] > 0
        which = "the largest clear change" if clear else "the largest change, and not a clear one"
    against = held_against(finding.subject)
    at = "over" if against.endswith("s") else "in" if details["unit"] == "week" else "on"
    return {"which": which, "when": _when(details), "than": f"{at} the {against}"}


def held_against(subject: Subject) -> str:
    """ "day before", "first 3 days"."""
    unit, periods = subject["unit"], subject.get("periods", 1)
    if subject["against"] == "before":
        return f"{unit} before"
    return f"first {periods} {unit}s" if periods != 1 else f"first {unit}"


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
    change = f"{100 * aim['change']:+.2g} points"
    return f"find a change of the penalty by {change} in {aim['wanted']:.0%} of A/B tests"


def _gives(kind: str, reached: float) -> str:
    if kind == "half_width":
        return f"an interval of ±{100 * reached:.2g} points"
    return f"{reached:.0%} of A/B tests that find the change"


def percent(share: float) -> str:
    return f"{100 * share:.3g}%"
