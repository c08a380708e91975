"""Random logs that are random, in five ways, and some that are not: draws of items by user."""

import numpy as np

from evenhand.stats.sign_flips import agreement

ITEMS, USERS, DRAWS = 300, 200, 10


def draws(kind: str, rng: np.random.Generator, spread: float = 0.0) -> np.ndarray:
    """Draws of each item, users x items, each with its weight. `spread` is the log-normal one of the chances
    of items."""
    chances = np.exp(rng.normal(0, spread, ITEMS))
    sizes, weights, times = np.full(USERS, DRAWS), np.ones(ITEMS), np.ones(USERS * DRAWS, dtype=int)
    if kind == "heavy users":
        sizes = np.minimum(1 + (rng.pareto(1.2, USERS) * DRAWS / 4).astype(int), 2_000)
        times = np.ones(sizes.sum(), dtype=int)
    if kind == "refreshes":
        times = rng.integers(1, 5, USERS * DRAWS)
    if kind == "weighted":
        weights = rng.uniform(0.2, 2, ITEMS)
    chances = chances * weights / (chances * weights).sum()
    if kind == "slates without replacement":
        # Gumbel's trick: the largest of perturbed log chances are a sample without replacement.
        items = np.argsort(-np.log(chances) - rng.gumbel(size=(USERS, ITEMS)), axis=1)[:, :DRAWS].ravel()
    else:
        items = rng.choice(ITEMS, size=sizes.sum(), p=chances)
    table = np.zeros((USERS, ITEMS))
    np.add.at(table, (np.repeat(np.arange(USERS), sizes), items), times / weights[items])
    return table


KINDS = ["independent", "slates without replacement", "refreshes", "heavy users", "weighted"]


def p_values(kind: str, runs: int, spread: float = 0.0, seed: int = 7) -> np.ndarray:
    """Of the test on a catalogue of all items."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(runs):
        table = draws(kind, rng, spread)
        sizes = table.sum(axis=1)
        found.append(agreement(table @ table.T - np.outer(sizes, sizes) / ITEMS, rng)[1])
    return np.array(found)
