"""From labelled vectors to one direction: four ways for two sets, and the first component of many.

Each points from B to A (Beattie 2023, section 5.1.1).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from evenhand.arrays import Floats, Ints, Vectors
from evenhand.association.vectors.checks import cosines
from evenhand.errors import InputError
from evenhand.parameters import choice, number

METHODS = ("centroid", "svc", "most_biased_svc", "pca")
SCHEMES = ("one-vs-rest", "one-vs-one", "holistic")
PAIRS = 1_000
MOST = 200

# What makes a vector of vectors and codes of categories (of two: 0 is A, 1 is B). Its length is how strongly
# the categories differ, and is only used where several are joined; `made` is the direction.
# Without a generator, what is drawn of each category is what comes first.
Fit = Callable[[Vectors, Ints, np.random.Generator | None], Floats]


@dataclass(frozen=True)
class Classifying:
    """How a linear support vector classifier is made.

    `cost` is the price of an error beside the size of the weights (C). By default 1 / n: where the sets are
    far apart, a larger one leaves the direction to the few entities at the edge, and it strays from the line
    between the sets (a cosine of .92 where the sets lie 12 of their own standard deviations apart, and with
    1 / n .9995). Beattie has 1, the default of its library.
    """

    class_weight: str | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        if self.class_weight is not None:
            choice("class_weight", self.class_weight, ("balanced",))
        if self.cost is not None:
            number("cost", self.cost, above=True)

    def fit(self, vectors: Vectors, labels: Any) -> Any:
        from sklearn import config_context  # here, as it takes a second to import
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        cost = 1 / len(vectors) if self.cost is None else self.cost
        model = LinearSVC(dual=False, C=cost, class_weight=self.class_weight, max_iter=10_000)
        # Vectors were checked when they were read, and to check again takes longer than a small fit.
        unchecked = config_context(assume_finite=True, skip_parameter_validation=True)
        with unchecked, warnings.catch_warnings():
            # Sets that are told apart without error have no finite optimum; the line is good long before.
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(vectors, labels)


def fit_of(method: str, most: int = MOST, how: Classifying | None = None) -> Fit:
    """The way of this name to make a direction of two sets."""
    chosen = Classifying() if how is None else how
    if method == "centroid":
        return lambda vectors, codes, rng: _centroid(vectors, codes)
    if method == "svc":
        return lambda vectors, codes, rng: _svc(vectors, codes, chosen)
    if method == "most_biased_svc":
        return lambda vectors, codes, rng: _most_biased(vectors, codes, most, chosen)
    return of_random_pairs


def holistic_fit(fit: Fit, scheme: str = "one-vs-rest") -> Fit:
    """The first principal component of the directions of single categories, however many there are.

    They enter with their own lengths, so that a category like all others, whose direction is noise, has
    little say. They are not centred first: the sign of a direction between two categories is arbitrary, and
    without centring the component does not depend on it. It points to the side of the first category.
    """

    def whole(vectors: Vectors, codes: Ints, rng: np.random.Generator | None) -> Floats:
        rows = [
            fit(vectors[chosen], labels, rng)
            for chosen, labels in _contrasts(codes, scheme, int(codes.max()) + 1)
        ]
        component = np.linalg.svd(np.stack(rows))[2][0]
        shift = vectors[codes == 0].mean(axis=0) - vectors.mean(axis=0)
        return component if component @ shift >= 0 else -component

    return whole


def _contrasts(codes: Ints, scheme: str, categories: int) -> list[tuple[Any, Ints]]:
    if scheme == "one-vs-one":
        pairs = combinations(range(categories), 2)
        chosen = [(np.isin(codes, pair), pair[0]) for pair in pairs]
        return [(here, (codes[here] != first).astype(np.int64)) for here, first in chosen]
    return [(slice(None), (codes != category).astype(np.int64)) for category in range(categories)]


def made(fit: Fit, vectors: Vectors, codes: Ints, rng: np.random.Generator | None) -> Floats:
    """The direction, of length 1."""
    return of_length_one(fit(vectors, codes, rng))


def of_length_one(direction: Floats) -> Floats:
    length = float(np.linalg.norm(direction))
    if not length > 0:
        raise InputError("the two sets have no direction between them: they are alike in every dimension.")
    return np.asarray(direction / length)


def _centroid(vectors: Vectors, codes: Ints) -> Floats:
    """mean(A) - mean(B)."""
    a, b = vectors[codes == 0], vectors[codes == 1]
    return np.asarray(a.mean(axis=0, dtype=np.float64) - b.mean(axis=0, dtype=np.float64))


def _svc(vectors: Vectors, codes: Ints, how: Classifying) -> Floats:
    """The weights of a linear support vector classifier that tells A from B."""
    return np.asarray(how.fit(centred(vectors), codes == 0).coef_[0])


def centred(vectors: Vectors) -> Floats:
    """Around their mean, in units of their typical spread: a cost then means the same for every model."""
    rows = np.asarray(vectors, dtype=np.float64)
    rows = rows - rows.mean(axis=0)
    spread = float(np.sqrt(rows.var(axis=0).mean()))
    return rows / spread if spread > 0 else rows


def _most_biased(vectors: Vectors, codes: Ints, most: int, how: Classifying) -> Floats:
    """A classifier of the `most` members on either side that are furthest along the centroid direction."""
    along = cosines(vectors, of_length_one(_centroid(vectors, codes)))
    chosen = []
    for code, sign in ((0, -1), (1, 1)):
        members = np.flatnonzero(codes == code)
        count = min(most, max(2, len(members) // 2))
        chosen.append(members[np.argsort(sign * along[members], kind="stable")[:count]])
    kept = np.concatenate(chosen)
    return _svc(vectors[kept], codes[kept], how)


def of_random_pairs(vectors: Vectors, codes: Ints, rng: np.random.Generator | None) -> Floats:
    """The first component of the differences of random pairs."""
    a, b = np.flatnonzero(codes == 0), np.flatnonzero(codes == 1)
    if rng is not None:
        a, b = rng.permutation(a), rng.permutation(b)
    count = min(PAIRS, len(a), len(b))
    return pairs_component(vectors[a[:count]], vectors[b[:count]])


def pairs_component(a: Vectors, b: Vectors) -> Floats:
    """The first component of a - b over pairs, a row each (Bolukbasi and others 2016): not centred, since
    the mean difference is what the pairs have in common."""
    differences = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    component = np.linalg.svd(differences, full_matrices=False)[2][0]
    return np.asarray(component if component @ differences.mean(axis=0) >= 0 else -component)
