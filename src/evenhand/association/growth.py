"""Did scores grow from one state of a model to another? Trainings are the sample, and so are entities.

Two trainings on the same data with different random numbers differ, so a change is held against the spread
over trainings of each state; and a change that a few entities make is told from one of most by its spread
over entities, each of them paired with itself. The line that scores are along is made of users, who are a
sample, too. What they happened to do between two states moves the line in all trainings of the later one
alike, so that neither trainings nor items know of it: the change is computed again without each of five
parts of the users (a jackknife; the same parts in all trainings). Without that, intervals of GEAA covered 48
to 89% where states differ by what users did and not by the attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from evenhand.association import uncertainty
from evenhand.association.directions import Contrast
from evenhand.association.existence_findings import Settings, established
from evenhand.association.fits import made
from evenhand.association.leaks import parts
from evenhand.association.measures import mean_difference
from evenhand.association.uncertainty import Spread
from evenhand.association.vectors import Floats, Vectors, cosines

FOLDS = 5
LEAST_TAIL = 600.0  # no p-value is told from 0 below exp(-600)


@dataclass(frozen=True, eq=False)
class Scores:
    """One training along one contrast: of items EAA and the cosine with the direction; of users the cosine
    with a direction that others made; and whether the direction passed its tests.

    `without` has the same three by name, in a row for each part of the users that the lines were made without
    (there, all users are along each of them).
    """

    eaa: Floats
    along: Floats
    people: Floats
    passes: bool
    without: dict[str, Floats]


def scores(contrast: Contrast, items: Vectors, users: Vectors, settings: Settings, family: int) -> Scores:
    """The direction is made anew in each training: the axes of two trainings have nothing in common."""
    line = established(contrast, users, settings, family)
    rows, codes = users[contrast.who], contrast.codes
    part = parts(codes == 0, FOLDS, np.random.default_rng([settings.seed, 51]))
    others = [part != number for number in range(FOLDS)]
    lines = [
        made(contrast.fit, rows[kept], codes[kept], np.random.default_rng([settings.seed, 52]))
        for kept in others
    ]
    apart = [mean_difference(rows[kept & (codes == 0)], rows[kept & (codes == 1)]) for kept in others]
    everybody = np.stack([cosines(rows, one) for one in lines])
    return Scores(
        eaa=cosines(items, mean_difference(rows[codes == 0], rows[codes == 1])),
        along=cosines(items, line.vector),
        people=everybody[part, np.arange(len(rows))],
        passes=line.passes,
        without={
            "eaa": np.stack([cosines(items, one) for one in apart]),
            "along": np.stack([cosines(items, one) for one in lines]),
            "people": everybody,
        },
    )


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
    users: Spread
    ks: float | None

    def limits(self, level: float, times: float = 1) -> tuple[float, float] | None:
        """Of the growth, or what they would be with so many times the trainings, which leave what differs
        between entities and users as it is; None where the noise of trainings cannot be known.

        Trainings and entities are on the degrees of freedom of the trainings alone: with two or three
        trainings their spread is now and then far too small, and many entities must not make up for that.
        That of users has its own quantile of t, and the two are put together as MOVER does.
        """
        if self.trainings is None or not np.isfinite(self.entities.variance):
            return None
        reach = self._reach((1 - level) / 2, self.trainings.with_data(times))
        return self.estimate - reach, self.estimate + reach

    def _reach(self, tail: float, trainings: Spread) -> float:
        both = trainings.variance + self.entities.variance
        parts = ((both, trainings.df), (self.users.variance, self.users.df))
        return float(np.sqrt(sum(special.stdtrit(df, tail) ** 2 * variance for variance, df in parts)))

    @property
    def p_value(self) -> float | None:
        """One-sided: chance that a mean which does not grow seems to grow this much; the smallest error with
        which the interval is on one side of 0."""
        trainings = self.trainings
        if trainings is None or not np.isfinite(self.entities.variance):
            return None
        if self._reach(0.25, trainings) == 0:
            return 0.0 if self.estimate > 0 else 1.0
        least, most = -LEAST_TAIL, float(np.log(0.5))
        for _ in range(60):
            middle = (least + most) / 2
            if self._reach(float(np.exp(middle)), trainings) > abs(self.estimate):
                least = middle
            else:
                most = middle
        tail = float(np.exp(most))
        return tail if self.estimate > 0 else 1 - tail


def growth(
    states: Sequence[Sequence[Floats]],
    without: Sequence[Sequence[Floats]],
    who: Entities,
    side: int | None = None,
) -> Growth:
    """From the first state to the last; `states` have a row of scores for each of their trainings, and
    `without` the same scores along lines that were made without each part of the users.

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
        users=uncertainty.of_refits(_redone(without[-1], who) - _redone(without[0], who)),
        ks=None if who.others is not None else kolmogorov(first[0], last[0], who.chosen, side),
    )


def _redone(trainings: Sequence[Floats], who: Entities) -> Floats:
    """The mean over trainings, without each part of the users."""
    return np.array([who.value(scores) for scores in np.mean(np.stack(trainings), axis=0)])


def kolmogorov(first: Floats, last: Floats, chosen: NDArray[np.bool_], side: int) -> float:
    """The source's test: are scores of one training of the last state further to the side than those of one
    of the first? It takes the entities of the two for different ones, and trainings for free of noise."""
    found = stats.ks_2samp(side * last[chosen], side * first[chosen], alternative="less")
    return float(found.pvalue)
