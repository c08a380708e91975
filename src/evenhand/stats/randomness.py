"""One way to accept randomness: a seed or a generator, and the seed that is written into the result."""

from __future__ import annotations

import numpy as np

from evenhand.errors import InputError


def seed_of(rng: int | np.random.Generator) -> int:
    """The seed itself, or one drawn from a generator, so that every result can name the seed it used."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**32))
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise InputError(f"rng is {rng!r}, but must be a non-negative whole number or a NumPy Generator.")
    return int(rng)
