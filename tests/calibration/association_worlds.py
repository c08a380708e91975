"""Embeddings with nothing to find, and populations of users and items whose measures are known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.association import deaa, geaa, uncertainty
from evenhand.association.directions.existence import Existence, crossfit, insample
from evenhand.association.directions.fits import fit_of, made
from evenhand.association.evidence import UnitSums
from evenhand.association.flagging import regression
from evenhand.association.vectors.checks import cosines
from evenhand.findings import Interval

Floats = NDArray[np.float64]

# MovieLens-1M: men and women, and the dimensions of a usual model.
MEN, WOMEN, DIMENSIONS = 4_331, 1_709, 64
INSAMPLE, CROSSFIT = insample, crossfit
# How strong the attribute is, how many users there are, and how many items each group has.
GROUPS = [
    (0.3, 1_500, (300,) * 6),
    (0.6, 300, (40,) * 6),
    (1.0, 120, (20,) * 10),
    (0.6, 300, (300, 100, 40, 20, 10, 10, 10, 5, 5, 5)),
]


def noise(run: int, *, uneven: bool = False) -> tuple[Floats, NDArray[np.int64]]:
    """Users whose gender says nothing; `uneven`: in a cloud that is neither round nor centred."""
    rng = np.random.default_rng([run, 1])
    users = rng.normal(size=(MEN + WOMEN, DIMENSIONS))
    if uneven:
        users = users * np.linspace(0.1, 3, DIMENSIONS) + np.linspace(-1, 1, DIMENSIONS)
    return users, np.repeat([0, 1], [MEN, WOMEN])


def on_noise(method: str, runs: int, way=crossfit, *, uneven: bool = False) -> list[Existence]:
    return [way(*noise(run, uneven=uneven), ("M", "F"), fit_of(method), seed=run) for run in range(runs)]


def separations_held(rare: int, runs: int) -> int:
    """How many intervals of the separation hold 0; a few of 300 users have a value that says nothing."""
    held = 0
    for run in range(runs):
        users = np.random.default_rng([run, 4]).normal(size=(300, 8)) + 0.3
        codes = (np.arange(300) >= rare).astype(np.int64)
        found = crossfit(users, codes, ("rare", "rest"), fit_of("centroid"), seed=run).separation
        assert found is not None
        low, high = found.limits(0.95)
        held += low <= 0 <= high
    return held


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


def groups_held(
    population: Population, users: int, sizes: tuple[int, ...], runs: int
) -> tuple[float, float, float]:
    """Percent of GEAA's intervals that hold the truth: of a group by itself, that of the group where fewest
    do, and all at once.

    Groups lie in different places, and their limits are those of the audit: what is least for a group is
    pooled over all of them, and all are to hold together.
    """
    places = np.random.default_rng(98).normal(size=(len(sizes), population.dimensions))
    scale = np.linspace(0.5, 1.5, population.dimensions)
    first = int(population.share * users)

    def items(counts: tuple[int, ...], rng: np.random.Generator) -> list[Floats]:
        shape = population.dimensions
        return [
            rng.standard_t(5, size=(n, shape)) * scale + 0.3 * at
            for n, at in zip(counts, places, strict=True)
        ]

    many, rng = 200_000, np.random.default_rng(7)
    a, b = population.draw((many, many, 2, 2), rng)[:2]
    line = UnitSums.of(a).means[0] - UnitSums.of(b).means[0]
    truth = [UnitSums.of(part).means[0] @ line for part in items((many,) * len(sizes), rng)]
    member = np.repeat(np.eye(len(sizes), dtype=bool), sizes, axis=0)
    levels = 0.95, 1 - 0.05 / len(sizes)
    held = np.zeros((2, runs, len(sizes)), dtype=bool)
    for run in range(runs):
        rng = np.random.default_rng([run, 8])
        a, b = population.draw((first, users - first, 2, 2), rng)[:2]
        parts = items(sizes, rng)
        line = UnitSums.of(a).means[0] - UnitSums.of(b).means[0]
        scores = [cosines(part, line) for part in parts]
        least = uncertainty.within(np.concatenate(scores), member)
        for place, part in enumerate(parts):
            toward = UnitSums.of(part).means[0]
            sides = cosines(a, toward), cosines(b, toward)
            for kept, level in zip(held, levels, strict=True):
                limits = interval_of_parts(scores[place], sides, least, level)
                kept[run, place] = limits.low <= truth[place] <= limits.high
    alone = 100 * held[0].mean(axis=0)
    return float(alone.mean()), float(alone.min()), 100 * float(held[1].all(axis=1).mean())


def _r_ripa(a: Floats, b: Floats, e: Floats, p: Floats, method: str, seed: int) -> Interval:
    """The interval that the audit gives a pair of groups."""
    vectors, codes, fit = np.concatenate([a, b]), np.repeat([0, 1], [len(a), len(b)]), fit_of(method)
    direction = made(fit, vectors, codes, np.random.default_rng(seed))
    refits = uncertainty.refitted(vectors, codes, fit, direction, seed)
    toward = UnitSums.of(e).means[0] - UnitSums.of(p).means[0]
    parts = [uncertainty.of_mean(cosines(part, direction)) for part in (e, p)]
    spread = uncertainty.together([*parts, uncertainty.of_refits(refits @ toward)])
    found = uncertainty.interval(float(toward @ direction), spread, 0.95, "", 2, uncertainty.straying(refits))
    assert found is not None
    return found


@dataclass(frozen=True)
class Along:
    """In how many `runs` R-RIPA holds for all groups, and says of any that it is nearer to 0 than it is."""

    runs: int
    held: int
    passed: int
    width: float


def along_held(
    dimensions: int,
    sides: tuple[int, int],
    strength: float,
    runs: int,
    method: str = "centroid",
    *,
    existing: bool = False,
) -> Along:
    """Three groups of 60 items that lie along the direction of the population one way, not, and the other
    way; `existing`: where the direction passed its test, which alone are told."""
    line = np.eye(dimensions)[0]
    leans = 0.15 * np.sqrt(dimensions) * np.array([-1.0, 0.0, 1.0])[:, None] * line
    many = np.random.default_rng(1).normal(size=(40_000, dimensions))
    truth = [float(cosines(many + lean, line).mean()) for lean in leans]
    codes, member = np.repeat([0, 1], sides), np.repeat(np.eye(3, dtype=bool), 60, axis=0)
    fit, held, passed, told, widths = fit_of(method), 0, 0, 0, []
    for run in range(runs):
        rng = np.random.default_rng([run, 43])
        users = (
            rng.normal(size=(sum(sides), dimensions)) + strength * np.where(codes == 0, 1, -1)[:, None] * line
        )
        items = [rng.normal(size=(60, dimensions)) + lean for lean in leans]
        p_value = crossfit(users, codes, ("a", "b"), fit, seed=run).p_value if existing else 0.0
        if p_value > 0.05:
            continue
        told += 1
        direction = made(fit, users, codes, np.random.default_rng(run))
        refits = uncertainty.refitted(users, codes, fit, direction, run)
        strays = uncertainty.straying(refits)
        if p_value > uncertainty.SURE:
            dimensional = uncertainty.effective_dimensions(users, codes)
            strays = uncertainty.straying_if_doubtful(strays, dimensional)
        along = [cosines(part, direction) for part in items]
        least = uncertainty.within(np.concatenate(along), member)
        limits = []
        for part, scores in zip(items, along, strict=True):
            of_direction = uncertainty.of_refits(refits @ UnitSums.of(part).means[0])
            spread = uncertainty.together([uncertainty.of_mean(scores, least), of_direction])
            limits.append(uncertainty.limits(float(scores.mean()), spread, 1 - 0.05 / 3, strays))
        held += all(low <= true <= high for (low, high), true in zip(limits, truth, strict=True))
        passed += any(max(-low, high) < abs(true) for (low, high), true in zip(limits, truth, strict=True))
        widths += [min(high, 1) - max(low, -1) for low, high in limits]
    return Along(told, held, passed, float(np.median(widths)))


def misses(kind: str, items: int, groups: int, runs: int, *, borrow: bool = True) -> tuple[int, int]:
    """In how many of `runs` any GEAA of `groups` groups, all with one truth, lies wholly above it, and below.

    With the tolerance at the truth these are false violations and false passes. `rare` groups have an item of
    twenty that is far from the others. Without `borrow`, a group is taken to vary as much as its items do.
    """
    rng = np.random.default_rng([items, groups, len(kind)])
    truth = {"even": 0.1, "heavy": 0.1, "skew": 0.1, "rare": 0.03}[kind]
    above = below = 0
    for _ in range(runs):
        scores = _item_scores(kind, (groups, items), rng)
        people = [rng.normal(0, 0.05, size=(groups, count)) for count in (200, 100)]
        scores = scores + truth + sum(side.mean(axis=1, keepdims=True) for side in people)
        member = np.repeat(np.eye(groups, dtype=bool), items, axis=0)
        least = uncertainty.within(scores.ravel(), member) if borrow else 0.0
        found = [
            interval_of_parts(scores[place], (people[0][place], people[1][place]), least, 1 - 0.05 / groups)
            for place in range(groups)
        ]
        above += any(limits.low > truth for limits in found)
        below += any(limits.high < truth for limits in found)
    return above, below


def misses_of_unlike_groups(runs: int) -> int:
    """In how many of `runs` any GEAA of 20 groups does not hold the truth, all together at 95%.

    Ten groups have three items that vary four times as much as those of the others, of 300 items; and users
    are few.
    """
    rng, truth = np.random.default_rng(31), 0.1
    sizes = (3,) * 10 + (300,) * 10
    where, spread = np.repeat(np.arange(20), sizes), np.repeat([0.2, 0.05], [30, 3_000])
    member = where[:, None] == np.arange(20)
    missed = 0
    for _ in range(runs):
        people = [rng.normal(0, 0.2, size=(20, count)) for count in (30, 20)]
        scores = (
            truth + spread * rng.normal(size=len(where)) + sum(side.mean(axis=1) for side in people)[where]
        )
        least = uncertainty.within(scores, member)
        found = [
            interval_of_parts(
                scores[where == place], (people[0][place], people[1][place]), least, 1 - 0.05 / 20
            )
            for place in range(20)
        ]
        missed += any(not limits.low <= truth <= limits.high for limits in found)
    return missed


def misses_beside_a_large_group(items: int, runs: int) -> int:
    """In how many of `runs` any GEAA of eleven groups does not hold the truth, all together at 95%.

    Of ten groups one item of twenty is far from the others; the 5,000 items of one are nearly alike.
    """
    rng, truth = np.random.default_rng(41), 0.03
    where = np.repeat(np.arange(11), (5_000,) + (items,) * 10)
    member = where[:, None] == np.arange(11)
    missed = 0
    for _ in range(runs):
        people = [rng.normal(0, 0.05, size=(11, count)) for count in (200, 100)]
        far = _item_scores("rare", (10, items), rng).ravel()
        scores = truth + np.concatenate([rng.normal(0, 0.02, 5_000), far])
        scores += sum(side.mean(axis=1) for side in people)[where]
        least = uncertainty.within(scores, member)
        found = [
            interval_of_parts(
                scores[where == place], (people[0][place], people[1][place]), least, 1 - 0.05 / 11
            )
            for place in range(11)
        ]
        missed += any(not limits.low <= truth <= limits.high for limits in found)
    return missed


def misses_of_regressed_pairs(sizes: tuple[int, ...], runs: int) -> int:
    """In how many of `runs` any difference of two groups, with all others held fixed, is not 0 where all are
    alike; all pairs together at 95%. Forty items are in no group."""
    rng = np.random.default_rng(37)
    member = np.repeat(np.eye(len(sizes) + 1, dtype=bool), (*sizes, 40), axis=0)[:, :-1]
    pairs = [(first, second) for first in range(len(sizes)) for second in range(first)]
    missed = 0
    for _ in range(runs):
        fitted = regression(rng.normal(0, 0.15, len(member)), member, tuple(map(str, range(len(sizes)))))
        assert fitted is not None
        for pair in pairs:
            estimate, error, freedom = fitted.difference(*pair)
            low, high = uncertainty.limits(
                estimate, uncertainty.EstimatedVariance(error**2, freedom), 1 - 0.05 / len(pairs)
            )
            if low > 0 or high < 0:
                missed += 1
                break
    return missed


def interval_of_parts(items: Floats, people: tuple[Floats, Floats], least: float, level: float) -> Interval:
    """That of GEAA, which has a test of its own that would take most of the time here."""
    parts = [uncertainty.of_mean(items, least), *(uncertainty.of_mean(side) for side in people)]
    found = uncertainty.interval(float(items.mean()), uncertainty.together(parts), level, "", 2.0)
    assert found is not None
    return found


def _item_scores(kind: str, size: tuple[int, int], rng: np.random.Generator) -> Floats:
    """Around 0."""
    if kind == "even":
        return rng.normal(0, 0.15, size)
    if kind == "heavy":
        return rng.standard_t(3, size) * 0.1
    if kind == "skew":
        return rng.lognormal(-3, 1, size) - np.exp(-2.5)
    return (rng.random(size) < 0.05) * 0.6 - 0.03 + rng.normal(0, 0.01, size)
