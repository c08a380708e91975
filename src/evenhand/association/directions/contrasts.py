"""Bias directions: along which line do the vectors of two sets of entities differ?

Beattie (2023), section 5.1.1. A direction is a vector of length 1 that points from B to A. Whether it is more
than chance is asked in `existence`; what lies along it is told in `views`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints, Vectors
from evenhand.association.directions.fits import (
    METHODS,
    MOST,
    SCHEMES,
    Classifying,
    Fit,
    fit_of,
    holistic_fit,
    made,
    of_length_one,
    pairs_component,
)
from evenhand.association.vectors.checks import checked, enough, same_space, two_sets
from evenhand.errors import InputError
from evenhand.inputs.given import Things, labels, values
from evenhand.parameters import choice, whole
from evenhand.stats.randomness import seed_of

HOLISTIC = "all categories"


def direction(
    a: Any,
    b: Any,
    method: str = "centroid",
    *,
    pairs: Any = None,
    most: int = MOST,
    class_weight: str | None = None,
    cost: float | None = None,
    rng: int | np.random.Generator = 0,
) -> Floats:
    """The direction of length 1 from the entities `b` to the entities `a`, a row each.

    `centroid`: mean(a) - mean(b). `svc`: the weights of a linear support vector classifier.
    `most_biased_svc`: the same, of the `most` members on either side that are furthest along the centroid
    direction. `pca`: the first component of the differences of pairs, which are random unless `pairs`
    (places in a and in b, two columns) says who belongs together; random pairs mostly find what varies most,
    and not the attribute. `class_weight` ("balanced") and `cost` are those of the classifier; the cost of
    an error is 1 / n by default and 1 in Beattie.
    """
    choice("method", method, METHODS)
    first, second = two_sets(a, b)
    enough(len(first) + len(second), first.shape[1])
    if pairs is not None:
        if method != "pca":
            raise InputError(f"pairs are for the method pca, but the method is {method}; leave them out.")
        places = _places(pairs, len(first), len(second))
        return of_length_one(pairs_component(first[places[:, 0]], second[places[:, 1]]))
    fit = fit_of(method, whole("most", most, 2), Classifying(class_weight, cost))
    codes = np.repeat([0, 1], [len(first), len(second)])
    return made(fit, np.concatenate([first, second]), codes, np.random.default_rng(seed_of(rng)))


@dataclass(frozen=True, eq=False)
class Contrast:
    """One question about an attribute: who is compared, and how the direction between them is made.

    `who` are the places of the entities that take part, `codes` their categories: 0 against 1, or all of
    them for the holistic direction. `names` has a word for each code.
    """

    name: str
    who: Ints
    codes: Ints
    names: tuple[str, ...]
    fit: Fit

    @property
    def is_binary(self) -> bool:
        return len(self.names) == 2

    @property
    def people(self) -> dict[str, int]:
        """How many have each category."""
        return dict(zip(self.names, np.bincount(self.codes, minlength=len(self.names)).tolist(), strict=True))

    def direction(self, vectors: Vectors, rng: np.random.Generator) -> Floats:
        return made(self.fit, vectors[self.who], self.codes, rng)


def contrasts(codes: Ints, words: tuple[str, ...], fit: Fit, scheme: str = "one-vs-rest") -> list[Contrast]:
    """The contrasts of an attribute: one of two categories, else by the scheme, and the holistic one last.

    `codes` are places in `words`, -1 where the value is missing.
    """
    known = np.flatnonzero(codes >= 0)
    mine = codes[known]
    if len(words) == 2:
        return [Contrast(f"{words[0]} against {words[1]}", known, mine, words, fit)]
    found = []
    if scheme == "one-vs-rest":
        for place, word in enumerate(words):
            rest = (mine != place).astype(np.int64)
            found.append(Contrast(f"{word} against the rest", known, rest, (word, "the rest"), fit))
    elif scheme == "one-vs-one":
        for pair in combinations(range(len(words)), 2):
            here = np.isin(mine, pair)
            names = words[pair[0]], words[pair[1]]
            labels = (mine[here] == pair[1]).astype(np.int64)
            found.append(Contrast(" against ".join(names), known[here], labels, names, fit))
    single = "one-vs-one" if scheme == "one-vs-one" else "one-vs-rest"
    return [*found, Contrast(HOLISTIC, known, mine, words, holistic_fit(fit, single))]


def directions(
    vectors: Any,
    attribute: Any,
    method: str = "centroid",
    *,
    scheme: str = "one-vs-rest",
    most: int = MOST,
    class_weight: str | None = None,
    cost: float | None = None,
    rng: int | np.random.Generator = 0,
) -> dict[str, Floats]:
    """The directions of an attribute with one value for each row of `vectors`, by name.

    Of more than two values: each against the rest, or each pair (`scheme`), and last the first component of
    these; with the scheme `holistic`, that one alone.
    """
    choice("method", method, METHODS)
    choice("scheme", scheme, SCHEMES)
    rows = checked("vectors", vectors)
    words, codes = one_value_each(attribute, len(rows))
    several_values(tuple(words.tolist()))
    enough(len(rows), rows.shape[1])
    fit = fit_of(method, whole("most", most, 2), Classifying(class_weight, cost))
    seed = seed_of(rng)
    return {
        contrast.name: contrast.direction(rows, np.random.default_rng([seed, place]))
        for place, contrast in enumerate(
            contrasts(codes.astype(np.int64), tuple(words.tolist()), fit, scheme)
        )
    }


def cosine_matrix(named: Mapping[str, Any]) -> pd.DataFrame:
    """The cosine between every two directions: 1 where two ways find the same line."""
    if not named:
        raise InputError("there are no directions to compare; give a mapping of names to directions.")
    rows = {name: checked(f"direction {name!r}", np.atleast_2d(vector)) for name, vector in named.items()}
    same_space(*((f"direction {name!r}", row) for name, row in rows.items()))
    stacked = np.concatenate(list(rows.values())).astype(np.float64)
    stacked /= np.linalg.norm(stacked, axis=1, keepdims=True)
    return pd.DataFrame(stacked @ stacked.T, index=list(rows), columns=list(rows))


def one_value_each(attribute: Any, count: int) -> tuple[NDArray[np.str_], Ints]:
    """The values of an attribute in order, and which of them each of `count` vectors has."""
    things = Things.of("vectors", count)
    listed = labels("attribute", values("attribute", attribute, things), things.name)
    words, codes = np.unique(np.array([str(one) for one in listed]), return_inverse=True)
    return words, codes.astype(np.int64)


def several_values(words: tuple[str, ...], name: str = "attribute") -> None:
    if len(words) < 2:
        only = f"only the value {words[0]!r}" if words else "no value at all"
        raise InputError(f"{name} has {only}; a direction needs entities with two values or more.")


def _places(pairs: Any, first: int, second: int) -> Ints:
    places = np.asarray(pairs)
    if places.ndim != 2 or places.shape[1] != 2 or places.dtype.kind not in "iu" or not len(places):
        raise InputError("pairs must be two columns of whole numbers: a place in a and one in b for each.")
    if places.min() < 0 or (places.max(axis=0) >= (first, second)).any():
        raise InputError(f"pairs name places beyond the {first:,} entities of a or the {second:,} of b.")
    return places.astype(np.int64)
