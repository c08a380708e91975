"""One way to accept randomness: a seed or a generator, and the seed that is written into the result."""

from __future__ import annotations

import numpy as np

from evenhand.parameters import LARGEST_SEED, whole


def seed_of(rng: int | np.random.Generator) -> int:
    """The seed itself, or one drawn from a generator, so that every result can name the seed it used."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**32))
    return whole("rng (a seed or a NumPy Generator)", rng, 0, LARGEST_SEED)
