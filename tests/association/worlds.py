"""Embeddings with a planted direction, or with none."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def unit(vector: Floats) -> Floats:
    return vector / np.linalg.norm(vector)


def planted(
    strength: float, first: int = 400, second: int = 300, dimensions: int = 16, seed: int = 0
) -> tuple[Floats, Floats, Floats]:
    """Two sets that lie `strength` standard deviations to either side along a direction, and that one."""
    rng = np.random.default_rng(seed)
    direction = unit(rng.normal(size=dimensions))
    a, b = rng.normal(size=(first, dimensions)), rng.normal(size=(second, dimensions))
    return a + strength * direction, b - strength * direction, direction


@dataclass(frozen=True)
class World:
    """Users with a gender, items with one or two genres; Action leans to M, Romance to F, Western to none."""

    items: Floats
    users: Floats
    gender: list[str]
    genres: list[str]


def world(
    strength: float = 0.7, users: int = 600, items: int = 400, dimensions: int = 12, seed: int = 0
) -> World:
    rng = np.random.default_rng(seed)
    direction = unit(rng.normal(size=dimensions))
    gender = rng.choice(["F", "M"], users, p=[0.3, 0.7])
    people = rng.normal(size=(users, dimensions)) + 0.4
    people += strength * np.where(gender == "F", 1, -1)[:, None] * direction
    lean = {"Action": -1.0, "Romance": 1.0, "Western": 0.0}
    genres = [rng.choice(list(lean), size=rng.integers(1, 3), replace=False) for _ in range(items)]
    things = rng.normal(size=(items, dimensions))
    things += np.array([sum(lean[genre] for genre in mine) for mine in genres])[:, None] * direction
    return World(things, people, gender.tolist(), ["|".join(mine) for mine in genres])
