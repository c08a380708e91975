"""How strongly are entities associated with an attribute? EAA, GEAA, DEAA and R-RIPA.

A and B define the attribute, E and P are tested; each may be users or items, as long as all share one space.
With unit vectors,

    EAA(e) = mean_a cos(e, a) - mean_b cos(e, b) = e . (mean(A) - mean(B))        Beattie (2023), Eq. 5.1

so that all of them are one product of a matrix and a vector, and every permutation test moves scalars.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from evenhand.arrays import Floats, Vectors
from evenhand.association import uncertainty
from evenhand.association.evidence import UnitSums
from evenhand.association.vectors import devices
from evenhand.association.vectors.checks import checked, cosines, same_space, two_sets
from evenhand.findings import Interval
from evenhand.parameters import choice, number, whole
from evenhand.stats.means.two_samples import shuffle_two
from evenhand.stats.randomness import seed_of

METHOD = "jackknife over both sides"
AGGREGATES = ("mean", "sum")
ITEM_TESTS = ("permutation", "rank_sum")


@dataclass(frozen=True)
class Association:
    """A measure of one set, or of one set against another.

    `p_value` is that of the attribute: the values of A and B are shuffled. `p_items` is that of the tested
    sets: E and P are shuffled. Groups of items that lie in different places differ along *any* line, also one
    made of noise, so a small `p_items` alone says nothing about the attribute; a difference that is about
    both has both small. `effect` is in standard deviations. `spread` are the parts of the variance that the
    interval rests on, and `strays` how much of a direction is chance (`uncertainty`).
    """

    estimate: float
    effect: float | None
    interval: Interval | None
    p_value: float | None
    p_items: float | None
    exact: bool
    spread: tuple[uncertainty.EstimatedVariance, ...] = ()
    strays: float = 0.0


def eaa(items: Any, a: Any, b: Any, *, device: str | None = None) -> Floats:
    """EAA of each row of `items`: how much nearer, in mean cosine, it is to the entities `a` than to `b`.

    `device` is one of torch ("cuda"), or "auto" for a GPU where there is one; without it, NumPy computes.
    """
    with devices.on(device):
        tested = checked("items", items)
        first, second = two_sets(a, b)
        same_space(("items", tested), ("a", first))
        return cosines(tested, mean_difference(first, second))


def mean_difference(a: Vectors, b: Vectors) -> Floats:
    """mean(A) - mean(B) of unit vectors."""
    return np.asarray(UnitSums.of(a).means[0] - UnitSums.of(b).means[0])


def geaa(
    items: Any, a: Any, b: Any, *, aggregate: str = "mean", permutations: int = 10_000, level: float = 0.95,
    rng: int | np.random.Generator = 0, device: str | None = None,
) -> Association:  # fmt: skip
    """GEAA of a set of items: the mean of its EAA (`sum` as in Beattie, Eq. 5.2).

    The test shuffles who of A and B has which value: as GEAA is the difference between A and B of their mean
    cosine with the items, that shuffles one number an entity. The effect is that difference in standard
    deviations over A and B.
    """
    choice("aggregate", aggregate, AGGREGATES)
    with devices.on(device):
        tested = checked("items", items)
        first, second = two_sets(a, b)
        same_space(("items", tested), ("a", first))
        scores, toward = cosines(tested, mean_difference(first, second)), UnitSums.of(tested).means[0]
        a_scores, b_scores = cosines(first, toward), cosines(second, toward)
    return group_association(
        scores, a_scores, b_scores, aggregate=aggregate, permutations=_permutations(permutations),
        level=_level(level), seed=seed_of(rng),
    )  # fmt: skip


def group_association(
    scores: Floats, a_scores: Floats, b_scores: Floats, *, aggregate: str, permutations: int, level: float,
    seed: int, least: float = 0.0,
) -> Association:  # fmt: skip
    """GEAA from scalars: EAA of the items, and the mean cosine of each attribute entity with the items.

    `least` is how much items are taken to vary in any case.
    """
    times = len(scores) if aggregate == "sum" else 1
    shuffled = shuffle_two(a_scores, b_scores, permutations=permutations, seed=seed)
    users = [uncertainty.of_mean(part) for part in (a_scores, b_scores)]
    parts = (uncertainty.of_mean(scores, least), *users)
    spread = uncertainty.together(parts)
    estimate = float(scores.mean())
    return Association(
        estimate * times,
        effect_size(a_scores, b_scores),
        _scaled(uncertainty.interval(estimate, spread, level, METHOD, 2.0), times),
        shuffled.p_value,
        None,
        shuffled.exact,
        tuple(part.scaled(times) for part in parts),
    )


def deaa(
    e: Any, p: Any, a: Any, b: Any, *, aggregate: str = "mean", test: str = "permutation",
    permutations: int = 10_000, level: float = 0.95, rng: int | np.random.Generator = 0,
    device: str | None = None,
) -> Association:  # fmt: skip
    """DEAA: how much more the items `e` are associated with `a` rather than `b` than the items `p` are.

    The difference of the mean EAA. Beattie's difference of sums (Eq. 5.3, `aggregate="sum"`) is not 0
    where there is no difference if E and P are of different sizes; its test, centred at the mean over
    permutations, is that of the means. `test="rank_sum"` compares the sets of items by ranks (Wilcoxon)
    instead of shuffling them. The effect size is Eq. 5.4.
    """
    choice("aggregate", aggregate, AGGREGATES)
    choice("test", test, ITEM_TESTS)
    with devices.on(device):
        ours, theirs = two_sets(e, p, ("e", "p"))
        first, second = two_sets(a, b)
        same_space(("e", ours), ("a", first))
        line, toward = mean_difference(first, second), mean_difference(ours, theirs)
        e_scores, p_scores = cosines(ours, line), cosines(theirs, line)
        a_scores, b_scores = cosines(first, toward), cosines(second, toward)
    found = pair_association(
        e_scores, p_scores, a_scores, b_scores, way=test, permutations=_permutations(permutations),
        level=_level(level), seed=seed_of(rng),
    )  # fmt: skip
    if aggregate == "mean":
        return found
    total = float(e_scores.sum() - p_scores.sum())
    # No interval: a difference of sums of unequal sets has no value that means "no difference".
    return Association(total, found.effect, None, found.p_value, found.p_items, found.exact)


def pair_association(
    e_scores: Floats, p_scores: Floats, a_scores: Floats, b_scores: Floats, *, way: str = "permutation",
    permutations: int, level: float, seed: int, least: float = 0.0,
) -> Association:  # fmt: skip
    """DEAA from scalars: EAA of the items, and of each attribute entity how much nearer it is to E than P."""
    items = item_test(e_scores, p_scores, way, permutations, seed)
    users = shuffle_two(a_scores, b_scores, permutations=permutations, seed=seed + 1)
    estimate = float(e_scores.mean() - p_scores.mean())
    of_items = [uncertainty.of_mean(part, least) for part in (e_scores, p_scores)]
    parts = (*of_items, *(uncertainty.of_mean(part) for part in (a_scores, b_scores)))
    return Association(
        estimate,
        effect_size(e_scores, p_scores),
        uncertainty.interval(estimate, uncertainty.together(parts), level, METHOD, 4.0),
        users.p_value,
        items[0],
        items[1],
        parts,
    )


def item_test(
    e_scores: Floats, p_scores: Floats, way: str, permutations: int, seed: int
) -> tuple[float, bool]:
    """The two-sided p-value of two sets of scores, and whether it is by enumeration."""
    if way == "rank_sum":
        return float(stats.mannwhitneyu(e_scores, p_scores, alternative="two-sided").pvalue), False
    shuffled = shuffle_two(e_scores, p_scores, permutations=permutations, seed=seed)
    return shuffled.p_value, shuffled.exact


def r_ripa(
    e: Any, direction: Any, p: Any = None, *, test: str = "permutation", permutations: int = 10_000,
    level: float = 0.95, rng: int | np.random.Generator = 0,
) -> Association:  # fmt: skip
    """R-RIPA: the mean cosine of the items `e` with a direction (Eq. 5.5), or its difference to that of `p`.

    The effect size (Eq. 5.6) and the test, which shuffles items over E and P, need `p`. The interval takes
    the direction as given; the audit also makes the direction again without parts of those who made it.
    """
    choice("test", test, ITEM_TESTS)
    line = checked("direction", np.atleast_2d(direction))
    unit_line = np.asarray(line[0] / np.linalg.norm(line[0]), dtype=np.float64)
    method = "jackknife over items"
    if p is None:
        ours = checked("e", e)
        same_space(("e", ours), ("direction", line))
        scores = cosines(ours, unit_line)
        spread = uncertainty.of_mean(scores)
        estimate = float(scores.mean())
        limits = uncertainty.interval(estimate, spread, _level(level), method, 1.0)
        return Association(estimate, None, limits, None, None, False)
    ours, theirs = two_sets(e, p, ("e", "p"))
    same_space(("e", ours), ("direction", line))
    e_scores, p_scores = cosines(ours, unit_line), cosines(theirs, unit_line)
    chance, exact = item_test(e_scores, p_scores, test, _permutations(permutations), seed_of(rng))
    spread = uncertainty.together([uncertainty.of_mean(e_scores), uncertainty.of_mean(p_scores)])
    estimate = float(e_scores.mean() - p_scores.mean())
    limits = uncertainty.interval(estimate, spread, _level(level), method, 2.0)
    return Association(estimate, effect_size(e_scores, p_scores), limits, None, chance, exact)


def effect_size(first: Floats, second: Floats) -> float | None:
    """The difference of means in standard deviations of both sets together (Eq. 5.4); None if that is 0."""
    spread = float(np.std(np.concatenate([first, second])))
    return float(first.mean() - second.mean()) / spread if spread > 0 else None


def _scaled(interval: Interval | None, times: float) -> Interval | None:
    if interval is None or times == 1:
        return interval
    return interval.amended(low=interval.low * times, high=interval.high * times)


def _permutations(given: Any) -> int:
    return whole("permutations", given, 20, 1_000_000)


def _level(given: Any) -> float:
    return number("level", given, 0.5, 0.9999)
