"""Random traffic that was not drawn uniformly: what must be said about its weights, and what they rule out.

With w = 1/p the weighted counts B_k = sum of w over the liked rows of group k are unbiased up to one factor
common to all groups (Horvitz and Thompson 1952; Dong and others 2024, App. C), which cancels. Their variance
is that of counts of effective size (sum w)^2 / sum w^2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError
from evenhand.opportunity.evidence import Array, LogCounts
from evenhand.opportunity.logs.counting import Question

# Below this many effective positives of a group, a normal law for its weighted count is worth a warning.
FEW_EFFECTIVE = 30
RESAMPLED = ("percentile", "normal", "bca", "welch")
TOO_NARROW = (
    ": intervals may be too narrow. Draw such rows with larger probabilities, or merge the group with "
    "another."
)


def refuse_formulas_for_counts(question: Question, interval: str, variance: str) -> None:
    """Raise where a formula needs rows that count alike, or one kind of cluster."""
    probability = question.probability
    if question.item and interval in RESAMPLED:
        raise InputError(
            f"interval is {interval!r}, which draws or divides clusters of one kind, but cluster names two: "
            "choose hull or delta."
        )
    if probability is None:
        return
    if interval in RESAMPLED:
        raise InputError(
            f"interval is {interval!r}, which draws or divides counts, and rows weighted by {probability!r} "
            "are none; choose hull or delta."
        )
    if variance != "multinomial":
        raise InputError(
            f"variance is {variance!r}, which is a formula for uniform random traffic; leave it out where "
            f"rows are weighted by {probability!r}."
        )


def weight_details(random: LogCounts, group: int | None = None) -> dict[str, Any]:
    """The effective size of the random log, or of a group's positives in it, if rows do not count alike."""
    if random.weights is None:
        return {}
    if group is None:
        return {"effective_random_rows": random.effective_rows}
    return {"effective_positives_random": float(random.effective_positives[group])}


def weight_warnings(random: LogCounts, group: str) -> list[str]:
    """Groups whose weighted count hangs on a few heavy rows."""
    if random.weights is None:
        return []
    counted = random.positives.sum(axis=0)
    effective = random.effective_positives
    # Without their numbers: a group may be too small to be published, and warnings always are.
    heavy = [f"{group} = {random.groups[k]}" for k in np.flatnonzero(hang_on_few(counted, effective))]
    if not heavy:
        return []
    return [
        f"A few heavy rows of the random log decide about {', '.join(heavy)}, whose positive rows are as "
        f"good as fewer than {FEW_EFFECTIVE} of equal weight{TOO_NARROW}"
    ]


def hang_on_few(counted: Array | NDArray[np.int64], effective: Array) -> NDArray[np.bool_]:
    """Whether weighted counts of `counted` positives, as good as `effective` ones, hang on a few of them."""
    return np.asarray((effective < FEW_EFFECTIVE) & (effective < counted / 2))
