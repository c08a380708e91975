"""Users with a history, items, and one attribute that histories tell, or do not."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Listening:
    """Vectors, a gender each, and rows of who took what; F take items on one side when `strength` is > 0.

    Vectors of users are made of the items that they took, as those of a model are.
    """

    users: Floats
    items: Floats
    gender: NDArray[np.str_]
    taken: pd.DataFrame
    genres: NDArray[np.str_]


def listening(
    strength: float, users: int = 400, items: int = 120, share: float = 0.3, length: int = 15,
    dimensions: int = 8, seed: int = 0,
) -> Listening:  # fmt: skip
    rng = np.random.default_rng([seed, 1])
    vectors = rng.normal(size=(items, dimensions)) + 0.3
    gender = np.where(rng.random(users) < share, "F", "M")
    side = np.where(gender == "F", 1.0, -1.0)
    liking = strength * side[:, None] * vectors[:, 0] + rng.gumbel(size=(users, items))
    chosen = np.argsort(-liking, axis=1)[:, :length]
    people = vectors[chosen].mean(axis=1) + 0.3 * rng.normal(size=(users, dimensions))
    taken = pd.DataFrame({"user_id": np.repeat(np.arange(users), length), "item_id": chosen.ravel()})
    genres = np.select([vectors[:, 0] > 0.9, vectors[:, 0] < -0.3], ["Romance", "Action"], "Drama")
    return Listening(people, vectors, gender, taken, genres)
