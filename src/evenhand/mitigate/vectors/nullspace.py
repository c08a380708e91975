"""Iterative nullspace projection (Ravfogel and others 2020): classify, remove what that used, classify again.

Each round fits a fresh linear classifier to what is left and adds its weights to the removed directions. In d
dimensions no more than d - 1 rounds can remove something and leave a vector. The rounds end when a classifier
does no better than chance on users that had no part in any of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Floats, Ints, Vectors
from evenhand.association import Classifying, centred
from evenhand.mitigate.vectors.linear_maps import extended, no_basis


@dataclass(frozen=True)
class NullspaceRound:
    """One classifier: its balanced accuracy on those it learnt from and on others, and what it removed.

    `rank` is how many dimensions are gone after the round; a round that found chance removed none.
    """

    round: int
    train: float
    others: float
    removed: int
    rank: int


def nullspace(
    vectors: Vectors,
    codes: Ints,
    learners: Ints,
    others: Ints,
    *,
    rounds: int,
    stop_at_chance: bool,
    cost: float | None = None,
    progress: Callable[[str], None] = lambda message: None,
) -> tuple[Floats, tuple[NullspaceRound, ...]]:
    """The orthonormal basis of what was removed, and the rounds; `learners` and `others` are places.

    Values weigh alike, however many have each: a classifier that always names the largest one is at chance.
    """
    scaled = centred(vectors)
    dimensions = scaled.shape[1]
    how = Classifying("balanced", cost)
    chance = 1 / len(np.unique(codes))
    basis, done = no_basis(dimensions), []
    for number in range(1, rounds + 1):
        rank = basis.shape[1]
        if rank >= dimensions - 1:
            break
        left = scaled - (scaled @ basis) @ basis.T
        model = how.fit(left[learners], codes[learners])
        train, held = (balanced(model.predict(left[who]), codes[who]) for who in (learners, others))
        at_chance = stop_at_chance and held <= chance
        if not at_chance:
            basis = extended(basis, model.coef_, most=dimensions - 1 - rank)
        done.append(NullspaceRound(number, train, held, basis.shape[1] - rank, basis.shape[1]))
        progress(f"round {number}: balanced accuracy {held:.3f} on other users, {basis.shape[1]} removed")
        if at_chance:
            break
    return basis, tuple(done)


def balanced(predicted: Ints, codes: Ints) -> float:
    """The mean over values of the share that is told right."""
    right = np.bincount(codes, weights=predicted == codes)
    counts = np.bincount(codes)
    return float((right[counts > 0] / counts[counts > 0]).mean())
