"""What users would get from other lists, in words."""

from __future__ import annotations

from evenhand.findings import Finding
from evenhand.report.words import sentences

Words = dict[str, str]


def gains(finding: Finding) -> Words:
    """How much more another list gives, as a share of what users get from their own: "8.5% more"."""
    assert finding.estimate is not None
    own = finding.details["mean_utility"]
    if own <= 0:  # no share of nothing
        return {"more": f"{sentences.amount(finding)} more"}
    share = 100 * finding.estimate / own
    return {"more": f"{share:.0f}% more" if share >= 9.95 else f"{share:.2g}% more"}


def envious(finding: Finding) -> Words:
    """Whose lists must be better: that of one other user, or those of a share of all."""
    gamma = float(finding.subject.get("gamma", finding.details.get("gamma", 0)))
    return {"lists": f"lists of over {100 * gamma:g}% of users" if gamma else "the list of another user"}
