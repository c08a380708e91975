"""How far what is shown is from a target in its mean, with ties, in expectation over every order of them.

The distance is not linear: two tied items with values 0 and 10 have a mean of 5, but whichever of them is
shown is 5 away from a target of 5. So the expectation of the distance needs the law of the sum over what is
shown of a block that the cut divides, not its mean alone.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange
from numpy.typing import NDArray

from evenhand.compiled import njit

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST_CHOICES = (
    5_000  # 5 of 15 are 3,003. Beyond, the normal law is near: 2% off with skewed values, 10 of 40
)


@njit(parallel=True)
def mismatch_of_shown(
    offsets: Ints, score: Floats, item: NDArray[np.int32], value: Floats, target: Floats, k: int
) -> Floats:  # pragma: no cover - compiled
    """The expected |mean of `value` over the first k - the user's target|; NaN without a list or a target."""
    users = len(offsets) - 1
    out = np.full(users, np.nan)
    for u in prange(users):
        first, last = offsets[u], offsets[u + 1]
        cut = min(k, last - first)
        if cut == 0 or np.isnan(target[u]):
            continue
        total = 0.0
        i = first
        while i - first < cut:
            j = i
            block = 0.0
            while j < last and score[j] == score[i]:
                block += value[item[j]]
                j += 1
            if j - first > cut:
                break
            total += block
            i = j
        left = cut - (i - first)
        if left == 0:
            out[u] = abs(total / cut - target[u])
        else:
            out[u] = _distance_of_sum(value[item[i:j]], left, cut * target[u] - total) / cut
    return out


@njit()
def _distance_of_sum(values: Floats, chosen: int, target: float) -> float:  # pragma: no cover - compiled
    """The mean of |sum of `chosen` of the values - target| over all choices; exact up to `_MOST_CHOICES`.

    Beyond, the sum is taken as normal with its mean and variance without replacement, of which the mean
    absolute value is sd sqrt(2/pi) exp(-m^2 / 2 sd^2) + m erf(m / sd sqrt 2), m the mean minus the target.
    """
    n, total = len(values), values.sum()
    if 2 * chosen > n:  # the others sum to the rest, and there are fewer of them
        chosen, target = n - chosen, total - target
    choices = 1.0
    for r in range(1, chosen + 1):
        choices *= (n - chosen + r) / r
        if choices > _MOST_CHOICES:
            mean = total / n
            variance = chosen * (n - chosen) / n * ((values - mean) ** 2).sum() / (n - 1)
            away = chosen * mean - target
            if variance <= 0.0:
                return abs(away)
            spread = math.sqrt(2 * variance)
            return spread / math.sqrt(math.pi) * math.exp(-((away / spread) ** 2)) + away * math.erf(
                away / spread
            )
    places = np.arange(chosen)
    distance, count = 0.0, 0
    while True:
        distance += abs(values[places].sum() - target)
        count += 1
        r = chosen - 1  # the next choice in the order of the places
        while r >= 0 and places[r] == n - chosen + r:
            r -= 1
        if r < 0:
            return distance / count
        places[r] += 1
        for s in range(r + 1, chosen):
            places[s] = places[s - 1] + 1
