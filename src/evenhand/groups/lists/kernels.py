"""Metrics of one ranked list with ties, in expectation over every order of the tied items.

A list is read block by block, a block being a run of equal scores. `start` items stand above the block, it
has `size` items of which `good` are positive, and the `shown` first places of it are within the cut at k. In
a random order of the block every place is equally likely to hold a positive, so counts and discounted gains
are linear; the first positive of a block and "at least one positive" follow the hypergeometric law.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit

AUC, MRR, NDCG, NDCG_OF_K, HIT, RECALL, PRECISION = range(7)


@njit(parallel=True)
def relevance(
    offsets: Ints, score: Floats, label: NDArray[np.uint8], k: int
) -> Floats:  # pragma: no cover - compiled
    """A row a user, a column a metric (see the constants); NaN where a metric is not defined.

    Without a positive nothing is defined but precision and hit, which are 0; with an empty list nothing is.
    AUC needs a negative, too.
    """
    users = len(offsets) - 1
    out = np.full((users, 7), np.nan)
    ideal = np.zeros(k + 1)  # of so many positives on top
    for place in range(1, k + 1):
        ideal[place] = ideal[place - 1] + 1.0 / math.log2(place + 1.0)
    for u in prange(users):
        first, last = offsets[u], offsets[u + 1]
        length = last - first
        if length == 0:
            continue
        positives = 0
        for i in range(first, last):
            positives += label[i]
        negatives = length - positives
        concordant = gain = reciprocal = found = 0.0
        hit = 0.0
        negatives_above = 0
        seen_positive = False
        i = first
        while i < last:
            j = i + 1
            good = int(label[i])
            while j < last and score[j] == score[i]:
                good += label[j]
                j += 1
            start, size = i - first, j - i
            shown = min(max(k - start, 0), size)
            bad = size - good
            concordant += good * (negatives - negatives_above - bad) + 0.5 * good * bad
            negatives_above += bad
            if good > 0 and shown > 0:
                share = good / size
                found += share * shown
                for place in range(start + 1, start + shown + 1):
                    gain += share / math.log2(place + 1.0)
                if not seen_positive:
                    none = 1.0
                    at_place = share
                    for place in range(1, shown + 1):
                        reciprocal += at_place / (start + place)
                        if size > place:
                            at_place *= (size - place - good + 1) / (size - place)
                        none *= (bad - place + 1) / (size - place + 1)
                        if none < 0.0:
                            none = 0.0
                        if place > bad:
                            break
                    hit = 1.0 - none
            if good > 0:
                seen_positive = True
            i = j
        out[u, HIT] = hit
        out[u, PRECISION] = found / min(k, length)
        if positives > 0:
            out[u, MRR] = reciprocal
            out[u, NDCG] = gain / ideal[min(positives, k)]
            out[u, NDCG_OF_K] = gain / ideal[k]
            out[u, RECALL] = found / positives
            if negatives > 0:
                out[u, AUC] = concordant / (positives * negatives)
    return out


@njit(parallel=True)
def mean_of_shown(
    offsets: Ints, score: Floats, item: NDArray[np.int32], value: Floats, k: int
) -> Floats:  # pragma: no cover - compiled
    """The expected mean of `value`, one for each item, over the first k of each list; NaN of an empty one."""
    users = len(offsets) - 1
    out = np.full(users, np.nan)
    for u in prange(users):
        first, last = offsets[u], offsets[u + 1]
        cut = min(k, last - first)
        if cut == 0:
            continue
        total = 0.0
        i = first
        while i < last and i - first < cut:
            j = i
            block = 0.0
            while j < last and score[j] == score[i]:
                block += value[item[j]]
                j += 1
            total += block * min(cut - (i - first), j - i) / (j - i)
            i = j
        out[u] = total / cut
    return out


@njit(parallel=True)
def diversity_of_shown(
    offsets: Ints,
    score: Floats,
    item: NDArray[np.int32],
    category_offsets: Ints,
    categories: NDArray[np.int32],
    k: int,
) -> Floats:  # pragma: no cover - compiled
    """One minus the expected mean Jaccard similarity over the pairs of the first k; NaN of fewer than two.

    Of a block that the cut divides, an item is shown with probability shown / size, and a pair of them with
    shown (shown - 1) / (size (size - 1)).
    """
    users = len(offsets) - 1
    out = np.full(users, np.nan)
    for u in prange(users):
        first, last = offsets[u], offsets[u + 1]
        cut = min(k, last - first)
        if cut < 2:
            continue
        similar = 0.0
        i = first
        while i < last and i - first < cut:
            j = i + 1
            while j < last and score[j] == score[i]:
                j += 1
            size, shown = j - i, min(cut - (i - first), j - i)
            above = within = 0.0
            for a in range(i, j):
                for b in range(first, i):
                    above += jaccard(item[a], item[b], category_offsets, categories)
                for b in range(i, a):
                    within += jaccard(item[a], item[b], category_offsets, categories)
            similar += above * shown / size
            if shown > 1:
                similar += within * shown * (shown - 1) / (size * (size - 1))
            i = j
        out[u] = 1.0 - similar / (cut * (cut - 1) / 2)
    return out


@njit()
def jaccard(
    a: int, b: int, offsets: Ints, categories: NDArray[np.int32]
) -> float:  # pragma: no cover - compiled
    """Of two items' categories, the share that both have; 0 where neither has any. Each list ascends."""
    i, j = offsets[a], offsets[b]
    end_i, end_j = offsets[a + 1], offsets[b + 1]
    either = (end_i - i) + (end_j - j)
    if either == 0:
        return 0.0
    both = 0
    while i < end_i and j < end_j:
        if categories[i] == categories[j]:
            both += 1
            i += 1
            j += 1
        elif categories[i] < categories[j]:
            i += 1
        else:
            j += 1
    return both / (either - both)
