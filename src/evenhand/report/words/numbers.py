"""Numbers as a reader meets them: no more digits than the interval supports, never so few as to mislead.

A number has the same digits wherever it stands: they follow from its finding alone.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Literal

from evenhand.findings import Finding

# What is "squared" is said as its root, in percent: how far something typically is from where it should be.
Show = Literal["percent", "points", "number", "squared", "days"]
# What an axis multiplies by.
SCALES: dict[Show, float] = {"percent": 100, "points": 100, "number": 1, "squared": 1, "days": 1}
UNITS: dict[Show, str] = {"percent": "%", "points": " points", "number": "", "squared": "%", "days": " days"}

_MINUS = "−"
# A number of more digits is the result of a calculation, and was not given.
LONGEST_GIVEN = 6
_MOST_DECIMALS = 6


def decimals_of(value: float, finding: Finding, show: Show, no_effect: float | None) -> int:
    """How many decimals a number of this finding has: the estimate, a bound or the tolerance.

    Whole percents, unless the interval is narrower than two of them; for other numbers about five steps
    inside the interval. A bound has as many more as tell it from the tolerance or from no effect ("2.8 (0.004
    to 5.5)"), and so has what it must be told from. The tolerance has those with which it was given: an
    agreed 0.05 is never "0.1".
    """
    if finding.tolerance is not None and abs(value) == finding.tolerance:
        given = _as_given(_scaled(value, show))
        if given is not None:
            return given
    needed = _enough(finding, show)
    while _scaled(value, show) and needed < _MOST_DECIMALS and not round(_scaled(value, show), needed):
        needed += 1  # what is not 0 must not look like it
    # A bound may be said without its sign.
    apart = [pair for pair in _to_be_told_apart(finding, no_effect) if abs(value) in map(abs, pair)]
    return _until_apart([(_scaled(a, show), _scaled(b, show)) for a, b in apart], needed)


def _scaled(value: float, show: Show) -> float:
    return 100 * math.sqrt(max(0.0, value)) if show == "squared" else value * SCALES[show]


def _as_given(shown: float) -> int | None:
    """The decimals that a short number has; none for one that no one writes out, such as 1/9."""
    digits = Decimal(f"{shown:.12g}").normalize().as_tuple()
    return max(0, -int(digits.exponent)) if len(digits.digits) <= LONGEST_GIVEN else None


def _enough(finding: Finding, show: Show) -> int:
    if finding.estimate is None:
        return 0
    interval = finding.interval
    if interval is None or interval.high == interval.low:
        shown = abs(_scaled(finding.estimate, show))
        return places(shown / (50 if show == "number" and shown >= 1 else 10))
    width = _scaled(interval.high, show) - _scaled(interval.low, show)
    return places(width / (5 if show == "number" else 2))


def _to_be_told_apart(finding: Finding, no_effect: float | None) -> list[tuple[float, float]]:
    """Each bound with the tolerance and with no effect, where they differ."""
    interval = finding.interval
    if interval is None or interval.high == interval.low:
        bounds = [] if finding.estimate is None else [finding.estimate]
    else:
        bounds = [interval.low, interval.high]
    landmarks = [mark for mark in (finding.tolerance, no_effect) if mark is not None]
    if finding.harm == "outside" and finding.tolerance is not None:
        landmarks.append(-finding.tolerance)
    return [(bound, mark) for bound in bounds for mark in landmarks if bound != mark]


def _until_apart(pairs: list[tuple[float, float]], decimals: int) -> int:
    while decimals < _MOST_DECIMALS and any(round(a, decimals) == round(b, decimals) for a, b in pairs):
        decimals += 1
    return decimals


def places(step: float) -> int:
    """Decimals at which a difference of `step` becomes visible."""
    if step <= 0 or not math.isfinite(step):
        return 1
    return min(_MOST_DECIMALS, max(0, -math.floor(math.log10(step))))


def figure(value: float, show: Show, decimals: int, *, sign: bool = False, unit: bool = True) -> str:
    """One number as text; `sign` writes a plus as well, `unit=False` leaves out "points" but never "%"."""
    if show == "days":  # a day that has begun is a day
        days = math.ceil(value)
        return f"{days:,}{'' if not unit else ' day' if days == 1 else ' days'}"
    scaled = _scaled(value, show)
    # An exact zero (a clipped bound, a tolerance of none) must not look like a rounded one.
    text = f"{abs(scaled):,.{decimals if scaled else 0}f}"
    is_zero = not text.strip("0.,")
    prefix = _MINUS if scaled < 0 and not is_zero else "+" if sign and not is_zero else ""
    units = UNITS[show].removesuffix("s") if text == "1" else UNITS[show]
    return f"{prefix}{text}{units if unit or units == '%' else ''}"


def count(value: int) -> str:
    return f"{value:,}"


def p_value(value: float) -> str:
    """A p-value: "p = 0.34", "p = 0.034", "p < 0.001"."""
    if value < 0.001:
        return "p < 0.001"
    return f"p = {value:.2f}" if value >= 0.1 else f"p = {value:.3f}"


def chance(value: float) -> str:
    """A p-value as a frequency, which most readers grasp sooner."""
    if value < 0.001:
        return "fewer than 1 in 1,000"
    return f"about {value * 1000:.0f} in 1,000" if value < 0.01 else f"about {value * 100:.0f} in 100"


def at_most(value: float) -> str:
    """A bound of a share as a frequency, rounded up: "at most 3 in 100", "fewer than 1 in 1,000"."""
    if value < 0.001:
        return "fewer than 1 in 1,000"
    of = 1000 if value < 0.01 else 100
    return f"at most {math.ceil(round(value * of, 9))} in {of:,}"


def times(low: float, value: float) -> str:
    """How many times as much: "about 1.4 times", "about 2 to 12 times", "more than 100 times"."""
    if value > 100:
        return "more than 100 times"
    ends = [f"{end:.1f}" if end < 9.95 else f"{end:.0f}" for end in (low, value)]
    # Once the data is what there is: a range that begins there has an upper end only.
    ends = ends[1:] if ends[0] in (ends[1], "1.0") else ends
    return f"about {' to '.join(ends)} times"


def size_of(number_of_bytes: int) -> str:
    size = float(number_of_bytes)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def percent_of(level: float) -> str:
    """A confidence level: 0.95 is "95%", 0.999 is "99.9%"."""
    return f"{level * 100:.6g}%"
