"""Where a value lies in a picture: the range that is drawn, and the part of it that is tolerated."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Finding
from evenhand.report.vocabulary.names import measure
from evenhand.report.words.sentences import value

_MARGIN = 0.08


def drawn_range(findings: Sequence[Finding]) -> tuple[float, float]:
    """A range that shows every estimate, interval, tolerance and the value of no effect, with a margin.

    It does not go beyond what the measure can be: a penalty below 0 does not exist.
    """
    known = measure(findings[0].measure)
    values = [] if known.no_effect is None else [known.no_effect]
    for finding in findings:
        if (shown := value(finding)) is not None:
            values.append(shown)
        if finding.interval is not None:
            values += [finding.interval.low, finding.interval.high]
        if finding.tolerance is not None:
            values.append(finding.tolerance)
            if finding.harm == "outside":
                values.append(-finding.tolerance)
    low, high = min(values), max(values)
    margin = _MARGIN * ((high - low) or abs(high) or 1.0)
    low, high = low - margin, high + margin
    if known.least is not None:
        low = max(low, known.least)
    if known.most is not None:
        high = min(high, known.most)
    return low, high


def tolerated(finding: Finding, low: float, high: float) -> tuple[float, float] | None:
    """The part of the drawn range from `low` to `high` that is inside the tolerance."""
    if finding.tolerance is None:
        return None
    if finding.harm == "above":
        return low, finding.tolerance
    if finding.harm == "below":
        return finding.tolerance, high
    return max(low, -finding.tolerance), min(high, finding.tolerance)
