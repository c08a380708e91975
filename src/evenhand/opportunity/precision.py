"""How exact an audit of so many days would be, and how many days make it as exact as is wanted.

The half-width is that of the audit's own interval, averaged over logs as chance would have them: near
equality the interval at the expected counts would be a poor guide, since the penalty errs upwards. Power is
the share of such logs in which the audit's interval of the difference leaves out 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import special

from evenhand.opportunity.differences import penalty_difference
from evenhand.opportunity.expected import Traffic
from evenhand.opportunity.inference import ArmInference
from evenhand.stats import normal

# Evenly spread logs: enough for a mean half-width, and for a share of 80% to half a percent.
DRAWS_OF_WIDTH = 32
DRAWS_OF_POWER = 1024
PENALTY = "penalty"
# With fewer expected liked rows of a group in a log there is nothing to plan an interval by.
LEAST_POSITIVES = 3
# Nobody plans a log of more than ten years.
MOST_DAYS = 3_650.0


def half_width(traffic: Traffic, days: float, of: str, level: float, seed: int) -> float:
    """Expected half-width of the interval of the penalty, or of a group's relative utility."""
    widths = []
    for arms in traffic.drawn(days, DRAWS_OF_WIDTH, seed):
        inference = ArmInference(arms, 0, seed)
        if of == PENALTY:
            low, high = inference.penalty_interval(level)
        else:
            low, high = inference.relative_utility_intervals(level)[traffic.groups.index(of)]
        widths.append((high - low) / 2)
    return float(np.mean(widths))


def power(traffic: Traffic, days: float, level: float, seed: int) -> float:
    """Probability that the interval of the second arm's penalty minus the first's leaves out 0."""
    found = 0
    for arms in traffic.drawn(days, DRAWS_OF_POWER, seed):
        difference = penalty_difference(arms, 1, 0, level, seed)
        found += difference.low > 0 or difference.high < 0
    return found / DRAWS_OF_POWER


def least_days(
    enough: Callable[[float], float], guess: float, least: float, close: float = 0.005
) -> float | None:
    """The days, `least` or more, at which `enough` turns positive; None if that is beyond ten years.

    `enough` rises with the logarithm of the days, such as log(wanted / half-width), and costs much to know:
    so a good guess and few steps, until it is `close` to 0.
    """
    guess = min(max(guess, 1.2 * least), MOST_DAYS)
    low, high = guess / 1.2, guess * 1.2
    at_low, at_high = enough(low), enough(high)
    while at_high < 0:
        low, at_low, high = high, at_high, 1.5 * high
        if low > MOST_DAYS:
            return None
        at_high = enough(high)
    while at_low > 0:
        if low <= least:
            return least
        high, at_high, low = low, at_low, max(least, low / 1.5)
        at_low = enough(low)
    for _ in range(12):
        share = at_low / (at_low - at_high) if at_low < at_high else 0.5
        middle = low * (high / low) ** min(max(share, 0.1), 0.9)
        at_middle = enough(middle)
        if abs(at_middle) <= close or high / low < 1.002:
            break
        if at_middle < 0:
            low, at_low = middle, at_middle
        else:
            high, at_high = middle, at_middle
    return None if middle > MOST_DAYS else middle


def days_for_half_width(traffic: Traffic, wanted: float, of: str, level: float, seed: int) -> float | None:
    """Days until the interval is `wanted` to either side."""
    least = traffic.days_until(LEAST_POSITIVES)
    if least > MOST_DAYS:
        return None
    start = max(1.0, least)
    first = half_width(traffic, start, of, level, seed)
    return least_days(
        lambda days: float(np.log(wanted / half_width(traffic, days, of, level, seed))),
        guess=start * (first / wanted) ** 2,
        least=least,
    )


def days_for_power(traffic: Traffic, wanted: float, level: float, seed: int) -> float | None:
    """Days until a test of the difference between two arms has the power `wanted`."""
    target = float(special.ndtri(wanted))
    # Never quite 0 or 1, which have no normal quantile.
    edge = 0.5 / DRAWS_OF_POWER

    def enough(days: float) -> float:
        found = power(traffic, days, level, seed)
        return float(special.ndtri(np.clip(found, edge, 1 - edge))) - target

    least = traffic.days_until(LEAST_POSITIVES)
    if least > MOST_DAYS:
        return None
    start = max(1.0, least)
    expected = penalty_difference(traffic.arms(start), 1, 0, level, seed)
    # Where no arm may be fair the estimate is normal: it must lie z + z_power errors from 0.
    error = (expected.high - expected.low) / (2 * normal.critical_value(level))
    needed = normal.critical_value(level) + target
    guess = start * (needed * error / abs(expected.estimate)) ** 2
    return least_days(enough, guess, least, close=0.01)
