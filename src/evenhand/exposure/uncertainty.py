"""How far the measures of the population may be from those of the users at hand.

GI, GG, AI and AG are squared lengths of mean vectors. The corrected estimate of one is the mean of D_i . D_i'
over pairs of users, a U-statistic. With users in B blocks, products of two block means are

    H_bc = m_b . m_c = theta + a_b + a_c + e_bc        (b != c),

where a is what block b says about all others and e is what is special to the pair, and by Hoeffding's
decomposition the variance of the estimate is 4 var(a) / B + 2 var(e) / B^2. The jackknife over blocks estimates
4 var(a) / B + 4 var(e) / B^2 (Efron and Stein 1981: it counts interactions twice), which is right where theta is
large and up to twice too much where it is small against the noise, as for GI of small groups. So the two
variances are estimated from the table H by the least-squares fit of a half diallel (Griffing 1956), and the jackknife
is corrected by what it counts twice. Bootstrap percentiles are no alternative: resampled users add the bias
of squares a second time.

II and IG are means over users of a number each, with the usual t interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.exposure.evidence import GROUPS, ITEMS, Evidence
from evenhand.exposure.measures import corrected_measures, group_matrix, group_sizes
from evenhand.stats.normal import critical_value

Floats = NDArray[np.float64]

LEAST_BLOCKS = 4  # fewer leave nothing to tell var(e) from var(a)


@dataclass(frozen=True)
class Variance:
    """Of an estimate, with the degrees of freedom it rests on; NaN where too few users are in a group."""

    value: float
    df: float


def variance_of_squared_mean(gram: Floats, sizes: Floats) -> Variance:
    """Of the mean of D_i . D_i' over pairs; `gram` has products of sums over blocks, `sizes` their users."""
    used = sizes > 0
    count = int(used.sum())
    if count < LEAST_BLOCKS:
        return Variance(np.nan, np.nan)
    table = gram[np.ix_(used, used)] / np.outer(sizes[used], sizes[used])
    np.fill_diagonal(table, 0)
    off = ~np.eye(count, dtype=bool)
    theta = table.sum() / (count * (count - 1))
    effect = (table.sum(axis=1) - (count - 1) * theta) / (count - 2)
    left = (table - theta - effect[:, None] - effect[None, :])[off]
    special = float((left**2).sum() / (count * (count - 3)))
    main = float((effect**2).sum() / (count - 1))
    both = 4 * max(main - special / (count - 2), 0) / count + 2 * special / count**2
    return Variance(both, count - 1)
