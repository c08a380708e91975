"""Did scores grow from one state of a model to another? Trainings are the sample, and so are entities.

Two trainings on the same data with different random numbers differ, so a change is held against the spread
over trainings of each state; and a change that a few entities make is told from one of most by its spread
over entities, each of them paired with itself. The line that scores are along is made of users, who are a
sample, too. What they happened to do between two states moves the line in all trainings of the later one
alike, so that neither trainings nor items know of it: the change is computed again without each of five
parts of the users (a jackknife; the same parts in all trainings). Without that, intervals of GEAA covered 48
to 89% where states differ by what users did and not by the attribute.

Users with a value have a side of their own. Items have none: what grows is how far they lean, to whichever
side, |last| - |first|. Followed to the side on which they were, items that leaned nowhere at first and far
in the end would seem to lean less in every other case, as chance says on which side they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from evenhand.arrays import Floats, Vectors
from evenhand.association import uncertainty
from evenhand.association.directions.contrasts import Contrast
from evenhand.association.directions.findings import AssociationSettings, established
from evenhand.association.directions.fits import made
from evenhand.association.leaking.classifier import parts
from evenhand.association.measures import mean_difference
from evenhand.association.uncertainty import EstimatedVariance
from evenhand.association.vectors.checks import cosines

FOLDS = 5
LEAST_TAIL = 300.0  # no p-value is told from 0 below exp(-300), where t of one degree still has a square


@dataclass(frozen=True, eq=False)
class TrainingScores:
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


def scores(
    contrast: Contrast, items: Vectors, users: Vectors, settings: AssociationSettings, family: int
) -> TrainingScores:
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
    return TrainingScores(
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
class Members:
    """Whose mean score is followed; with `others`, how far their mean is above that of the others."""

    chosen: NDArray[np.bool_]
    others: NDArray[np.bool_] | None = None

    def value(self, scores: Floats) -> float:
        mine = float(scores[self.chosen].mean())
        return mine if self.others is None else mine - float(scores[self.others].mean())

    def spread(self, change: Floats, least: float) -> EstimatedVariance:
        """Of the mean, or of the difference; scores are taken to vary by `least` in any case."""
        sets = [self.chosen] if self.others is None else [self.chosen, self.others]
        return uncertainty.together([uncertainty.of_mean(change[members], least) for members in sets])


@dataclass(frozen=True)
class GrowthErrors:
    """How uncertain the difference of two states is, or their sum: by trainings, entities and users.

    `trainings` is None where a state has only one, and its noise cannot be known.
    """

    trainings: EstimatedVariance | None
    entities: EstimatedVariance
    users: EstimatedVariance

    @property
    def known(self) -> bool:
        return self.trainings is not None and bool(np.isfinite(self.entities.variance))

    def reach(self, tail: float, times: float = 1) -> float:
        """From the estimate to the limit that is beyond the truth in a share `tail` of cases, or what it
        would be with so many times the trainings, which leave what differs between entities and users.

        Each has its own quantile of t, and they are put together as MOVER does: the spread of two or three
        trainings, or of a few items, is now and then far too small, and many users do not make up for that.
        """
        assert self.trainings is not None
        parts = (self.trainings.with_data(times), self.entities, self.users)
        return float(np.sqrt(sum(special.stdtrit(one.df, tail) ** 2 * one.variance for one in parts)))


@dataclass(frozen=True, eq=False)
class Growth:
    """How far a mean moved to its side: `side` is 1 or -1, `values` a row of trainings each state.

    Where it has no side of its own, `side` is that of the first state, and `total` has the errors of the sum
    of both states, which tell whether that side is known.
    """

    side: int
    values: list[list[float]]
    change: GrowthErrors
    total: GrowthErrors | None
    ks: float | None

    @property
    def ends(self) -> tuple[float, float]:
        """The means of the first and of the last state."""
        return float(np.mean(self.values[0])), float(np.mean(self.values[-1]))

    @property
    def estimate(self) -> float:
        first, last = self.ends
        return self.side * (last - first) if self.total is None else abs(last) - abs(first)

    @property
    def turned(self) -> bool:
        """Whether what has no side of its own is on the other side in the last state."""
        return self.total is not None and self.side * self.ends[1] < 0

    def limits(self, level: float, times: float = 1) -> tuple[float, float] | None:
        """Of the growth, or what they would be with so many times the trainings; None where the noise of
        trainings cannot be known.

        |last| - |first| is at least last - |first|, the smaller of last - first and last + first, and at most
        |last| - first, the larger of last - first and -(last + first); likewise with either side turned
        round. So each limit is that of two, and where both states are surely on one side, of the difference
        alone. And no mean can grow by more than it changes.
        """
        if not self.change.known:
            return None
        tail = (1 - level) / 2
        if self.total is None:
            reach = self.change.reach(tail, times)
            return self.estimate - reach, self.estimate + reach
        near, far = self._reaches(tail, times)
        first, last = self.ends
        sum_of_sizes = abs(first) + abs(last)
        most = abs(last - first) + self.change.reach(tail, times)
        low = min(self.estimate - near, sum_of_sizes - far)
        high = max(self.estimate + near, far - sum_of_sizes)
        return max(low, -most), min(high, most)

    def _reaches(self, tail: float, times: float = 1) -> tuple[float, float]:
        """Of |last| - |first| and of |last| + |first|: the difference and the sum, or the other way round."""
        assert self.total is not None
        reaches = self.change.reach(tail, times), self.total.reach(tail, times)
        return reaches[::-1] if self.turned else reaches

    @property
    def p_value(self) -> float | None:
        """One-sided: chance that a mean which does not grow seems to grow this much; the smallest error with
        which the interval is on one side of 0."""
        if not self.change.known:
            return None
        if self.total is None:
            tails = [_tail(self.estimate, self.change)]
        else:
            near, far = (self.total, self.change) if self.turned else (self.change, self.total)
            tails = [_tail(self.estimate, near)]
            if self.estimate > 0:
                tails.append(_tail(sum(map(abs, self.ends)), far))
        return max(tails) if self.estimate > 0 else 1 - tails[0]


def _tail(estimate: float, errors: GrowthErrors) -> float:
    """The smallest share of cases with which a limit reaches from the estimate to 0."""
    if errors.reach(0.25) == 0:
        return 0.0
    least, most = -LEAST_TAIL, float(np.log(0.5))
    for _ in range(60):
        middle = (least + most) / 2
        if errors.reach(float(np.exp(middle))) > abs(estimate):
            least = middle
        else:
            most = middle
    return float(np.exp(most))


def growth(
    states: Sequence[Sequence[Floats]],
    without: Sequence[Sequence[Floats]],
    who: Members,
    side: int | None = None,
    least: tuple[float, float] = (0.0, 0.0),
) -> Growth:
    """From the first state to the last; `states` have a row of scores for each of their trainings, and
    `without` the same scores along lines that were made without each part of the users.

    Without a `side`, by how much more the mean is away from 0. `least` is how much entities are taken to vary
    in any case, in the difference of the two states and in their sum.
    """
    values = [[who.value(row) for row in trainings] for trainings in states]
    redone = [_redone(trainings, who) for trainings in (without[0], without[-1])]
    noise = None
    if min(len(states[0]), len(states[-1])) > 1:
        noise = uncertainty.together([uncertainty.of_mean(np.array(row)) for row in (values[0], values[-1])])

    both = [
        GrowthErrors(noise, who.spread(scores, by), uncertainty.of_refits(redone[1] + sign * redone[0]))
        for sign, scores, by in zip((-1, 1), together(states), least, strict=True)
    ]

    on_side = side if side is not None else 1 if np.mean(values[0]) >= 0 else -1
    return Growth(
        side=on_side,
        values=values,
        change=both[0],
        total=both[1] if side is None else None,
        ks=None if who.others is not None else kolmogorov(states[0][0], states[-1][0], who.chosen, on_side),
    )


def together(states: Sequence[Sequence[Floats]]) -> tuple[Floats, Floats]:
    """The difference and the sum of the scores of the last and the first state, means over trainings."""
    first, last = (np.mean(np.stack(trainings), axis=0) for trainings in (states[0], states[-1]))
    return last - first, last + first


def _redone(trainings: Sequence[Floats], who: Members) -> Floats:
    """The mean over trainings, without each part of the users."""
    return np.array([who.value(scores) for scores in np.mean(np.stack(trainings), axis=0)])


def kolmogorov(first: Floats, last: Floats, chosen: NDArray[np.bool_], side: int) -> float:
    """Beattie's test: are scores of one training of the last state further to the side than those of one
    of the first? It takes the entities of the two for different ones, and trainings for free of noise."""
    found = stats.ks_2samp(side * last[chosen], side * first[chosen], alternative="less")
    return float(found.pvalue)
