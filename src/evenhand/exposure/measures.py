"""The six measures of joint multisided exposure fairness, and what they are made of.

D = E - E* is a user's exposure beyond the target, averaged over individuals (I), groups (G) or all (A): first
letter users, second letter items (Wu and others 2022; definitions in table 1 of Hu and others 2023).

    II mean_ij D^2     IG mean_{i,k} Dbar^2    GI mean_{g,j} Dbar^2
    GG mean_{g,k} Dbar^2    AI mean_j Dbar^2   AG mean_k Dbar^2

Means over groups are weighted by the weights of the groups. With A = E - E~ and B = E* - E~, E~ the exposure
under a uniformly random ranking, D = A - B, and each measure is disparity (the same average of A^2) minus
relevance (of 2 A B) plus a constant (of B^2) that no system can change.

`measures` are those of the users at hand. Where D is averaged over users before it is squared (GI, GG, AI,
AG), chance differences between users make the square too large on average, in the disparity and in the others
too; `corrected_measures` subtract s^2 / n in each cell, and may be below 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.exposure.evidence import GROUPS, ITEMS, Evidence

NAMES = ("II", "IG", "GI", "GG", "AI", "AG")


@dataclass(frozen=True)
class Measure:
    """fairness = disparity - relevance + constant; lower is fairer."""

    fairness: float
    disparity: float
    relevance: float
    constant: float


@dataclass(frozen=True)
class GroupMatrix:
    """Mean exposure of user groups (rows) to the items of item groups (columns)."""

    system: Floats
    target: Floats
    random: Floats

    @property
    def difference(self) -> Floats:
        """Above 0: over-exposed."""
        return self.system - self.target


def measures(evidence: Evidence) -> dict[str, Measure]:
    """Of these users; GI, GG, AI and AG are too large for the population they come from."""
    return _measures(evidence, corrected=False)


def corrected_measures(evidence: Evidence) -> dict[str, Measure]:
    """Unbiased for the population these users were drawn from; NaN where a group has one user only."""
    return _measures(evidence, corrected=True)


def group_matrix(evidence: Evidence) -> GroupMatrix:
    """Who is shown to whom: system, target and random exposure for each pair of groups."""
    n = group_sizes(evidence)[:, None]
    _, beyond = group_sums(evidence)
    difference = evidence.item_groups.means(group_differences(evidence)) / n
    random = evidence.sums.random / n
    target = evidence.item_groups.means(beyond) / n + random
    return GroupMatrix(difference + target, target, random)


def group_sizes(evidence: Evidence) -> Ints:
    """Users of each group, none of which may be empty."""
    sizes = evidence.sums.group_users.sum(axis=1)
    if (sizes == 0).any():
        empty = int(np.flatnonzero(sizes == 0)[0])
        raise InputError(f"User group {empty} has no users with relevant items; leave it out.")
    return sizes


def group_differences(evidence: Evidence) -> Floats:
    """Sum of D over the users of each group, an item a column."""
    rest = evidence.sums.by_group_rest.sum(axis=1)
    return np.asarray(evidence.sums.by_group.sum(axis=1) + rest[:, None], dtype=np.float64)


def group_sums(evidence: Evidence) -> tuple[Floats, Floats]:
    """Sums of A and of B over the users of each group, an item a column."""
    beyond = evidence.sums.target + evidence.sums.target_rest[:, None]
    return group_differences(evidence) + beyond, beyond


def _measures(evidence: Evidence, corrected: bool) -> dict[str, Measure]:
    sizes, weights = group_sizes(evidence), evidence.user_weights
    system, target = group_sums(evidence)
    # D has sums of its own: as A - B a fair system's would be what rounding left of larger numbers.
    sums = np.stack([system, target, group_differences(evidence)])
    own = np.concatenate(
        [evidence.sums.products, evidence.sums.group_squares.sum(axis=1)[:, :, None]], axis=2
    )
    individual = own.sum(axis=0) / evidence.users
    if corrected:
        individual[:, [0, 3]] -= evidence.sums.noise[:, None] / evidence.users
    found = {"II": _parts(individual[ITEMS]), "IG": _parts(individual[GROUPS])}
    everybody = sums.sum(axis=1, keepdims=True), np.array([evidence.users]), own.sum(axis=0, keepdims=True)
    for name, level in (("I", ITEMS), ("G", GROUPS)):
        in_groups = _squared_means(evidence, level, sums, sizes, own, corrected)
        # What is not known of a group that does not count does no harm.
        found[f"G{name}"] = _parts(weights @ np.where(weights[:, None] > 0, in_groups, 0))
        found[f"A{name}"] = _parts(_squared_means(evidence, level, *everybody, corrected)[0])
    return {name: found[name] for name in NAMES}


def _squared_means(
    evidence: Evidence, level: int, sums: Floats, n: Ints, own: Floats, corrected: bool
) -> Floats:
    """Averages of AA, AB, BB and DD over items or item groups, of means over the users of each row."""
    weights = np.full(sums.shape[2], 1 / sums.shape[2])
    if level == GROUPS:
        sums, weights = np.stack([evidence.item_groups.means(s) for s in sums]), evidence.item_groups.weights
    a, b, d = sums
    squares = np.stack(
        [np.einsum("gj,gj,j->g", x, y, weights) for x, y in ((a, a), (a, b), (b, b), (d, d))], axis=1
    )
    if not corrected:
        return np.asarray(squares / n[:, None] ** 2)
    pairs = np.broadcast_to((n * (n - 1.0))[:, None], squares.shape)
    return np.divide(squares - own[:, level], pairs, out=np.full(squares.shape, np.nan), where=pairs > 0)


def _parts(products: Floats) -> Measure:
    aa, ab, bb, dd = (float(product) for product in products)
    return Measure(dd, aa, 2 * ab, bb)
