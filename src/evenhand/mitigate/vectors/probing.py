"""What a fresh classifier can still read from vectors: cross-validated, with an interval.

The accuracy of the classifier that an erasure was made with, or of the adversary of a training, says nothing:
it is what they were made to fool. Here new classifiers learn from the vectors as they are now. Values weigh
alike and the accuracy is balanced (the mean over values of the share that is told right), so that chance is
1 / values: beside 70% of one value, always naming that one would pass for a classifier otherwise.

The users must have had no part in the mitigation. Vectors from which a direction was taken that these very
users made lie, by construction, the other way round when some are left out: cross-validated accuracy falls
below chance, and reads as if more had been erased than is there.

In cross-validation every two users meet twice, once as learner and tested and once the other way round. Where
the vectors know nothing, these two say the same, so the variance is up to twice that of as many independent
answers; users count half in intervals and p-values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenhand.arrays import Floats, Ints, Vectors
from evenhand.association import Classifying, centred
from evenhand.errors import InputError
from evenhand.stats.normal import critical_value

CLASSIFIERS = ("linear", "non-linear")
FOLDS = 5
COUNTED_HALF = 2
# A kernel classifier of more users takes long and says the same.
MOST_USERS = 5_000


@dataclass(frozen=True, eq=False)
class Probe:
    """Balanced accuracy with its interval, and who was told right (by the balanced classifier).

    `accuracy` is that of a classifier to which every user is worth the same, beside `majority`, the share of
    the most common value.
    """

    classifier: str
    balanced: float
    low: float
    high: float
    accuracy: float
    majority: float
    chance: float
    right: NDArray[np.bool_]
    codes: Ints


def probe(vectors: Vectors, codes: Ints, values: int, classifier: str, level: float, seed: int) -> Probe:
    """Every user is predicted once, by a classifier that did not see it; `codes` are below `values`."""
    if classifier == "non-linear" and len(codes) > MOST_USERS:
        chosen = np.sort(np.random.default_rng([seed, 61]).permutation(len(codes))[:MOST_USERS])
        vectors, codes = vectors[chosen], codes[chosen]
    counts = np.bincount(codes, minlength=values)
    if counts.min() < FOLDS:
        raise InputError(
            f"only {counts.min()} of the users that judge have one of the values of the attribute, fewer "
            f"than the {FOLDS} folds; hold out more users, or join values."
        )
    rows = centred(vectors)
    right = _right(rows, codes, classifier, "balanced", seed)
    shares = np.bincount(codes, weights=right) / counts
    low, high = _mean_of_shares(shares, counts / COUNTED_HALF, level)
    return Probe(
        classifier,
        float(shares.mean()),
        low,
        high,
        float(_right(rows, codes, classifier, None, seed).mean()),
        float(counts.max() / len(codes)),
        1 / len(counts),
        right,
        codes,
    )


def change(before: Probe, after: Probe, level: float) -> tuple[float, float | None, float | None]:
    """After minus before in balanced accuracy, of the same users, with a paired interval.

    A rare value may have ten users, who know their spread as badly as ten do: Student's t with the degrees of
    freedom of Satterthwaite, and for each value half a user more who is told otherwise than before. With
    normal quantiles, and without that user, 91 to 93% of intervals held.
    """
    moved = after.right.astype(float) - before.right
    counts = np.bincount(before.codes)
    means = np.bincount(before.codes, weights=moved) / counts
    estimate = float(means.mean())
    if not moved.any():
        return estimate, None, None
    squares = np.bincount(before.codes, weights=(moved - means[before.codes]) ** 2) + 0.5
    parts = squares / (counts - 1) / counts
    error = float(np.sqrt(COUNTED_HALF * parts.sum())) / len(counts)
    degrees = float(parts.sum() ** 2 / (parts**2 / (counts - 1)).sum())
    reach = critical_value(level, degrees) * error
    return estimate, max(-1.0, estimate - reach), min(1.0, estimate + reach)


def _right(
    rows: Vectors, codes: Ints, classifier: str, class_weight: str | None, seed: int
) -> NDArray[np.bool_]:
    from sklearn.model_selection import StratifiedKFold

    right = np.zeros(len(codes), dtype=bool)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed % 2**32)
    for learnt, held in folds.split(rows, codes):
        model = _fitted(rows[learnt], codes[learnt], classifier, class_weight)
        right[held] = model.predict(rows[held]) == codes[held]
    return right


def _fitted(rows: Vectors, codes: Ints, classifier: str, class_weight: str | None) -> Any:
    if classifier == "linear":
        return Classifying(class_weight).fit(rows, codes)
    from sklearn.svm import SVC

    return SVC(kernel="rbf", class_weight=class_weight).fit(rows, codes)


def _mean_of_shares(shares: Floats, counts: Floats, level: float) -> tuple[float, float]:
    """Wilson's interval of each share, joined as MOVER does: a share of 0 or 1 is uncertain, too."""
    z = critical_value(level)
    middle = (shares + z**2 / (2 * counts)) / (1 + z**2 / counts)
    reach = z * np.sqrt(shares * (1 - shares) / counts + z**2 / (4 * counts**2)) / (1 + z**2 / counts)
    below, above = shares - (middle - reach), (middle + reach) - shares
    mean = shares.mean()
    return (
        max(0.0, float(mean - np.sqrt((below**2).sum()) / len(counts))),
        min(1.0, float(mean + np.sqrt((above**2).sum()) / len(counts))),
    )


def p_value(found: Probe) -> float:
    """One-sided: of a balanced accuracy this high where the vectors know nothing."""
    counts = np.bincount(found.codes)
    error = np.sqrt(COUNTED_HALF * (found.chance * (1 - found.chance) / counts).sum()) / len(counts)
    return float(special.ndtr(-(found.balanced - found.chance) / error))
