"""Exposure by listing every order of the items: plain Python, nothing shared with the package."""

import math
from itertools import permutations


def chance(order, scores, beta):
    """Plackett-Luce: each place is drawn in proportion to exp(score / beta) among those that are left.

    Written as ratios to the item drawn, since the weights themselves would underflow."""
    probability = 1.0
    for place, i in enumerate(order):
        ratios = [(scores[j] - scores[i]) / beta for j in order[place:]]
        if max(ratios) > 700:
            return 0.0
        probability /= math.fsum(math.exp(ratio) for ratio in ratios)
    return probability


def enumerated(scores, beta, position_weights):
    """Expected position weight of each item over all permutations."""
    parts = [[] for _ in scores]
    for order in permutations(range(len(scores))):
        probability = chance(order, scores, beta)
        for position, i in enumerate(order[: len(position_weights)]):
            parts[i].append(probability * position_weights[position])
    return [math.fsum(part) for part in parts]


def weights_of(discount, n, k=None, patience=0.8):
    """The published formulas, position by position."""
    k = n if k is None else min(k, n)
    if discount == "rbp":
        return [patience ** (r - 1) for r in range(1, k + 1)]
    return [1 / math.log2(1 + r) for r in range(1, k + 1)]
