"""A gate: whether what audits found stops a release."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from evenhand.findings import Finding, Verdict
from evenhand.report.answers import verdicts_of_audits

# What could not be computed was not checked: a gate must not open for it.
FAILING: Mapping[str, Collection[Verdict]] = {
    "violation": (Verdict.VIOLATION, Verdict.NOT_APPLICABLE),
    "inconclusive": (Verdict.VIOLATION, Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE),
}


def stops(findings: Sequence[Finding], shown: Sequence[Finding], fail_on: str) -> bool:
    """Whether a gate that fails on this stops: for the verdict of any audit, or because all that was judged
    is too small to be `shown`, of which the report says that it is no pass. Where there was nothing to check
    (a position along a direction that is not there) nothing stops."""
    published = {finding.verdict for finding in shown if finding.state != "moot"} - {None}
    unseen = published == {Verdict.NOT_APPLICABLE}
    return unseen or any(verdict in FAILING[fail_on] for verdict in verdicts_of_audits(findings))
