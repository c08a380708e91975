"""Simulated audits of one user whose true means are known: how long, at what cost, with which outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.arrays import Floats, Ints
from evenhand.asked.declared.envy_online import AskedAudits, AskedWorld
from evenhand.envy.online.designs.block_kernel import run_block_audits
from evenhand.envy.online.designs.block_rules import block_rules_for
from evenhand.envy.online.designs.draws import keys_of
from evenhand.envy.online.designs.kernel import ENVY, INCONCLUSIVE, NO_ENVY, empty_memory, run_audits
from evenhand.envy.online.designs.rules import rules_for
from evenhand.envy.online.settings import AuditorSettings
from evenhand.envy.online.simulated.worlds import DELAYS, REWARDS, STILL, World
from evenhand.errors import InputError
from evenhand.stats.randomness import seed_of

WORDS = {INCONCLUSIVE: "inconclusive", ENVY: "envy", NO_ENVY: "no_envy"}


@dataclass(frozen=True, repr=False)
class Simulation:
    """One entry a run; `pulls` has a row a run and a column an arm. `costs` is t mu_0 - sum of the means
    shown, below 0 where the user gained. `margins` is the least value over all steps of sum mu_{k_s} -
    (1 - alpha) t mu_0: below 0 where constraint (3) was ever broken.
    """

    durations: Ints
    costs: Floats
    outcomes: NDArray[np.str_]
    margins: Floats
    pulls: Ints
    seed: int

    @property
    def held(self) -> NDArray[np.bool_]:
        """Whether constraint (3) held at every step of a run, but for rounding."""
        return self.margins >= -1e-9

    def share(self, outcome: str) -> float:
        return float((self.outcomes == outcome).mean())

    def __repr__(self) -> str:
        ended = ", ".join(f"{word} {self.share(word):.0%}" for word in ("envy", "no_envy", "inconclusive"))
        return (
            f"<Simulation of {len(self.durations):,} audits: {ended}; median duration "
            f"{np.median(self.durations):,.0f}, mean cost {self.costs.mean():,.1f}, constraint held in "
            f"{self.held.mean():.0%}; seed {self.seed}>"
        )


def simulate(
    means: Sequence[float] | Floats,
    runs: int = 100,
    epsilon: float = 0.05,
    delta: float = 0.05,
    alpha: float = 0.4,
    bound: str = "mixture",
    choice: str = "adaptive",
    rng: int | np.random.Generator = 0,
    *,
    budget: int | None = None,
    rewards: str = "bernoulli",
    concentration: float = 2.0,
    delay: str = "none",
    longest: int = 0,
    missing: float = 0.0,
    drift: float = 0.01,
    users: int = 1,
    design: str | None = None,
    unreported: str = "compare",
    own_missing: float | None = None,
    levels: Sequence[float] | Floats | None = None,
) -> Simulation:
    """So many audits of a user with these mean rewards, `means[0]` under their own policy.

    Parameters are those of `Auditor`. `rewards`: `bernoulli`; `beta`, with variance mu (1 - mu)/(1 +
    concentration); or `mean`, the mean itself. Rewards are reported after up to `longest` steps, which is
    also the deadline: `random` (uniform), `bad_late` or `good_late` (rewards below .5, or from .5, at the
    deadline, the others at once). A share `missing` is never reported (`own_missing` of the user's own, if
    that differs); costs and margins are of what the user got, reported or not. `levels` are added to all
    means, one at each step, and begin again at their end: a day's cycle, or a mood.
    """
    true = checked_means(means)
    asked = AskedAudits.checked(
        runs=runs, epsilon=epsilon, delta=delta, alpha=alpha, bound=bound, choice=choice, budget=budget,
        drift=drift, users=users, design=design, unreported=unreported, rewards=rewards,
        concentration=concentration, delay=delay, longest=longest, missing=missing, own_missing=own_missing,
    )  # fmt: skip
    settings, world = AuditorSettings.of(len(true) - 1, asked), world_of(asked)
    added = checked_levels(levels, true)
    seed = seed_of(rng)
    outcomes = np.random.default_rng(np.random.SeedSequence(seed).spawn(2)[1])
    keys = keys_of(seed, asked.runs)  # the first is the auditor's own, so that `play` has the same first run
    if settings.design == "blocks":
        found = run_block_audits(true, block_rules_for(settings), world, added, keys, outcomes)
    else:
        found = run_audits(true, rules_for(settings), world, added, keys, outcomes, empty_memory())
    codes, durations, costs, margins, pulls = found
    words = np.array([WORDS[code] for code in range(3)])[codes]
    return Simulation(durations, costs, words, margins, pulls, seed)


def checked_means(means: Any) -> Floats:
    """Mean rewards of the user's own policy and of at least one other."""
    try:
        true = np.array(means, dtype=float)
    except (OverflowError, TypeError, ValueError):
        raise InputError("means must be a list of numbers, the user's own policy first.") from None
    if true.ndim != 1 or len(true) < 2:
        raise InputError("means needs at least two numbers: the user's own policy, then every other.")
    bad = np.flatnonzero(~((true >= 0) & (true <= 1)))
    if len(bad):
        raise InputError(f"means[{bad[0]}] is {true[bad[0]]:g}, but mean rewards are from 0 to 1.")
    return true


def world_of(asked: AskedWorld) -> World:
    """What users are like, for the kernels."""
    if asked.delay != "none" and asked.longest == 0:
        raise InputError(
            f"delay is {asked.delay!r}, but longest is 0, so that no reward would be late; say by how many "
            "steps with longest (--longest)."
        )
    own_missing = asked.missing if asked.own_missing is None else asked.own_missing
    return World(
        REWARDS[asked.rewards], asked.concentration, DELAYS[asked.delay], asked.longest, asked.missing,
        own_missing,
    )  # fmt: skip


def checked_levels(levels: Any, means: Floats) -> Floats:
    """What is added to all means at each step; none of them may leave the range of rewards."""
    if levels is None:
        return STILL
    try:
        added = np.array(levels, dtype=float)
    except (OverflowError, TypeError, ValueError):
        raise InputError(
            "levels must be a list of numbers, what is added to all means at each step."
        ) from None
    if added.ndim != 1 or not len(added) or not np.isfinite(added).all():
        raise InputError("levels must be a list of finite numbers, one for each step.")
    if means.min() + added.min() < -1e-9 or means.max() + added.max() > 1 + 1e-9:
        raise InputError("levels would bring a mean reward below 0 or above 1.")
    return added
