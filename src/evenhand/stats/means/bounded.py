"""Intervals for the mean of values between known bounds, at any sample size and for any distribution.

A gambler who believes that the mean is above m bets a share of the capital on every value x in [0, 1]: the
capital is multiplied by 1 + lambda (x - m). If the mean is m, the game is fair whatever the bets, as long as
each is chosen before its value is seen, and in the end the capital has grown 2 / error times in at most
error / 2 of samples (Markov's inequality). So the m at which the capital grew so much are rejected, from
below and from above, and the rest is an interval that misses in at most `error` of samples, without an
approximation. Bets are small where values vary much, so unlike Chernoff's bound, which takes all values as 0
or 1, the interval is narrow for values that vary little (Waudby-Smith and Ramdas 2023, Sec. 4, with their
bets for a fixed n).

A gambler may also stop when rich (Ville's inequality), which makes intervals 5 to 10% narrower on average.
But the size of a sample is given here, and its order is chance's. With stopping, an order that happens to
begin with high values rejects the mean of the sample itself, and widths vary several times as much from order
to order. What is left in the end hardly depends on the order.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit

# A bet is at most this share of what would ruin the gambler.
MOST = 0.75
# A mean below it is nothing: a share of it that is bet would be more than the largest float.
NOTHING = 1e-300


def betting_intervals(
    values: Floats, offsets: Ints, error: float, low: float = 0.0, high: float = 1.0
) -> tuple[Floats, Floats]:
    """Bounds for the mean of every sample; each sample's miss with probability at most `error`.

    Sample g is `values[offsets[g]:offsets[g + 1]]`, in an order that has nothing to do with the values:
    shuffle what may have been sorted.
    """
    scaled = np.clip((np.asarray(values, dtype=float) - low) / (high - low), 0.0, 1.0)
    bounds = low + (high - low) * _betting(scaled, offsets, error, MOST)
    return bounds[:, 0], bounds[:, 1]


def reaches_with_more_values(
    reaches: Floats, variances: Floats, sizes: Ints, error: float, times: float
) -> Floats:
    """How far bounds would be from the means with so many times the values, from how far they are now.

    With many values the gambler's bets come to a distance of sqrt(2 v log(2/error) / n). What a bound of few
    values is further away is the price of not knowing v, and falls with 1/n (as in Bernstein's inequality).
    Where it is nearer, since no mean is beyond the bounds of the values, it stays until the rest is shorter.
    """
    leading = np.sqrt(2 * variances * np.log(2 / error) / sizes)
    shorter = leading / np.sqrt(times) + np.maximum(0.0, reaches - leading) / times
    return np.asarray(np.minimum(reaches, shorter))


@njit(parallel=True)
def _betting(
    values: Floats, offsets: Ints, error: float, most: float
) -> Floats:  # pragma: no cover - compiled
    out = np.empty((len(offsets) - 1, 2))
    enough = np.log(2 / error)
    for g in prange(len(offsets) - 1):
        sample = values[offsets[g] : offsets[g + 1]]
        bets = _bets(sample, enough)
        mean = sample.mean()
        out[g, 0] = _lowest(sample, bets, mean, enough, most)
        out[g, 1] = 1 - _lowest(1 - sample, bets, 1 - mean, enough, most)
    return out


@njit()
def _bets(sample: Floats, enough: float) -> Floats:  # pragma: no cover - compiled
    """What would be best if the variance were known, with the variance as seen before each value."""
    n = len(sample)
    bets = np.empty(n)
    total, squares = 0.5, 0.25
    for i in range(n):
        bets[i] = np.sqrt(2 * enough * (i + 1) / (n * squares))
        total += sample[i]
        squares += (sample[i] - total / (i + 2)) ** 2
    return bets


@njit()
def _lowest(
    sample: Floats, bets: Floats, mean: float, enough: float, most: float
) -> float:  # pragma: no cover - compiled
    """The largest m below the mean at which the gambler ends rich; capital falls with m: it is bisected."""
    if mean <= NOTHING:
        return 0.0
    rejected, possible = 0.0, mean
    for _ in range(26):
        m = (rejected + possible) / 2
        log_capital = 0.0
        for i in range(len(sample)):
            log_capital += np.log1p(min(bets[i], most / m) * (sample[i] - m))
        if log_capital >= enough:
            rejected = m
        else:
            possible = m
    return rejected
