"""Candidate lists with a known quality: one liked item among 19 others for each user.

A list has one positive with score N(mu, 1) and 19 negatives with scores N(0, 1), all independent. For one
planted intersection of attributes the ranker adds N(0, tau^2) noise to every score; ranks do not change with
scale, so that group has ranks as if mu were mu / sqrt(1 + tau^2). The rank of the positive is one plus a
binomial number of negatives above it, mixed over its own score:

    P(rank = r) = integral phi(x - mu) Binomial(r - 1; 19, 1 - Phi(x)) dx

and every rank metric's exact expectation is a weighted sum of these.
"""

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import binom, norm

from evenhand.errors import InputError

NEGATIVES = 19
SEPARATION = 1.5
CUT = 5
SERVED_WORSE = {"gender": "F", "age_band": "55+"}

_RANKS = np.arange(1, NEGATIVES + 2)
METRICS = {
    "mrr@5": np.where(_RANKS <= CUT, 1 / _RANKS, 0.0),
    "ndcg@5": np.where(_RANKS <= CUT, 1 / np.log2(1 + _RANKS), 0.0),
    "auc": (NEGATIVES + 1 - _RANKS) / NEGATIVES,
}
"""The value of each metric when the only positive has rank 1, 2, ..., 20."""


def rank_distribution(separation: float) -> np.ndarray:
    """P(rank = 1), ..., P(rank = 20) when the positive's mean score is `separation` above the negatives'."""
    # The integrand is smooth and gone at both ends, where the trapezoid rule is exact to rounding.
    offset = np.linspace(-10, 10, 401)
    above = norm.sf(separation + offset)
    weight = norm.pdf(offset) * (offset[1] - offset[0])
    return binom.pmf(_RANKS[:, None] - 1, NEGATIVES, above) @ weight


def expected(metric: str, noise: float = 0.0) -> float:
    """E[metric] of a user whose scores carry extra noise of this standard deviation."""
    return float(METRICS[metric] @ rank_distribution(SEPARATION / np.sqrt(1 + noise**2)))


def noise_for(gap: float) -> float:
    """The noise that lowers E[MRR@5] by `gap`."""
    if gap == 0:
        return 0.0
    loudest = 1e3
    best = expected("mrr@5")
    largest = best - expected("mrr@5", loudest)
    if gap > largest:
        raise InputError(
            f"groups={gap:g} cannot be planted: pure noise lowers the group's MRR@5 by {largest:.3f}."
        )
    # Solved in log(1 + noise), where the gap rises evenly.
    solution = brentq(lambda z: best - expected("mrr@5", np.expm1(z)) - gap, 0, np.log1p(loudest), xtol=1e-12)
    return float(np.expm1(solution))


def is_served_worse(users: pd.DataFrame) -> np.ndarray:
    """Which users belong to the planted intersection."""
    return np.logical_and.reduce([users[name].to_numpy() == value for name, value in SERVED_WORSE.items()])


def make_candidates(
    users: pd.DataFrame, items: pd.DataFrame, preferences: np.ndarray, noise: float, rng: np.random.Generator
) -> pd.DataFrame:
    """user_id, item_id, score, label: 20 rows a user, in random order within the user.

    The positive is drawn in proportion to what the user likes, the negatives uniformly from the rest.
    """
    count, width = len(users), NEGATIVES + 1
    # Largest of log(weight) + Gumbel draws without replacement: first the positive, then 19 of equal weight.
    positive = np.argmax(np.log(preferences) + rng.gumbel(size=preferences.shape), axis=1)
    keys = rng.random(preferences.shape)
    keys[np.arange(count), positive] = np.inf
    negative = np.argpartition(keys, NEGATIVES, axis=1)[:, :NEGATIVES]
    chosen = np.column_stack([positive, negative])
    label = np.zeros((count, width), dtype=np.int8)
    label[:, 0] = 1
    score = SEPARATION * label + rng.normal(size=(count, width))
    score += noise * is_served_worse(users)[:, None] * rng.normal(size=(count, width))
    shuffle = np.argsort(rng.random((count, width)), axis=1)
    chosen, label, score = (np.take_along_axis(table, shuffle, axis=1) for table in (chosen, label, score))
    return pd.DataFrame(
        {
            "user_id": np.repeat(users["user_id"].to_numpy(), width),
            "item_id": items["item_id"].to_numpy()[chosen.ravel()],
            "score": score.ravel(),
            "label": label.ravel(),
        }
    )
