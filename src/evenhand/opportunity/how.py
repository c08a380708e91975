"""How differences between arms are estimated: what a caller chooses, checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.opportunity.differences import NearFair
from evenhand.opportunity.preparation import check_level, check_tolerance, check_variance
from evenhand.parameters import choice, whole
from evenhand.stats.counts import Variance
from evenhand.stats.randomness import seed_of

INTERVALS = ("hull", "delta", "welch", "normal", "percentile", "bca")


@dataclass(frozen=True)
class How:
    """How differences are estimated."""

    level: float
    tolerance: float | None
    seed: int
    interval: str
    variance: Variance
    shared_random: bool
    near_fair: NearFair
    replicates: int
    folds: int

    @classmethod
    def of(
        cls,
        level: float,
        tolerance: float | None,
        rng: int | np.random.Generator,
        interval: str,
        variance: Variance,
        shared_random: bool,
        near_fair: NearFair,
        replicates: int,
        folds: int,
    ) -> How:
        check_level(level)
        check_tolerance(tolerance)
        check_variance(variance)
        choice("interval", interval, INTERVALS)
        choice("near_fair", near_fair, ("bounds", "mover"))
        return cls(
            level, tolerance, seed_of(rng), interval, variance, shared_random, near_fair,
            whole("replicates", replicates, 100, 1_000_000), whole("folds", folds, 2, 500),
        )  # fmt: skip
