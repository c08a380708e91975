"""Could groups with equal means, each with a shape of its own, give this? Make their means equal and see.

Shuffling people over groups makes them alike in every way. So where groups with one mean differ in shape
(hits at the first place here, at the fifth there; rates here, smooth scores there) a shuffle is not what
equal means would give, and its test alarms. Here each group keeps its own values, tilted exponentially
(`tilting`) until their mean is that of everybody, and is resampled from them: a bootstrap under the null
hypothesis (Efron 1981; Davison and Hinkley 1997, 4.4). Both ends of the range are added to each group with a
small weight, since a group without an event could not have any other mean otherwise.

Or what a group lacks of that mean is in users that chance left out: it keeps its values as they are, and so
many of its people are at an end of the range as bring its mean to that of all. If these are few, a sample may
well have none of them. Tilting hardly allows for that where a group's values are close together. What the one
mean is says who lacks how many: at the mean of everybody, two groups of one size would lack half of the gap
each, and chance would have to leave out users of both. So of the means of all groups, and that of the groups
that are not furthest from the others, above or below, it is the one at which all groups together lack the
fewest users.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit
from evenhand.stats.means.permutation import (
    BATCH,
    END,
    PRIOR,
    SPREAD,
    STUDENTISED,
    Draws,
    Ends,
    Partition,
    Shuffles,
    mixed,
    statistics_of_sums,
)


def bootstrap_at_equal_means(
    values: Floats,
    partition: Partition,
    ends: tuple[float, float],
    shuffles: Shuffles,
    *,
    seed: int,
    left_out: bool = False,
) -> Shuffles:
    """Resample at equal means, with the statistics of `shuffles`, as often as those had to be shuffled.

    Groups are the cells of the partition, none in two of them; they are tilted, or (`left_out`) have users at
    an end of the range. Stops like `permutation.shuffle`.
    """
    centre = _mean_that_lacks_fewest(values, partition.starts, ends) if left_out else float(values.mean())
    within = Ends(ends[0] - centre, ends[1] - centre)
    tables = _tables(values - centre, partition.starts, within, left_out)
    found: list[Floats] = []
    wanted = np.array([STUDENTISED, SPREAD])
    exceeded = np.zeros(2, dtype=np.int64)
    done = 0
    while done < shuffles.most and (exceeded < shuffles.stop_after).any():
        size = min(BATCH, shuffles.most - done)
        batch = _resampled(tables, partition, within, Draws(np.uint64(seed), done, size))
        found.append(batch)
        exceeded += (batch[:, wanted] >= shuffles.observed[wanted] * (1 - 1e-12)).sum(axis=0)
        done += size
    return Shuffles(shuffles.observed, np.concatenate(found), shuffles.stop_after, shuffles.most)


def _mean_that_lacks_fewest(values: Floats, starts: Ints, ends: tuple[float, float]) -> float:
    """Of the means of all groups, and that of all but the two that are furthest from the others, the one for
    which chance left out the fewest users, over all groups.
    """
    sizes, people, spread = np.diff(starts), len(values), float(values.var())
    sums, squares = np.add.reduceat(values, starts[:-1]), np.add.reduceat(values**2, starts[:-1])
    means, others = sums / sizes, (values.sum() - sums) / np.maximum(people - sizes, 1)
    variances = np.maximum(squares / sizes - means**2, 0)
    z = (means - others) / np.sqrt((sizes * variances + PRIOR * spread) / (sizes - 1 + PRIOR) / sizes)
    most = np.ones(len(sizes), dtype=bool)
    most[[np.argmax(z), np.argmin(z)]] = False
    centres = np.append(means, sums[most].sum() / sizes[most].sum()) if most.any() else means
    return float(min(centres, key=lambda centre: _left_out(centre, means, sizes, ends)))


def _left_out(centre: float, means: Floats, sizes: Ints, ends: tuple[float, float]) -> float:
    """How many users at an end of the range would bring the means of all groups to the centre."""
    away = centre - means
    room = np.where(away > 0, ends[1] - means, means - ends[0])
    return float((sizes * np.abs(away) / np.where(room > 0, room, 1)).sum())


class _Tables(NamedTuple):
    """An alias table (Walker 1977) for each cell c, at `offsets[c]` to `offsets[c + 1]`: place i is drawn
    evenly, and gives the first of `either[i]` with the chance `stays[i]` / 2^32, or the second.
    """

    offsets: Ints
    stays: NDArray[np.uint64]
    either: Floats


def _tables(values: Floats, starts: Ints, within: Ends, left_out: bool) -> _Tables:
    """Of each cell the different values, the ends last, brought to a mean of 0."""
    cell = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((values, cell))
    sorted_values = values[order]
    new = np.ones(len(values), dtype=bool)
    new[1:] = (np.diff(sorted_values) != 0) | (np.diff(cell) != 0)
    places = np.flatnonzero(new)
    counts = np.diff(np.append(places, len(values))).astype(float)
    different = np.bincount(cell[places], minlength=len(starts) - 1)
    offsets = np.concatenate([[0], np.cumsum(different + 2)])
    ends = np.zeros(offsets[-1], dtype=bool)
    ends[offsets[1:] - 1] = ends[offsets[1:] - 2] = True
    atoms, weights = np.full(offsets[-1], within.low), np.full(offsets[-1], END)
    atoms[offsets[1:] - 1] = within.high
    atoms[~ends], weights[~ends] = sorted_values[places], counts
    stays, other = _alias(atoms, weights, offsets, left_out)
    return _Tables(offsets, np.round(stays * 2**32).astype(np.uint64), np.column_stack([atoms, atoms[other]]))


@njit()
def _alias(
    atoms: Floats, weights: Floats, offsets: Ints, left_out: bool
) -> tuple[Floats, Ints]:  # pragma: no cover - compiled
    stays, other = np.ones(len(atoms)), np.arange(len(atoms))
    for c in range(len(offsets) - 1):
        first, last = offsets[c], offsets[c + 1]
        count = last - first
        mine, seen = atoms[first:last], weights[first:last]
        chances = count * (_with_an_end(mine, seen) if left_out else _at_mean_zero(mine, seen))
        little, much = np.empty(count, np.int64), np.empty(count, np.int64)
        few = many = 0
        for i in range(count):
            if chances[i] < 1:
                little[few] = i
                few += 1
            else:
                much[many] = i
                many += 1
        while few > 0 and many > 0:
            few -= 1
            i, j = little[few], much[many - 1]
            stays[first + i], other[first + i] = chances[i], first + j
            chances[j] -= 1 - chances[i]
            if chances[j] < 1:
                many -= 1
                little[few] = j
                few += 1
    return stays, other


@njit()
def _at_mean_zero(values: Floats, weights: Floats) -> Floats:  # pragma: no cover - compiled
    """Weights tilted so that the mean is 0, by Newton's steps kept between what is too low and too high."""
    scale = values.max() - values.min()
    below, above = -1e9, 1e9
    slope = 0.0
    chances = np.empty(len(values))
    for _ in range(200):
        top = max(slope * values.min(), slope * values.max())
        total = first = second = 0.0
        for i in range(len(values)):
            chances[i] = weights[i] * np.exp((slope * values[i] - top) / scale)
            total += chances[i]
            first += chances[i] * values[i]
            second += chances[i] * values[i] * values[i]
        mean = first / total
        if abs(mean) <= 1e-10 * scale:
            break
        if mean < 0:
            below = slope
        else:
            above = slope
        variance = second / total - mean * mean
        step = slope - mean * scale / variance if variance > 1e-14 * scale * scale else np.inf
        if below < step < above and abs(step - slope) < 8:
            slope = step
        elif mean < 0:
            slope = min(slope + 8, (slope + above) / 2)
        else:
            slope = max(slope - 8, (slope + below) / 2)
    chances /= chances.sum()
    return chances


@njit()
def _with_an_end(values: Floats, weights: Floats) -> Floats:  # pragma: no cover - compiled
    """The values as seen, and so much of the end (the last two are the ends) that the mean is 0."""
    chances = weights.copy()
    chances[-2:] = 0.0
    chances /= chances.sum()
    mean = (chances * values).sum()
    end = len(values) - (1 if mean < 0 else 2)
    share = mean / (mean - values[end])
    chances *= 1 - share
    chances[end] = share
    return chances


@njit(parallel=True)
def _resampled(
    tables: _Tables, partition: Partition, ends: Ends, draws: Draws
) -> Floats:  # pragma: no cover - compiled
    out = np.empty((draws.size, 5))
    starts = partition.starts
    groups, people = len(starts) - 1, starts[-1]
    for r in prange(draws.size):
        state = mixed(draws.seed * np.uint64(0x9E3779B97F4A7C15) + np.uint64(draws.first + r) + np.uint64(1))
        state ^= np.uint64(0xD1B54A32D192ED03)  # not the stream of the shuffles
        bits = np.uint64(0)
        sums, squares = np.empty(groups), np.empty(groups)
        for c in range(groups):
            begin = tables.offsets[c]
            different = np.uint64(tables.offsets[c + 1] - begin)
            total = square = 0.0
            n = starts[c + 1] - starts[c]
            for k in range(n):
                if k % 2 == 0:  # one number of 64 bits is enough for two draws
                    state += np.uint64(0x9E3779B97F4A7C15)
                    bits = mixed(state)
                else:
                    bits >>= np.uint64(32)
                scaled = (bits & np.uint64(0xFFFFFFFF)) * different
                i = begin + np.int64(scaled >> np.uint64(32))
                value = tables.either[i, np.int64((scaled & np.uint64(0xFFFFFFFF)) >= tables.stays[i])]
                total += value
                square += value * value
            sums[c], squares[c] = total, square
        mean = sums.sum() / people
        for c in range(groups):
            n = starts[c + 1] - starts[c]
            squares[c] = max(squares[c] - 2 * mean * sums[c] + n * mean * mean, 0.0)
            sums[c] -= n * mean
        out[r] = statistics_of_sums(sums, squares, partition, Ends(ends.low - mean, ends.high - mean))
    return out
