"""The search for the best and the worst served group where every user scored costs time or money.

Double-ended discrete particle swarms (FairRec, Sec. 3.3), and plain swarms and random search to compare
them with. Where all users can be scored, `cells.every_cell` gives the exact answer at once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.groups.cells import Cells
from evenhand.groups.swarms.baselines import Chance, Plain
from evenhand.groups.swarms.infobase import Infobase, Score
from evenhand.groups.swarms.particles import DoubleEnded

Method = Literal["dpso", "pso", "random"]
Stop = Literal["budget", "seconds", "iterations", "all groups visited"]

METHODS: dict[str, type[DoubleEnded] | type[Plain] | type[Chance]] = {
    "dpso": DoubleEnded,
    "pso": Plain,
    "random": Chance,
}
FEW = 1_000  # combinations of values, up to which FairRec takes many particles and few iterations
IDLE = 50  # iterations in a row without a new group, after which plain swarms are taken to have converged


@dataclass(frozen=True)
class Visited:
    """What a search has seen: the `cells` visited, in the order of the visits, and the users scored with
    their values, group after group in the same order. `trace` has a pair after each iteration: users scored
    so far, and the gap between the greatest and the least mean of a group.
    """

    cells: Ints
    users: Ints
    values: Floats
    trace: tuple[tuple[int, float], ...]
    stopped: Stop

    @property
    def users_scored(self) -> int:
        return len(self.users)

    @property
    def iterations(self) -> int:
        return len(self.trace)

    @property
    def gap(self) -> float:
        """The greatest mean of a group visited minus the least; NaN where no user has a value."""
        return self.trace[-1][1]


def swarm(
    cells: Cells,
    least: int,
    score: Score,
    *,
    method: Method = "dpso",
    budget: int | None = None,
    seconds: float | None = None,
    seed: int,
    progress: Callable[[str], None] = lambda message: None,
) -> Visited:
    """Visit groups of at least `least` users until `budget` users are scored or `seconds` have passed.

    `score` takes user numbers, places in `cells.of_user`, and gives a value for each, NaN for a user who has
    none and is left out of means. It is called once an iteration and never twice for a user. The clock is
    read between iterations. Without budget and seconds there are as many iterations as in FairRec.
    """
    if method not in METHODS:
        raise InputError(f"There is no search {method!r}; there are: {', '.join(METHODS)}.")
    end = math.inf if seconds is None else time.monotonic() + seconds
    memory = Infobase(cells, least, score, budget)
    shape = np.array([max(len(words), 1) for words in cells.values])
    particles, iterations = _settings(shape)
    limit = math.inf if budget is not None or seconds is not None else iterations
    search = METHODS[method](memory, shape, particles, np.random.default_rng(seed))
    trace = [(memory.users_scored, memory.gap)]
    idle = 0
    while True:
        users, gap = trace[-1]
        progress(f"iteration {len(trace)}: {users:,} users scored, gap {gap:.4f}")
        if not memory.open.any():
            stopped: Stop = "all groups visited" if memory.visited.all() else "budget"
            break
        if time.monotonic() >= end:
            stopped = "seconds"
            break
        if len(trace) >= limit or idle >= IDLE:
            stopped = "iterations"
            break
        search.step()
        idle = idle + 1 if memory.users_scored == users else 0
        trace.append((memory.users_scored, memory.gap))
    return Visited(
        memory.cells[memory.order],
        np.concatenate([np.zeros(0, dtype=np.int64), *memory.users]),
        np.concatenate([np.zeros(0), *memory.values]),
        tuple(trace),
        stopped,
    )


def _settings(shape: Ints) -> tuple[int, int]:
    """Particles of both swarms together, and iterations, by the number of combinations of values.

    FairRec has .1 to .2 particles a combination and 5 to 10 iterations up to 1,000 combinations, .002 to
    .005 and 15 to 20 above.
    """
    combinations = math.prod(shape.tolist())
    share, iterations = (0.2, 10) if combinations <= FEW else (0.005, 20)
    return max(2, math.ceil(share * combinations)), iterations
