"""Probabilistic latent semantic analysis (Hofmann 1999; as a recommender, Hofmann 2004).

p(i|u) = sum over topics z of p(z|u) p(i|z), which is the score. Expectation-maximisation raises the
likelihood of what was taken: with r_ui = 1 / p(i|u) for the pairs that were taken,

    p(z|u) <- p(z|u) sum_i r_ui p(i|z) / |I_u|,    p(i|z) <- in proportion to p(i|z) sum_u r_ui p(z|u),

both from the old values. The perplexity exp(-mean log p(i|u)) never rises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.recommenders.scores.factors import Factors
from evenhand.recommenders.taken.interactions import Interactions

# Pairs whose topics are held at a time.
PAIRS = 1 << 17
# A step that lowers the perplexity by a smaller share than this is the last.
ENOUGH = 1e-4


@dataclass(frozen=True)
class Topics:
    """p(z|u), a row a user, and p(i|z), a row an item; what was taken had this `perplexity` before."""

    of_user: NDArray[np.float64]
    of_item: NDArray[np.float64]
    perplexity: float


def plsa(train: Interactions, seed: int, factors: int = 32, epochs: int = 100) -> Factors:
    """`factors` topics, `epochs` steps at most."""
    before = np.inf
    for topics in steps(train.matrix(), factors, np.random.default_rng(seed), epochs):
        if before - topics.perplexity < ENOUGH * topics.perplexity:
            break
        before = topics.perplexity
    return Factors(train.user_ids, train.item_ids, topics.of_user, topics.of_item)


def steps(taken: sparse.csr_array, count: int, rng: np.random.Generator, most: int) -> Iterator[Topics]:
    """One step of expectation and maximisation after the other."""
    users, items = taken.shape
    of_user = _shares(rng.uniform(0.5, 1.5, (users, count)), axis=1)
    of_item = _shares(rng.uniform(0.5, 1.5, (items, count)), axis=0)
    user, item = np.repeat(np.arange(users), np.diff(taken.indptr)), taken.indices
    idle = np.diff(taken.indptr) == 0
    for _ in range(most):
        chance = np.empty(len(item))
        for start in range(0, len(item), PAIRS):
            rows = slice(start, start + PAIRS)
            chance[rows] = np.einsum("ij,ij->i", of_user[user[rows]], of_item[item[rows]])
        ratio = sparse.csr_array((1 / chance, taken.indices, taken.indptr), shape=taken.shape)
        raised_user = of_user * np.asarray(ratio @ of_item)
        raised_item = of_item * np.asarray(ratio.T @ of_user)
        # Who took nothing has the topics of all.
        raised_user[idle] = raised_user.sum(axis=0)
        of_user, of_item = _shares(raised_user, axis=1), _shares(raised_item, axis=0)
        yield Topics(of_user, of_item, float(np.exp(-np.log(chance).mean())))


def _shares(weights: NDArray[Any], axis: int) -> NDArray[np.float64]:
    """Weights that add up to 1; a topic that nothing is left of has none."""
    total = weights.sum(axis=axis, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
