"""Users whose true mean rewards are known, and how often their audits are wrong or cost too much."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.envy import simulate

# What is demanded of every audit here. The mixture's audits are short enough for a small epsilon.
DELTA = 0.05
EPSILON = {"mixture": 0.1, "lil": 0.4}


@dataclass(frozen=True)
class Instance:
    """True means (after missing rewards count as 0) for a given epsilon, the user's own first."""

    means: Callable[[float], list[float]]
    alpha: float = 0.3


INSTANCES = {
    "easy, no envy": Instance(lambda eps: [0.6, 0.2, 0.2, 0.2, 0.2]),
    "easy, envy": Instance(lambda eps: [0.2, 0.6, 0.2, 0.2, 0.1]),
    "hard, no envy: just below": Instance(lambda eps: [0.5, 0.49, 0.48, 0.47]),
    "hard, between: better by half of epsilon": Instance(lambda eps: [0.5, 0.5 + eps / 2, 0.3, 0.3]),
    "boundary: all equal": Instance(lambda eps: [0.4] * 5),
    "boundary: better by epsilon and a little": Instance(lambda eps: [0.3, 0.301 + eps, 0.1, 0.1]),
    "boundary: all better by epsilon and a little": Instance(lambda eps: [0.3, *[0.301 + eps] * 4]),
    "rare rewards, all equal": Instance(lambda eps: [0.05] * 4),
    "frequent rewards, nearly equal": Instance(lambda eps: [0.85, 0.85, 0.84, 0.6]),
    "bad arms and a strict constraint": Instance(lambda eps: [0.7, 0.0, 0.0, 0.1, 0.3], alpha=0.05),
    "arms as bad as allowed": Instance(lambda eps: [0.6, *[0.45] * 5], alpha=0.25),
    "twenty equal arms": Instance(lambda eps: [0.3] * 21, alpha=0.5),
}

WORLDS: dict[str, dict[str, Any]] = {
    "0 or 1, at once": {},
    "Beta, at once": {"rewards": "beta", "concentration": 1.0},
    "0 or 1, up to 20 steps late, a tenth missing": {"delay": "random", "longest": 20, "missing": 0.1},
    "0 or 1, zeros 20 steps late": {"delay": "bad_late", "longest": 20},
    "Beta, high ones 20 steps late, a tenth missing": {
        "rewards": "beta",
        "delay": "good_late",
        "longest": 20,
        "missing": 0.1,
    },
}


def calibrate(
    instance: Instance, world: dict[str, Any], bound: str, choice: str, runs: int, seed: int = 0
) -> dict[str, float]:
    """Percent of runs with a wrong outcome, with constraint (3) broken at any step, without an outcome."""
    epsilon = EPSILON[bound]
    true = np.array(instance.means(epsilon))
    # A share of rewards will be missing, so that what is left has the means that were asked for.
    given = true / (1 - world.get("missing", 0.0))
    found = simulate(
        given, runs, epsilon, DELTA, instance.alpha, bound, choice, rng=seed, design="unpaired", **world
    )
    wrong = np.zeros(runs, dtype=bool)
    if true[1:].max() <= true[0]:
        wrong |= found.outcomes == "envy"
    if true[1:].max() > true[0] + epsilon:
        wrong |= found.outcomes == "no_envy"
    return {
        "wrong": 100 * float(wrong.mean()),
        "broken": 100 * float((~found.held).mean()),
        "either": 100 * float((wrong | ~found.held).mean()),
        "inconclusive": 100 * found.share("inconclusive"),
        "duration": float(np.median(found.durations)),
    }


# Users in two segments, by the sizes of their groups. Those of the smaller segment like one niche and get it.
SEGMENTED = (
    ("segments", (500, 20)),
    ("segments", (2_000, 10)),
    ("segments", (100, 30)),
    ("fans", (60, 12)),
    ("fans", (500, 40)),
    ("fans", (500, 10, 25)),
    ("fans", (1_000, 20, 20, 20)),
)
_NICHE = {"segments": 0.08, "fans": 0.06}  # the share of that segment


def _kinds(world: str, group: int) -> tuple[np.ndarray, np.ndarray]:
    """Tastes and policies of the niche's users and of the others, in this group."""
    if world == "segments":
        tastes = [[0.0, 0.0, 1.0], [0.58, 0.42, 0.0]]
        shown = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0] if group == 0 else [0.0, 1.0, 0.0]]
    else:
        most = 0.7 + 0.3 * (group == 1)
        tastes, shown = [[0.0, 1.0], [0.3, 0.02]], [[0.0, 1.0], [most, 1 - most]]
    return np.array(tastes), np.array(shown)


def segmented(world: str, sizes: tuple[int, ...], rng: np.random.Generator):
    """Tastes, policies and groups of users drawn from their populations."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    kind = (rng.random(len(codes)) >= _NICHE[world]).astype(int)
    kinds = [_kinds(world, group) for group in range(len(sizes))]
    tastes, shown = (np.stack([of[part] for of in kinds])[codes, kind] for part in (0, 1))
    return tastes, shown, codes


def segmented_truth(world: str, groups: int) -> np.ndarray:
    """How much each group of the population envies each other one."""
    shares = np.array([_NICHE[world], 1 - _NICHE[world]])
    kinds = [_kinds(world, group) for group in range(groups)]
    tastes, shown = (np.array([shares @ of[part] for of in kinds]) for part in (0, 1))
    own = np.array([shares @ np.sum(mine * given, axis=1) for mine, given in kinds])
    return tastes @ shown.T - own[:, None]
