"""What the largest gap between groups is worth, in words."""

from __future__ import annotations

from evenhand.findings import Finding
from evenhand.report.words.people import either, who

Words = dict[str, str]
# From here on a p-value is taken to be chance.
_SMALL = 0.05


def chosen(finding: Finding) -> Words:
    """The groups that each half of the users chose, one where both chose the same."""
    lower = finding.details.get("better") == "lower"
    worst, best = ("highest", "lowest") if lower else ("lowest", "highest")
    halves = finding.details["halves"]
    ends = {
        name: either(who(finding, half[end]) for half in halves)
        for name, end in (("worst", worst), ("best", best))
    }
    return {"below": "above" if lower else "below", **ends}


def gap(finding: Finding) -> Words:
    """A search that found only noise says so."""
    untested = " There is no p-value of means, as groups overlap" if finding.p_value is None else ""
    chance = f"Shuffled users would give {finding.details['null']['mean']:.2g}"
    return {"meaning": f"{chance}. {_meaning(finding)}{f'.{untested}' if untested else ''}"}


def _meaning(finding: Finding) -> str:
    details, p = finding.details, finding.p_value
    confirmed = details["confirmed"]
    is_confirmed = confirmed["interval"]["low"] > 0 and confirmed["sure"]
    if p is None and details["shuffled_p_value"] <= _SMALL:
        if is_confirmed:
            return "Groups differ, rechecked on other users"
        return (
            "Groups differ in some way, maybe in how users spread and not in how well they are served: other "
            "users do not confirm a gap"
        )
    if p is None or p > _SMALL:
        assert finding.estimate is not None
        usual = finding.estimate <= details["null"]["p95"]
        said = "This is what chance gives" if usual else "It cannot be told from chance"
        return (
            f"{said}: no group is shown to be served differently, though a gap below "
            f"{details['detectable_gap']['gap']:.2g} could hide in a group of median size"
        )
    if is_confirmed:
        return "Groups do differ, rechecked on other users"
    return "Groups do differ, but which ones is not confirmed on other users"
