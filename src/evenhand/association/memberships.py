"""What membership in groups says about scores of items, ready for the details of findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats
from evenhand.association.flagging import FEWEST_LEAF, Regression, regression, tree
from evenhand.association.vectors.labels import Groups

# A tree of more items takes long and says the same.
MOST_ITEMS = 100_000


@dataclass(frozen=True, eq=False)
class Flags:
    """The regression and the tree of one score; None where they cannot be made."""

    regression: Regression | None
    importance: dict[str, float] | None
    fit: float | None
    names: tuple[str, ...]

    def details(self, place: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.regression is not None:
            row = self.regression.table().iloc[place]
            found["others_fixed"] = {key: float(value) for key, value in row.items()} | {
                "condition": self.regression.condition,
                "r_squared": self.regression.r_squared,
            }
        if self.importance is not None:
            found["tree"] = {"importance": self.importance[self.names[place]], "r_squared": self.fit}
        return found

    def pair_details(self, first: int, second: int) -> dict[str, Any]:
        if self.regression is None:
            return {}
        difference, error, _ = self.regression.difference(first, second)
        return {"others_fixed": {"difference": difference, "error": error}}


def flags_of(scores: Floats, groups: Groups, seed: int) -> Flags:
    """Both, of the scores of all items that are in any group or none."""
    fitted = regression(scores, groups.membership, groups.names)
    if len(groups.names) < 2 or not 2 * FEWEST_LEAF <= len(scores) <= MOST_ITEMS:
        return Flags(fitted, None, None, groups.names)
    grown = tree(scores, groups.membership, groups.names, rng=seed)
    importance = {str(name): float(value) for name, value in grown.importance.items()}
    return Flags(fitted, importance, grown.r_squared, groups.names)


def pair_weights(membership: NDArray[np.bool_], first: int, second: int) -> Floats:
    """The weight of each item in the difference of two coefficients of the regression on all groups."""
    design = np.column_stack([np.ones(len(membership)), membership])
    pick = np.zeros(design.shape[1])
    pick[1 + first], pick[1 + second] = 1, -1
    return np.asarray(design @ np.linalg.solve(design.T @ design, pick))
