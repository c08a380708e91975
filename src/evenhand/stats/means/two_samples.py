"""Do two sets of numbers differ in their means? Shuffle who is in which set, on nothing but the numbers.

The statistic is Welch's t: with it the test is exact where the sets are exchangeable, and holds in large
samples where only their means are equal (Janssen 1997). The plain difference would reject too often when a
small set varies more than a large one. p-values are two-sided, (1 + exceedances) / (1 + shuffles); small sets
are enumerated instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numba import prange
from numpy.typing import NDArray
from scipy import special

from evenhand.compiled import njit
from evenhand.stats.means.permutation import mixed
from evenhand.stats.normal import Array

# Larger sets are shuffled in blocks: this many units have all the power that a test of means needs.
MOST_UNITS = 2_000
CHUNKS = 64
ROUNDING = 1e-9


@dataclass(frozen=True)
class Shuffled:
    """A difference of means with its permutation p-value; `block` numbers move together in a shuffle."""

    difference: float
    p_value: float
    shuffles: int
    exact: bool
    block: int = 1


def shuffle_two(first: Array, second: Array, *, permutations: int, seed: int) -> Shuffled:
    """mean(first) - mean(second), and how often shuffles of the numbers over the two sets reach its t.

    Sets of more than `MOST_UNITS` are first cut into random blocks of equal size, which then move as one. The
    shuffles of blocks are a subgroup of all shuffles, so that the test stays exact; the few numbers that
    fill no block take no part in it.
    """
    difference = float(np.mean(first) - np.mean(second))
    small, large = (first, second) if len(first) <= len(second) else (second, first)
    block = -(-len(small) // MOST_UNITS)
    if block > 1:
        rng = np.random.default_rng([seed, 3])
        small, large = _blocks(small, block, rng), _blocks(large, block, rng)
    values = np.concatenate([small, large]).astype(np.float64)
    values -= values.mean()
    size = len(small)
    if comb(len(values), size) <= permutations:
        chosen = np.array(list(combinations(range(len(values)), size)), dtype=np.int64)
        squares = _enumerated(values, chosen)
        # The first combination is the data itself.
        reached = int((squares >= squares[0] * (1 - ROUNDING)).sum())
        return Shuffled(difference, reached / len(chosen), len(chosen), True)
    squares = _shuffled(values, size, np.uint64(seed), permutations)
    observed = _enumerated(values, np.arange(size, dtype=np.int64)[None, :])[0]
    reached = int((squares >= observed * (1 - ROUNDING)).sum())
    return Shuffled(difference, (1 + reached) / (1 + permutations), permutations, False, block)


def _blocks(values: Array, block: int, rng: np.random.Generator) -> Array:
    count = len(values) // block
    mixed = rng.permutation(values)[: count * block]
    return np.asarray(mixed.reshape(count, block).mean(axis=1))


def welch(first: Array, second: Array) -> tuple[float, float]:
    """Welch's t of mean(first) - mean(second), and its degrees of freedom."""
    parts = np.array([np.var(first, ddof=1) / len(first), np.var(second, ddof=1) / len(second)])
    error = parts.sum()
    difference = float(np.mean(first) - np.mean(second))
    if error <= 0:
        return (0.0 if difference == 0 else float(np.copysign(np.inf, difference))), 1.0
    df = error**2 / (parts**2 / (np.array([len(first), len(second)]) - 1)).sum()
    return difference / float(np.sqrt(error)), float(df)


def normal_score(t: float, df: float) -> float:
    """The normal deviate that is as far in its tail as t is in Student's, at most 37 from 0."""
    tail = float(special.stdtr(df, -abs(t)))
    return float(np.copysign(min(37.0, -float(special.ndtri(tail))), t)) if t else 0.0


@njit()
def _square(total: float, square: float, all_squares: float, size: int, count: int) -> float:
    # pragma: no cover - compiled
    """Welch's t squared of the chosen against the others, of values with mean 0; plain where one is alone."""
    rest = count - size
    mean, other = total / size, -total / rest
    difference = (mean - other) ** 2
    if size < 2:
        return difference
    spread = max(square - size * mean * mean, 0.0) / (size - 1) / size
    spread += max(all_squares - square - rest * other * other, 0.0) / (rest - 1) / rest
    if spread <= 1e-14 * all_squares / count:
        return 0.0 if difference <= 1e-14 * all_squares else np.inf
    return difference / spread


@njit()
def _enumerated(values: Array, chosen: NDArray[np.int64]) -> Array:  # pragma: no cover - compiled
    out = np.empty(len(chosen))
    all_squares = (values * values).sum()
    for row in range(len(chosen)):
        total = square = 0.0
        for place in chosen[row]:
            total += values[place]
            square += values[place] * values[place]
        out[row] = _square(total, square, all_squares, chosen.shape[1], len(values))
    return out


@njit(parallel=True)
def _shuffled(values: Array, size: int, seed: np.uint64, count: int) -> Array:  # pragma: no cover - compiled
    """Only as many swaps as the smaller set has members.

    A shuffle starts where the one before it in its chunk left the numbers, which is as good as any order;
    chunks are fixed, so that the answer does not depend on the threads.
    """
    out = np.empty(count)
    all_squares = (values * values).sum()
    for chunk in prange(CHUNKS):
        mine = values.copy()
        state = mixed(seed * np.uint64(0x9E3779B97F4A7C15) + np.uint64(chunk) + np.uint64(1))
        for i in range(chunk, count, CHUNKS):
            total = square = 0.0
            for k in range(size):  # Fisher and Yates
                state += np.uint64(0x9E3779B97F4A7C15)
                place = k + int((mixed(state) >> np.uint64(11)) * 1.1102230246251565e-16 * (len(mine) - k))
                value = mine[place]
                mine[place] = mine[k]
                mine[k] = value
                total += value
                square += value * value
            out[i] = _square(total, square, all_squares, size, len(mine))
    return out
