"""Embeddings with nothing to find, and populations of users and items whose measures are known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.association import deaa, geaa, uncertainty
from evenhand.association.evidence import UnitSums
from evenhand.association.existence import Existence, crossfit, insample
from evenhand.association.fits import fit_of, made
from evenhand.association.vectors import cosines
from evenhand.findings import Interval

Floats = NDArray[np.float64]

# MovieLens-1M: men and women, and the dimensions of a usual model.
MEN, WOMEN, DIMENSIONS = 4_331, 1_709, 64
INSAMPLE, CROSSFIT = insample, crossfit


def noise(run: int, *, uneven: bool = False) -> tuple[Floats, NDArray[np.int64]]:
    """Users whose gender says nothing; `uneven`: in a cloud that is neither round nor centred."""
    rng = np.random.default_rng([run, 1])
    users = rng.normal(size=(MEN + WOMEN, DIMENSIONS))
    if uneven:
        users = users * np.linspace(0.1, 3, DIMENSIONS) + np.linspace(-1, 1, DIMENSIONS)
    return users, np.repeat([0, 1], [MEN, WOMEN])


def on_noise(method: str, runs: int, way=crossfit, *, uneven: bool = False) -> list[Existence]:
    return [way(*noise(run, uneven=uneven), ("M", "F"), fit_of(method), seed=run) for run in range(runs)]


@dataclass(frozen=True)
class Population:
    """Users on either side of a direction, items of two groups with heavy tails, none of them round."""

    strength: float
    share: float = 0.7
    dimensions: int = 16

    def draw(self, sizes: tuple[int, int, int, int], rng: np.random.Generator) -> list[Floats]:
        """The sets A, B, E and P."""
        fixed = np.random.default_rng(99)
        direction, e, p, mean = fixed.normal(size=(4, self.dimensions))
        direction = self.strength * direction / np.linalg.norm(direction)
        scale = np.linspace(0.5, 1.5, self.dimensions)
        a, b = (rng.normal(size=(n, self.dimensions)) * scale + 0.4 * mean for n in sizes[:2])
        items = (rng.standard_t(5, size=(n, self.dimensions)) * scale for n in sizes[2:])
        return [
            a + direction,
            b - direction,
            *(part + 0.3 * at for part, at in zip(items, (e, p), strict=True)),
        ]

    def truth(self, method: str) -> dict[str, float]:
        many = 200_000
        first = int(self.share * many)
        a, b, e, p = self.draw((first, many - first, many, many), np.random.default_rng(5))
        ours, theirs = UnitSums.of(e).means[0], UnitSums.of(p).means[0]
        line = UnitSums.of(a).means[0] - UnitSums.of(b).means[0]
        rng = np.random.default_rng(6)
        direction = made(fit_of(method), np.concatenate([a, b]), np.repeat([0, 1], [len(a), len(b)]), rng)
        return {"geaa": ours @ line, "deaa": (ours - theirs) @ line, "r_ripa": (ours - theirs) @ direction}


def coverage(
    population: Population, users: int, items: tuple[int, int], method: str, runs: int
) -> dict[str, float]:
    """Percent of intervals that hold the truth."""
    truth = population.truth(method)
    held = dict.fromkeys(truth, 0)
    first = int(population.share * users)
    for run in range(runs):
        a, b, e, p = population.draw((first, users - first, *items), np.random.default_rng([run, 2]))
        found = {
            "geaa": geaa(e, a, b, permutations=20).interval,
            "deaa": deaa(e, p, a, b, permutations=20).interval,
            "r_ripa": _r_ripa(a, b, e, p, method, run),
        }
        for name, interval in found.items():
            held[name] += interval.low <= truth[name] <= interval.high
    return {name: 100 * count / runs for name, count in held.items()}


def _r_ripa(a: Floats, b: Floats, e: Floats, p: Floats, method: str, seed: int) -> Interval:
    """The interval that the audit gives a pair of groups."""
    vectors, codes, fit = np.concatenate([a, b]), np.repeat([0, 1], [len(a), len(b)]), fit_of(method)
    direction = made(fit, vectors, codes, np.random.default_rng(seed))
    refits = uncertainty.refitted(vectors, codes, fit, direction, seed)
    toward = UnitSums.of(e).means[0] - UnitSums.of(p).means[0]
    parts = [uncertainty.of_mean(cosines(part, direction)) for part in (e, p)]
    spread = uncertainty.together([*parts, uncertainty.of_refits(refits @ toward)])
    found = uncertainty.interval(float(toward @ direction), spread, 0.95, "", 2)
    assert found is not None
    return found
