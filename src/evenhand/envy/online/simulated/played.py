"""One simulated audit by the step-by-step auditor: its events, and how the bounds of every arm went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.arrays import Floats
from evenhand.asked.declared.envy_online import AskedAudits
from evenhand.envy.online.auditor import Auditor
from evenhand.envy.online.settings import AuditorSettings
from evenhand.envy.online.simulated.simulation import checked_levels, checked_means, world_of
from evenhand.envy.online.simulated.worlds import World, draw_report, draw_reward, mean_at
from evenhand.stats.randomness import seed_of

# Bounds are kept each time the audit got 6% longer: 250 times in a million steps.
GROWTH = 1.06

Event = list[Any]


@dataclass(frozen=True)
class Bounds:
    """What was known of an arm after a step: its mean, or in blocks its difference from the own policy."""

    step: int
    low: float
    average: float | None
    high: float


@dataclass(frozen=True)
class PlayedAudit:
    """The auditor at its end, what its listener heard, and the bounds of every arm while it was active."""

    auditor: Auditor
    events: list[Event]
    paths: list[list[Bounds]]


def play(
    means: Sequence[float] | Floats,
    rng: int | np.random.Generator = 0,
    *,
    levels: Sequence[float] | Floats | None = None,
    longest_play: int | None = None,
    **options: Any,
) -> PlayedAudit:
    """One audit with the `options` of `simulate`, and the rewards of its first run.

    It is left where it stands, without an outcome, after `longest_play` steps.

    It is that run step by step.
    """
    true = checked_means(means)
    asked = AskedAudits.checked(**options)
    settings, world = AuditorSettings.of(len(true) - 1, asked), world_of(asked)
    added = checked_levels(levels, true)
    seed = seed_of(rng)
    reward_rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(2)[1])
    auditor = Auditor(**settings.to_dict(), rng=seed)
    events: list[Event] = []
    auditor.listener = events.append
    return PlayedAudit(auditor, events, _played(auditor, true, world, added, reward_rng, longest_play))


def _played(
    auditor: Auditor, means: Floats, world: World, levels: Floats, rng: np.random.Generator, most: int | None
) -> list[list[Bounds]]:
    paths: list[list[Bounds]] = [[] for _ in auditor.assigned]
    due: dict[int, dict[int, float | None]] = {}
    watched = list(range(len(paths)))
    look, now = 1, 0
    while auditor.outcome is None and (most is None or now < most):
        now += 1
        if not auditor.spent:
            assignment = auditor.assign(deadline=now + world.longest)
            arm = assignment.arm
            reward = draw_reward(rng, world, mean_at(means, levels, arm, now))
            reported, wait, lost = draw_report(rng, world, arm, reward)
            due.setdefault(now + wait, {})[assignment.id] = None if lost else reported
        auditor.deliver(due.pop(now, {}))
        if now >= look or len(auditor.active) + 1 < len(watched) or auditor.outcome or now == most:
            look = max(now + 1, int(now * GROWTH))
            for arm in watched:  # one that was just discarded has its last entry here
                paths[arm].append(Bounds(now, *auditor.design.bounds(arm)))
            watched = [0, *auditor.active]
    return paths
