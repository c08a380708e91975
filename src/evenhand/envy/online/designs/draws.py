"""The randomness of an audit: of each block a few numbers, which follow from the seed and the number of the
block alone.

So a state holds no random state, a log that is folded again needs none, and what is drawn for a block does
not depend on how often anybody asked. The numbers are those of SplitMix64 (Steele and others 2014), begun
anew for every block; the step-by-step auditor and the simulation kernels call the same code.
"""

from __future__ import annotations

import hashlib
import secrets

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats
from evenhand.compiled import njit
from evenhand.parameters import LARGEST_SEED
from evenhand.stats.randomness import seed_of

Keys = NDArray[np.uint64]

_GOLDEN, _FIRST, _SECOND = (
    np.uint64(constant) for constant in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
_30, _27, _31, _11 = (np.uint64(shift) for shift in (30, 27, 31, 11))


def seed_for(rng: int | np.random.Generator | None) -> int:
    """The seed that is given; without one, a seed from the system's randomness, which nobody can foresee."""
    return secrets.randbelow(LARGEST_SEED) + 1 if rng is None else seed_of(rng)


def key_of(seed: int) -> np.uint64:
    """What the numbers of every block are made from."""
    return np.uint64(int.from_bytes(hashlib.sha256(b"%d" % seed).digest()[:8], "big"))


def keys_of(seed: int, count: int) -> Keys:
    """Keys of so many simulated audits, the first that of an auditor with this seed."""
    further = np.random.SeedSequence(seed).generate_state(count, np.uint64).astype(np.uint64)
    further[0] = key_of(seed)
    return further


@njit(nogil=True)
def _mixed(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> _30)) * _FIRST
    value = (value ^ (value >> _27)) * _SECOND
    return value ^ (value >> _31)


@njit(nogil=True)
def draw(key: np.uint64, number: int, drawn: Floats) -> None:
    """Fill `drawn` with the numbers of this block, from 0 up to 1."""
    state = _mixed(key ^ _mixed(np.uint64(number) * _GOLDEN))
    for i in range(len(drawn)):
        state = state + _GOLDEN
        drawn[i] = (_mixed(state) >> _11) * (1.0 / 9007199254740992.0)


@njit(nogil=True)
def drawn_alone(key: np.uint64, number: int) -> float:
    """The first number of this block; of the unpaired design, where every step is one."""
    drawn = np.empty(1)
    draw(key, number, drawn)
    return drawn[0]


class Draws:
    """The numbers of each block of an audit with this seed."""

    def __init__(self, seed: int) -> None:
        self._key = key_of(seed)

    def of(self, number: int, count: int) -> Floats:
        """The first `count` numbers of this block."""
        drawn = np.empty(count)
        draw(self._key, number, drawn)
        return drawn

    def for_order(self, drawn: Floats, others: int) -> Floats:
        """Those of a block's numbers that put its others in order."""
        return drawn[len(drawn) // 2 :]

    def alone(self, step: int) -> float:
        """The number of a step of the unpaired design."""
        return drawn_alone(self._key, step)
