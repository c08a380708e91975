"""Users or visits? Whether a verdict over several days hangs on which of them count.

Each user counts once, with the mean over the own days. Of a user who stays away after a bad day that day is
the last, and the mean is worse than what the user was ever served with: for one who leaves with the first
miss and is served a hit with a chance of 1/2, it is .31. So a group that forgives less seems to be served
worse, though it is not on any day. Over visits that is not so: whether a user comes again is decided before
what is then served, and sums over such visits are what was to be expected of them (Wald 1944). Visits count
those who come often more, which may be another question. So where the two say different things, nothing is
decided.
"""

from __future__ import annotations

from evenhand.findings import Finding, compared

BY_VISITS = (
    "Counted by visits instead of users, all days together say something else: users who come often are "
    "served otherwise than users who come seldom, or users come less after they were served badly. Single "
    "days are not affected."
)


def says_otherwise(finding: Finding, moved: float) -> bool:
    """Whether its interval would say something else of the tolerance, were it further up by so much."""
    if finding.interval is None or finding.tolerance is None:
        return False
    low, high = finding.interval.low, finding.interval.high
    least = 0.0 if finding.harm == "above" else -1.0
    said = {compared(max(low + by, least), high + by, finding.tolerance, finding.harm) for by in (0.0, moved)}
    return len(said) > 1
