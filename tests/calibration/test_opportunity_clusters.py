"""Users with many rows each: rows taken as independent cover too little, clusters do not."""

import numpy as np
import pytest

from evenhand.opportunity.arms import Arms
from evenhand.opportunity.differences import penalty_difference
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference import ArmInference
from evenhand.opportunity.measures import penalty

RATES = {"default": np.array([0.10, 0.08, 0.06]), "treatment": np.array([0.09, 0.08, 0.07])}
RANDOM = np.array([0.05, 0.05, 0.05])
GROUPS = ("a", "b", "c")
ROWS_A_USER = 11


def draw_counts(rng, users, rates, lean):
    """Counts by user of a log in which users lean to some groups; in the population the rates are `rates`."""
    rows = rng.multinomial(ROWS_A_USER, np.full(3, 1 / 3), size=len(users))
    positives = rng.binomial(rows, 3 * rates * lean[users])
    counts = LogCounts(GROUPS, np.zeros((1024, 3), dtype=np.int64), np.zeros((1024, 3), dtype=np.int64))
    counts.rows[users], counts.positives[users] = rows, positives
    return counts


def without_clusters(counts):
    return LogCounts(GROUPS, counts.rows.sum(axis=0)[None], counts.positives.sum(axis=0)[None])


@pytest.mark.parametrize("runs", [300, pytest.param(2_000, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_clustered_rows(runs):
    """1,000 users, drawn anew in every run, some of them in two logs, 11 rows a user and log.

    Where the same users fill both logs their leanings cancel; the harm is done by those in one log only.
    """
    rng = np.random.default_rng(7)
    truth = penalty(RATES["default"] / RANDOM)
    change = penalty(RATES["treatment"] / RANDOM) - truth
    hits = dict.fromkeys(("clustered", "rows", "difference"), 0)
    for _ in range(runs):
        lean = rng.beta(0.5, 1, size=(1000, 3)) * 3  # mean 1, at most 3, many users without any interest
        logs = [
            draw_counts(rng, np.arange(0, 400), RATES["default"], lean),
            draw_counts(rng, np.arange(300, 700), RATES["treatment"], lean),
            draw_counts(rng, np.arange(600, 1000), RANDOM, lean),
        ]
        arms = Arms.from_logs(logs[:2], logs[2])
        low, high = ArmInference(arms, 0, 0).penalty_interval(0.95)
        hits["clustered"] += low <= truth <= high
        difference = penalty_difference(arms, 1, 0, 0.95, 0)
        hits["difference"] += difference.low <= change <= difference.high
        rows = [without_clusters(counts) for counts in logs]
        low, high = ArmInference(Arms.from_logs(rows[:2], rows[2]), 0, 0).penalty_interval(0.95)
        hits["rows"] += low <= truth <= high
    covered = {name: 100 * count / runs for name, count in hits.items()}
    slack = 300 * np.sqrt(0.05 * 0.95) * (1 / np.sqrt(runs) - 1 / np.sqrt(2_000))
    assert covered["clustered"] >= 93.5 - slack
    assert covered["difference"] >= 93.5 - slack
    assert covered["rows"] <= 93 + slack
