"""Releases of a model that differ by what users did in between, and not by the attribute: nothing grows.

Users and items are samples. Each state has what it learnt from (noise that all of its trainings share), and
each training its own noise; women and men stay equally far apart, and items lean to neither of them more.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.association.directions import Contrast
from evenhand.association.existence_findings import Settings
from evenhand.association.fits import Classifying, fit_of
from evenhand.association.growth import Growth, Scores, scores
from evenhand.association.growth_findings import questions
from evenhand.association.labels import Groups

Floats = NDArray[np.float64]
SETTINGS = Settings(
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
        states: list[list[Scores]] = []
        for _ in range(2):
            learnt = [_noisy(one, self.of_state, rng) for one in (items, users)]
            trained = ([_noisy(one, self.of_training, rng) for one in learnt] for _ in range(self.trainings))
            states.append([scores(contrast, *vectors, SETTINGS, 1) for vectors in trained])
        asked = questions(contrast, states, Groups(("all",), np.ones((self.items, 1), dtype=bool)))
        found: dict[str, Growth | None] = {}
        for one in asked:
            found.setdefault(one.measure, one.found)
        return found


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
