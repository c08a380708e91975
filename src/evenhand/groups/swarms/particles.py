"""Double-ended discrete particle swarms: which groups to visit next.

A particle is a group as a point with the code of each attribute as a coordinate (FairRec, Sec. 3.3). Half
of the particles seek the greatest mean, the others the least.
"""

from __future__ import annotations

import math

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.groups.swarms.expectations import expectations, log_gain
from evenhand.groups.swarms.infobase import Infobase

THERMAL, PULL, FASTEST = 0.09, 2.0, 2.0  # alpha, c1 = c2 and v* of FairRec, Sec. 4.1
FEWEST = 4  # particles, two a swarm
NEAR = 0.75  # of the open groups are within reach; with fewer, a part of the world may never be seen
GOALS = (1.0, -1.0)


class Swarms:
    """Both swarms, a row a particle. `goals` is 1 where the greatest mean is sought and -1 where the least
    is; goal * mean is what a particle wants more of.
    """

    def __init__(self, positions: Floats, velocities: Floats) -> None:
        # Every other particle has the other goal, so that what is left of a budget is shared evenly.
        self.goals = np.resize(GOALS, len(positions))
        self.positions, self.velocities = positions, velocities
        # Copies, never views: a best position that moves along with its particle remembers nothing.
        self.best_positions = positions.copy()
        self.best_values = np.full(len(positions), -np.inf)

    def learn(self, means: Floats) -> None:
        """Pbest, the best place each particle has been to (Algorithm 3, lines 11-16); NaN is no place."""
        values = np.where(np.isnan(means), -np.inf, self.goals * means)
        better = values > self.best_values
        self.best_values[better] = values[better]
        self.best_positions[better] = self.positions[better]

    def centres(self) -> Floats:
        """C of equation 8: the mean best position of the particle's own swarm, a row a particle."""
        return self._by_goal([self.best_positions[self.goals == goal].mean(axis=0) for goal in GOALS])

    def leaders(self) -> Floats:
        """The best position of any particle of the same swarm, a row a particle."""
        values = [np.where(self.goals == goal, self.best_values, -np.inf) for goal in GOALS]
        return self._by_goal([self.best_positions[np.argmax(of_goal)] for of_goal in values])

    def _by_goal(self, rows: list[Floats]) -> Floats:
        return np.where(self.goals[:, None] == GOALS[0], *rows)


class DoubleEnded:
    """Two swarms with a shared memory (FairRec, Algorithms 1 to 3). What is ours, since users cost:

    - Particles begin where users are, but in groups drawn with chances of 1 / size rather than by a
      distribution of users: that finds the largest groups, which cost most and are hardly ever extreme.
    - There are no more particles than a twentieth of the groups that can be visited. FairRec counts every
      combination of values, of which most are empty: so many would spend a budget before they learn anything.
    - A particle always lands on a group that has not been visited and can be paid for: one where nobody is,
      or that is known, teaches nothing. Of the nearer three quarters of these it takes the one of the
      greatest expected gain a user, by what the memory says of the values that groups have in common.
    - The swarms fly on while there is a budget.

    It is the choice by expected gain that finds the extremes. Particles that land on the nearest group
    instead do about as well as random search in the worlds of benchmarks/swarm.py.
    """

    def __init__(self, memory: Infobase, shape: Ints, count: int, rng: np.random.Generator) -> None:
        self.memory, self.shape, self.rng = memory, shape, rng
        affordable = np.flatnonzero(memory.open)
        count = min(count, max(FEWEST, len(memory) // 20), len(affordable))
        chances = 1.0 / memory.sizes[affordable]
        start = rng.choice(affordable, size=count, replace=False, p=chances / chances.sum())
        velocities = rng.uniform(-FASTEST, FASTEST, (count, len(shape)))
        self.swarms = Swarms(memory.codes[start].astype(np.float64), velocities)
        memory.visit(start)
        self.swarms.learn(memory.means[start])

    def step(self) -> None:
        swarms = self.swarms
        landed = self._land(self._aims())
        moved = landed >= 0
        self.memory.visit(landed[moved])
        swarms.positions[moved] = self.memory.codes[landed[moved]]
        swarms.learn(np.where(moved, self.memory.means[landed], np.nan))

    def _aims(self) -> Floats:
        """V = alpha |C - P| phi + c1 r1 (Pbest - P) + c2 r2 (Gbest - P), and P + V (equations 8 and 9)."""
        swarms, here = self.swarms, self.swarms.positions
        best = self.memory.extremes()
        leaders = here if best is None else self.memory.codes[np.where(swarms.goals == GOALS[0], *best)]
        own, common = self.rng.random((2, *here.shape))
        velocity = (
            THERMAL * np.abs(swarms.centres() - here) * self.rng.normal(size=(len(here), 1))
            + PULL * own * (swarms.best_positions - here)
            + PULL * common * (leaders - here)
        )
        swarms.velocities = np.clip(velocity, -FASTEST, FASTEST)
        return np.clip(np.rint(here + swarms.velocities), 0, self.shape - 1)

    def _land(self, aims: Floats) -> Ints:
        """A group of its own for every particle, -1 where none is left."""
        memory = self.memory
        worth = self._worth()
        unvisited, left = ~memory.visited, memory.left
        landed = np.full(len(aims), -1)
        for particle, aim in enumerate(aims):
            open_ = np.flatnonzero(unvisited & (memory.sizes <= left))
            if len(open_) == 0:
                break
            # The order of codes means something only if neighbours resemble each other, as with ages; that
            # values are the same always does. So a differing value is far, and further codes decide ties.
            apart = np.abs(memory.codes[open_] - aim)
            distance = (apart > 0).sum(axis=1) + (apart / self.shape).sum(axis=1)
            count = math.ceil(NEAR * len(open_))
            near = open_[np.argpartition(distance, count - 1)[:count]]
            landed[particle] = near[np.argmax(worth[self.swarms.goals[particle]][near])]
            unvisited[landed[particle]] = False
            left -= int(memory.sizes[landed[particle]])
        return landed

    def _worth(self) -> dict[float, Floats]:
        """For each goal, the logarithm of the expected gain of a visit divided by its cost in users."""
        memory = self.memory
        expected, error = expectations(memory, self.shape)
        best = memory.extremes()
        means = (0.0, 0.0) if best is None else memory.means[list(best)]
        return {
            goal: log_gain(expected, error, float(mean), goal) - np.log(memory.sizes)
            for goal, mean in zip(GOALS, means, strict=True)
        }
