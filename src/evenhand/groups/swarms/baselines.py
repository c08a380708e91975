"""What double-ended swarms are compared with: plain particle swarms, and chance."""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Ints
from evenhand.groups.swarms.infobase import Infobase
from evenhand.groups.swarms.particles import Swarms

INERTIA, PULL = 0.729, 1.494  # w and c of Clerc and Kennedy (2002), with which swarms converge


class Plain:
    """Textbook swarms: begun anywhere in the box, V = w V + c r1 (Pbest - P) + c r2 (Gbest - P), each with
    its own leader. A combination that nobody has, or too few, has no value and costs nothing.
    """

    def __init__(self, memory: Infobase, shape: Ints, count: int, rng: np.random.Generator) -> None:
        self.memory, self.rng = memory, rng
        self.number = {tuple(codes): number for number, codes in enumerate(memory.codes.tolist())}
        self.highest = shape - 1.0
        self.fastest = np.maximum(self.highest / 2, 1.0)  # as usual: half of the range
        size = (count, len(shape))
        self.swarms = Swarms(rng.uniform(0, 1, size) * self.highest, rng.uniform(-1, 1, size) * self.fastest)
        self._visit()

    def step(self) -> None:
        swarms, here = self.swarms, self.swarms.positions
        own, common = self.rng.random((2, *here.shape))
        velocity = (
            INERTIA * swarms.velocities
            + PULL * own * (swarms.best_positions - here)
            + PULL * common * (swarms.leaders() - here)
        )
        swarms.velocities = np.clip(velocity, -self.fastest, self.fastest)
        swarms.positions = np.clip(here + swarms.velocities, 0, self.highest)
        self._visit()

    def _visit(self) -> None:
        codes = np.rint(self.swarms.positions).astype(np.int64)
        groups = np.array([self.number.get(tuple(row), -1) for row in codes.tolist()])
        self.memory.visit(groups[groups >= 0])
        self.swarms.learn(np.where(groups >= 0, self.memory.means[groups], np.nan))


class Chance:
    """Random search: every group that is large enough, in an order drawn beforehand, while it can be paid."""

    def __init__(self, memory: Infobase, shape: Ints, count: int, rng: np.random.Generator) -> None:
        self.memory, self.count, self.order = memory, count, rng.permutation(len(memory))
        self.step()

    def step(self) -> None:
        self.memory.visit(self.order[self.memory.open[self.order]][: self.count])
