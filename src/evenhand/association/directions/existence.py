"""Is a direction more than chance? Tests on entities that had no part in making it.

Beattie (2023), section 5.1.1, asks for three: A against B along the direction; A, and B, along it against a
random direction; A, and B, against random vectors. There they are made on the entities that made the
direction, which alarms on noise: in many dimensions a direction made to tell two sets apart does so.

Here (`crossfit`) one half of the entities makes the direction, the other is tested, and the other way round,
over several splits. The normal scores of the splits are averaged and read as one: as they depend on each
other, this errs on the safe side. Two tests remain, and both must pass:

- A against B, in their cosines with the direction;
- the same beyond random directions, of which each is turned to A as far as the first half can tell.

The third falls together with the first. A cloud of embeddings is hardly ever centred, so vectors drawn at
random around the origin would only show where the cloud lies; random vectors have to be entities drawn
whatever their value, and from the mean of those, the shifts of A and of B are fixed shares of the difference
between A and B.

`permutation` compares the same statistics, of a direction made by all entities, with those of shuffled values
and a direction made anew each time: more powerful, and slower. `insample` is Beattie's way, all five.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special, stats

from evenhand.arrays import Floats, Ints, Vectors
from evenhand.association.directions.fits import Fit, made
from evenhand.association.directions.profile import Profile
from evenhand.association.vectors.checks import cosines, unit
from evenhand.stats.means.two_samples import normal_score, welch
from evenhand.stats.multiplicity import holm
from evenhand.stats.normal import critical_value

RANDOM_DIRECTIONS = 20
# Twice as many as let the smallest p-value pass at .05 after the correction.
SHUFFLES_A_TEST = 40


@dataclass(frozen=True)
class Separation:
    """How far apart the two sides are along the direction, in standard deviations of both together.

    Of entities that had no part in making it, by a direction that half of the entities made. The error is the
    mean of those of the splits, as if they were one: they are not independent. It is that of half of the
    entities, and so rather too large; but no better known than the rarest category tells.
    """

    estimate: float
    error: float
    df: int

    def limits(self, level: float) -> tuple[float, float]:
        reach = critical_value(level, self.df) * self.error
        return self.estimate - reach, self.estimate + reach


@dataclass(frozen=True, eq=False)
class Existence:
    """Tests of one direction: a name, a statistic and a p-value each; Holm's correction for their number.

    `required` marks those that must pass for the direction to be used further.
    """

    names: tuple[str, ...]
    statistics: Floats
    p_values: Floats
    required: tuple[bool, ...]
    way: str
    separation: Separation | None = None
    profile: Profile | None = None

    @property
    def adjusted(self) -> Floats:
        return holm(self.p_values)

    @property
    def p_value(self) -> float:
        """The largest adjusted p-value of those that must pass: at most alpha exactly when all pass."""
        return float(self.adjusted[np.array(self.required)].max())


def crossfit(
    vectors: Vectors,
    codes: Ints,
    names: tuple[str, ...],
    fit: Fit,
    *,
    repeats: int = 5,
    against: Floats | None = None,
    seed: int = 0,
) -> Existence:
    """Tests on the half of the entities that had no part in making the direction.

    `codes` are places in `names`. Of more than two categories the first half says which lie on which side.
    `against` is the direction of another attribute, which this one should do better than.
    """
    rng = np.random.default_rng([seed, 11])
    units = unit(vectors)
    scores, apart, profile = [], [], Profile(len(names))
    for _ in range(repeats):
        halves = _halves(codes, rng)
        for maker, held in (halves, halves[::-1]):
            direction = made(fit, vectors[maker], codes[maker], rng)
            scores.append(_scores(units, codes, maker, held, direction, len(names), against, rng))
            along = units @ direction
            apart.append(_separation(along, codes, maker, held, len(names)))
            profile.add(along[held], codes[held])
    average = np.mean(scores, axis=0)
    found = _named(names, average, special.ndtr(-average), against is not None, "crossfit")
    estimate, error = (float(value) for value in np.mean(apart, axis=0))
    separation = Separation(estimate, error, int(np.bincount(codes).min()) - 1)
    return replace(found, separation=separation, profile=profile)


def by_permutation(
    vectors: Vectors,
    codes: Ints,
    names: tuple[str, ...],
    fit: Fit,
    *,
    permutations: int = 199,
    family: int = 1,
    against: Floats | None = None,
    seed: int = 0,
) -> Existence:
    """Tests against shuffled values, the direction made anew for each: (1 + b) / (1 + permutations).

    There are more of them where many tests are corrected for, here and in a `family` of directions: else the
    smallest p-value that there can be would not pass.
    """
    units, everybody = unit(vectors), np.arange(len(codes))
    shuffler = np.random.default_rng([seed, 12])

    def statistics(labels: Ints) -> Floats:
        rng = np.random.default_rng([seed, 13])  # the same random directions and pairs for every shuffle
        direction = made(fit, vectors, labels, rng)
        return _scores(units, labels, everybody, everybody, direction, len(names), against, rng)

    observed = statistics(codes)
    reached = np.zeros(len(observed))
    shuffles = max(permutations, SHUFFLES_A_TEST * family * len(observed) - 1)
    for _ in range(shuffles):
        reached += statistics(shuffler.permutation(codes)) >= observed - 1e-12
    p_values = (1 + reached) / (1 + shuffles)
    return _named(names, observed, p_values, against is not None, "permutation")


def insample(vectors: Vectors, codes: Ints, names: tuple[str, ...], fit: Fit, *, seed: int = 0) -> Existence:
    """Beattie's own t-tests, on the entities that made the direction. They alarm on noise.

    For two categories; statistics are t, p-values two-sided.
    """
    rng = np.random.default_rng([seed, 14])
    direction = made(fit, vectors, codes, rng)
    dimensions = vectors.shape[1]
    along, elsewhere = cosines(vectors, direction), cosines(vectors, _on_sphere(1, dimensions, rng)[0])
    tests = [(along[codes == 0], along[codes == 1])]
    tests += [(along[codes == code], elsewhere[codes == code]) for code in (0, 1)]
    for code in (0, 1):
        at_random = _on_sphere(int((codes == code).sum()), dimensions, rng) @ direction
        tests.append((along[codes == code], at_random))
    found = [welch(*pair) for pair in tests]
    p_values = np.array([2 * stats.t.sf(abs(t), df) for t, df in found])
    told = [f"{name}, against {what}" for what in ("a random direction", "random vectors") for name in names]
    listed = (f"{names[0]} against {names[1]}", *told)
    return Existence(listed, np.array([t for t, _ in found]), p_values, (True,) * 5, "insample")


def _halves(codes: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Two halves of the entities with, as nearly as can be, the same number of each category."""
    place = np.empty(len(codes), dtype=np.int64)
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        place[members] = (np.arange(len(members)) + rng.integers(2)) % 2
    return np.flatnonzero(place == 0), np.flatnonzero(place == 1)


def _scores(
    units: Floats,
    codes: Ints,
    maker: Ints,
    held: Ints,
    direction: Floats,
    categories: int,
    against: Floats | None,
    rng: np.random.Generator,
) -> Floats:
    """Normal scores of the tests, positive where a category lies on its side; in the order of `_named`."""
    along = units @ direction
    signs = _sides(along[maker], codes[maker], categories)
    side = signs[codes]
    at_random = _turned(_on_sphere(RANDOM_DIRECTIONS, units.shape[1], rng), units[maker], side[maker])
    beyond = along - units @ at_random.mean(axis=0)
    plus, minus = held[side[held] > 0], held[side[held] < 0]
    compared = [along, beyond]
    if against is not None:
        compared.append(along - units @ _turned(against[None, :], units[maker], side[maker])[0])
    scores = [_score(values[plus], values[minus]) for values in compared]
    if categories > 2:
        for code in range(categories):
            ours, others = held[codes[held] == code], held[codes[held] != code]
            scores += [signs[code] * _score(values[ours], values[others]) for values in (along, beyond)]
    return np.array(scores)


def _separation(along: Floats, codes: Ints, maker: Ints, held: Ints, categories: int) -> tuple[float, float]:
    side = _sides(along[maker], codes[maker], categories)[codes[held]]
    first, second = along[held][side > 0], along[held][side < 0]
    if min(len(first), len(second)) < 2:
        return 0.0, np.inf
    spread = float(np.std(along[held]))
    error = np.sqrt(np.var(first, ddof=1) / len(first) + np.var(second, ddof=1) / len(second))
    return float(first.mean() - second.mean()) / spread, float(error) / spread


def _score(first: Floats, second: Floats) -> float:
    if min(len(first), len(second)) < 2:
        return 0.0
    return normal_score(*welch(first, second))


def _sides(along: Floats, codes: Ints, categories: int) -> Floats:
    """+1 for A and -1 for B; of more categories, by where their mean is beside that of all entities."""
    if categories == 2:
        return np.array([1.0, -1.0])
    means = np.bincount(codes, weights=along, minlength=categories) / np.bincount(codes, minlength=categories)
    return np.where(means >= along.mean(), 1.0, -1.0)


def _turned(rows: Floats, units: Floats, side: Floats) -> Floats:
    shift = units[side > 0].mean(axis=0) - units[side < 0].mean(axis=0)
    return np.where(rows @ shift >= 0, 1.0, -1.0)[:, None] * rows


def _on_sphere(count: int, dimensions: int, rng: np.random.Generator) -> Floats:
    rows = rng.normal(size=(count, dimensions))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _named(
    names: tuple[str, ...], statistics: Floats, p_values: Floats, has_other: bool, way: str
) -> Existence:
    sides = f"{names[0]} against {names[1]}" if len(names) == 2 else "one side against the other"
    tests = [sides, f"{sides}, beyond random directions"]
    tests += [f"{sides}, beyond another attribute"] if has_other else []
    required = [True] * len(tests)
    if len(names) > 2:
        # Not every category has to lie away from the middle of a holistic direction, so those are only told.
        tests += [f"{name}{more}" for name in names for more in (" against the others", ", beyond random")]
        required += [False] * (2 * len(names))
    return Existence(tuple(tests), statistics, p_values, tuple(required), way)
