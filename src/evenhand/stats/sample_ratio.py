"""Were people assigned in the shares that were planned? A test that may be looked at every day.

Lindon and Malek (2022): the counts n_i of people in the arms, planned shares theta_i, against a Dirichlet
prior with mean theta and concentration c around them. The Bayes factor

    E = G(c)/G(c + n) prod_i G(c theta_i + n_i)/(G(c theta_i) theta_i^n_i),    G the gamma function

is an e-process under the plan: the chance that it ever reaches 1/alpha, however often it is looked at, is at
most alpha (Ville 1939). It depends on counts alone, not on the order in which people came. 1/E is a p-value.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from evenhand.stats.normal import Array

# As if the split had been seen with so many people: sure enough to see 51.5% for 50%, and quick with 60%.
CONCENTRATION = 20.0


def log_e_value(counts: Array, shares: Array) -> Array:
    """log E of counts, the arms along the last axis."""
    n, prior = counts.sum(axis=-1), CONCENTRATION * shares
    of_arms = (gammaln(prior + counts) - gammaln(prior) - counts * np.log(shares)).sum(axis=-1)
    return np.asarray(gammaln(CONCENTRATION) - gammaln(CONCENTRATION + n) + of_arms)


def p_value(counts: Array, shares: Array) -> Array:
    """1/E, at most 1: valid at every look at once."""
    return np.asarray(np.exp(-np.maximum(log_e_value(counts, shares), 0)))
