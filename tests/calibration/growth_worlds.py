"""Releases of a model that differ by what users did in between, and not by the attribute: nothing grows.

Users and items are samples. Each state has what it learnt from (noise that all of its trainings share), and
each training its own noise; women and men stay equally far apart, and items lean to neither of them more.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.association.directions.contrasts import Contrast
from evenhand.association.directions.findings import AssociationSettings
from evenhand.association.directions.fits import Classifying, fit_of
from evenhand.association.growing.findings import questions
from evenhand.association.growing.growth import (
    FOLDS,
    Growth,
    Members,
    TrainingScores,
    growth,
    scores,
    together,
)
from evenhand.association.leaking.classifier import parts
from evenhand.association.measures import mean_difference
from evenhand.association.uncertainty import within
from evenhand.association.vectors.checks import cosines
from evenhand.association.vectors.labels import Groups

Floats = NDArray[np.float64]
SETTINGS = AssociationSettings(
    "centroid", "crossfit", 20, "permutation", "exclude", "mean", 0.05, 0.95, None, 0, Classifying()
)


@dataclass(frozen=True)
class Releases:
    """`of_state` and `of_training` are the standard deviations of the noise of a vector of length about 3."""

    users: int = 300
    items: int = 100
    of_state: float = 0.7
    of_training: float = 0.2
    trainings: int = 3
    apart: float = 0.3
    dimensions: int = 8

    def followed(self, run: int, method: str = "centroid") -> dict[str, Growth | None]:
        """What is followed, by measure (of the users, those of the first value)."""
        rng, fixed = np.random.default_rng([run, self.users]), np.random.default_rng(5)
        line, place = (one / np.linalg.norm(one) for one in fixed.normal(size=(2, self.dimensions)))
        codes = (np.arange(self.users) >= 0.7 * self.users).astype(np.int64)
        stays = np.sqrt(1 - self.of_state**2)
        users = stays * rng.normal(size=(self.users, self.dimensions))
        users += self.apart * np.where(codes == 0, 1, -1)[:, None] * line
        items = stays * rng.normal(size=(self.items, self.dimensions)) + 1.5 * place
        contrast = Contrast("F against M", np.arange(self.users), codes, ("F", "M"), fit_of(method))
        states: list[list[TrainingScores]] = []
        for _ in range(2):
            learnt = [_noisy(one, self.of_state, rng) for one in (items, users)]
            trained = ([_noisy(one, self.of_training, rng) for one in learnt] for _ in range(self.trainings))
            states.append([scores(contrast, *vectors, SETTINGS, 1) for vectors in trained])
        asked = questions(contrast, states, Groups(("all",), np.ones((self.items, 1), dtype=bool)))
        found: dict[str, Growth | None] = {}
        for one in asked:
            found.setdefault(one.measure, one.found)
        return found

    def of_groups(self, run: int, sizes: tuple[int, ...], leans: tuple[float, float]) -> list[Growth]:
        """GEAA of groups of so many items each, which lean so much in the first state and the last."""
        rng, fixed = np.random.default_rng([run, self.users]), np.random.default_rng(5)
        line, place = np.linalg.qr(fixed.normal(size=(self.dimensions, 2)))[0].T
        first = np.arange(self.users) < 0.5 * self.users
        part = parts(first, FOLDS, np.random.default_rng(run))
        kept = [np.ones(self.users, dtype=bool), *(part != number for number in range(FOLDS))]
        stays = np.sqrt(1 - self.of_state**2)
        users = stays * rng.normal(size=(self.users, self.dimensions))
        users += self.apart * np.where(first, 1, -1)[:, None] * line
        items = stays * rng.normal(size=(sum(sizes), self.dimensions)) + 1.5 * place
        states: list[list[Floats]] = []
        for lean in leans:
            learnt = [_noisy(one, self.of_state, rng) for one in (items + lean * line, users)]
            trained = [[_noisy(one, self.of_training, rng) for one in learnt] for _ in range(self.trainings)]
            states.append(
                [
                    np.stack(
                        [
                            cosines(ours, mean_difference(rows[who & first], rows[who & ~first]))
                            for who in kept
                        ]
                    )
                    for ours, rows in trained
                ]
            )
        whole, without = (
            [[one[0] for one in row] for row in states],
            [[one[1:] for one in row] for row in states],
        )
        member = np.repeat(np.eye(len(sizes), dtype=bool), sizes, axis=0)
        change, total = (within(one, member) for one in together(whole))
        return [growth(whole, without, Members(mine), least=(change, total)) for mine in member.T]


def _noisy(vectors: Floats, size: float, rng: np.random.Generator) -> Floats:
    return vectors + size * rng.normal(size=vectors.shape)


def calibrate(world: Releases, runs: int, method: str = "centroid") -> dict[str, dict[str, float]]:
    """By measure: in how many of `runs` it was told, its interval held 0, its p-value alarmed at 5%; and the
    median width."""
    hits: dict[str, dict[str, float]] = {}
    widths: dict[str, list[float]] = {}
    for run in range(runs):
        for measure, found in world.followed(run, method).items():
            one = hits.setdefault(measure, {"told": 0, "covered": 0, "alarms": 0})
            if found is None:
                continue
            low, high = found.limits(0.95)
            one["told"] += 1
            one["covered"] += low <= 0 <= high
            one["alarms"] += found.p_value <= 0.05
            widths.setdefault(measure, []).append(high - low)
    return {name: one | {"width": float(np.median(widths.get(name, [np.nan])))} for name, one in hits.items()}


def misses_of_small_groups(world: Releases, sizes: tuple[int, ...], runs: int) -> dict[str, int]:
    """Nothing grows: in how many of `runs` the intervals of all groups, which hold together, do not hold 0;
    or any lies above it."""
    found = {"missed": 0, "above": 0}
    for run in range(runs):
        limits = [one.limits(1 - 0.05 / len(sizes)) for one in world.of_groups(run, sizes, (0.0, 0.0))]
        found["missed"] += any(low > 0 or high < 0 for low, high in limits)
        found["above"] += any(low > 0 for low, _ in limits)
    return found


def passes_from_nowhere(world: Releases, lean: float, tolerance: float, runs: int) -> int:
    """Items lean nowhere at first and then far more than the tolerance allows: how often that is passed."""
    limits = [world.of_groups(run, (world.items,), (0.0, lean))[0].limits(0.95) for run in range(runs)]
    return sum(high <= tolerance for _, high in limits)
