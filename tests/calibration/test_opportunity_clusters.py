"""Users with many rows each: rows taken as independent cover too little, clusters do not."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.cluster_worlds import (
    ARMS,
    FEW,
    HEAVY,
    ITEMS,
    LIGHT,
    OF_USERS,
    RETURNING,
    coverage,
    coverage_of_change,
    groups_held,
)
from calibration.rates import can_be_at_least, can_be_at_most
from evenhand.opportunity import evidence
from evenhand.opportunity.evidence import LogCounts
from evenhand.opportunity.inference.differences import penalty_difference
from evenhand.opportunity.inference.one_log import ArmInference
from evenhand.opportunity.logs.arms import Arms
from evenhand.opportunity.logs.preparation import line_up
from evenhand.opportunity.measures import penalty
from evenhand.stats.log_ratios import counts
from evenhand.stats.log_ratios.clusters import Errors

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


FULL = pytest.param(1_000, marks=pytest.mark.slow)


@pytest.mark.parametrize("runs", [150, FULL], ids=["quick", "full"])
@pytest.mark.parametrize("name", ["500 users", "500 users, unfair"])
def test_heavy_users(name, runs):
    """A few users hold much of a log, and the users of the random log are others."""
    found = coverage(HEAVY[name], runs, items=False)
    assert can_be_at_least(found["penalty"] / 100 * runs, runs, 0.95)
    assert can_be_at_least(found["groups"] / 100 * runs, runs, 0.95)
    assert can_be_at_most(found["alarms"] / 100 * runs, runs, 0.05)


@pytest.mark.parametrize("runs", [80, FULL], ids=["quick", "full"])
@pytest.mark.parametrize("name", RETURNING)
def test_heavy_users_in_both_logs(name, runs):
    """Who fills the default log fills the random one too: A moves with B, and their ratio is not biased."""
    found = coverage(RETURNING[name], runs, items=False)
    assert can_be_at_least(found["penalty"] / 100 * runs, runs, 0.95)
    assert can_be_at_least(found["groups"] / 100 * runs, runs, 0.95)
    assert can_be_at_least(found["worst_ratio"] / 100 * runs, runs, 0.95)
    assert can_be_at_most(found["alarms"] / 100 * runs, runs, 0.05)


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        pytest.param("20 groups, a few draw most", 25, id="quick"),
        pytest.param("20 groups, a few draw most", 300, id="full", marks=pytest.mark.slow),
        pytest.param("10 groups, a few draw much", 500, id="10 groups, full", marks=pytest.mark.slow),
        pytest.param("10 groups, a few see most", 500, id="the other log, full", marks=pytest.mark.slow),
    ],
)
def test_groups_that_lack_the_users_who_do_most(name, runs):
    """Such a group has too small a count and too small a variance at once; others tell what it lacks."""
    assert can_be_at_least(groups_held(OF_USERS[name], runs), runs, 0.95)


def test_groups_of_users_who_are_alike_learn_nothing():
    world = OF_USERS["10 groups, all alike"]
    (log,), random = world.draw(np.random.default_rng(5))
    learnt = Arms.from_logs([log], random)
    widths = [
        np.median([high - low for low, high in ArmInference(arms, 0, 0).relative_utility_intervals(0.95)])
        for arms in (learnt, replace(learnt, moderated=False))
    ]
    assert widths[0] <= 1.02 * widths[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["5,000 users", "2,000 users, eight groups"])
def test_more_heavy_users(name):
    found = coverage(HEAVY[name], 500, items=False)
    assert can_be_at_least(5 * found["groups"], 500, 0.95)
    assert can_be_at_most(5 * found["alarms"], 500, 0.05)


def test_nothing_changes_where_activity_is_light(monkeypatch):
    """Leaving a cluster out, and counting degrees, makes intervals of ordinary logs no wider."""
    world = LIGHT["2,000 users"]
    ours = coverage(world, 40, items=False)
    monkeypatch.setattr(counts, "cluster_scores", lambda a, one=1.0: a / a.sum(axis=0))
    monkeypatch.setattr(evidence, "cluster_scores", counts.cluster_scores)
    monkeypatch.setattr(Errors, "degrees", lambda self, contrasts: np.full(len(contrasts), self.most))
    plain = coverage(world, 40, items=False)
    assert ours["penalty_width"] <= 1.01 * plain["penalty_width"]
    assert ours["width"] <= 1.01 * plain["width"]


@pytest.mark.parametrize("runs", [150, FULL], ids=["quick", "full"])
@pytest.mark.parametrize("name", ["50 items a group", "200 items a group, heavy users"])
def test_items_like_these(name, runs):
    """Items are drawn anew in every run: users alone know nothing of it, users and items together do."""
    found = coverage(ITEMS[name], runs)
    assert can_be_at_least(found["penalty"] / 100 * runs, runs, 0.95)
    assert can_be_at_least(found["groups"] / 100 * runs, runs, 0.94)
    assert can_be_at_most(found["alarms"] / 100 * runs, runs, 0.06)
    alone = coverage(ITEMS["50 items a group"], 60, items=False)
    assert not can_be_at_least(0.6 * alone["penalty"], 60, 0.95)


@pytest.mark.parametrize("runs", [100, pytest.param(400, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_groups_whose_popular_items_happen_to_be_missing(runs):
    """One group's items tell too small a mean and too small an error together; those of others do not."""
    assert can_be_at_least(groups_held(ITEMS["20 groups, 50 items"], runs), runs, 0.95)


@pytest.mark.slow
def test_a_group_of_few_items_learns_from_those_of_many():
    """What groups have in common is how unequal single items are, whatever the number of items."""
    assert can_be_at_least(groups_held(ITEMS["30, 300 and 3,000 items"], 1_000), 1_000, 0.95)


def test_where_a_few_hits_hold_most_of_a_group_it_is_said():
    """Four hits are expected in each of eight groups. A group that has none does not know what it lacks, and
    intervals of all groups hold in 85%."""
    rng = np.random.default_rng(4)
    for _ in range(5):
        (log,), random = ITEMS["8 groups, 4 hits in each"].draw(rng)
        said = line_up({"default": log}, random, "age", {}, clusters=("user_id", "item_id")).warnings
        assert any(text.startswith("Few item_id hold most positive rows of age = ") for text in said)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["200 items a group, unfair", "8 groups, 100 items, unfair"])
def test_items_like_these_and_an_unfair_mechanism(name):
    found = coverage(ITEMS[name], 1_000)
    for measure in ("penalty", "groups", "worst_ratio"):
        assert can_be_at_least(10 * found[measure], 1_000, 0.95), measure
    assert can_be_at_most(10 * found["alarms"], 1_000, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["200 items, both unfair", "heavy users, both unfair"])
def test_changes_with_clusters_of_two_kinds(name):
    found = coverage_of_change(ARMS[name], 400)
    assert can_be_at_least(4 * found["penalty"], 400, 0.95)
    assert can_be_at_least(4 * found["groups"], 400, 0.94)


def test_few_clusters_of_both_kinds_are_never_taken_for_none():
    """Where the difference of variances is negative, as with more groups than clusters allow."""
    found = coverage(FEW["20 groups, 30 users, 30 creators, rows independent"], 40)
    assert found["penalty"] >= 95
    assert found["groups"] >= 90
