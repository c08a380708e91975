"""What is seen along a direction: how well a classifier does, who is furthest along, points for a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.arrays import Floats, Ints, Vectors
from evenhand.association.directions.contrasts import one_value_each, several_values
from evenhand.association.directions.fits import Classifying, centred, of_length_one
from evenhand.association.vectors.checks import checked, cosines, same_space, unit
from evenhand.errors import InputError
from evenhand.parameters import whole
from evenhand.stats.randomness import seed_of


@dataclass(frozen=True)
class Accuracy:
    """How often a linear classifier is right: on what it learnt from, on the rest, and the baseline.

    `majority` is what always naming the largest category gives; `test_error` is the standard error of `test`.
    """

    train: float
    test: float
    test_error: float
    majority: float
    balanced: float
    folds: int


def accuracy(
    vectors: Any,
    attribute: Any,
    *,
    folds: int = 5,
    class_weight: str | None = None,
    cost: float | None = None,
    rng: int | np.random.Generator = 0,
) -> Accuracy:
    """Cross-validated accuracy of a linear support vector classifier of the attribute.

    Every entity is predicted once, by a classifier that did not see it. `balanced` is the mean over
    categories of the share that is told right, which a large category cannot carry alone.
    """
    rows = checked("vectors", vectors)
    words, codes = one_value_each(attribute, len(rows))
    several_values(tuple(words.tolist()))
    return classified(
        rows, codes, whole("folds", folds, 2, 100), Classifying(class_weight, cost), seed_of(rng)
    )


def classified(vectors: Vectors, codes: Ints, folds: int, how: Classifying, seed: int) -> Accuracy:
    scaled = centred(vectors)
    fold = _folds(codes, folds, np.random.default_rng([seed, 21]))
    right = np.zeros(len(codes), dtype=bool)
    learnt = []
    for number in range(folds):
        here = fold == number
        model = how.fit(scaled[~here], codes[~here])
        right[here] = model.predict(scaled[here]) == codes[here]
        learnt.append(float((model.predict(scaled[~here]) == codes[~here]).mean()))
    counts = np.bincount(codes)
    test = float(right.mean())
    return Accuracy(
        train=float(np.mean(learnt)),
        test=test,
        test_error=float(np.sqrt(test * (1 - test) / len(codes))),
        majority=float(counts.max() / len(codes)),
        balanced=float((np.bincount(codes, weights=right) / counts).mean()),
        folds=folds,
    )


def _folds(codes: Ints, folds: int, rng: np.random.Generator) -> Ints:
    """A fold for each entity, with equal shares of each category."""
    fold = np.empty(len(codes), dtype=np.int64)
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        if len(members) < folds:
            raise InputError(
                f"a category has {len(members):,} entities, fewer than the {folds} folds; leave it out, or "
                "join it with another."
            )
        fold[members] = np.arange(len(members)) % folds
    return fold


def most_biased(vectors: Any, direction: Any, count: int = 100) -> tuple[Ints, Ints]:
    """The places of the `count` entities that are furthest along the direction, and furthest against it."""
    rows = checked("vectors", vectors)
    line = checked("direction", np.atleast_2d(direction))
    same_space(("vectors", rows), ("direction", line))
    order = np.argsort(-cosines(rows, np.asarray(line[0], dtype=np.float64)), kind="stable")
    count = min(whole("count", count), len(order))
    return order[:count], order[::-1][:count]


def told_apart(vectors: Vectors, codes: Ints, direction: Floats, count: int = 100) -> tuple[float, float]:
    """Of the entities furthest along the direction, the share that is of category 0; of those furthest
    against it, the share that is of category 1 (Beattie 2023, Table 6.5)."""
    ahead, behind = most_biased(vectors, direction, min(count, len(codes) // 4 or 1))
    return float((codes[ahead] == 0).mean()), float((codes[behind] == 1).mean())


def projection(vectors: Any, direction: Any, *, frame: Any = None) -> Floats:
    """Two coordinates for each entity: its cosine with the direction, and along what varies most beside it.

    `frame` are the entities whose variation makes the second coordinate (users, say, when items are shown in
    the same picture); the vectors themselves by default.
    """
    rows = checked("vectors", vectors)
    line = checked("direction", np.atleast_2d(direction))
    basis = rows if frame is None else checked("frame", frame)
    same_space(("vectors", rows), ("direction", line), ("frame", basis))
    if rows.shape[1] < 2:
        raise InputError("vectors have one dimension, which has no second coordinate.")
    first = of_length_one(np.asarray(line[0], dtype=np.float64))
    rest = unit(basis)
    rest = rest - np.outer(rest @ first, first)
    rest -= rest.mean(axis=0)
    second = np.linalg.eigh(rest.T @ rest)[1][:, -1]
    # An eigenvector has no sign of its own; the largest part positive makes the picture repeatable.
    second *= np.sign(second[np.abs(second).argmax()])
    return np.stack([cosines(rows, first), cosines(rows, second)], axis=1)
