"""The change of a penalty between two countings of one log, which share all of their noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.opportunity.inference.differences import Difference, penalty_difference
from evenhand.opportunity.logs.arms import MeasuredLogs
from evenhand.opportunity.measures import Array, penalty, penalty_gradient
from evenhand.stats import normal
from evenhand.stats.log_ratios import inversion


def penalty_change_of_same_rows(
    arms: MeasuredLogs, arm: int, baseline: int, level: float, seed: int
) -> Difference:
    """h_arm - h_baseline, where U_arm = w U_baseline with known weights w, and one noise moves both.

    Most of that noise leaves the difference where it is: then what is left may be mostly the bend of
    h(w U) - h(U), which its gradient does not know, and the delta method's interval is too short. So it is
    put together with what the difference is along each axis of the noise, as far out as it reaches. To
    first order that is no further than the delta method goes.
    """
    change = penalty_difference(arms, arm, baseline, level, seed)
    if change.method != "delta":
        return change
    utilities = [arms.utilities(i) for i in (arm, baseline)]
    weights, around = utilities[0] / utilities[1], utilities[1] / (1 + arms.ratio_bias(baseline))
    gradient = np.concatenate([penalty_gradient(utilities[0]), -penalty_gradient(utilities[1])])
    reach = normal.critical_value(level, arms.errors(arm, baseline).degrees(gradient[None]))

    def moved(u: Array) -> Array:
        return np.asarray(penalty(u * weights) - penalty(u))

    made = inversion.along_axes(moved, around, arms.errors(baseline).covariance, float(np.max(reach)))
    low, high = inversion.hull((change.low, change.high), made)
    p_value = change.p_value
    if p_value is not None and low <= 0 <= high:
        p_value = max(p_value, 1 - level)
    return replace(change, low=low, high=high, p_value=p_value)
