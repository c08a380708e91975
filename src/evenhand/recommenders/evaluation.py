"""Accuracy at k: one list is measured, means are folded over users."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders.ids import Codes
from evenhand.recommenders.interactions import Interactions
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.splits import Split

MEASURES = ("recall", "mrr", "ndcg", "hit", "precision")


def full_ranking(
    model: Recommender, held_out: Interactions, seen: sparse.csr_array, k: int = 10
) -> dict[str, float]:
    """Mean over users with a test item, ranking all items but those `seen`."""
    _, values = full_ranking_by_user(model, held_out, seen, k)
    return {name: float(found.mean()) for name, found in values.items()}


def full_ranking_by_user(
    model: Recommender, held_out: Interactions, seen: sparse.csr_array, k: int = 10
) -> tuple[Codes, dict[str, NDArray[np.float64]]]:
    """Users (codes) with a test item, and each measure of each of them; lists leave out what is `seen`."""
    relevant = held_out.matrix()
    users = np.flatnonzero(np.diff(relevant.indptr))
    if len(users) == 0:
        raise InputError("the test part of the split is empty, so there is nothing to judge the model by.")
    items, _ = model.top(users, k, exclude=seen)
    hits = np.zeros(items.shape, dtype=bool)
    for row, user in enumerate(users):
        taken = relevant.indices[relevant.indptr[user] : relevant.indptr[user + 1]]
        hits[row] = np.isin(items[row], taken)
    return users, at_k_by_list(hits, np.diff(relevant.indptr)[users], k)


def short_rankings(held_out: Interactions, seen: sparse.csr_array, k: int = 10) -> tuple[str, ...]:
    """A note on users for whom every list of k holds all that is left, so that measures say nothing."""
    users = np.unique(held_out.user)
    short = int((seen.shape[1] - np.diff(seen.indptr)[users] <= k).sum())
    if short == 0:
        return ()
    return (
        f"{short:,} of {len(users):,} users that the model is judged on have at most {k} items left to rank: "
        f"recall@{k} and hit@{k} are 1 for them, whatever the model.",
    )


def sampled_candidates(model: Recommender, split: Split, k: int = 5) -> dict[str, float]:
    """Leave-one-out: the held-out item among its sampled negatives, ties counted half."""
    assert split.candidates is not None
    candidates: Codes = split.candidates
    users = np.repeat(split.test.user, candidates.shape[1])
    scores = model.score_pairs(users, candidates.ravel()).reshape(candidates.shape)
    beaten = (scores[:, 1:] > scores[:, :1]).sum(axis=1) + (scores[:, 1:] == scores[:, :1]).sum(axis=1) / 2
    place = np.floor(beaten).astype(int)
    hits = place[:, None] == np.arange(k)
    return at_k(hits, np.ones(len(hits), dtype=np.int64), k)


def at_k(hits: NDArray[np.bool_], relevant: NDArray[np.int64], k: int) -> dict[str, float]:
    """Means of the measures over lists."""
    return {name: float(values.mean()) for name, values in at_k_by_list(hits, relevant, k).items()}


def at_k_by_list(
    hits: NDArray[np.bool_], relevant: NDArray[np.int64], k: int
) -> dict[str, NDArray[np.float64]]:
    """Measures of lists given as hits (lists x places) and the number of relevant items of each.

    NDCG has the ideal of min(k, relevant) positives: a list cannot hold more than there are.
    """
    places = np.arange(1, hits.shape[1] + 1)
    discount = 1 / np.log2(places + 1)
    ideal = np.cumsum(1 / np.log2(np.arange(2, k + 2)))[np.minimum(k, relevant) - 1]
    first = np.where(hits.any(axis=1), 1 / (hits.argmax(axis=1) + 1), 0.0)
    values = {
        "recall": hits.sum(axis=1) / relevant,
        "mrr": first,
        "ndcg": (hits * discount).sum(axis=1) / ideal,
        "hit": hits.any(axis=1).astype(float),
        "precision": hits.sum(axis=1) / k,
    }
    return {name: values[name] for name in MEASURES}
