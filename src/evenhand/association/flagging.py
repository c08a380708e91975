"""Which groups of items go with an association? A regression, and a tree, of scores on memberships.

Beattie (2023), section 5.1.2: scores of single items (EAA, or the cosine with a direction) are predicted from
the groups that items are in, to find those worth a comparison. Memberships overlap, so a coefficient is what
a group adds with the others held fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.parameters import whole
from evenhand.stats.multiplicity import holm
from evenhand.stats.randomness import seed_of

FEWEST_LEAF = 20


@dataclass(frozen=True, eq=False)
class Regression:
    """Ordinary least squares with errors that allow for unequal variances (HC3).

    `covariance` is that of all coefficients, the constant first. `inflation` is how many times the variance
    of a coefficient is larger for its group going with others (VIF); `condition` is the condition number of
    the standardised memberships: above 30, coefficients can hardly be told apart. `kinds` are the rows of the
    design that occur, with their `counts` and leverages, and `inverse` is that of its product with itself.
    """

    names: tuple[str, ...]
    coefficients: Floats
    covariance: Floats
    inflation: Floats
    condition: float
    r_squared: float
    inverse: Floats
    kinds: Floats
    counts: Ints
    leverage: Floats

    def difference(self, first: int, second: int) -> tuple[float, float, float]:
        """The coefficient of one group minus that of another, its error, and the freedom of that."""
        pick = np.zeros(len(self.coefficients))
        pick[1 + first], pick[1 + second] = 1, -1
        error = float(np.sqrt(pick @ self.covariance @ pick))
        return float(pick @ self.coefficients), error, self.freedom(pick)

    def freedom(self, pick: Floats) -> float:
        """Degrees of freedom of the variance of a sum of coefficients, as if items varied alike (Bell and
        McCaffrey 2002): that of a group of three items is known by three, however many others there are.

        With weights d of the residuals, the variance is a quadratic form with the matrix M = D (I - H) D, and
        has trace(M)^2 / trace(M^2).
        """
        weights = self.kinds @ self.inverse @ pick / (1 - self.leverage)
        squares = self.counts * weights**2
        shared = self.inverse @ (self.kinds.T * squares) @ self.kinds
        fourth = float((squares * weights**2 * (1 - 2 * self.leverage)).sum() + (shared * shared.T).sum())
        return max(float((squares * (1 - self.leverage)).sum()) ** 2 / fourth, 1.0)

    def table(self) -> pd.DataFrame:
        estimate, error = self.coefficients[1:], np.sqrt(np.diag(self.covariance))[1:]
        freedom = np.array([self.freedom(pick) for pick in np.eye(len(self.coefficients))[1:]])
        chance = np.asarray(2 * stats.t.sf(np.abs(estimate) / error, freedom))
        columns = {"coefficient": estimate, "error": error, "p_value": chance, "adjusted": holm(chance)}
        return pd.DataFrame(columns | {"inflation": self.inflation}, index=list(self.names))


def regression(scores: Floats, membership: NDArray[np.bool_], names: tuple[str, ...]) -> Regression | None:
    """The regression, or None where the memberships determine each other (a group is all others together)."""
    table = membership.astype(np.float64)
    count, groups = table.shape
    design = np.column_stack([np.ones(count), table])
    spread = table.std(axis=0)
    if count <= groups + 1 or (spread == 0).any():
        return None
    values = np.linalg.svd((table - table.mean(axis=0)) / spread, compute_uv=False)
    if values[-1] <= 1e-8 * values[0]:
        return None
    inverse = np.linalg.inv(design.T @ design)
    coefficients = inverse @ (design.T @ scores)
    residuals = scores - design @ coefficients
    leverage = np.minimum(np.einsum("ij,jk,ik->i", design, inverse, design), 1 - 1e-9)
    weighted = design * (residuals / (1 - leverage))[:, None]
    _, kinds, counts = np.unique(
        np.packbits(membership, axis=1), axis=0, return_index=True, return_counts=True
    )
    total = float(((scores - scores.mean()) ** 2).sum())
    return Regression(
        names,
        coefficients,
        inverse @ (weighted.T @ weighted) @ inverse,
        np.diag(inverse)[1:] * count * spread**2,
        float(values[0] / values[-1]),
        1 - float((residuals**2).sum()) / total if total > 0 else 0.0,
        inverse,
        design[kinds],
        counts,
        leverage[kinds],
    )


def correlations(scores: Floats, membership: NDArray[np.bool_], names: tuple[str, ...]) -> pd.DataFrame:
    """Correlations of the groups with each other and with the score: which of them go together."""
    columns = np.column_stack([membership.astype(np.float64), scores])
    if (columns.std(axis=0) == 0).any():
        raise InputError("a group has all items or none, or all scores are equal: no correlation is defined.")
    labels = [*names, "score"]
    return pd.DataFrame(np.corrcoef(columns, rowvar=False), index=labels, columns=labels)


@dataclass(frozen=True, eq=False)
class Tree:
    """How much a regression tree loses, in R² on items that it did not see, when a group is shuffled."""

    importance: pd.Series
    r_squared: float


def tree(
    scores: Any, membership: Any, names: tuple[str, ...], *, repeats: int = 10,
    rng: int | np.random.Generator = 0,
) -> Tree:  # fmt: skip
    """Permutation importance of each group, on the half of the items that did not grow the tree; both ways.

    Importance on the items that grew it, as trees report it themselves, is high for noise as well.
    """
    from sklearn.inspection import permutation_importance
    from sklearn.tree import DecisionTreeRegressor

    values, table = np.asarray(scores, dtype=np.float64), np.asarray(membership).astype(np.float64)
    whole("repeats", repeats)
    if len(values) < 2 * FEWEST_LEAF:
        raise InputError(f"there are {len(values):,} items; a tree needs at least {2 * FEWEST_LEAF}.")
    seed = seed_of(rng)
    half = np.random.default_rng([seed, 41]).permutation(len(values)) % 2 == 0
    importance, fitted = [], []
    for grown in (half, ~half):
        model = DecisionTreeRegressor(min_samples_leaf=FEWEST_LEAF, random_state=0)
        model.fit(table[grown], values[grown])
        found = permutation_importance(
            model, table[~grown], values[~grown], n_repeats=repeats, random_state=seed % 2**32
        )
        importance.append(found.importances_mean)
        fitted.append(model.score(table[~grown], values[~grown]))
    ranked = pd.Series(np.mean(importance, axis=0), index=list(names)).sort_values(ascending=False)
    return Tree(ranked, float(np.mean(fitted)))
