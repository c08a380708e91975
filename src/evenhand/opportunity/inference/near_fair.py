"""How the penalty changed from one time to another, where one of the two may have been exactly fair.

The penalty is a length, so its estimate is too large near 0 and never too small: |d + e| >= |d| + u'e for the
direction u of d. That spoils one side only. Where the day with the larger penalty is clear of 0, a normal
limit of how much larger it is still holds whatever the other one is, if its error is taken in the direction
in which it is largest, as the direction of a nearly fair day is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenhand.opportunity.inference.differences import Difference, clear_difference, difference_of_hulls
from evenhand.opportunity.inference.one_log import Bounds
from evenhand.opportunity.inference.regions import Region
from evenhand.opportunity.logs.arms import MeasuredLogs
from evenhand.opportunity.measures import penalty, penalty_gradient, relative_utility_jacobian
from evenhand.stats import normal
from evenhand.stats.many_looks import looks


def penalty_change(
    arms: MeasuredLogs, arm: int, baseline: int, level: float, seed: int, hulls: Sequence[Bounds]
) -> Difference:
    """h_arm - h_baseline; `hulls` are intervals of the two penalties.

    Delta method where both are clear of 0. Where one of them is, the limit on its side as above, and the
    other limit from the difference of the hulls; where none is, both limits from that.
    """
    made = difference_of_hulls(arms, arm, baseline, level, seed, hulls)
    if not (arms.positives[[arm, baseline]] > 0).all():
        return made
    clear = [_clear_of_zero(arms, i, level) for i in (arm, baseline)]
    if all(clear):
        return clear_difference(arms, arm, baseline, level)
    if clear[0]:
        return replace(made, low=_least_excess(arms, arm, baseline, level), method=_ONE_SIDE)
    if clear[1]:
        return replace(made, high=-_least_excess(arms, baseline, arm, level), method=_ONE_SIDE)
    return made


_ONE_SIDE = "delta on the clear side, difference of hulls on the other"


def _clear_of_zero(arms: MeasuredLogs, arm: int, level: float) -> bool:
    """Whether equality is outside the region of log U, at half of the error: a limit has the other half."""
    errors = arms.errors(arm)
    reach = float(looks.one_look((1 - level) / 2, len(arms.groups) - 1, errors.degrees_together))
    if np.isinf(reach):
        return False
    return float(Region(arms.utilities(arm), reach**2 * errors.covariance).penalties()[0]) > 0


def _least_excess(arms: MeasuredLogs, far: int, near: int, level: float) -> float:
    """Lower limit of h_far - h_near, where only `far` is clear of 0."""
    utilities = arms.utilities(far), arms.utilities(near)
    gradient, jacobian = penalty_gradient(utilities[0]), relative_utility_jacobian(utilities[1])
    groups = len(gradient)
    errors = arms.errors(far, near)
    of_far, of_near = errors.covariance[:groups, :groups], errors.covariance[groups:, groups:]
    own = gradient @ of_far @ gradient
    other = np.linalg.eigvalsh(jacobian @ of_near @ jacobian.T)[-1] / groups
    common = np.linalg.norm(jacobian @ errors.covariance[groups:, :groups] @ gradient) / np.sqrt(groups)
    degrees = errors.degrees(np.concatenate([gradient, np.zeros(groups)])[None])
    reach = float(normal.critical_value(level, None if degrees is None else degrees[0]))
    reach *= np.sqrt(own + other + 2 * common)
    return float(penalty(utilities[0]) - penalty(utilities[1]) - reach)
