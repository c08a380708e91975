"""What an audit keeps of the utilities: a few numbers a user, whatever the number of policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.envy.engines import Engine
from evenhand.envy.rows import UserRows, own_utilities, row_blocks
from evenhand.errors import InputError

# Equal policies may differ in the last digits of their products, which is not envy.
ROUNDING = 32


@dataclass(frozen=True)
class Evidence:
    """Users against all policies: what each gets, the best there is, and how many are better by epsilon.

    Parts about different users, held against the same policies, add up by `+`.
    """

    own: Floats
    """u^m(pi^m)."""
    best: Floats
    """max over n of u^m(pi^n), at least `own`."""
    best_policy: Ints
    """The n of `best`, the user's own where nothing is better."""
    better: Ints
    """How many n have u^m(pi^n) > u^m(pi^m) + epsilon."""
    policies: int
    epsilon: float

    def __add__(self, other: Evidence) -> Evidence:
        if (self.policies, self.epsilon) != (other.policies, other.epsilon):
            raise InputError("evidence about different policies, or of different epsilon, does not add up.")
        return _joined([self, other])

    @property
    def envy(self) -> Floats:
        """Delta^m = max(max_n u^m(pi^n) - u^m(pi^m), 0) (Do and others 2022, Sec. 5.1)."""
        return self.best - self.own

    @property
    def share_better(self) -> Floats:
        """P_{n ~ U_M}[u^m(pi^m) + epsilon < u^m(pi^n)] (Definition 3.2)."""
        return self.better / self.policies


def compare(
    preferences: UserRows,
    policies: UserRows,
    epsilon: float,
    engine: Engine,
    progress: Callable[[str], None] = lambda message: None,
) -> Evidence:
    """Every user against every policy, row m of both being user m; memory grows with users, not pairs."""
    parts = []
    for users in row_blocks(preferences):
        progress(f"users {users.start:,} to {users.stop:,} of {preferences.user_count:,}")
        parts.append(_compare_block(preferences, policies, users, epsilon, engine))
    return _joined(parts)


def _joined(parts: Sequence[Evidence]) -> Evidence:
    return Evidence(
        np.concatenate([part.own for part in parts]),
        np.concatenate([part.best for part in parts]),
        np.concatenate([part.best_policy for part in parts]),
        np.concatenate([part.better for part in parts]),
        parts[0].policies,
        parts[0].epsilon,
    )


def _compare_block(
    preferences: UserRows, policies: UserRows, users: slice, epsilon: float, engine: Engine
) -> Evidence:
    tastes = preferences.dense(users)
    own = own_utilities(preferences, policies, users)
    precision = np.finfo(np.result_type(preferences.dtype, policies.dtype)).eps
    rounding = ROUNDING * precision * np.abs(tastes).max(axis=1).astype(float)
    best, place = own.copy(), np.arange(users.start, users.stop)
    better = np.zeros(len(own), dtype=np.int64)
    left = engine.load(tastes)
    for others in row_blocks(policies):
        block = engine.product(left, engine.load(policies.rows(others)))
        largest, where, above = engine.extremes(block, own + epsilon + rounding)
        improved = (largest > best) & (largest > own + rounding)
        best[improved], place[improved] = largest[improved], others.start + where[improved]
        better += above
    return Evidence(own, best, place, better, policies.user_count, epsilon)
