"""What adapters do about pairs that their source has no score for."""

from __future__ import annotations

import numpy as np

from evenhand.errors import InputError
from evenhand.recommenders.protocol import Scores


def refuse_unscored(scores: Scores, what: str) -> Scores:
    """Scores of pairs, unless the model left some without one (minus infinity)."""
    unscored = np.isneginf(scores)
    if unscored.any():
        raise InputError(
            f"{unscored.sum():,} of {len(scores):,} pairs have no score in {what}; ask for pairs that it "
            "scores, or pass missing='lowest' to give the others minus infinity."
        )
    return scores


def check_missing(missing: str) -> str:
    """Only the two answers that there are to a pair without a score."""
    if missing not in ("refuse", "lowest"):
        raise InputError(f"missing is {missing!r}, but must be 'refuse' or 'lowest'.")
    return missing
