"""Trials of gates on users who are split at random, against worlds whose alarms are known beforehand.

An interval at level L of a change that is none lies beyond a limit of nothing in (1 - L)/2 of all tests.
"""

import numpy as np
import pandas as pd
import pytest

from calibration.rates import can_be_at_least, can_be_at_most
from evenhand import inputs
from evenhand.asked.audits import AUDITS
from evenhand.findings import Verdict
from evenhand.report.answers import verdict_of_audit

USERS = 2_000


def log(rng, rates, first, pareto=None) -> pd.DataFrame:
    """What users with tastes of their own like, a tenth of whom do most where there is a Pareto law."""
    rows = 1 + rng.poisson(9, USERS)
    if pareto is not None:
        rows = np.minimum(2_000, np.ceil(4 * rng.pareto(pareto, USERS) + 1)).astype(int)
    user = np.repeat(np.arange(USERS), rows)
    group = rng.integers(0, len(rates), len(user))
    tastes = rng.gamma(4, 1 / 4, (USERS, len(rates)))
    liked = rng.random(len(user)) < np.asarray(rates)[group] * tastes[user, group]
    return pd.DataFrame({"user_id": user + first, "age": group.astype(str), "liked": liked.astype(int)})


def parted(step, rng, pareto=None, **rates):
    logs = {
        name: log(rng, rate, place * USERS, None if name == "random" else pareto)
        for place, (name, rate) in enumerate(rates.items())
    }
    tables = {name: inputs.table(frame, name=name) for name, frame in logs.items()}
    return step.parted(tables, 0, lambda message: None)


def step_of(audit, level, tolerance, **asked):
    told = {"random": "random", "label": "liked", "group": "age", "cluster": "user_id"}
    settings = {"audit": audit, "level": level, "tolerance": tolerance}
    return AUDITS[audit].load().model_validate(told | settings | asked)


def orders(world: int, splits: int):
    return (np.random.default_rng([world, split]).permutation(1024) for split in range(splits))


def alarmed(step, findings) -> bool:
    return verdict_of_audit(step.audit, findings) is Verdict.VIOLATION


@pytest.mark.parametrize(
    ("worlds", "splits", "pareto"),
    [
        pytest.param(2, 60, None, id="quick"),
        pytest.param(8, 60, None, id="full", marks=pytest.mark.slow),
        pytest.param(8, 60, 1.2, id="heavy users", marks=pytest.mark.slow),
    ],
)
def test_a_gate_on_a_change_alarms_as_often_as_its_level_says_though_the_arms_do_differ(
    worlds, splits, pareto
):
    """The second arm is far less equal than the first, and the gate says so; dealt out anew, it cannot be."""
    step = step_of("compare", 0.5, 1e-6, arms={"one": "one", "two": "two"}, split="any")
    alarms = 0
    for world in range(worlds):
        rng = np.random.default_rng([3, world])
        trial = parted(step, rng, pareto, one=(0.2, 0.2, 0.25), two=(0.15, 0.2, 0.35), random=(0.2, 0.2, 0.2))
        assert alarmed(step, trial.whole())
        alarms += sum(alarmed(step, trial.findings(order)[0]) for order in orders(world, splits))
    # Where few users do most, one log alarms in a fifth of its splits and another in half of them.
    assert can_be_at_least(alarms, worlds * splits, 0.22)
    assert can_be_at_most(alarms, worlds * splits, 0.28)


@pytest.mark.slow
def test_halves_at_the_limit_disagree_as_often_as_two_audits_would():
    """A truth right at the limit: of two groups, one side of the interval is beyond it in (1 - L)/2 = 20% of
    all audits, and of two audits one alone in 2 x 20% x 80%."""
    step = step_of("opportunity", 0.6, 1 / 9, default="default")
    alone = alarms = 0
    worlds, splits = 150, 2
    for world in range(worlds):
        rng = np.random.default_rng([11, world])
        trial = parted(step, rng, default=(0.16, 0.20), random=(0.2, 0.2))
        for order in orders(world, splits):
            halves = [alarmed(step, found) for found in trial.findings(order)]
            alone, alarms = alone + (sum(halves) == 1), alarms + sum(halves)
    assert can_be_at_least(alone, worlds * splits, 0.29)
    assert can_be_at_most(alone, worlds * splits, 0.35)
    assert can_be_at_most(alarms, 2 * worlds * splits, 0.22)
