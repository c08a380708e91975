"""Accuracy at k: one list is measured, means are folded over users."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders.protocol import Recommender
from evenhand.recommenders.taken.ids import Codes
from evenhand.recommenders.taken.interactions import Interactions
from evenhand.recommenders.taken.splits import Split

MEASURES = ("recall", "mrr", "ndcg", "hit", "precision")
# Pairs that a look at the validation part scores, about: enough to tell epochs apart, and soon done.
VALIDATION_PAIRS = 300_000
REDRAWS = 8


@dataclass(frozen=True)
class Judge:
    """What a training is stopped by: larger is better, on a held-out part, beside what was `seen`."""

    name: str
    value: Callable[[Recommender, Interactions, sparse.csr_array], float]


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


def sampled_auc(
    model: Recommender, held_out: Interactions, seen: sparse.csr_array, negatives: int = 49
) -> float:
    """How often a held-out item scores above one that its user never took, ties counted half.

    Up to `negatives` are drawn a row, always the same for the same part.
    """
    rng = np.random.default_rng(0)
    each = int(np.clip(VALIDATION_PAIRS // len(held_out), 1, negatives))
    user, items = np.repeat(held_out.user, each), seen.shape[1]
    row, column = (seen + held_out.matrix()).nonzero()
    taken = np.sort(row.astype(np.int64) * items + column)
    item = rng.integers(items, size=len(user))
    for _ in range(REDRAWS):
        key = user * items + item
        again = taken[np.searchsorted(taken, key).clip(max=len(taken) - 1)] == key
        item[again] = rng.integers(items, size=again.sum())
    key = user * items + item  # who took nearly everything may have some left over, which say nothing
    usable = taken[np.searchsorted(taken, key).clip(max=len(taken) - 1)] != key
    if not usable.any():
        raise InputError(
            "users of the validation part took every item, so there is nothing to compare with; bring data "
            "with more items."
        )
    held = np.repeat(model.score_pairs(held_out.user, held_out.item), each)
    return float(_above(held, model.score_pairs(user, item))[usable].mean())


def _above(first: NDArray[np.floating], second: NDArray[np.floating]) -> NDArray[np.float64]:
    return (first > second) + (first == second) / 2


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
    beaten = _above(scores[:, 1:], scores[:, :1]).sum(axis=1)
    place = np.floor(beaten).astype(int)
    hits = place[:, None] == np.arange(k)
    return at_k(hits, np.ones(len(hits), dtype=np.int64), k)


def area_by_user(model: Recommender, split: Split) -> NDArray[np.float64]:
    """Leave-one-out: for each test row, the share of its negatives that score below the held-out item."""
    assert split.candidates is not None
    users = np.repeat(split.test.user, split.candidates.shape[1])
    scores = model.score_pairs(users, split.candidates.ravel()).reshape(split.candidates.shape)
    return _above(scores[:, :1], scores[:, 1:]).mean(axis=1)


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


RANKING = Judge("NDCG@10", lambda model, held_out, seen: full_ranking(model, held_out, seen)["ndcg"])
PAIRS = Judge("AUC", sampled_auc)
