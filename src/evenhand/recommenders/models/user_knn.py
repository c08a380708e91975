"""Neighbours of users by cosine (Herlocker and others 1999; on what was taken, Aiolli 2013).

cos(u, v) = |I_u and I_v| / sqrt(|I_u| |I_v|), with I_u the items that u took. The neighbours N(u) are the
users with the largest cosine above 0, u apart, ties by place, and score(u, i) = sum over v in N(u) who took i
of cos(u, v).
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from evenhand.recommenders.protocol import largest
from evenhand.recommenders.scores.simple import UserWeights
from evenhand.recommenders.taken.interactions import Interactions

# Cosines held at a time: of a block of users to all users, never of all to all.
CELLS = 1 << 23


def user_knn(train: Interactions, seed: int, neighbours: int = 100) -> UserWeights:
    taken = train.matrix()
    users = len(train.user_ids)
    others = sparse.csr_array(taken.T)
    # Counts are exact, and so are ties; a user who took nothing has nothing in common with anybody.
    lengths = np.sqrt(np.diff(taken.indptr).clip(1))
    keep = min(neighbours, users)
    size = max(1, CELLS // users)
    blocks = [
        _nearest(taken[start : start + size] @ others, start, lengths, keep)
        for start in range(0, users, size)
    ]
    return UserWeights(train.user_ids, train.item_ids, taken, sparse.vstack(blocks, format="csr"))


def _nearest(common: sparse.csr_array, start: int, lengths: np.ndarray, keep: int) -> sparse.csr_array:
    """The block's largest cosines, from how many items its users and all users have in common."""
    cosines = common.toarray() / lengths
    rows = np.arange(len(cosines))
    cosines /= lengths[start + rows][:, None]
    cosines[rows, start + rows] = 0.0  # nobody is their own neighbour
    found, values = largest(cosines, keep)
    near = values > 0
    place = (np.repeat(rows, near.sum(axis=1)), found[near])
    return sparse.csr_array((values[near].astype(np.float32), place), shape=cosines.shape)
