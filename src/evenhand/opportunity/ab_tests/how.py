"""How differences between arms are estimated: what was asked, and the seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.asked.declared.ab_tests import AskedOfDifferences
from evenhand.opportunity.inference.differences import NearFair
from evenhand.stats.log_ratios.counts import Variance
from evenhand.stats.randomness import seed_of


@dataclass(frozen=True)
class How:
    """How differences are estimated; `more_data` says of those that are not decided what would decide them,
    which takes longer than all else."""

    level: float
    tolerance: float | None
    seed: int
    interval: str
    variance: Variance
    shared_random: bool
    near_fair: NearFair
    replicates: int
    folds: int
    more_data: bool = True

    @classmethod
    def of(cls, asked: AskedOfDifferences, rng: int | np.random.Generator) -> How:
        return cls(
            asked.level, asked.tolerance, seed_of(rng), asked.interval, asked.variance, asked.shared_random,
            asked.near_fair, asked.replicates, asked.folds,
        )  # fmt: skip
