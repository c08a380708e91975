"""Are arms of two experiments independent? Users are dealt out at random: how often does the test alarm?"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from calibration.rates import can_be_at_least, can_be_at_most
from evenhand.opportunity.ab_tests.arm_counting import Crossing
from evenhand.opportunity.ab_tests.assignment import overlap

# Shares of the arms of two experiments, and users in both.
RARE = (0.96, *[0.01] * 4)
WORLDS = {
    "two arms of half the users": ((0.5, 0.5), (0.5, 0.5), 1_000),
    "a rare arm in each": ((0.98, 0.02), (0.98, 0.02), 500),
    "four rare arms in each": (RARE, RARE, 1_000),
    "five arms of few users": ((0.2,) * 5, (0.2,) * 5, 40),
}


@dataclass
class Alarms:
    at_5_percent: int = 0
    warnings: int = 0
    tables: int = 0


def alarms(shares, others, users, runs, together=0.0, seed=4) -> Alarms:
    """Of `runs` tables; a share of `together` of the users has the same arm in both experiments."""
    rng = np.random.default_rng(seed)
    chances = (1 - together) * np.outer(shares, others)
    if together:
        chances += together * np.diag(shares)
    found = Alarms()
    for run in range(runs):
        table = pd.DataFrame(rng.multinomial(users, chances.ravel()).reshape(chances.shape))
        table = table.loc[table.any(axis=1), table.any(axis=0)]
        if min(table.shape) > 1:
            each = overlap(Crossing("ranker", "recall", table), "user_id", run)
            found.tables += 1
            found.at_5_percent += each.p_value <= 0.05
            found.warnings += each.warning(1) is not None
    return found


@pytest.mark.parametrize("runs", [100, pytest.param(500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("name", WORLDS)
def test_independent_arms_do_not_alarm(name, runs):
    found = alarms(*WORLDS[name], runs)
    assert found.tables > 0.9 * runs
    assert can_be_at_most(found.at_5_percent, found.tables, 0.05)
    assert can_be_at_most(found.warnings, found.tables, 0.01)


def test_arms_that_go_together_are_found():
    """A fifth of the users have the same arm in both experiments, rare as the arms are."""
    found = alarms(RARE, RARE, 1_000, 50, together=0.2)
    assert can_be_at_least(found.warnings, found.tables, 0.75)
