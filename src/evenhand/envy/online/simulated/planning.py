"""Before an audit: how long it would take and what it would cost, for means as one expects them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.asked.declared.envy_online import AskedAuditPlan
from evenhand.envy.online.designs.block_kernel import run_block_audit
from evenhand.envy.online.designs.block_rules import block_rules_for
from evenhand.envy.online.designs.draws import key_of
from evenhand.envy.online.designs.kernel import INCONCLUSIVE, empty_memory, run_audit
from evenhand.envy.online.designs.rules import rules_for
from evenhand.envy.online.settings import AuditorSettings
from evenhand.envy.online.simulated.simulation import simulate
from evenhand.envy.online.simulated.worlds import REWARDS, STILL, World
from evenhand.errors import InputError

# A search for the length of an audit ends here, after a few seconds.
LONGEST = 20_000_000
_TYPICAL_RUNS = 9


@dataclass(frozen=True)
class PlannedAudit:
    """What to expect at one `alpha`: median and 90% quantile of the steps, mean cost, how often which
    outcome.
    """

    alpha: float
    duration: float
    duration_90: float
    cost: float
    own_share: float
    outcomes: dict[str, float]


def plan(
    baseline: float,
    gaps: Sequence[float],
    alpha: float | Sequence[float] = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5),
    runs: int = 100,
    rng: int | np.random.Generator = 0,
    **options: Any,
) -> list[PlannedAudit]:
    """Simulated audits of a user with mean reward `baseline`, to whom other policies give `baseline + gap`.

    A gap above 0 is envy. One row for each `alpha`: a smaller one costs the user less and takes longer.
    `options` are those of `simulate`. `own_share` is the share of steps in which the user sees their own
    policy.
    """
    asked = AskedAuditPlan.checked(baseline=baseline, gaps=gaps, alpha=alpha)
    means = [asked.baseline, *(asked.baseline + gap for gap in asked.gaps)]
    outside = next((i for i, mean in enumerate(means[1:]) if not 0 <= mean <= 1), None)
    if outside is not None:
        raise InputError(
            f"gaps[{outside}] is {asked.gaps[outside]:g}: with a baseline of {asked.baseline:g} the mean "
            "reward would not be from 0 to 1."
        )
    return [_row(means, one, runs, rng, options) for one in asked.alphas]


def _row(
    means: list[float], alpha: float, runs: int, rng: int | np.random.Generator, options: dict[str, Any]
) -> PlannedAudit:
    found = simulate(means, runs, alpha=alpha, rng=rng, **options)
    return PlannedAudit(
        alpha,
        float(np.median(found.durations)),
        float(np.quantile(found.durations, 0.9)),
        float(found.costs.mean()),
        float(found.pulls[:, 0].sum() / found.pulls.sum()),
        {word: found.share(word) for word in ("envy", "no_envy", "inconclusive")},
    )


def typical_duration(means: Sequence[float], settings: AuditorSettings) -> int | None:
    """Steps until a decision; None if that is more than 20 million.

    In blocks the median of a few simulated audits with rewards of 0 and 1. Unpaired, where bounds go by
    counts and sums, one audit in which every reward is its arm's mean.
    """
    rng, true = np.random.default_rng(0), np.asarray(means, dtype=float)
    unlimited, untraced = settings._replace(budget=LONGEST), np.empty(0, np.int64)
    if settings.design == "unpaired":
        rules = rules_for(unlimited)
        exact = World(rewards=REWARDS["mean"])
        code, duration, *_ = run_audit(true, rules, exact, STILL, key_of(0), rng, empty_memory(), untraced)
        return None if code == INCONCLUSIVE else duration
    durations: list[int] = []
    while len(durations) < _TYPICAL_RUNS and sum(durations) < LONGEST // 10:
        code, duration, *_ = run_block_audit(
            true, block_rules_for(unlimited), World(), STILL, key_of(len(durations)), rng, untraced
        )
        if code == INCONCLUSIVE:
            return None
        durations.append(duration)
    return int(np.median(durations))
