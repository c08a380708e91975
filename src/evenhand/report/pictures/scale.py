"""Where a value lies in a picture: the range that is drawn, and the part of it that is tolerated."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.findings import Finding
from evenhand.report.vocabulary.names import measure
from evenhand.report.words.sentences import value

_MARGIN = 0.06
# A range that fills less than this of an axis from zero would be a dot there: it gets an axis of its own.
_TOO_SMALL = 0.2


def drawn_range(findings: Sequence[Finding], more: Sequence[float] = ()) -> tuple[float, float]:
    """A range that shows every estimate, interval and tolerance, `more`, and the value of no effect.

    It has a margin, so that no mark is cut, but for an end that the measure cannot go beyond: a penalty
    begins at 0. Where no effect is not a value, the range begins at the least that the measure can be, or at
    0, unless all would be crowded at its other end.
    """
    known = measure(findings[0].measure)
    values = [*more, *([] if known.no_effect is None else [known.no_effect])]
    for finding in findings:
        if (shown := value(finding)) is not None:
            values.append(shown)
        if finding.interval is not None:
            values += [finding.interval.low, finding.interval.high]
        if finding.tolerance is not None:
            values.append(finding.tolerance)
            if finding.harm == "outside":
                values.append(-finding.tolerance)
    return padded(min(values), max(values), known.least, known.most, known.no_effect)


def padded(
    low: float, high: float, least: float | None, most: float | None, no_effect: float | None
) -> tuple[float, float]:
    """The range from `low` to `high` with a margin, within what a measure can be."""
    start = _start(low, least)
    if no_effect is None and start is not None and (high - low) >= _TOO_SMALL * (high - start):
        low = least = start
    margin = _MARGIN * ((high - low) or abs(high) or 1.0)
    low = low if low == least else max(low - margin, low - margin if least is None else least)
    high = high + margin if most is None else min(high + margin, max(most, high))
    return low, high


def starts_elsewhere(finding: Finding, low: float) -> bool:
    """Whether an axis begins where a reader would not think: neither at no effect nor at zero."""
    known = measure(finding.measure)
    start = _start(low, known.least)
    return known.no_effect is None and start is not None and low > start


def _start(low: float, least: float | None) -> float | None:
    """Where an axis of sizes begins: at the least there is, or at zero."""
    return 0.0 if least is None and low >= 0 else least


def tolerated(finding: Finding, low: float, high: float) -> tuple[float, float] | None:
    """The part of the drawn range from `low` to `high` that is inside the tolerance."""
    if finding.tolerance is None:
        return None
    if finding.harm == "above":
        return low, finding.tolerance
    if finding.harm == "below":
        return finding.tolerance, high
    return max(low, -finding.tolerance), min(high, finding.tolerance)


def limits(finding: Finding) -> list[float]:
    """Where the tolerance ends."""
    if finding.tolerance is None:
        return []
    return [-finding.tolerance, finding.tolerance] if finding.harm == "outside" else [finding.tolerance]
