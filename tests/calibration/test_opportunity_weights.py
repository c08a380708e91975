"""Random traffic drawn with unequal probabilities: unbiased, and nominal 95% intervals that cover.

As in test_opportunity_coverage, limits allow for the noise of fewer runs than the claim's.
"""

import numpy as np
import pytest

from calibration.weighted_worlds import WORLDS, coverage
from evenhand.opportunity.evidence import LogCounts, Weights
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.measures import penalty

CLAIM, FULL = 2_000, 1_000


def slack(runs: int) -> float:
    return 300 * np.sqrt(0.05 * 0.95) * (1 / np.sqrt(runs) - 1 / np.sqrt(CLAIM))


QUICK = ("2 groups, mild", "2 groups, strong", "4 groups, strong")


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        *((name, 150) for name in QUICK),
        *(pytest.param(name, FULL, marks=pytest.mark.slow) for name in WORLDS),
    ],
)
def test_weighted_random_traffic(name, runs):
    covered = coverage(WORLDS[name], runs)
    # With eight groups the hull of the penalty is conservative: 97 to 98% with uniform traffic, too.
    most = {"penalty": 98} if "8 groups" in name else {}
    for measure in ("penalty", "relative_utility", "difference"):
        assert 93 - slack(runs) <= covered[measure] <= most.get(measure, 97) + slack(runs), measure
    # Without the weights the same rows are wrong: biased, and sure of it where there are many.
    assert covered["unweighted"] <= 85
    assert covered["bias_weighted"] <= covered["bias_unweighted"] / 5


USERS, ROWS_A_USER = 400, 12
RATES, RANDOM = np.array([0.10, 0.08, 0.06]), np.array([0.05, 0.05, 0.05])
# Two kinds of items, drawn with these probabilities; the second kind is liked twice as much.
DRAWN, LIKED = np.array([0.2, 0.8]), np.array([2 / 3, 4 / 3])


def _log(rng, users, rates, lean, chances):
    """Counts by user; rows of each kind of item are drawn with `chances`, half of the pairs are of each."""
    rows = rng.multinomial(ROWS_A_USER, np.repeat(chances, 3) / 3, size=len(users)).reshape(-1, 2, 3)
    positives = rng.binomial(rows, np.clip(3 * rates * LIKED[:, None] * lean[users][:, None, :], 0, 1))
    w = 1 / chances[:, None]
    sums = [(part * w**power).sum(axis=1) for part in (rows, positives) for power in (1, 2)]

    def by_bucket(values):
        table = np.zeros((1024, 3), dtype=values.dtype)
        table[users] = values
        return table

    weights = Weights(*(by_bucket(part) for part in sums))
    return LogCounts(
        ("a", "b", "c"), by_bucket(rows.sum(axis=1)), by_bucket(positives.sum(axis=1)), 0, weights
    )


@pytest.mark.parametrize("runs", [200, pytest.param(FULL, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_weighted_rows_of_users_who_lean(runs):
    rng = np.random.default_rng(11)
    truth = penalty(RATES / RANDOM)
    hits = rows_alone = 0
    for _ in range(runs):
        lean = rng.beta(0.5, 1, size=(2 * USERS, 3)) * 3
        default = _log(rng, np.arange(USERS), RATES, lean, np.array([0.5, 0.5]))
        default = LogCounts(default.groups, default.rows, default.positives)
        random = _log(rng, np.arange(USERS, 2 * USERS), RANDOM, lean, DRAWN)
        low, high = ArmInference(Arms.from_logs([default], random), 0, 0).penalty_interval(0.95)
        hits += low <= truth <= high
        one = [
            LogCounts(log.groups, log.rows.sum(axis=0)[None], log.positives.sum(axis=0)[None], 0, weights)
            for log, weights in (
                (default, None),
                (random, random.weights.map(lambda sums: sums.sum(axis=0)[None])),
            )
        ]
        low, high = ArmInference(Arms.from_logs(one[:1], one[1]), 0, 0).penalty_interval(0.95)
        rows_alone += low <= truth <= high
    assert 93 - slack(runs) <= 100 * hits / runs <= 97.5 + slack(runs)
    assert rows_alone < hits
