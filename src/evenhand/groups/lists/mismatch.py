"""How far what is shown is from a target in its mean, with ties, in expectation over every order of them.

The distance is not linear: two tied items with values 0 and 10 have a mean of 5, but whichever of them is
shown is 5 away from a target of 5. So the expectation of the distance needs the law of the sum over what is
shown of a block that the cut divides, not its mean alone. A few items have most of the popularity, so that
no smooth law stands for it: where there are too many choices to go through, some are drawn.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit
from evenhand.stats.means.permutation import mixed

_MOST_CHOICES = 5_000  # 5 of 15 are 3,003; of more, so many are drawn


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
            out[u] = _distance_of_sum(value[item[i:j]], left, cut * target[u] - total, u) / cut
    return out


@njit()
def _distance_of_sum(
    values: Floats, chosen: int, target: float, stream: int
) -> float:  # pragma: no cover - compiled
    """The mean of |sum of `chosen` of the values - target| over all choices; exact up to `_MOST_CHOICES`.

    Beyond, over as many that are drawn, by a `stream` of random numbers for each user.
    """
    n, total = len(values), values.sum()
    if 2 * chosen > n:  # the others sum to the rest, and there are fewer of them
        chosen, target = n - chosen, total - target
    choices = 1.0
    for r in range(1, chosen + 1):
        choices *= (n - chosen + r) / r
        if choices > _MOST_CHOICES:
            return _distance_of_drawn(values, chosen, target, stream)
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


@njit()
def _distance_of_drawn(
    values: Floats, chosen: int, target: float, stream: int
) -> float:  # pragma: no cover - compiled
    """With x the sum minus the target, |x| = x + 2 max(-x, 0) = -x + 2 max(x, 0). The mean of x is known, and
    that of the maximum is drawn: of the one on the side of the shorter tail, which varies less.
    """
    mean = values.mean()
    side = -1.0 if ((values - mean) ** 3).sum() >= 0 else 1.0
    mine = values.copy()
    beyond = 0.0
    state = mixed(np.uint64(stream) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1))
    for _ in range(_MOST_CHOICES):
        away = -target
        for k in range(chosen):  # Fisher and Yates, from where the choice before left the values
            state += np.uint64(0x9E3779B97F4A7C15)
            place = k + int((mixed(state) >> np.uint64(11)) * 1.1102230246251565e-16 * (len(mine) - k))
            mine[k], mine[place] = mine[place], mine[k]
            away += mine[k]
        beyond += max(side * away, 0.0)
    return max(-side * (chosen * mean - target) + 2 * beyond / _MOST_CHOICES, 0.0)
