"""Trainings of a model whose space turns, and wobbles, from one to the next; and whose groups may move."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trained:
    """Women lie on one side of the first axis, men on the other; so do items of Romance and of Action."""

    users: int = 240
    items: int = 150
    dimensions: int = 6

    @property
    def gender(self) -> NDArray[np.str_]:
        return np.resize(["F", "M", "M"], self.users)

    @property
    def genres(self) -> NDArray[np.str_]:
        return np.resize(["Action", "Drama", "Romance"], self.items)

    def training(
        self, seed: int, lean: float = 0.5, noise: float = 0.3, apart: float = 0.8
    ) -> tuple[Floats, Floats]:
        """(items, users): the same entities as ever, with the noise of this training, turned at random.

        Items of a genre share a part of the noise, as they do in models, where it is of the whole space.
        """
        fixed = np.random.default_rng(1)
        users = fixed.normal(size=(self.users, self.dimensions))
        items = fixed.normal(size=(self.items, self.dimensions))
        users[:, 0] += apart * np.where(self.gender == "F", 1, -1)
        place, side = np.unique(self.genres, return_inverse=True)[1], np.array([-1.0, 0.0, 1.0])
        items[:, 0] += lean * side[place]
        rng = np.random.default_rng([seed, 2])
        items += noise * rng.normal(size=items.shape)
        items += noise * rng.normal(size=(3, self.dimensions))[place] / 2
        users += noise * rng.normal(size=users.shape)
        turn = np.linalg.qr(rng.normal(size=(self.dimensions, self.dimensions)))[0]
        return items @ turn, users @ turn

    def state(self, first: int, count: int, **how: float) -> list[tuple[Floats, Floats]]:
        return [self.training(first + run, **how) for run in range(count)]
