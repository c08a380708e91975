"""Is a gap between the extremes of many groups more than chance? Shuffle people over groups and see.

Group sizes stay, so small groups are as noisy in the shuffles as in the data. Two statistics are shuffled at
once: the raw gap, largest minus smallest mean, and the studentised gap, largest minus smallest z, where z is
a group against everybody else in units of the error of that difference. A shuffle makes people exchangeable,
so the raw gap's p-value answers whether groups differ *in any way*: with unequal variances it rejects far too
often for groups whose means are equal. The studentised gap is nearly free of the variances, but not of the
shapes: hits at the first place and hits at the fifth may have one mean. `equal_means` asks about means alone.

The error of a group is the one that it would have if its mean were that of everybody, as in a score test: a
group without an event has no variance at its own mean. Variances go with means as those of rates do,

    v(m) = v(mean) (m - a) (b - m) / ((mean - a) (b - mean)),    a and b the ends of the range,

which is exact for values of 0 and 1, and for values that are mostly 0; each end counts as a hundredth of a
user more, so that a group without an event has the variance of a rate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import prange

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit

RAW, STUDENTISED, HIGHEST, LOWEST, SPREAD = range(5)
# A group's variance counts as if the variance of all had been seen this many times more, since a group whose
# values happen to be equal would have no error at all. With more, groups that vary more than others alarm.
PRIOR = 0.1
END = 0.01  # the weight of either end of the range, in users
BATCH = 64


class Partition(NamedTuple):
    """Who is in which group: the values of cell c are at `starts[c]` to `starts[c + 1]`, and group g is the
    union of the cells `cells[offsets[g]:offsets[g + 1]]`."""

    starts: Ints
    offsets: Ints
    cells: Ints


class Ends(NamedTuple):
    """The least and the most that a value can be, as seen from the mean of all."""

    low: float
    high: float


class Draws(NamedTuple):
    """Which shuffles: `size` of them from number `first` on, with streams from `seed`."""

    seed: np.uint64
    first: int
    size: int


@dataclass(frozen=True)
class Shuffles:
    """Statistics of the data and of its shuffles, a row each, in the order of the constants above."""

    observed: Floats
    shuffled: Floats
    stop_after: int
    most: int

    def p_value(self, statistic: int) -> float:
        """Besag and Clifford's sequential p-value: h / l when the h-th exceedance came at shuffle l, else
        (1 + exceedances) / (1 + shuffles). Valid whatever the number of shuffles was to begin with."""
        exceeds = self.shuffled[:, statistic] >= self.observed[statistic] * (1 - 1e-12)
        reached = np.flatnonzero(np.cumsum(exceeds) == self.stop_after)
        if len(reached):
            return float(self.stop_after / (reached[0] + 1))
        return float((1 + exceeds.sum()) / (1 + len(exceeds)))


def shuffle(
    values: Floats,
    partition: Partition,
    ends: tuple[float, float],
    *,
    most: int,
    seed: int,
    progress: Callable[[int, int], None] = lambda done, most: None,
) -> Shuffles:
    """Shuffle until both gaps have been exceeded often enough, or `most` times (Besag and Clifford, 1991).

    A tenth of `most` exceedances are enough: what is plainly chance stops early, and small p-values get all
    shuffles. Each shuffle has a stream of its own, so the answer does not depend on the threads. `ends` are
    those of the range of the values.
    """
    centre = values.mean()
    centred, within = values - centre, Ends(ends[0] - centre, ends[1] - centre)
    observed = _statistics(centred, partition, within)
    stop_after = max(10, most // 10)
    found: list[Floats] = []
    exceeded = np.zeros(2, dtype=np.int64)
    done = 0
    while done < most and (exceeded < stop_after).any():
        size = min(BATCH, most - done)
        batch = _shuffled(centred, partition, within, Draws(np.uint64(seed), done, size))
        found.append(batch)
        exceeded += (batch[:, :2] >= observed[:2] * (1 - 1e-12)).sum(axis=0)
        done += size
        progress(done, most)
    return Shuffles(observed, np.concatenate(found), stop_after, most)


@njit(parallel=True)
def _shuffled(
    values: Floats, partition: Partition, ends: Ends, draws: Draws
) -> Floats:  # pragma: no cover - compiled
    out = np.empty((draws.size, 5))
    for i in prange(draws.size):
        mine = values.copy()
        state = mixed(draws.seed * np.uint64(0x9E3779B97F4A7C15) + np.uint64(draws.first + i) + np.uint64(1))
        bits = np.uint64(0)
        for last in range(len(mine) - 1, 0, -1):  # Fisher and Yates
            if last % 2 == 1 or last == len(mine) - 1:  # one number of 64 bits is enough for two places
                state += np.uint64(0x9E3779B97F4A7C15)
                bits = mixed(state)
            else:
                bits >>= np.uint64(32)
            place = np.int64(((bits & np.uint64(0xFFFFFFFF)) * np.uint64(last + 1)) >> np.uint64(32))
            mine[last], mine[place] = mine[place], mine[last]
        out[i] = _statistics(mine, partition, ends)
    return out


@njit()
def mixed(x: np.uint64) -> np.uint64:  # pragma: no cover - compiled
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit()
def _statistics(values: Floats, partition: Partition, ends: Ends) -> Floats:  # pragma: no cover - compiled
    """The statistics of values with mean 0, in the order of the constants above."""
    starts = partition.starts
    count = len(starts) - 1
    sums, squares = np.zeros(count), np.zeros(count)
    for c in range(count):
        for i in range(starts[c], starts[c + 1]):
            sums[c] += values[i]
            squares[c] += values[i] * values[i]
    return statistics_of_sums(sums, squares, partition, ends)


@njit()
def statistics_of_sums(
    sums: Floats, squares: Floats, partition: Partition, ends: Ends
) -> Floats:  # pragma: no cover - compiled
    """Gap of means, gap of z, largest and smallest z, and Cochran's Q, from the sums and the sums of squares
    of cells whose values have a mean of 0 and lie between the ends."""
    starts, offsets = partition.starts, partition.offsets
    people, square = starts[-1], squares.sum()
    spread = square / people
    highest = z_high = -np.inf
    lowest = z_low = np.inf
    weight = weighted = weighted_square = 0.0
    for g in range(len(offsets) - 1):
        n, total, own = 0, 0.0, 0.0
        for j in range(offsets[g], offsets[g + 1]):
            c = partition.cells[j]
            n += starts[c + 1] - starts[c]
            total += sums[c]
            own += squares[c]
        mean = total / n
        highest, lowest = max(highest, mean), min(lowest, mean)
        error = error_at_common_mean(n, total, own, spread, ends.low, ends.high)
        rest = people - n
        difference = mean
        if rest > 1:
            others = -total / rest
            difference = mean - others
            error_of_rest = max(square - own - rest * others * others, 0.0) / (rest - 1) / rest
        else:
            error_of_rest = 0.0
        t = difference / np.sqrt(error + error_of_rest)
        if t > z_high or t < z_low:  # z is nearer to 0 than t, so that no other can be an extreme
            # As far in the tail of the normal law as t is in that of its own (Wallace 1959), so that small
            # groups, whose t has longer tails, do not make up all of the extremes.
            df = n - 1 + PRIOR
            z = np.sign(t) * np.sqrt(df * np.log1p(t * t / df)) * (8 * df + 1) / (8 * df + 3)
            z_high, z_low = max(z_high, z), min(z_low, z)
        weight += 1 / error
        weighted += mean / error
        weighted_square += mean * mean / error
    out = np.empty(5)
    out[0], out[1] = highest - lowest, z_high - z_low
    out[2], out[3] = z_high, z_low
    out[4] = weighted_square - weighted * weighted / weight
    return out


@njit()
def error_at_common_mean(
    n: int, total: float, own: float, spread: float, low: float, high: float
) -> float:  # pragma: no cover - compiled
    """The variance of a group's mean if that were 0, the mean of everybody; see above."""
    size = n + 2 * END
    mean = (total + END * (low + high)) / size
    variance = max((own + END * (low * low + high * high)) / size - mean * mean, 0.0)
    variance *= -low * high / ((mean - low) * (high - mean))
    return float((n * variance + PRIOR * spread) / (n - 1 + PRIOR) / n)
