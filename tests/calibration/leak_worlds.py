"""Users who take items, an attribute that their histories tell or do not, and how well it can be told."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from evenhand.association.directions.fits import Classifying
from evenhand.association.leaking.classifier import (
    Predicted,
    Teaching,
    UserHistories,
    items_by_half,
    parts,
    users_from_histories,
    without_parts,
)
from evenhand.association.leaking.findings import item_limits
from evenhand.association.leaking.inflation import inflations, next_to_the_threshold
from evenhand.association.leaking.items import Chosen, Comparison, item_leaks
from evenhand.association.leaking.rates import Rate, rates
from evenhand.stats.means.proportions import auc

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
FOLDS, LENGTH, DIMENSIONS = 5, 12, 8


@dataclass(frozen=True)
class Listeners:
    """`strength` is how much those with the value prefer items on one side; 0 is no leakage."""

    strength: float
    share: float = 0.3
    count: int = 80
    catalogue: int = 77
    length: int = LENGTH

    @property
    def items(self) -> Floats:
        return np.random.default_rng(self.catalogue).normal(size=(self.count, DIMENSIONS)) + 0.3

    def draw(self, count: int, rng: np.random.Generator, seed: int = 0) -> tuple[UserHistories, Flags]:
        items = self.items
        has = rng.random(count) < self.share
        liking = self.strength * np.where(has, 1.0, -1.0)[:, None] * items[:, 0]
        chosen = np.argpartition(-(liking + rng.gumbel(size=(count, self.count))), self.length, axis=1)[
            :, : self.length
        ]
        vectors = items[chosen].mean(axis=1) + 0.3 * rng.normal(size=(count, DIMENSIONS))
        where = np.repeat(np.arange(count), self.length), chosen.ravel()
        taken = sparse.csr_array((np.ones(count * self.length), where), shape=(count, self.count))
        return UserHistories.of(vectors, taken, seed), has


def teaching(training: str) -> Teaching:
    return Teaching(training, "histories", Classifying())


def truth(world: Listeners, users: int, training: str) -> dict[str, float]:
    """How well classifiers taught by as many users as in an audit do on everybody else, on average."""
    everybody, has = world.draw(8_000, np.random.default_rng(5))
    rows = []
    for run in range(40):
        sample, labels = world.draw(users * (FOLDS - 1) // FOLDS, np.random.default_rng([run, 9]))
        found = teaching(training).taught(sample, labels, world.items)
        scores = everybody.histories(found.of_items)
        whole = Predicted(scores - found.threshold, scores, scores, np.zeros(len(has), dtype=np.int64))
        rows.append(_values(whole, has))
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def _values(found: Predicted, has: Flags) -> dict[str, float]:
    said = found.said
    ours, theirs = said[has].mean(), said[~has].mean()
    return {
        "leak_accuracy": float((said == has).mean()),
        "leak_auc": auc(found.by_history, has, found.part)[0],
        "leak_parity": float(ours - theirs),
        "leak_recall_gap": float(ours - (1 - theirs)),
        "leak_precision": float(has[said].mean()) if said.any() else 0.0,
        "leak_recall": float(ours),
        "leak_f1": float(2 * (said & has).sum() / (said.sum() + has.sum())),
    }


def audits(world: Listeners, users: int, training: str, runs: int, *, refit: bool = True) -> list[list[Rate]]:
    out = []
    for run in range(runs):
        sample, has = world.draw(users, np.random.default_rng([run, 3]), seed=run)
        part = parts(has, FOLDS, np.random.default_rng([run, 6]))
        how = teaching(training)
        found = users_from_histories(sample, has, world.items, how, part)
        without = without_parts(sample, has, world.items, how, part, run)
        inflated = inflations(found, has, without) if refit else {}
        out.append(rates(found, has, inflated, 0.95, both_sides=False))
    return out


def at_the_threshold(world: Listeners, users: int, runs: int) -> Floats:
    """The share of users at the scores next to the threshold, which others have as well, of each audit."""
    shares = []
    for run in range(runs):
        sample, has = world.draw(users, np.random.default_rng([run, 3]), seed=run)
        part = parts(has, FOLDS, np.random.default_rng([run, 6]))
        found = users_from_histories(sample, has, world.items, teaching("balanced"), part)
        shares.append(next_to_the_threshold(found))
    return np.array(shares)


def coverage(
    world: Listeners, users: int, training: str, runs: int, *, refit: bool = True
) -> dict[str, float]:
    """Percent of intervals that hold the truth."""
    true = truth(world, users, training)
    held = dict.fromkeys(true, 0.0)
    for found in audits(world, users, training, runs, refit=refit):
        for rate in found:
            if rate.interval is not None:
                low, high = rate.interval
                held[rate.measure] += 100 * (low <= true[rate.measure] <= high) / runs
    return held


def item_p_values(world: Listeners, users: int, training: str, runs: int, permutations: int) -> Floats:
    """Of items by their audience: a p-value each run."""
    out = []
    for run in range(runs):
        sample, has = world.draw(users, np.random.default_rng([run, 4]), seed=run)
        compared = [_by_audience(world)]
        found = item_leaks(sample, has, world.items, teaching(training), compared, permutations, seed=run)
        out.append(found.p_values[0])
    return np.array(out)


def least_of_groups(world: Listeners, users: int, runs: int, permutations: int) -> Floats:
    """The smallest adjusted p-value over ten groups of items that differ in place and size, each run."""
    order = np.argsort(world.items[:, 0])
    starts = np.array([0, 3, 6, 10, 15, 20, 30, 40, 55, 65, world.count])
    group = [np.isin(np.arange(world.count), order[low:high]) for low, high in pairwise(starts)]
    compared = [
        Comparison("leak_group_parity", {"group": str(place)}, Chosen(mine), Chosen(~mine))
        for place, mine in enumerate(group)
    ]
    out = []
    for run in range(runs):
        sample, has = world.draw(users, np.random.default_rng([run, 4]), seed=run)
        found = item_leaks(sample, has, world.items, teaching("balanced"), compared, permutations, seed=run)
        out.append(found.adjusted.min())
    return np.array(out)


def item_coverage(
    strength: float, users: int, runs: int, share: float = 0.3, count: int = 80
) -> dict[str, tuple[int, float, int]]:
    """By measure, how many intervals hold the mean estimate, their median width, and how many there are.

    Users and items are drawn anew each time. The groups are items that those with the value prefer, and a
    tenth of the items whatever they are; the estimates' mean is what an audit of this size is about.
    """
    found: dict[str, list[tuple[float, float, float]]] = {}
    for run in range(runs):
        world = Listeners(strength, share, count, catalogue=1_000 + run)
        sample, has = world.draw(users, np.random.default_rng([run, 4]), seed=run)
        preferred = world.items[:, 0] > 0.8
        tenth = np.arange(count) < count // 10
        compared = [_by_audience(world)]
        for name, group in (("preferred", preferred), ("tenth", tenth)):
            compared += [
                Comparison(f"leak_group {name}", {"group": name}, Chosen(group), None),
                Comparison(f"leak_group_parity {name}", {"group": name}, Chosen(group), Chosen(~group)),
            ]
        compared.append(
            Comparison("leak_group_odds", {"group": ""}, Chosen(preferred, 0), Chosen(~preferred, 0))
        )
        leaks = item_leaks(sample, has, world.items, teaching("balanced"), compared, 1, seed=run)
        for place, one in enumerate(compared):
            spreads = one.over_items(leaks.items), leaks.over_users[place]
            if all(np.isfinite(spread.variance) for spread in spreads):
                limits = item_limits(one, leaks.items, spreads, 0.95)
                found.setdefault(one.measure, []).append((leaks.estimates[place], *limits))
    out = {}
    for measure, rows in found.items():
        estimates, low, high = np.array(rows).T
        held = (low <= estimates.mean()) & (estimates.mean() <= high)
        out[measure] = int(held.sum()), float(np.median(high - low)), len(rows)
    return out


def item_estimates(world: Listeners, users: int, runs: int) -> tuple[Floats, Floats]:
    """Items by their audience, where one half of the users teaches and the other is the audience; and where
    all users do both."""
    apart, same = [], []
    for run in range(runs):
        sample, has = world.draw(users, np.random.default_rng([run, 4]), seed=run)
        half = parts(has, 2, np.random.default_rng([run, 7]))
        halves = (sample[half == 0], sample[half == 1]), (has[half == 0], has[half == 1])
        how = teaching("balanced")
        apart.append(_by_audience(world).estimate(items_by_half(*halves, world.items, how)))
        both = items_by_half((sample, sample), (has, has), world.items, how)
        same.append(_by_audience(world).estimate(both))
    return np.array(apart), np.array(same)


def _by_audience(world: Listeners) -> Comparison:
    everything = np.ones(world.count, dtype=bool)
    return Comparison("leak_items", {}, Chosen(everything, 0), Chosen(everything, 1))
