"""Users whose average envy is known, and simulated audits whose usual length and cost are."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from evenhand.envy import Simulation, simulate
from evenhand.envy.findings import about_sample
from evenhand.envy.group_findings import about_members
from evenhand.envy.online.findings import about_simulation
from evenhand.envy.rows import TableRows
from evenhand.envy.sampling import draw

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]

# The envy of users, and its mean. The last has no bounds: what stands for them is the most that was seen.
ENVIES: dict[str, tuple[Draw, float, bool]] = {
    "1% envy by .5": (lambda rng, n: np.where(rng.random(n) < 0.01, 0.5, 0.0), 0.005, True),
    "5% envy, all that can be": (lambda rng, n: (rng.random(n) < 0.05).astype(float), 0.05, True),
    "30% envy, all that can be": (lambda rng, n: (rng.random(n) < 0.3).astype(float), 0.3, True),
    "ordinary, Beta(2, 5)": (lambda rng, n: rng.beta(2, 5, n), 2 / 7, True),
    "heavy tails": (lambda rng, n: rng.lognormal(0, 1.5, n), float(np.exp(1.5**2 / 2)), False),
}


def envy_of_groups(name: str, groups: int, users: int, runs: int) -> dict[str, float]:
    """How many audits have all groups' intervals of the average envy hold the truth, or any beyond it (said
    to envy more than they do), the same for Student's, and the median width."""
    sample, truth, bounded = ENVIES[name]
    rng = np.random.default_rng([groups, users])
    codes, nobody = np.repeat(np.arange(groups), users), np.zeros(groups * users)
    grouped: Any = SimpleNamespace(by="group", names=[str(g) for g in range(groups)], codes=codes)
    found, width = dict.fromkeys(("held", "too high", "student"), 0.0), []
    critical = stats.t.ppf((1 + 0.95 ** (1 / groups)) / 2, users - 1)
    for run in range(runs):
        envy = sample(rng, len(codes))
        evidence: Any = SimpleNamespace(envy=envy, own=nobody, share_better=nobody, epsilon=0.05)
        bounds = (0.0, 1.0 if bounded else float(envy.max()))
        told = about_members(evidence, grouped, bounds, 0.0, None, 0.95, run)
        limits = [one.interval for one in told if one.measure == "average_envy"]
        assert all(one is not None for one in limits)
        low, high = np.array([(one.low, one.high) for one in limits if one is not None]).T
        table = envy.reshape(groups, users)
        reach = critical * table.std(axis=1, ddof=1) / np.sqrt(users)
        found["held"] += bool(((low <= truth) & (truth <= high)).all())
        found["too high"] += bool((low > truth).any())
        found["student"] += bool((np.abs(table.mean(axis=1) - truth) <= reach).all())
        width.append(np.median(high - low))
    return found | {"width": float(np.median(width))}


def sampled_envy(users: int, policies: int, runs: int, liked: float = 0.3) -> int:
    """How many samples hold the mean gain from the best of so many policies, in a system of 60 users who like
    a share of six items; from preferences and policies to the limits."""
    rng = np.random.default_rng(3)
    tastes, shown = (rng.random((60, 6)) < liked).astype(float), rng.dirichlet(np.full(6, 0.4), size=60)
    gains = np.sort(np.maximum(tastes @ shown.T - (tastes * shown).sum(axis=1)[:, None], 0), axis=1)
    place = np.arange(61) / 60
    truth = float((gains * np.diff(place**policies)).sum(axis=1).mean())  # of the largest of the draws
    held = 0
    for run in range(runs):
        drawn = draw(TableRows(tastes), TableRows(shown), users, policies, 0.05, np.random.default_rng(run))
        told = about_sample(drawn, (0.0, 1.0), 0.05, 0.1, None, 0.95)
        interval = next(one.interval for one in told if one.measure == "sampled_envy")
        assert interval is not None
        held += interval.low <= truth <= interval.high
    return held


# Audits that end soon, skewed ones with few rewards, and some that spend their budget.
AUDITS: dict[str, dict[str, Any]] = {
    "own best": {"means": [0.6, *[0.3] * 4], "alpha": 0.1},
    "rare rewards, one better": {"means": [0.02, 0.2, 0.02], "alpha": 0.5},
    "a budget that half of them spend": {"means": [0.4, 0.5, 0.4, 0.4], "budget": 500},
}


@lru_cache
def many_audits(name: str) -> Simulation:
    """So many that their median and mean are the truth."""
    return simulate(
        AUDITS[name]["means"], 4_000, 0.1, rng=1, **{k: v for k, v in AUDITS[name].items() if k != "means"}
    )


def simulated_audits(name: str, audits: int, runs: int) -> dict[str, float]:
    """How many simulations of so many audits hold the true median of the steps, and the mean cost; the share
    of other audits that end within what nine of ten are said to end in."""
    pool = many_audits(name)
    rng = np.random.default_rng(audits)
    found = dict.fromkeys(("duration", "cost", "within_90"), 0.0)
    for _ in range(runs):
        some = rng.integers(len(pool.durations), size=audits)
        columns = ("durations", "costs", "outcomes", "margins", "pulls")
        part = replace(pool, **{column: getattr(pool, column)[some] for column in columns})
        told = about_simulation(part, AUDITS[name]["means"], 0.1, 0.05)
        steps, cost = told.find("audit_duration"), told.find("audit_cost")
        found["within_90"] += float((pool.durations <= steps.details["within_90"]).mean()) / runs
        for finding, truth, key in (
            (steps, np.median(pool.durations), "duration"),
            (cost, pool.costs.mean(), "cost"),
        ):
            found[key] += finding.interval is None or bool(
                finding.interval.low <= truth <= finding.interval.high
            )
    return found
