"""Softmax policies, and the creator weights that give a policy the requested REO penalty.

An impression for user m shows item i with probability pi_m(i) = softmax_i(score[m, i]). Adding a constant
log w_k to the scores of all items of creator group k tilts every user's policy for or against that group.
With B_k = P(liked, group k) for a uniform pair and A_k = P(liked, group k) for an impression,

    U_k = A_k / B_k,   d_k = U_k / mean(U) - 1,   penalty h = sqrt(mean(d_k^2))

The weights are solved so that d_k = h * PATTERN_k, exactly. There is always a solution for
positive targets: raising w_k raises A_k and lowers all others, from 0 to everything.
"""

import numpy as np
from scipy.optimize import root
from scipy.special import logsumexp, softmax

from evenhand.errors import InputError

# Mean 0 and mean square 1, so that d = h * PATTERN has penalty h: the youngest creators are served worst.
PATTERN = {"18-24": -np.sqrt(1.5), "25-34": 0.0, "35+": np.sqrt(1.5)}
LARGEST_PENALTY = 0.8  # at sqrt(2/3) = 0.816 the youngest creators' utility would be 0, the weights infinite


def policy_of(scores: np.ndarray) -> np.ndarray:
    """(users, items) softmax of each row."""
    return softmax(scores, axis=1)


def creator_weights(
    scores: np.ndarray, preferences: np.ndarray, everyone: np.ndarray, creator_age: np.ndarray, penalty: float
) -> dict[str, float]:
    """Log-weights by creator age under which an arm has exactly this penalty.

    scores, preferences: rows of the arm's users. everyone: preferences of all users, the random traffic.
    """
    groups = list(PATTERN)
    # Only (users x groups) numbers matter: the log-mass of each group and how often its impressions please.
    log_mass = np.empty((len(scores), len(groups)))
    pleased = np.empty_like(log_mass)
    at_random = np.empty(len(groups))
    for k, group in enumerate(groups):
        members = creator_age == group
        log_mass[:, k] = logsumexp(scores[:, members], axis=1)
        pleased[:, k] = (softmax(scores[:, members], axis=1) * preferences[:, members]).sum(axis=1)
        at_random[k] = everyone[:, members].sum() / everyone.size
    target = np.log1p(penalty * np.array(list(PATTERN.values())))

    def residual(free: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """log(U_k / U_0) minus its target for k > 0, and its Jacobian in log w_1, log w_2, ..."""
        share = softmax(log_mass + np.concatenate([[0.0], free]), axis=1)
        liked = share * pleased
        rate = liked.mean(axis=0)
        slope = (np.diag(rate) - liked.T @ share / len(share)) / rate[:, None]
        gap = np.log(rate / at_random) - target
        return gap[1:] - gap[0], (slope[1:] - slope[0])[:, 1:]

    # A group that is never shown has no utility to speak of: not a number, which the check below refuses.
    with np.errstate(divide="ignore", invalid="ignore"):
        solution = root(residual, np.zeros(len(groups) - 1), jac=True, tol=1e-13)
    if not np.abs(solution.fun).max() <= 1e-10:
        raise InputError(
            f"This world cannot be given an REO penalty of {penalty:g}: ask for a smaller one, or more items."
        )
    weights = np.concatenate([[0.0], solution.x])
    return dict(zip(groups, (weights - weights.mean()).tolist(), strict=True))


def per_item(values: dict[str, float], group: np.ndarray) -> np.ndarray:
    """The value of each item's group."""
    return np.array([values[name] for name in group])
