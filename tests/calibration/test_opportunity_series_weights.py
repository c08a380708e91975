"""A series against random traffic drawn with unequal probabilities, held against simulated truth.

As in test_opportunity_series, benchmarks/opportunity_series.py has the claim in full, and limits here allow
for the noise of fewer runs.
"""

from dataclasses import replace

import numpy as np
import pytest

from calibration.opportunity_worlds import contains
from calibration.rates import can_be_at_least
from calibration.series_worlds import (
    changes_at_once,
    counts_of,
    coverage_of_changes,
    even,
    holds_every_day,
    regions,
    timeline_of,
)
from calibration.weighted_series_worlds import (
    WEIGHTED_CHANGES,
    WEIGHTED_JUMPS,
    WEIGHTED_YEARS,
    unequal,
)
from evenhand.opportunity.inference.differences import penalty_difference
from evenhand.opportunity.measures import penalty
from evenhand.opportunity.over_time import every_day
from evenhand.opportunity.over_time.timeline import Stretches

CLAIM, FULL, QUICK = 1_000, 250, 60
MEASURES = ("penalty", "groups", "ratio", "running penalty", "running groups", "running ratio")


def slack(runs: int, full: int = CLAIM) -> float:
    """Three standard errors of a simulated 95% coverage, beyond those of the full claim."""
    return 300 * np.sqrt(0.05 * 0.95) * (1 / np.sqrt(runs) - 1 / np.sqrt(full))


@pytest.mark.slow
@pytest.mark.parametrize("name", WEIGHTED_YEARS)
def test_a_year_of_looks(name):
    held = holds_every_day(WEIGHTED_YEARS[name], FULL)
    for measure in MEASURES:
        assert can_be_at_least(held[measure] / 100 * FULL, FULL, 0.95), measure
    assert held["fixed"] <= 30


@pytest.mark.parametrize(
    "name", ["2 groups, h = 0.1, weighted", "2 groups, h = 0, window of 7 days, weighted"]
)
def test_a_year_of_looks_quick(name):
    held = holds_every_day(WEIGHTED_YEARS[name], QUICK)
    for measure in MEASURES:
        assert can_be_at_least(held[measure] / 100 * QUICK, QUICK, 0.95), measure


@pytest.mark.parametrize("window", [None, 3])
def test_the_simulation_measures_what_the_audit_computes(window):
    world = unequal(even(4, 0.1, days=8, window=window, random_rows=4_000))
    positives, random = world.draw(2, np.random.default_rng(3))
    timeline = world.timeline(positives[1], random[1])
    for running, made in (
        (False, every_day.on_each_day(timeline, 0.95)),
        (True, every_day.until_each_day(timeline, 0.95)),
    ):
        region = regions(world, positives, random, running)
        for of_audit, of_simulation in (
            ([held.penalty for held in made], region.penalties()),
            ([held.worst_ratio for held in made], region.worst_ratios()),
            ([held.relative_utilities for held in made], region.relative_utilities()),
        ):
            np.testing.assert_allclose(of_audit, np.stack(of_simulation, axis=-1)[1], atol=1e-12)


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("2 groups, one random log, weighted", 60),
        ("4 groups, windows of 3 days, weighted", 60),
        *(pytest.param(name, FULL, marks=pytest.mark.slow) for name in WEIGHTED_CHANGES),
    ],
)
def test_changes_of_days_that_share_random_traffic(name, runs):
    covered = coverage_of_changes(WEIGHTED_CHANGES[name], runs)
    off = slack(runs)
    assert 94 - off <= covered["day before"] <= 97 + off
    assert covered["first two"] >= 94 - off


@pytest.mark.slow
@pytest.mark.parametrize("name", WEIGHTED_JUMPS)
def test_changes_to_and_from_a_fair_day(name):
    assert changes_at_once(WEIGHTED_JUMPS[name], FULL)["hold"] >= 95 - slack(FULL)


GROUPS = ("a", "b", "c")
RANDOM = np.array([0.05, 0.05, 0.05])
# Two kinds of items, drawn with these probabilities; the second kind is liked twice as much.
CHANCES, LIKED = np.array([0.15, 0.85]), np.array([2 / 3, 4 / 3])
ROWS_A_USER, DAYS, WINDOW = 40, 10, 3


def draw_default(rng, users, rates, lean):
    rows = rng.multinomial(ROWS_A_USER, np.full(3, 1 / 3), size=len(users))
    positives = np.zeros((1024, 3), dtype=np.int64)
    positives[users] = rng.binomial(rows, 3 * rates * lean[users])
    return counts_of(GROUPS, positives, ROWS_A_USER * len(users))


def draw_random(rng, users, lean):
    rows = rng.multinomial(ROWS_A_USER, np.repeat(CHANCES, 3) / 3, size=len(users)).reshape(-1, 2, 3)
    drawn = np.zeros((1024, 2, 3))
    drawn[users] = rng.binomial(rows, 3 * RANDOM * LIKED[:, None] * lean[users][:, None, :])
    weights = [(drawn / CHANCES[:, None] ** power).sum(axis=1) for power in (1, 2)]
    return counts_of(GROUPS, drawn.sum(axis=1), ROWS_A_USER * len(users), weights)


def without_users(log):
    """The same log, rows taken as independent."""
    weights = None if log.weights is None else log.weights.map(lambda sums: sums.sum(axis=0)[None])
    return replace(
        log, rows=log.rows.sum(axis=0)[None], positives=log.positives.sum(axis=0)[None], weights=weights
    )


@pytest.mark.slow
@pytest.mark.parametrize("runs", [300])
def test_users_who_come_back_every_day(runs):
    """Users with leanings, in both logs and on many days: clusters hold, rows as independent do not."""
    rng = np.random.default_rng(12)
    rates = [np.array([0.10, 0.08, 0.05 + 0.005 * (t % 3)]) for t in range(DAYS)]
    truth = [penalty(q / RANDOM) for q in rates]
    so_far = [penalty(np.mean(rates[: t + 1], axis=0) / RANDOM) for t in range(DAYS)]
    age = np.subtract.outer(np.arange(DAYS), np.arange(DAYS))
    within = (age >= 0) & (age < WINDOW)
    hits = {name: [] for name in ("change", "last day", "last day by rows", "days", "running")}
    for _ in range(runs):
        lean = rng.beta(0.5, 1, size=(1024, 3)) * 3
        days = [draw_default(rng, rng.choice(800, 200, False), q, lean) for q in rates]
        parts = [draw_random(rng, 300 + rng.choice(724, 200, False), lean) for _ in rates]
        clustered = timeline_of(days, parts, within, WINDOW)
        by_rows = timeline_of(
            [without_users(day) for day in days], [without_users(part) for part in parts], within, WINDOW
        )
        arms = Stretches(clustered, (clustered.day(4), clustered.day(5)))
        change = penalty_difference(arms, 1, 0, 0.95, 0)
        hits["change"].append(contains((change.low, change.high), truth[5] - truth[4]))
        for name, timeline in (("last day", clustered), ("last day by rows", by_rows)):
            inference = timeline.inference(timeline.day(DAYS - 1), 0)
            hits[name].append(contains(inference.penalty_interval(0.95), truth[-1]))
        for name, held, values in (
            ("days", every_day.on_each_day(clustered, 0.95), truth),
            ("running", every_day.until_each_day(clustered, 0.95), so_far),
        ):
            hits[name].append(all(contains(each.penalty, h) for each, h in zip(held, values, strict=True)))
    covered = {name: 100 * float(np.mean(values)) for name, values in hits.items()}
    assert covered["change"] >= 94 - slack(runs)
    assert covered["days"] >= 95 - slack(runs)
    assert covered["running"] >= 95 - slack(runs)
    assert 94 - slack(runs) <= covered["last day"] <= 98
    assert covered["last day by rows"] <= 90
