"""Several tests at once: p-values that keep the chance of any false alarm where it was asked to be."""

from __future__ import annotations

import numpy as np

from evenhand.stats.normal import Array

ROUNDING = 1e-12


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


def step_down(found: Array, drawn: Array) -> Array:
    """Adjusted p-values of Westfall and Young (1993, step-down maxT), two-sided, from shuffles of the data.

    `found` has a statistic a test, around 0 where there is nothing, and `drawn` a row of the same for each
    shuffle. As the tests are shuffled together, what they share costs nothing, and the smallest p-value that
    can be is 1 / (1 + shuffles), however many tests there are. Each is in units of its own spread, that of
    the data among the shuffles; otherwise the tests that vary most would hide all others.
    """
    sizes = np.abs(np.vstack([found, drawn]))
    spread = np.sqrt((sizes**2).mean(axis=0))
    sizes = sizes / np.where(spread > 0, spread, 1.0)
    order = np.argsort(-sizes[0], kind="stable")
    # The largest of a test and all that come after it.
    largest = np.maximum.accumulate(sizes[1:, order[::-1]], axis=1)[:, ::-1]
    reached = (largest >= sizes[0, order] * (1 - ROUNDING)).sum(axis=0)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate((1 + reached) / (1 + len(largest)))
    return adjusted
