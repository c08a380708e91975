"""A simulated audit of a whole system whose true utilities are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.asked.declared.envy_online import AskedAudits
from evenhand.envy.online.designs.block_kernel import run_block_audit
from evenhand.envy.online.designs.block_rules import block_rules_for
from evenhand.envy.online.designs.kernel import empty_memory, run_audit
from evenhand.envy.online.designs.rules import rules_for
from evenhand.envy.online.drawing import draw_targets, error_for_audits
from evenhand.envy.online.settings import AuditorSettings
from evenhand.envy.online.simulated.simulation import WORDS, world_of
from evenhand.envy.online.simulated.worlds import STILL
from evenhand.errors import InputError
from evenhand.stats.randomness import seed_of


@dataclass(frozen=True)
class SystemSimulation:
    """One entry a user drawn. Users are audited side by side, a step each, until the first envy."""

    outcome: str
    users: NDArray[np.int64]
    outcomes: NDArray[np.str_]
    durations: NDArray[np.int64]
    costs: NDArray[np.float64]
    margins: NDArray[np.float64]
    seed: int


def simulate_system(
    utilities: NDArray[np.float64],
    epsilon: float = 0.05,
    delta: float = 0.05,
    alpha: float = 0.4,
    bound: str = "mixture",
    choice: str = "adaptive",
    rng: int | np.random.Generator = 0,
    *,
    gamma: float = 0.1,
    lambda_: float = 0.1,
    criterion: str = "probabilistic",
    budget: int | None = None,
    drift: float = 0.01,
    stop_at_envy: bool = True,
    rewards: str = "bernoulli",
    concentration: float = 2.0,
    delay: str = "none",
    longest: int = 0,
    missing: float = 0.0,
    design: str | None = None,
    unreported: str = "compare",
) -> SystemSimulation:
    """`utilities[m, n]` is the mean reward of user m under the policy of n, as `envy.utilities` gives it.

    With `stop_at_envy=False` every user's audit goes on to its own end, as Do and others' figure 4 needs it.
    """
    true = _checked_utilities(utilities)
    seed = seed_of(rng)
    asked = AskedAudits.checked(
        epsilon=epsilon, alpha=alpha, bound=bound, choice=choice, budget=budget, drift=drift, design=design,
        unreported=unreported, rewards=rewards, concentration=concentration, delay=delay, longest=longest,
        missing=missing,
    )  # fmt: skip
    world = world_of(asked)
    drawing, *seeds = np.random.SeedSequence(seed).spawn(1 + len(true))
    targets = draw_targets(len(true), criterion, delta, gamma, lambda_, np.random.default_rng(drawing))
    left = error_for_audits(criterion, delta)
    memory = empty_memory()

    def audit(user: int, limit: int | None) -> tuple[int, int, float, float, Any]:
        arms = targets[user]
        share = asked.model_copy(update={"delta": left, "budget": limit, "users": len(targets)})
        settings = AuditorSettings.of(len(arms), share)
        choosing, rewarding = seeds[user].spawn(2)
        key, outcomes = choosing.generate_state(1, np.uint64)[0], np.random.default_rng(rewarding)
        means = true[user, [user, *arms]]
        untraced = np.empty(0, np.int64)
        if settings.design == "blocks":
            return run_block_audit(means, block_rules_for(settings), world, STILL, key, outcomes, untraced)
        return run_audit(means, rules_for(settings), world, STILL, key, outcomes, memory, untraced)

    found = {user: audit(user, asked.budget) for user in targets}
    envied = [run[1] for run in found.values() if WORDS[run[0]] == "envy"]
    if envied and stop_at_envy:
        end = min(envied)
        # spawn() counts: the same children again, so that an audit cut short is the beginning of the same.
        seeds = np.random.SeedSequence(seed).spawn(1 + len(true))[1:]
        found = {user: audit(user, end) if run[1] > end else run for user, run in found.items()}
    words = [WORDS[run[0]] for run in found.values()]
    outcome = "envy" if envied else "inconclusive" if "inconclusive" in words else "no_envy"
    return SystemSimulation(
        outcome,
        np.array(list(found)),
        np.array(words),
        np.array([run[1] for run in found.values()]),
        np.array([run[2] for run in found.values()]),
        np.array([run[3] for run in found.values()]),
        seed,
    )


def _checked_utilities(utilities: Any) -> NDArray[np.float64]:
    try:
        true = np.asarray(utilities, dtype=float)
    except (OverflowError, TypeError, ValueError):
        raise InputError("utilities must be an array of numbers, users by policies.") from None
    if true.ndim != 2 or true.shape[0] != true.shape[1]:
        raise InputError(
            f"utilities has the shape {true.shape}, but must be square: user m under the policy of n."
        )
    if not ((true >= 0) & (true <= 1)).all():
        raise InputError("utilities must be from 0 to 1 to be mean rewards; scale them first.")
    return true
