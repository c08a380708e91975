"""The choices of re-ranking, one list at a time: which k items stand on top, and in which order.

Scores are scaled to [0, 1] within the list by its smallest and largest. A kernel gives a new score to every
row of the lists it may change: whole numbers, the chosen above the others. Items that are tied before are
taken in an order by a hash of user and item: it must not depend on the order of rows, and an order by the
item's code could favour whatever the codes were sorted by.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.compiled import njit
from evenhand.groups import CandidateLists, jaccard

_LEAST_GAIN = 1e-12  # of an exchange: less is rounding, and could go round in circles


@njit(parallel=True)
def most_diverse(
    users: Ints,
    lists: CandidateLists,
    category_offsets: Ints,
    categories: NDArray[np.int32],
    k: int,
    strength: float,
    out: Floats,
) -> None:  # pragma: no cover - compiled
    """Greedy maximal marginal relevance (Carbonell and Goldstein 1998), with the mean for the maximum:

    the next item has the largest `scaled score - strength * mean similarity to those chosen already`.
    """
    for n in prange(len(users)):
        first, last = lists.offsets[users[n]], lists.offsets[users[n] + 1]
        places = _settled(users[n], first, last, lists)
        scaled = _scaled(lists.score[first:last])
        below = _levels(lists.score[first:last])
        similar = np.zeros(last - first)
        free = np.ones(last - first, dtype=np.bool_)
        cut = min(k, last - first)
        for chosen in range(cut):
            best, best_value = -1, -np.inf
            for place in places:
                if free[place]:
                    value = scaled[place] - strength * (similar[place] / max(chosen, 1))
                    if value > best_value:
                        best, best_value = place, value
            free[best] = False
            out[first + best] = below[0] + cut - chosen
            for place in places:
                if free[place]:
                    similar[place] += jaccard(
                        lists.item[first + place], lists.item[first + best], category_offsets, categories
                    )
        for place in places:
            if free[place]:
                out[first + place] = below[place]


@njit(parallel=True)
def nearest_in_mean(
    users: Ints,
    lists: CandidateLists,
    value: Floats,
    target: Floats,
    k: int,
    strength: float,
    out: Floats,
) -> None:  # pragma: no cover - compiled
    """From the first k on, exchange one of them for one below as long as that makes larger

        mean scaled score - strength * |mean value - target| / range of the values in the list,

    each time the exchange that gains most. As the first k have the largest scores, whatever is gained is
    gained in distance. Among the chosen, as among the others, the order stays.
    """
    for n in prange(len(users)):
        first, last = lists.offsets[users[n]], lists.offsets[users[n] + 1]
        cut = min(k, last - first)
        values = value[lists.item[first:last]]
        if cut == 0 or values.min() == values.max():
            out[first:last] = lists.score[first:last]
            continue
        places = _settled(users[n], first, last, lists)
        scaled = _scaled(lists.score[first:last])
        weight = strength / (values.max() - values.min())
        goal = target[users[n]]
        top, rest = places[:cut].copy(), places[cut:].copy()
        scores, total = scaled[top].sum(), values[top].sum()
        while True:
            now = scores / cut - weight * abs(total / cut - goal)
            best_gain, leaves, enters = _LEAST_GAIN, -1, -1
            for i in range(cut):
                for j in range(len(rest)):
                    new_scores = scores - scaled[top[i]] + scaled[rest[j]]
                    new_total = total - values[top[i]] + values[rest[j]]
                    gain = new_scores / cut - weight * abs(new_total / cut - goal) - now
                    if gain > best_gain:
                        best_gain, leaves, enters = gain, i, j
            if leaves < 0:
                break
            top[leaves], rest[enters] = rest[enters], top[leaves]
            scores, total = scaled[top].sum(), values[top].sum()
        below = _levels(lists.score[first:last])
        for place in top:
            out[first + place] = below[place] + below[0] + 1.0
        for place in rest:
            out[first + place] = below[place]


@njit()
def _settled(user: int, first: int, last: int, lists: CandidateLists) -> Ints:  # pragma: no cover - compiled
    """The places of a list from the top, tied items by a hash of user and item."""
    places = np.arange(last - first)
    i = first
    while i < last:
        j = i + 1
        while j < last and lists.score[j] == lists.score[i]:
            j += 1
        if j - i > 1:
            keys = np.empty(j - i, dtype=np.uint64)
            for place in range(i, j):
                keys[place - i] = _mixed(user, lists.item[place])
            places[i - first : j - first] = i - first + np.argsort(keys)
        i = j
    return places


@njit()
def _mixed(user: int, item: int) -> np.uint64:  # pragma: no cover - compiled
    """The output function of splitmix64 (Steele and others 2014) on the pair."""
    z = (np.uint64(user) << np.uint64(32)) + np.uint64(item) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit()
def _scaled(score: Floats) -> Floats:  # pragma: no cover - compiled
    """A list's scores between 0 and 1; all 0 where they are equal."""
    if len(score) == 0 or score[0] == score[-1]:
        return np.zeros(len(score))
    return (score - score[-1]) / (score[0] - score[-1])


@njit()
def _levels(score: Floats) -> Floats:  # pragma: no cover - compiled
    """How many different scores are below each: whole numbers in the same order, with the same ties."""
    levels = np.zeros(len(score))
    for i in range(len(score) - 2, -1, -1):
        levels[i] = levels[i + 1] + (score[i] > score[i + 1])
    return levels
