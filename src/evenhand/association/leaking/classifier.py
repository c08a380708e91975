"""A classifier that learnt an attribute from the vectors of users, asked about items and about histories.

Beattie (2023), sections 5.1.3 and 8.2. All vectors are at length 1, as everywhere in this room. A linear
classifier says of the mean of some vectors what it says of them on average, so that a history needs no vector
of its own: its score is the mean score of its items.

Items do not lie where users lie, so that the threshold between two kinds of users is often beyond all items,
and everybody is predicted the same. So the threshold is set where the histories of those who taught the
classifier are told apart best (`histories`); that of the classifier (`classifier`) is Beattie's.

Nobody is predicted by a classifier that learnt from them. For items that means: half of the users teach the
classifier, and the other half says who takes the item. A vector of an item is made of those who took it, so a
classifier that learnt noise about these users would find the same noise again in the item.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.arrays import Floats, Ints, Vectors
from evenhand.association.directions.fits import Classifying, centred
from evenhand.association.vectors.checks import cosines, unit

Flags = NDArray[np.bool_]
PARTS = 20  # that are left out in turn to find a spread
TRAININGS = ("balanced", "unbalanced")
THRESHOLDS = ("histories", "classifier")


@dataclass(frozen=True, eq=False)
class UserHistories:
    """Users with their vectors at length 1 and what they took.

    `turn` is a random number each: who is kept where only some can be. Leaving somebody out then hardly
    changes who else is kept.
    """

    units: Floats
    taken: sparse.csr_array
    turn: Floats

    @classmethod
    def of(cls, vectors: Vectors, taken: sparse.csr_array, seed: int) -> UserHistories:
        return cls(unit(vectors), taken, np.random.default_rng([seed, 40]).random(len(vectors)))

    def __getitem__(self, who: Any) -> UserHistories:
        return UserHistories(self.units[who], self.taken[who], self.turn[who])

    def __len__(self) -> int:
        return len(self.units)

    @cached_property
    def length(self) -> Floats:
        return np.asarray(self.taken.sum(axis=1), dtype=np.float64).ravel()

    @cached_property
    def takers(self) -> sparse.csr_array:
        """Items x users."""
        return self.taken.T.tocsr()

    def histories(self, of_items: Floats) -> Floats:
        """The mean score of the items that each took."""
        return np.asarray((self.taken @ of_items) / self.length, dtype=np.float64)

    def audience(self, has: Flags) -> Floats:
        """The share of each item's users that have the value, as if as many had it as have not; else nearly
        every item of a platform of men would be one for men. NaN where nobody took the item."""
        sides = np.stack([has / max(has.sum(), 1), ~has / max((~has).sum(), 1)], axis=1)
        counts = self.takers @ sides
        both = counts.sum(axis=1)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(both > 0, counts[:, 0] / both, np.nan))


def weights_of(users: UserHistories, has: Flags, training: str, how: Classifying) -> tuple[Floats, float]:
    """Weights and threshold of a linear support vector classifier of who `has` the value.

    `balanced`: the larger side is cut at random to the size of the smaller. Otherwise a classifier of few
    against many hardly ever says "few", which hides what it knows.
    """
    rows, labels = users.units, has
    if training == "balanced":
        sides = [np.flatnonzero(has), np.flatnonzero(~has)]
        fewest = min(map(len, sides))
        who = np.concatenate([side[np.argsort(users.turn[side])[:fewest]] for side in sides])
        rows, labels = rows[who], labels[who]
    model = how.fit(centred(rows), labels)
    spread = float(np.sqrt(rows.var(axis=0).mean())) or 1.0  # as in `centred`, which this undoes
    weights = np.asarray(model.coef_[0] / spread)
    return weights, float(rows.mean(axis=0) @ weights - model.intercept_[0])


def between(scores: Floats, has: Flags, training: str) -> float:
    """The score that best tells two normal sets of one spread apart (Fisher); the middle for `balanced`."""
    ours, theirs = scores[has], scores[~has]
    middle, gap = float(ours.mean() + theirs.mean()) / 2, float(ours.mean() - theirs.mean())
    if training == "balanced" or len(ours) == len(theirs):
        return middle
    odds = np.log(len(theirs) / len(ours))
    if gap <= 0:  # nothing to tell them apart by: everybody is of the larger side
        return float(np.copysign(np.inf, odds))
    variance = (ours.var() * len(ours) + theirs.var() * len(theirs)) / len(has)
    return float(middle + variance / gap * odds)


def parts(has: Flags, count: int, rng: np.random.Generator) -> Ints:
    """A part for each user, with as nearly as can be the same share of both sides in each."""
    part = np.empty(len(has), dtype=np.int64)
    for side in (has, ~has):
        members = rng.permutation(np.flatnonzero(side))
        part[members] = (np.arange(len(members)) + rng.integers(count)) % count
    return part


@dataclass(frozen=True, eq=False)
class Taught:
    """A classifier that some users taught, as it sees items: a score each, and from where on it says yes."""

    weights: Floats
    of_items: Floats
    threshold: float


@dataclass(frozen=True)
class Teaching:
    """How a classifier is taught: everything but who teaches it."""

    training: str
    threshold_from: str
    how: Classifying

    def taught(self, users: UserHistories, has: Flags, items: Vectors) -> Taught:
        weights, threshold = weights_of(users, has, self.training, self.how)
        of_items = cosines(items, weights)
        if self.threshold_from == "histories":
            threshold = between(users.histories(of_items), has, self.training)
        return Taught(weights, of_items, threshold)


@dataclass(frozen=True, eq=False)
class Predicted:
    """Scores of users by classifiers that they did not teach, by history and by their own vector; and how far
    the history is above the threshold, in standard deviations of its part."""

    margin: Floats
    by_history: Floats
    by_vector: Floats
    part: Ints

    @property
    def said(self) -> Flags:
        """Who is said to have the value, by history."""
        return np.asarray(self.margin > 0)


def users_from_histories(
    users: UserHistories, has: Flags, items: Vectors, teaching: Teaching, part: Ints
) -> Predicted:
    """Each user by a classifier that the other parts of the users taught; all of them have a history."""
    margin, by_history, by_vector = np.empty(len(has)), np.empty(len(has)), np.empty(len(has))
    for number in np.unique(part):
        here = part == number
        found = teaching.taught(users[~here], has[~here], items)
        by_history[here] = users[here].histories(found.of_items)
        margin[here] = (by_history[here] - found.threshold) / (float(by_history[here].std()) or 1.0)
        by_vector[here] = users.units[here] @ found.weights
    return Predicted(margin, by_history, by_vector, part)


def without_parts(
    users: UserHistories, has: Flags, items: Vectors, teaching: Teaching, part: Ints, seed: int
) -> Iterator[tuple[Predicted, Flags]]:
    """The same without each of the parts of the users in turn; who is in which fold stays."""
    left_out = parts(has, PARTS, np.random.default_rng([seed, 44]))
    for number in range(PARTS):
        kept = left_out != number
        yield users_from_histories(users[kept], has[kept], items, teaching, part[kept]), has[kept]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Items as one half of the users taught the classifier to see them, and as the other half takes them.

    Two columns, a half each. `share` is the share of an item's audience that has the value, NaN without any.
    """

    predicted: Flags
    share: Floats


def items_by_half(
    halves: tuple[UserHistories, UserHistories], has: tuple[Flags, Flags], items: Vectors, teaching: Teaching
) -> Labelled:
    predicted, share = [], []
    for ours, theirs in ((0, 1), (1, 0)):
        found = teaching.taught(halves[ours], has[ours], items)
        predicted.append(found.of_items > found.threshold)
        share.append(halves[theirs].audience(has[theirs]))
    return Labelled(np.stack(predicted, axis=1), np.stack(share, axis=1))
