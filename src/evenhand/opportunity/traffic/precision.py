"""How exact an audit of so many days would be, and how likely an A/B test of so many finds a change.

The half-width is that of the audit's own interval, averaged over logs as chance would have them: near
equality the interval at the expected counts would be a poor guide, since the penalty errs upwards. Power is
the share of such logs in which the audit's interval of the difference leaves out 0, on the side of the true
change: an interval on the other side finds what is not there.
"""

from __future__ import annotations

import numpy as np

from evenhand.opportunity.inference.differences import side_of_zero
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.measures import penalty
from evenhand.opportunity.traffic.expected import Traffic

# Evenly spread logs: enough for a mean half-width, and for a share of 80% to half a percent.
DRAWS_OF_WIDTH = 32
DRAWS_OF_POWER = 1024
PENALTY = "penalty"


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


def power(traffic: Traffic, days: float, level: float, seed: int, draws: int = DRAWS_OF_POWER) -> float:
    """Probability that the interval of the second penalty minus the first is on the true side of 0."""
    truth = np.sign(penalty(traffic.utilities[1]) - penalty(traffic.utilities[0]))
    found = [side_of_zero(arms, 1, 0, level, seed) == truth for arms in traffic.drawn(days, draws, seed)]
    return float(np.mean(found))
