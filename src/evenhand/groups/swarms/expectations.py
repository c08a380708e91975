"""What the groups visited so far let expect of the others.

Groups that share a value of an attribute resemble each other, whatever the order of its codes. So the mean
of a group is expected to be that of all users plus an effect of each of its values, and it may turn out the
further from that the smaller the group is and the less is known about its values.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, ndtr

from evenhand.arrays import Floats, Ints
from evenhand.groups.swarms.infobase import Infobase

PRIOR = (
    30.0  # an effect is drawn to 0 as if by so many users: if effects have a fifth of the users' spread, 25
)
ROUNDS = 3  # of backfitting; attributes depend on each other, and one round would count a common effect twice


def expectations(memory: Infobase, shape: Ints) -> tuple[Floats, Floats]:
    """The expected mean and its standard error, of every group.

    With n_g users in group g, N_a of those scored with its value of attribute a, and s the standard deviation
    of users: mean = m + sum_a e_a, where e_a = (sum of residuals of the N_a users) / (N_a + PRIOR), and
    error^2 = s^2 (1 / n_g + sum_a 1 / (N_a + PRIOR)), the second term being the variance that is left of an
    effect with variance s^2 / PRIOR at first.
    """
    centre, spread = memory.spread_of_users()
    known = memory.counts > 0
    codes, weights = memory.codes[known], memory.counts[known].astype(np.float64)
    residual = memory.means[known] - centre
    effects = [np.zeros(count) for count in shape]
    users = [
        np.bincount(codes[:, a], weights=weights, minlength=count) + PRIOR for a, count in enumerate(shape)
    ]
    for _ in range(ROUNDS):
        for a, count in enumerate(shape):
            residual += effects[a][codes[:, a]]
            sums = np.bincount(codes[:, a], weights=weights * residual, minlength=count)
            effects[a] = sums / users[a]
            residual -= effects[a][codes[:, a]]
    expected = np.full(len(memory), centre)
    variance = 1.0 / memory.sizes
    for a in range(len(shape)):
        expected += effects[a][memory.codes[:, a]]
        variance += 1.0 / users[a][memory.codes[:, a]]
    return expected, spread * np.sqrt(variance)


def log_gain(expected: Floats, error: Floats, best: float, goal: float) -> Floats:
    """Logarithm of what a visit is expected to add to the best mean so far, for goal 1 the greatest.

    log E max(goal (mean - best), 0) = log(error (z Phi(z) + phi(z))), z = goal (expected - best) / error: the
    expected improvement for a normal mean. Groups that are most unlikely to add anything must still be told
    apart, so for z < 0 Phi = phi sqrt(pi / 2) erfcx(-z / sqrt 2) is put in and phi taken out of the sum.
    """
    error = np.maximum(error, 1e-12)  # no spread at all while every user has the same value
    z = np.clip(goal * (expected - best) / error, -1e6, 1e6)
    above, below = np.maximum(z, 0.0), np.minimum(z, 0.0)
    root = math.sqrt(2.0 * math.pi)
    certain = np.log(above * ndtr(above) + np.exp(-(above**2) / 2) / root)
    ratio = 1.0 + below * math.sqrt(math.pi / 2) * erfcx(-below / math.sqrt(2.0))
    unlikely = np.log(np.maximum(ratio, 1e-15)) - below**2 / 2 - math.log(root)
    return np.log(error) + np.where(z >= 0, certain, unlikely)
