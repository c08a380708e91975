"""Users whose level of reward moves, for all policies alike: what an audit must not take for envy.

Nine other policies, epsilon = delta = .05. Where all are equal only "envy" is wrong, and where the best is
better by exactly epsilon only "no_envy" is.
"""

from typing import Any

import numpy as np

from evenhand.envy import Simulation, simulate

DELTA = EPSILON = 0.05
OWN = 0.4
STEPS = 200_000


def _moods(rng: np.random.Generator) -> np.ndarray:
    """A new level every 200 steps or so."""
    changes = rng.random(STEPS) < 1 / 200
    return rng.uniform(-0.15, 0.15, changes.sum() + 1)[np.cumsum(changes)]


_TIME = np.arange(STEPS)
_RAMP = np.minimum(_TIME / 20_000, 1) * 0.2 - 0.1
LEVELS: dict[str, np.ndarray] = {
    "still": np.zeros(1),
    "ramp, .3 to .5": _RAMP,
    "decline, .5 to .3": -_RAMP,
    "cycle of 1,000 steps": 0.1 * np.sin(2 * np.pi * _TIME / 1_000),
    "moods of 200 steps": _moods(np.random.default_rng(5)),
    "alternating visits": np.where(_TIME % 2, 0.1, -0.1),
}

TRUTHS = {"all equal": 0.0, "best better by epsilon": EPSILON}

# What else may happen to the rewards of a user.
REPORTS: dict[str, dict[str, Any]] = {
    "graded": {"rewards": "beta", "concentration": 2.0},
    "up to 400 steps late": {"delay": "random", "longest": 400},
    "bad ones 400 steps late": {"delay": "bad_late", "longest": 400},
    "good ones 400 steps late": {"delay": "good_late", "longest": 400},
    "a tenth missing, of all alike": {"missing": 0.1},
}
UNEQUAL: dict[str, dict[str, Any]] = {
    "own missing 20%": {"own_missing": 0.2},
    "own missing 3%": {"own_missing": 0.03},
    "others missing 25%": {"missing": 0.25, "own_missing": 0.0},
}


# Much is missing, and a little more of one than of the other: (of the own, of the others).
MUCH_MISSING = {"a third": (0.34, 0.30), "half": (0.54, 0.50), "half, others more": (0.50, 0.54)}


def audits_with_much_missing(report: str, runs: int, epsilon: float = EPSILON, seed: int = 1) -> Simulation:
    """One other policy. Where the own loses more, both are equally liked, and only "envy" is wrong; where the
    other loses more, it is better by epsilon in what is reported, had the own lost as much, and only
    "no_envy" is.
    """
    own, others = MUCH_MISSING[report]
    means = [0.9, 0.9] if own > others else [0.6, 0.6 + epsilon / (1 - others)]
    return simulate(means, runs, epsilon, DELTA, 0.4, rng=seed, own_missing=own, missing=others)


def truth_of(report: str) -> str:
    own, others = MUCH_MISSING[report]
    return "all equal" if own > others else "best better by epsilon"


def audits_taking_the_worst(own: float, others: float, alpha: float, runs: int, seed: int = 1) -> Simulation:
    """Own rewards get lost, so that nine worse policies seem to be as good."""
    means, lost = [own, *[others] * 9], 1 - others / own
    return simulate(
        means, runs, 0.1, DELTA, alpha, rng=seed, own_missing=lost, missing=0.0, unreported="worst"
    )


def audits(
    truth: str,
    runs: int,
    level: str = "still",
    arms: int = 9,
    alpha: float = 0.4,
    epsilon: float = EPSILON,
    seed: int = 1,
    **options: Any,
) -> Simulation:
    """With a larger epsilon audits are shorter, and the level moves as much faster.

    Where a share of all rewards is missing, what is left has the means that were asked for.
    """
    means = np.array([OWN, OWN + (epsilon if TRUTHS[truth] else 0.0), *[OWN] * (arms - 1)])
    if "own_missing" not in options and options.get("unreported") != "worst":
        means /= 1 - options.get("missing", 0.0)
    faster = 1 if level == "alternating visits" else round((epsilon / EPSILON) ** 2)
    levels = LEVELS[level][::faster]
    return simulate(means, runs, epsilon, DELTA, alpha, rng=seed, levels=levels, **options)


def wrong(found: Simulation, truth: str) -> int:
    """Runs that said what this truth forbids."""
    return int((found.outcomes == ("envy" if truth == "all equal" else "no_envy")).sum())
