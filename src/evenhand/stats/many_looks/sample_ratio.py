"""Were people assigned in the shares that were planned? A test that may be looked at every day.

Lindon and Malek (2022): the counts n_i of people in the arms, planned shares theta_i, against a Dirichlet
prior with mean theta and concentration c around them. The Bayes factor

    E = G(c)/G(c + n) prod_i G(c theta_i + n_i)/(G(c theta_i) theta_i^n_i),    G the gamma function

is an e-process under the plan: the chance that it ever reaches 1/alpha, however often it is looked at, is at
most alpha (Ville 1939). It depends on counts alone, not on the order in which people came. 1/E is a p-value.

Where another split is planned in each part (a phase, a country), E of each part is an e-process, and so is
their product, if everybody is in one part only: whoever is counted again in a second part is there in the arm
that he already had, which is no new draw. But the product pays for a split of its own in every part, and
with ten parts hardly sees what is amiss in all of them. So people in all parts are asked together whether one
arm i is short, or long, by the same odds everywhere: with shares t_vi of part v and N_v people there,

    E_i = integral of exp(d n_i) / prod_v (1 - t_vi + t_vi exp(d))^N_v over d ~ N(0, s^2),    E = mean of E_i.

Each factor has mean 1 when the plan is true, whatever part the next person is of. So E is an e-process for
the same reason, of counts alone, and as the product it is one only if everybody counts once.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, logsumexp

from evenhand.stats.normal import Array

# As if the split had been seen with so many people: sure enough to see 51.5% for 50%, and quick with 60%.
CONCENTRATION = 20.0
# The same of the logarithm of odds: that of a Beta(10, 10) share has a standard deviation of .46.
LOG_ODDS = 0.46
# Where odds are tried: finer around 0, where millions of people can tell. Any prior is valid, so that a grid
# is one, and not an approximation.
_STEPS = np.linspace(-10.5, 10.5, 141)
_ODDS = 1e-4 * np.sinh(_STEPS)
_PRIOR = np.exp(-((_ODDS / LOG_ODDS) ** 2) / 2) * np.cosh(_STEPS)


def log_e_value(counts: Array, shares: Array) -> Array:
    """log E of counts, the arms along the last axis."""
    n, prior = counts.sum(axis=-1), CONCENTRATION * shares
    of_arms = (gammaln(prior + counts) - gammaln(prior) - counts * np.log(shares)).sum(axis=-1)
    return np.asarray(gammaln(CONCENTRATION) - gammaln(CONCENTRATION + n) + of_arms)


def p_value(counts: Array, shares: Array) -> Array:
    """1/E, at most 1: valid at every look at once."""
    return np.asarray(np.exp(-np.maximum(log_e_value(counts, shares), 0)))


def nearest_to_plan(counts: Array, shares: Array, more: float) -> Array:
    """The counts of arms, with so many people `more`, that are nearest to the plan: n_i or theta_i times one
    number, whichever is larger.

    Of people in several arms one is the arm that they were assigned to. Whichever it was, 1/E of these counts
    is no smaller than that of the true ones.
    """
    if more <= 0:
        return counts
    order = np.argsort(counts / shares)
    filled = (more + np.cumsum(counts[order])) / np.cumsum(shares[order])
    # Arms are filled up one after the other, as long as the next one is above.
    enough = np.append(filled[:-1] <= (counts / shares)[order[1:]], True)
    return np.asarray(np.maximum(counts, filled[int(np.argmax(enough))] * shares))


def log_e_value_of_parts(counts: Array, shares: Array) -> Array:
    """log E that an arm is short or long by the same odds in all parts: the last axes are parts and arms."""
    people, arms = counts.sum(axis=-1), counts.shape[-1]
    of_arms = []
    for arm in range(arms if arms > 2 else 1):  # of two arms each mirrors the other
        scale = np.log1p(shares[:, arm, None] * np.expm1(_ODDS))
        likelihood = counts[..., arm].sum(axis=-1)[..., None] * _ODDS - people @ scale
        of_arms.append(logsumexp(likelihood, b=_PRIOR / _PRIOR.sum(), axis=-1))
    return np.asarray(logsumexp(of_arms, axis=0) - np.log(len(of_arms)))


def p_value_of_parts(counts: Array, shares: Array) -> Array:
    """1/E of all parts together, at most 1."""
    return np.asarray(np.exp(-np.maximum(log_e_value_of_parts(counts, shares), 0)))
