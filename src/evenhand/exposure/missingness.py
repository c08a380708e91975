"""How much less often relevance would have to be observed for some items, to explain a finding.

What is relevant is what was observed to be, and nothing in the data tells what was not. Suppose that truly
relevant pairs are observed independently, with chances that are the same for all items of a group, between
1 / F and 1. Then the true target T' of a pair with item group k cannot be further from the observed T than

    T' <= T + (F - 1) S_0,    S_0 = T - T_0,    T_0 the target if nothing in k were relevant,
    T' >= T - (F - 1) S_1,    S_1 = T_1 - T,    T_1 the target if nothing but k were relevant,

in the mean over users. For the target of an item outside k is a positive mixture of products over the
relevant items of k, of factors of at most 1 (RBP and DCG weights are mixtures of powers, and so are means of
them over slots: `propensities` has the integrals). It falls, ever more slowly, the more of k is relevant. So
the target of k is a submodular function of what is relevant in k, and a random part of a set, each element
kept with probability 1 / F, has at least 1 / F of its worth (Feige, Mirrokni and Vondrak 2011, lemma 2.2).
In the same way T falls with what is relevant elsewhere, and is supermodular in it.

A violation stands for every F below the least at which the interval of the mean of E - (1 +- tolerance) T'
holds 0 (Fieller 1954: a quadratic equation), at the level at which all pairs hold at once.
"""

from __future__ import annotations

import numpy as np

from evenhand.exposure.evidence import Evidence
from evenhand.exposure.measures import group_sizes
from evenhand.exposure.pairs import Pairs, critical
from evenhand.exposure.policy import ExposureRule
from evenhand.exposure.rankings.browsing import DCG, RBP


def has_bound(rule: ExposureRule) -> bool:
    """Whether the weights of positions are positive mixtures of powers; cut off at a place they are not."""
    return rule.target == "equal" and isinstance(rule.browsing, RBP | DCG) and rule.browsing.k is None


def least_factor(
    evidence: Evidence, off: Pairs, pair: tuple[int, int], tolerance: float, level: float
) -> float | None:
    """The least F with which this violation of the tolerance would not stand; None if it would with any."""
    sign, side = (1, 0) if off.share[pair] > 0 else (-1, 1)
    n = int(group_sizes(evidence)[pair[0]])
    d, t = off.matrix.difference[pair], off.matrix.target[pair]
    dd = evidence.sums.cell_squares[pair] / n
    dt, tt = evidence.sums.cell_products[pair] / n
    s, ss, ds, ts = evidence.sums.unseen[pair][side] / n
    # The mean of a - c s is above 0 as long as the violation stands, c = (F - 1) (1 +- tolerance).
    a = sign * d - tolerance * t
    aa = dd - 2 * sign * tolerance * dt + tolerance**2 * tt
    sa = sign * ds - tolerance * ts
    scale = float(critical(evidence, off.share, level)[pair]) ** 2 / (n - 1)
    square = s**2 - scale * (ss - s**2)
    half = a * s - scale * (sa - a * s)
    constant = a**2 - scale * (aa - a**2)
    if a <= 0 or constant <= 0:
        return 1.0
    under_root = half**2 - square * constant
    if under_root < 0 or half + np.sqrt(under_root) <= 0:
        return None
    return float(1 + constant / (half + np.sqrt(under_root)) / (1 + sign * tolerance))
