"""Several tests at once: p-values that keep the chance of any false alarm where it was asked to be."""

from __future__ import annotations

import numpy as np

from evenhand.stats.normal import Array


def holm(p_values: Array) -> Array:
    """Adjusted p-values of Holm (1979): rejecting those of at most alpha makes any false alarm at most alpha.

    The smallest is multiplied by the number of tests, the next by one less, and so on; none may fall below
    the one before it.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
