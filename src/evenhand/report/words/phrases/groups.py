"""What the largest gap between groups is worth, in words."""

from __future__ import annotations

from evenhand.findings import Finding

Words = dict[str, str]
# From here on a p-value is taken to be chance.
_SMALL = 0.05


def chosen(finding: Finding) -> Words:
    """The groups that each half of the users chose, once where both chose the same."""
    pairs = dict.fromkeys(f"{half['highest']} against {half['lowest']}" for half in finding.details["halves"])
    below = "above" if finding.details.get("better") == "lower" else "below"
    return {"chosen": " and ".join(pairs), "below": below}


def gap(finding: Finding) -> Words:
    """A search that found only noise says so."""
    said = {"meaning": _meaning(finding)}
    return said if finding.p_value is not None else said | {"p": "no p-value about means, as groups overlap"}


def _meaning(finding: Finding) -> str:
    details, p = finding.details, finding.p_value
    null, confirmed = details["null"], details["confirmed"]
    chance = f"shuffling users over the groups gives {null['mean']:.3g} on average"
    is_confirmed = confirmed["interval"]["low"] > 0 and confirmed["sure"]
    if p is None and details["shuffled_p_value"] <= _SMALL:
        if is_confirmed:
            return f"{chance}. Users who had no part in the search confirm that groups differ"
        return (
            f"{chance}. Groups differ in some way, but that may be how users spread and not how well they "
            "are served: users who had no part in the search do not confirm a gap"
        )
    if p is None or p > _SMALL:
        assert finding.estimate is not None
        usual = finding.estimate <= null["p95"]
        said = "This is what chance gives" if usual else "It is not told from chance"
        return (
            f"{chance}. {said}: nothing here shows that a group is served differently, though a gap below "
            f"{details['detectable_gap']['gap']:.2g} could hide in a group of median size"
        )
    if is_confirmed:
        return f"{chance}. Groups do differ, and users who had no part in the search confirm it"
    return (
        f"{chance}. Groups do differ, but which ones is not confirmed by users who had no part in the search"
    )
