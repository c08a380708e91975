"""Which of a user's clocks must be looked at one by one, and the power sums of all others.

An item of weight w is a clock that rings after Exp(w) time; u = w t. In a node of the quadrature the clocks
of a user, heaviest first, fall into three parts: those that have certainly rung, those that are at it, and
those whose u is small. The last part, most of a catalogue, is never looked at one by one: its clocks enter
every formula through sums of powers of u, and what they get is a polynomial in u.

Everything is kept as ratios to the heaviest clock of the last part, the head. Scores are only ever
subtracted from each other, so no finite score overflows, and a ratio that underflows is a clock that waits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit

BINS = 256
NARROW = 0.1  # of a bin; decay ones would cost more than the few clocks that they spare


@njit(error_model="numpy")
def arrange(
    row: Any, beta: float, needed: float, small: float, terms: int
) -> tuple[Ints, Floats, Floats, Floats]:  # pragma: no cover - compiled
    """Heavy items in order, ratios, power sums and, for every item, exp((score - best light score) / beta).

    Heavy are those whose u may exceed `small` before the sum of min(u, 1) reaches `needed`; nodes end before
    that. ratios[j] is the weight of heavy item j over that of the one before it, and ratios[-1] that of the
    heaviest light one over the last heavy one's, 0 if there is none. sums[j, m] is the sum of the powers
    m + 1 of weights from the j-th item on, light ones included, over the same power of item j's weight.
    """
    items = len(row)
    heaviest = float(row[0])
    for i in range(items):
        heaviest = max(heaviest, float(row[i]))
    least = _least_heavy(row, heaviest, beta, needed, small)
    light_best = -np.inf
    count = 0
    for i in range(items):
        if (float(row[i]) - heaviest) / beta >= least:
            count += 1
        else:
            light_best = max(light_best, float(row[i]))
    heavy = np.empty(count, dtype=np.int64)
    values = np.empty(count)
    light = np.zeros(items)
    sums = np.zeros((count + 1, terms))
    place = 0
    for i in range(items):
        if (float(row[i]) - heaviest) / beta >= least:
            heavy[place] = i
            values[place] = -float(row[i])
            place += 1
        else:
            light[i] = np.exp((float(row[i]) - light_best) / beta)
    for i in range(items):
        power = light[i]
        for m in range(terms):
            sums[count, m] += power
            power *= light[i]
    order = np.argsort(values)
    heavy, values = heavy[order], -values[order]
    ratios = np.ones(count + 1)
    for j in range(1, count):
        ratios[j] = np.exp((values[j] - values[j - 1]) / beta)
    if count > 0:
        ratios[count] = np.exp((light_best - values[count - 1]) / beta)
    for j in range(count - 1, -1, -1):
        power = ratios[j + 1]
        for m in range(terms):
            sums[j, m] = 1 + power * sums[j + 1, m]
            power *= ratios[j + 1]
    return heavy, ratios, sums, light


@njit(error_model="numpy")
def _least_heavy(
    row: Any, heaviest: float, beta: float, needed: float, small: float
) -> float:  # pragma: no cover - compiled
    """The least (score - heaviest) / beta of a heavy item, from counts in bins. Bins take their least
    weight, so the time found is late enough, and some items too many are called heavy."""
    spread = 0.0
    for i in range(len(row)):
        spread = max(spread, (heaviest - float(row[i])) / beta)
    width = max(NARROW, min(spread, 1e300) / BINS)
    counts = np.zeros(BINS)
    for i in range(len(row)):
        counts[int(min((heaviest - float(row[i])) / beta / width, BINS - 1.0))] += 1
    decay = np.exp(-width)
    below = np.zeros(BINS)  # sums of min(u, 1) over later bins, when u is 1 at the far edge of this one
    for b in range(BINS - 2, -1, -1):
        below[b] = (below[b + 1] + counts[b + 1]) * decay
    weight = (below[0] + counts[0]) * decay
    if weight >= needed:  # before the heaviest clock has u = 1
        return np.log(small * weight / needed)
    above = 0.0
    for b in range(BINS):
        above += counts[b]
        if above + below[b] >= needed:
            return np.log(small) - (b + 1) * width
    return -np.inf
