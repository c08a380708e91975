"""Sparse worlds for the benchmark of the swarm search, with the numbers of groups and users of FairRec.

How a world is made; none of it was chosen in view of how any search does on it:

- Users belong to 6 hidden classes of unequal size (1/1, 1/2, ..., 1/6), which make attributes dependent.
- An ordered attribute (age, activity) is bell-shaped in each class: centres spread over the lower three
  quarters of the range, standard deviations of a fifteenth of the range but at least 1.
- Of every attribute 2% of the users have any of its values, drawn evenly.
- Other attributes are Zipf-like in each class: 1/place of a value, the places those of a common order in
  which each class has swapped a fifth of the values at random.
- The strength of service is additive in the attributes on the logit scale: a smooth curve over the values of
  an ordered attribute (two sine waves), independent normal values otherwise, each attribute with standard
  deviation 0.25 over its values. For three random pairs of attributes a tenth of the pairs of values have a
  normal effect of standard deviation 0.25 on top.
- A user's target is at a rank from the geometric law with this probability (0.25 at strength 0), and the
  value is 1/rank if the rank is 5 or less, otherwise 0: MRR@5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.groups.cells import Cells

CLASSES, ANY_VALUE, EFFECT, CUT = 6, 0.02, 0.25, 5


@dataclass(frozen=True)
class World:
    """`share` of the users is the least size of a group; True in `ordered`: neighbouring values are alike."""

    name: str
    shape: tuple[int, ...]
    ordered: tuple[bool, ...]
    users: int
    share: float = 0.001

    @property
    def least(self) -> int:
        return math.ceil(self.share * self.users)


# The share of .001 is FairRec's. In the two worlds with many users it leaves only large groups, so both
# are measured with a tenth of it, too, where there are many more.
WORLDS = (
    World("294 = 2 x 7 x 21", (2, 7, 21), (False, True, False), 6_040),
    World("53,058 = 2 x 111 x 239", (2, 111, 239), (False, True, False), 260_000),
    World("53,058, smaller groups", (2, 111, 239), (False, True, False), 260_000, 0.0001),
    World(
        "8,820 = 2 x 7 x 21 x 3 x 5 x 2",
        (2, 7, 21, 3, 5, 2),
        (False, True, False, False, True, False),
        5_889,
    ),
    World("1,000 = 10 x 10 x 10", (10, 10, 10), (True, True, True), 175_878),
    World("1,000, smaller groups", (10, 10, 10), (True, True, True), 175_878, 0.0001),
)


def build(world: World, seed: int) -> tuple[Cells, NDArray[np.float64]]:
    """The cells and every user's value; the same seed gives the same world."""
    rng = np.random.default_rng([2025, seed])
    weights = 1 / np.arange(1, CLASSES + 1)
    class_of = rng.choice(CLASSES, size=world.users, p=weights / weights.sum())
    columns = [
        _attribute(count, ordered, class_of, rng)
        for count, ordered in zip(world.shape, world.ordered, strict=True)
    ]
    strength = np.full(world.users, math.log(0.25 / 0.75))
    for count, ordered, column in zip(world.shape, world.ordered, columns, strict=True):
        strength += _effects(count, ordered, rng)[column]
    for _ in range(3):
        a, b = rng.choice(len(columns), size=2, replace=False)
        size = (world.shape[a], world.shape[b])
        effects = np.where(rng.random(size) < 0.1, rng.normal(0, EFFECT, size), 0.0)
        strength += effects[columns[a], columns[b]]
    rank = rng.geometric(1 / (1 + np.exp(-strength)))
    words = [[str(value) for value in range(count)] for count in world.shape]
    cells = Cells.of([f"attribute {a}" for a in range(len(columns))], words, columns)
    return cells, np.where(rank <= CUT, 1 / rank, 0.0)


def _attribute(
    count: int, ordered: bool, class_of: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    column = np.empty(len(class_of), dtype=np.int64)
    common = rng.permutation(count)
    for number in range(CLASSES):
        members = np.flatnonzero(class_of == number)
        if ordered:
            centre = rng.uniform(0, 0.75 * count)
            drawn = np.rint(rng.normal(centre, max(count / 15, 1.0), len(members))).astype(np.int64)
            column[members] = np.clip(drawn, 0, count - 1)
        else:
            order = common.copy()
            swapped = rng.choice(count, size=max(2, count // 5), replace=False)
            order[swapped] = order[rng.permutation(swapped)]
            weights = 1 / np.arange(1, count + 1)
            column[members] = order[rng.choice(count, size=len(members), p=weights / weights.sum())]
    anything = rng.random(len(column)) < ANY_VALUE
    column[anything] = rng.integers(0, count, anything.sum())
    return column


def _effects(count: int, ordered: bool, rng: np.random.Generator) -> NDArray[np.float64]:
    if not ordered:
        return rng.normal(0, EFFECT, count)
    place = np.arange(count) / count
    phases = rng.uniform(0, 2 * math.pi, 2)
    return EFFECT * (np.sin(2 * math.pi * place + phases[0]) + np.sin(4 * math.pi * place + phases[1]))
