"""A simulated user for the step-by-step auditor, drawing from the same generators as the kernel."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from evenhand.envy import Auditor
from evenhand.envy.online.simulated.worlds import World, draw_report, draw_reward


def follow(
    auditor: Auditor,
    means,
    world: World,
    rng: np.random.Generator,
    each_step: Callable[[Auditor], Auditor] = lambda auditor: auditor,
) -> tuple[Auditor, list[int]]:
    """Audit until there is an outcome; `each_step` may replace the auditor. It, and the arms shown."""
    due: dict[int, dict[int, float | None]] = {}
    trace = []
    now = 0
    while auditor.outcome is None:
        now += 1
        if not auditor.spent:
            assignment = auditor.assign(deadline=9)
            trace.append(assignment.arm)
            arm = assignment.arm
            reward = draw_reward(rng, world, means[arm])
            reported, wait, missing = draw_report(rng, world, arm, reward)
            due.setdefault(now + wait, {})[assignment.id] = None if missing else reported
        auditor.deliver(due.pop(now, {}))
        auditor = each_step(auditor)
    return auditor, trace


def saved_and_loaded(auditor: Auditor) -> Auditor:
    return Auditor.from_dict(json.loads(json.dumps(auditor.to_dict())))


def immediate(auditor: Auditor, means, seed: int) -> list[tuple[int, float]]:
    """Rewards of 0 and 1 at once, by next() and observe(). What was shown and seen."""
    rng = np.random.default_rng(seed)
    seen = []
    while auditor.outcome is None:
        arm = auditor.next()
        reward = float(rng.random() < means[arm])
        auditor.observe(arm, reward)
        seen.append((arm, reward))
    return seen
