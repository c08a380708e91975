"""How far a plan may be off because its pilot is short: the same plan from pilots as chance would have them.

Rates of a pilot are estimates. Its counts are drawn again, from the covariance that they have, and the plan
is made from each. Making it in full takes seconds, so that a drawn plan is held against the first by the one
log in which every count is as expected: `signal`, which grows with the square root of the days.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from evenhand.findings import Interval
from evenhand.opportunity.inference.differences import penalty_difference
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.traffic.aims import LEAST_RANDOM, MOST_DAYS, Aim, least_amount
from evenhand.opportunity.traffic.expected import Traffic, covariance_of_logs
from evenhand.opportunity.traffic.precision import PENALTY
from evenhand.stats import normal

DRAWS = 64
METHOD = f"the pilot drawn again, {DRAWS} times"


def days_interval(traffic: Traffic, planned: float, aim: Aim) -> Interval:
    """Within which days the plan would lie with other pilots of the same length."""
    here = signal(aim, traffic, planned)
    found = [planned * (here / signal(aim, other, planned)) ** 2 for other in redrawn(traffic, aim)]
    return _interval(aim, planned, found, MOST_DAYS)


def share_interval(traffic: Traffic, days: float, needed: float, aim: Aim, most: float) -> Interval:
    """The same of the least share of random traffic for so many days."""
    planned = traffic.with_share(needed)
    here, most_rows = signal(aim, planned, days), traffic.with_share(most).random_rows
    found = []
    for other in redrawn(planned, aim):
        rows = least_amount(
            _rising(aim, other, days, here), planned.random_rows,
            min(other.random_rows_until(LEAST_RANDOM, days), most_rows), most_rows, 0.02,
        )  # fmt: skip
        found.append(most if rows is None else other.with_random_rows(rows).share)
    return _interval(aim, needed, found, most)


def redrawn(traffic: Traffic, aim: Aim) -> Iterator[Traffic]:
    """The traffic that other pilots of the same length would have made us expect."""
    covariance = covariance_of_logs(traffic.pilot.arms(1.0))
    groups = len(traffic.groups)
    # By its numbers, so that the order in which groups are named does not matter.
    key = np.append(traffic.rates[0], traffic.random_rates)
    noise = normal.draws_with_covariance(covariance, DRAWS, aim.seed, key) - np.diag(covariance) / 2
    for moved in np.exp(noise):
        own, common = moved[:groups], moved[groups:]
        drawn = replace(
            traffic,
            rates=traffic.rates * own,
            random_rates=traffic.random_rates * common,
            drawn_rates=None if traffic.drawn_rates is None else traffic.drawn_rates * common,
            effective_rates=None if traffic.effective_rates is None else traffic.effective_rates * common,
        )
        yield drawn.without_noise()


def signal(aim: Aim, traffic: Traffic, days: float) -> float:
    """1 over the half-width, or how many errors the change is from 0, in the log that is expected."""
    arms = traffic.arms(days)
    if aim.kind == "power":
        change = penalty_difference(arms, 1, 0, aim.level, aim.seed)
        return abs(change.estimate) * 2 * normal.critical_value(aim.level) / (change.high - change.low)
    inference = ArmInference(arms, 0, aim.seed)
    if aim.of == PENALTY:
        low, high = inference.penalty_interval(aim.level)
    else:
        low, high = inference.relative_utility_intervals(aim.level)[traffic.groups.index(aim.of)]
    return 2 / (high - low)


def _rising(aim: Aim, traffic: Traffic, days: float, wanted: float) -> Callable[[float], float]:
    return lambda rows: float(np.log(max(signal(aim, traffic.with_random_rows(rows), days), 1e-12) / wanted))


def _interval(aim: Aim, estimate: float, found: list[float], most: float) -> Interval:
    tail = (1 - aim.level) / 2
    # A plan that would never do ends at the most that is looked at.
    low, high = np.quantile(np.minimum(np.nan_to_num(found, nan=most, posinf=most), most), [tail, 1 - tail])
    # What other pilots would have planned; of thin ones it holds what true rates need less often.
    return Interval(
        low=min(float(low), estimate),
        high=max(float(high), estimate),
        level=aim.level,
        method=METHOD,
        validity="none",
    )
