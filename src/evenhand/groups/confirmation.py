"""A gap that was searched for is too large: search among half of the users, estimate with the other half.

Both ways, and the two estimates are averaged. They are not independent (one half's extreme is what the other
half lacks), so the error of the average is the average of the errors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from evenhand.errors import InputError
from evenhand.groups.cells import Cells, Groups
from evenhand.groups.evidence import Moments, cell_moments, group_moments
from evenhand.groups.measures import error_variances

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Half:
    """One half's choice of groups, and their gap among the other half's users."""

    highest: int
    lowest: int
    gap: float
    error: float
    df: float


@dataclass(frozen=True)
class Confirmation:
    """The gap between the chosen groups, as estimated with users who had no part in the choice."""

    estimate: float
    low: float
    high: float
    halves: tuple[Half, Half]


def split(cells: Cells, rng: np.random.Generator) -> NDArray[np.bool_]:
    """True for one half of the users of every cell; chance decides who, and where an odd one goes."""
    order = np.lexsort((rng.random(len(cells.of_user)), cells.of_user))
    starts = np.concatenate([[0], np.cumsum(cells.sizes)[:-1]])
    place = np.arange(len(order)) - np.repeat(starts, cells.sizes)
    first = np.repeat(rng.integers(0, 2, len(cells)), cells.sizes)
    half = np.empty(len(order), dtype=bool)
    half[order] = (place + first) % 2 == 0
    return half


def confirm(groups: Groups, values: Floats, rng: np.random.Generator, level: float = 0.95) -> Confirmation:
    """The confirmed gap with its interval, Student's with the degrees of freedom of the smaller half."""
    half = split(groups.of, rng)
    spread = float(values.var())
    parts = [group_moments(groups, cell_moments(groups.of, values, users)) for users in (half, ~half)]
    # A small group of many cells may have all of its users in one half.
    in_both = np.flatnonzero((parts[0].n > 0) & (parts[1].n > 0))
    if len(in_both) < 2:
        raise InputError(
            f"only {len(in_both)} of {len(groups):,} groups has users in both halves, into which users are "
            "divided to confirm the gap; raise min_size."
        )
    found = tuple(
        _estimate(groups, _choose(parts[i], in_both, spread), parts[1 - i], values, (~half, half)[i], spread)
        for i in (0, 1)
    )
    first, second = found
    estimate = (first.gap + second.gap) / 2
    reach = float(t.ppf((1 + level) / 2, min(first.df, second.df))) * (first.error + second.error) / 2
    return Confirmation(estimate, estimate - reach, estimate + reach, (first, second))


def _choose(groups: Moments, among: Ints, spread: float) -> tuple[int, int]:
    """The groups whose mean is surely high and surely low: by the bound of an interval, not by the mean.

    By the mean alone, the smallest groups would be chosen, whose means say least. Of all pairs of two groups,
    the one whose bounds are furthest apart: a large group alone could have the best bound at either end.
    """
    part = groups.select(among)
    error = np.sqrt(error_variances(part, spread)) * norm.ppf(1 - 0.05 / (2 * len(groups.n)))
    low, high = part.mean - error, part.mean + error
    best, worst = np.argsort(-low, kind="stable")[:2], np.argsort(high, kind="stable")[:2]
    pairs = [(low[a] - high[b], a, b) for a in best for b in worst if a != b]
    _, first, second = max(pairs, key=lambda pair: pair[0])
    return int(among[first]), int(among[second])


def _estimate(
    groups: Groups,
    chosen: tuple[int, int],
    means: Moments,
    values: Floats,
    users: NDArray[np.bool_],
    spread: float,
) -> Half:
    """The difference of two group means among `users`; a user in both groups counts in both."""
    high, low = chosen
    gap = float(means.mean[high] - means.mean[low])
    variance = error_variances(means.select(np.array([high, low])), spread)
    both = np.intersect1d(groups.cells_of(high), groups.cells_of(low))
    shared = values[users & np.isin(groups.of.of_user, both)] if len(both) else np.zeros(0)
    covariance = ((shared - means.mean[high]) * (shared - means.mean[low])).sum()
    covariance /= means.n[high] * means.n[low]
    total = max(float(variance.sum() - 2 * covariance), 0.0)
    df = float(variance.sum() ** 2 / (variance**2 / np.maximum(means.n[[high, low]] - 1, 1)).sum())
    return Half(high, low, gap, total**0.5, df)
