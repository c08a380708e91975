"""How much more data would decide what is not decided."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from evenhand.findings import Finding, MoreData, Verdict, compared

# The limits of an interval, had there been so many times the data.
LimitsAt = Callable[[float], tuple[float, float]]

# An interval is decided by in 4 of 5 cases when it would be with arms this much longer: 1.96 errors, and the
# .84 errors that 4 of 5 estimates are at most on the wrong side of the truth by.
FOUR_IN_FIVE = 1 + 0.84 / 1.96
# More than a million times the data is no advice. Two candidates are 2% apart.
STEP, MOST_STEPS = 1.02, 698

_WANTED = ContextVar("wanted", default=True)


@contextmanager
def verdicts_alone() -> Iterator[None]:
    """Within this, nobody asks how much more data would decide, which takes most of the time of a finding."""
    before = _WANTED.set(False)
    try:
        yield
    finally:
        _WANTED.reset(before)


def with_more_data(
    finding: Finding, limits_at: LimitsAt, of: str = "data", truth: float | None = None
) -> Finding:
    """The finding, with how much data would decide it where it is open to data.

    `limits_at` gives the limits that the interval would have, around the same estimate, with so many times
    the data; it is asked, as few intervals shrink exactly like 1/sqrt(n). `truth` is what the estimate tends
    to with more data, where that is not itself. With its arms 1.43 times as long (`FOUR_IN_FIVE`) such an
    interval must still decide, around the truth for `times`, and around either end of the present interval
    for `low`. Intervals that hold for several things at once have longer arms for the same error, so that
    they are decided more often than in 4 of 5 cases.
    """
    if not finding.open_to_data or not _WANTED.get():
        return finding
    estimate, interval, tolerance = finding.estimate, finding.interval, finding.tolerance
    assert estimate is not None
    assert interval is not None
    assert tolerance is not None
    centre = estimate if truth is None else truth
    asked: dict[int, tuple[float, float]] = {}

    def decides(step: int, truths: tuple[float, ...]) -> bool:
        if step not in asked:
            asked[step] = limits_at(STEP**step)
        low, high = asked[step]
        below, above = (FOUR_IN_FIVE * max(0.0, arm) for arm in (centre - low, high - centre))
        return any(
            compared(truth - below, truth + above, tolerance, finding.harm) is not Verdict.INCONCLUSIVE
            for truth in truths
        )

    def least(truths: tuple[float, ...], most: int) -> float:
        return STEP ** bisect_left(range(most), True, key=lambda step: decides(step, truths))

    if not decides(MOST_STEPS, (centre,)):
        return finding
    times = least((centre,), MOST_STEPS)
    low = least((interval.low, centre, interval.high), MOST_STEPS)
    return finding.amended(more_data=MoreData(times=times, low=low, of=of))


def shrinking(
    finding: Finding,
    scale: Callable[[float], float] = lambda value: value,
    back: Callable[[float], float] = lambda value: value,
) -> LimitsAt:
    """The limits of an interval that really is estimate +- c / sqrt(n), as `with_more_data` asks for them.

    Where it is so on another `scale`, such as that of logs, `back` undoes it. c is that of the longer arm:
    the other may be cut off at a bound of the measure.
    """

    def limits_at(times: float) -> tuple[float, float]:
        assert finding.estimate is not None
        assert finding.interval is not None
        middle, low, high = map(scale, (finding.estimate, finding.interval.low, finding.interval.high))
        reach = max(high - middle, middle - low) / times**0.5
        return back(middle - reach), back(middle + reach)

    return limits_at
