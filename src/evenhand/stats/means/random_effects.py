"""How much groups really differ, with the noise of their means taken out.

The model: mean_g = mu + tau u_g + error_g, u_g and the errors independent, the error variances known. The
generalised Q,

    Q(tau^2) = sum w_g (mean_g - weighted mean)^2,    w_g = 1 / (tau^2 + variance_g),

is chi-square with G - 1 degrees of freedom at the true tau. Setting it to its expectation gives Paule and
Mandel's estimate, setting it to quantiles the Q-profile interval (Viechtbauer 2007); Q(0) is Cochran's Q.
Error variances that are themselves estimated from few and skewed values make Q larger and more spread out
than that law (with groups of 20 the interval covered tau = 0 in 87% of cases), so the law is scaled to the
mean and the variance that Q has when people are shuffled over the groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2

from evenhand.arrays import Floats


@dataclass(frozen=True)
class SpreadOfMeans:
    """tau, its interval, and Cochran's Q with its degrees of freedom."""

    tau: float
    low: float
    high: float
    q: float
    df: int


def spread_of_means(
    means: Floats, variances: Floats, shuffled_q: Floats, level: float = 0.95
) -> SpreadOfMeans:
    """The spread of the true means, from the means, the variances of their errors, and Q(0) in shuffles."""
    df = len(means) - 1
    inflation = float(shuffled_q.mean()) / df
    # With hardly any different values, Q may be the same in every shuffle; a law needs some width.
    excess = max(float(shuffled_q.var()) / (2 * df * inflation**2), 1e-6)
    errors = variances * inflation

    def q(square: float) -> float:
        weights = 1 / (square + errors)
        centre = (weights * means).sum() / weights.sum()
        return float((weights * (means - centre) ** 2).sum())

    def square_where_q_is(target: float) -> float:
        if q(0.0) <= target:
            return 0.0
        most = float(np.ptp(means)) ** 2 + float(errors.max())
        while q(most) > target:
            most *= 4
        return float(brentq(lambda square: q(square) - target, 0.0, most, xtol=1e-16, rtol=1e-10))

    law, tail = chi2(df / excess), (1 - level) / 2
    return SpreadOfMeans(
        tau=square_where_q_is(df) ** 0.5,
        low=square_where_q_is(float(law.ppf(1 - tail)) * excess) ** 0.5,
        high=square_where_q_is(float(law.ppf(tail)) * excess) ** 0.5,
        q=q(0.0) * inflation,
        df=df,
    )
