"""How often do tests of growth alarm when nothing but the seed of a training has changed?

    .venv/bin/python benchmarks/association_amplification.py ML-100K-FOLDER --kind bpr [--trainings 16]

A model is trained many times on the same data (MovieLens-100k), without any loop. Two sets of trainings are
then compared as if they were the first and the last state: by Beattie's Kolmogorov-Smirnov test of one
training each, by a paired t-test over items of one training each, and by `growth` with several trainings a
state. Percentages of genres with p <= .05, and of comparisons in which any genre has one after Bonferroni.
With --vectors FILE trainings are kept there, and read from there the next time.
"""

from __future__ import annotations

import argparse
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from evenhand.association.directions.fits import fit_of, made
from evenhand.association.growing.growth import Members, growth, kolmogorov
from evenhand.association.measures import mean_difference
from evenhand.association.vectors.checks import cosines
from evenhand.datasets import movielens
from evenhand.recommenders import Interactions, fit
from evenhand.recommenders.taken.splits import random_split

Floats = NDArray[np.float64]
FEWEST = 20  # items of a genre
FIFTHS = 5
SETTINGS = {"als": {"factors": 32}, "bpr": {"factors": 32, "epochs": 20}}
SHARES = {"als": (0.98, 0.01, 0.01), "bpr": (0.8, 0.1, 0.1)}


def trained(kind: str, data: Interactions, count: int) -> tuple[list[Floats], list[Floats]]:
    parts = random_split(data, np.random.default_rng(0), SHARES[kind])
    found = [
        fit(kind, parts.train, parts.valid, 1_000 + run, **SETTINGS[kind])[0].embeddings
        for run in range(count)
    ]
    return [one.items for one in found], [one.users for one in found]


def scored(
    items: Floats, users: Floats, codes: NDArray[np.int64], known: NDArray[np.bool_]
) -> list[tuple[Floats, Floats]]:
    """EAA, and the cosine with the direction, with all users and without each fifth of them.

    NaN for items that a training left without a vector.
    """
    part = np.arange(len(users)) % FIFTHS
    sets = [np.ones(len(users), dtype=bool), *(part != number for number in range(FIFTHS))]
    out = np.full((2, len(sets), len(items)), np.nan)
    for row, kept in enumerate(sets):
        rows, mine = users[kept], codes[kept]
        line = made(fit_of("svc"), rows, mine, np.random.default_rng(0))
        for which, direction in enumerate((mean_difference(rows[mine == 0], rows[mine == 1]), line)):
            out[which, row, known] = cosines(items[known], direction)
    return [(one[0], one[1:]) for one in out]


def alarms(p_values: list[list[float]]) -> str:
    p = np.array(p_values)
    any_alarm = (p.min(axis=1) * p.shape[1] <= 0.05).mean()
    return f"{100 * (p <= 0.05).mean():5.1f}% of genres, any of them in {100 * any_alarm:5.1f}%"


def paired(first: Floats, last: Floats, chosen: NDArray[np.bool_]) -> float:
    side = np.sign(first[chosen].mean())
    return float(stats.ttest_rel(side * last[chosen], side * first[chosen], alternative="greater").pvalue)


def report(
    name: str, scored: list[tuple[Floats, Floats]], genres: list[NDArray[np.bool_]], draws: int
) -> None:
    scores = [whole for whole, _ in scored]
    pairs = [(scores[i], scores[j]) for i, j in permutations(range(len(scores)), 2)]
    side = [[1 if first[mine].mean() >= 0 else -1 for mine in genres] for first, _ in pairs]
    ks = [
        [kolmogorov(*pair, mine, mine_side) for mine, mine_side in zip(genres, sides, strict=True)]
        for pair, sides in zip(pairs, side, strict=True)
    ]
    print(f"{name}, Kolmogorov-Smirnov:         {alarms(ks)}")
    print(f"{name}, paired over items:          {alarms([[paired(*p, g) for g in genres] for p in pairs])}")
    rng = np.random.default_rng(0)
    for count in (2, 3, 5):
        rows = []
        for _ in range(draws):
            drawn = rng.permutation(len(scores))[: 2 * count]
            both = [
                [[scored[run][which] for run in part] for part in (drawn[:count], drawn[count:])]
                for which in (0, 1)
            ]
            rows.append([growth(*both, Members(mine)).p_value or 0.0 for mine in genres])
        print(f"{name}, {count} trainings a state:       {alarms(rows)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--kind", choices=sorted(SETTINGS), default="bpr")
    parser.add_argument("--trainings", type=int, default=16)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--vectors", type=Path)
    given = parser.parse_args()
    data = movielens(given.data)
    interactions = Interactions.from_frame(data.interactions)
    if given.vectors and given.vectors.exists():
        with np.load(given.vectors) as kept:
            items, users = list(kept["I"]), list(kept["U"])
    else:
        items, users = trained(given.kind, interactions, given.trainings)
        if given.vectors:
            np.savez(given.vectors, I=items, U=users)
    gender = data.users.set_index("user_id")["gender"].reindex(interactions.user_ids)
    codes = (gender == "M").to_numpy().astype(np.int64)
    known = np.all([np.linalg.norm(one, axis=1) > 0 for one in items], axis=0)
    words = data.items.set_index("item_id")["genres"].reindex(interactions.item_ids)
    named = sorted({word for cell in words for word in cell})
    genres = [np.array([word in cell for cell in words]) & known for word in named]
    genres = [mine for mine in genres if mine.sum() >= FEWEST]
    print(f"{given.kind}: {len(items)} trainings, {len(genres)} genres")
    both = [scored(one, other, codes, known) for one, other in zip(items, users, strict=True)]
    for place, name in enumerate(("EAA", "R-RIPA")):
        report(name, [one[place] for one in both], genres, given.draws)


if __name__ == "__main__":
    main()
