"""Did scores grow from one state of a model to another? Trainings are the sample, and so are entities.

Two trainings on the same data with different random numbers differ, so a change is held against the spread
over trainings of each state; and a change that a few entities make is told from one of most by its spread
over entities, each of them paired with itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from evenhand.association import uncertainty
from evenhand.association.directions import Contrast
from evenhand.association.evidence import UnitSums
from evenhand.association.existence_findings import Settings, established
from evenhand.association.fits import made
from evenhand.association.leaks import parts
from evenhand.association.uncertainty import Spread
from evenhand.association.vectors import Floats, Vectors, cosines

FOLDS = 5


@dataclass(frozen=True, eq=False)
class Scores:
    """One training along one contrast: of items EAA and the cosine with the direction; of users the cosine
    with a direction that others made; and whether the direction passed its tests."""

    eaa: Floats
    along: Floats
    people: Floats
    passes: bool


def scores(contrast: Contrast, items: Vectors, users: Vectors, settings: Settings, family: int) -> Scores:
    """The direction is made anew in each training: the axes of two trainings have nothing in common."""
    line = established(contrast, users, settings, family)
    rows, codes = users[contrast.who], contrast.codes
    means = UnitSums.of(rows, np.stack([codes == 0, codes == 1], axis=1)).means
    return Scores(
        cosines(items, means[0] - means[1]),
        cosines(items, line.vector),
        _held_out(contrast, rows, settings.seed),
        line.passes,
    )


def _held_out(contrast: Contrast, rows: Vectors, seed: int) -> Floats:
    part = parts(contrast.codes == 0, FOLDS, np.random.default_rng([seed, 51]))
    out = np.empty(len(rows))
    for number in range(FOLDS):
        here = part == number
        rng = np.random.default_rng([seed, 52])
        out[here] = cosines(rows[here], made(contrast.fit, rows[~here], contrast.codes[~here], rng))
    return out


@dataclass(frozen=True, eq=False)
class Entities:
    """Whose mean score is followed; with `others`, how far their mean is above that of the others."""

    chosen: NDArray[np.bool_]
    others: NDArray[np.bool_] | None = None

    def value(self, scores: Floats) -> float:
        mine = float(scores[self.chosen].mean())
        return mine if self.others is None else mine - float(scores[self.others].mean())

    def spread(self, change: Floats) -> Spread:
        sets = [self.chosen] if self.others is None else [self.chosen, self.others]
        return uncertainty.together([uncertainty.of_mean(change[members]) for members in sets])


@dataclass(frozen=True, eq=False)
class Growth:
    """How far a mean moved to the side on which it was: `side` is 1 or -1, `values` a row of trainings each
    state. `trainings` is None where a state has only one, and its noise cannot be known."""

    side: int
    values: list[list[float]]
    estimate: float
    trainings: Spread | None
    entities: Spread
    ks: float | None

    @property
    def spread(self) -> Spread | None:
        """Both together, on the degrees of freedom of the trainings alone: with two or three trainings their
        spread is now and then far too small, and many entities must not make up for that."""
        return None if self.trainings is None else self.with_trainings(1)

    def with_trainings(self, times: float) -> Spread:
        """The same with so many times the trainings, which leave what differs between entities as it is."""
        assert self.trainings is not None
        more = self.trainings.with_data(times)
        return Spread(more.variance + self.entities.variance, more.df)

    @property
    def p_value(self) -> float | None:
        """One-sided: chance that a mean which does not grow seems to grow this much."""
        if self.spread is None or not np.isfinite(self.spread.variance):
            return None
        if self.spread.variance <= 0:
            return 0.0 if self.estimate > 0 else 1.0
        return float(stats.t.sf(self.estimate / np.sqrt(self.spread.variance), self.spread.df))


def growth(states: Sequence[Sequence[Floats]], who: Entities, side: int | None = None) -> Growth:
    """From the first state to the last; `states` have a row of scores for each of their trainings.

    Without a `side`, the one on which the first state lies. Where it is chance on which side that is, what
    follows falls back rather than grows, so that the test errs on the safe side.
    """
    values = [[who.value(row) for row in trainings] for trainings in states]
    first, last = states[0], states[-1]
    if side is None:
        side = 1 if np.mean(values[0]) >= 0 else -1
    change = np.mean(np.stack(last), axis=0) - np.mean(np.stack(first), axis=0)
    noise = None
    if min(len(first), len(last)) > 1:
        noise = uncertainty.together([uncertainty.of_mean(np.array(row)) for row in (values[0], values[-1])])
    return Growth(
        side=side,
        values=values,
        estimate=side * float(np.mean(values[-1]) - np.mean(values[0])),
        trainings=noise,
        entities=who.spread(change),
        ks=None if who.others is not None else kolmogorov(first[0], last[0], who.chosen, side),
    )


def kolmogorov(first: Floats, last: Floats, chosen: NDArray[np.bool_], side: int) -> float:
    """The source's test: are scores of one training of the last state further to the side than those of one
    of the first? It takes the entities of the two for different ones, and trainings for free of noise."""
    found = stats.ks_2samp(side * last[chosen], side * first[chosen], alternative="less")
    return float(found.pvalue)
