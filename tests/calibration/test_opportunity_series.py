"""Intervals of a series against simulated truth, on every day at once.

The claim is 1,000 runs of 365 looks, as `benchmarks/opportunity_series.py` makes them; the tests have fewer,
and limits that are wider by as much as fewer runs are less sure. Seeds are fixed, so nothing here is flaky.
"""

import numpy as np
import pytest

from calibration.rates import can_be_at_least
from calibration.series_worlds import (
    CHANGES,
    JUMPS,
    YEARS,
    changes_at_once,
    counts_of,
    coverage_of_changes,
    even,
    holds_every_day,
    regions,
    timeline_of,
)
from evenhand.opportunity.inference.differences import penalty_difference
from evenhand.opportunity.measures import penalty
from evenhand.opportunity.over_time import every_day
from evenhand.opportunity.over_time.timeline import Stretches

CLAIM, FULL, QUICK = 1_000, 250, 60
FAIR = "4 groups, h = 0"
# The hardest years; benchmarks/opportunity_series.py has them all.
HARDEST = [name for name in YEARS if not name.endswith(("h = 0.02", "h = 0.1", "h = 0.3"))]


def slack(runs: int, full: int = CLAIM) -> float:
    """Three standard errors of a simulated 95% coverage, beyond those of the full claim."""
    return 300 * np.sqrt(0.05 * 0.95) * (1 / np.sqrt(runs) - 1 / np.sqrt(full))


@pytest.mark.slow
@pytest.mark.parametrize("name", HARDEST)
def test_a_year_of_looks(name):
    """Every day at once in at least 95% of runs, where intervals for one look fail."""
    held = holds_every_day(YEARS[name], FULL)
    for measure in ("penalty", "groups", "ratio", "running penalty", "running groups", "running ratio"):
        assert can_be_at_least(held[measure] / 100 * FULL, FULL, 0.95)
    assert held["fixed"] <= 30
    assert held["running fixed"] <= 94


@pytest.mark.parametrize("name", [FAIR, "2 groups, h = 0.1", "2 groups, h = 0, window of 7 days"])
def test_a_year_of_looks_quick(name):
    held = holds_every_day(YEARS[name], QUICK)
    for measure in ("penalty", "groups", "ratio", "running penalty"):
        assert can_be_at_least(held[measure] / 100 * QUICK, QUICK, 0.95)
    assert held["fixed"] <= 30


@pytest.mark.parametrize("window", [None, 3])
def test_the_simulation_measures_what_the_audit_computes(window):
    world = even(4, 0.1, days=8, window=window, random_rows=4_000)
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


@pytest.mark.parametrize("runs", [60, pytest.param(400, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("name", CHANGES)
def test_changes_of_days_that_share_random_traffic(name, runs):
    covered = coverage_of_changes(CHANGES[name], runs)
    off = slack(runs)
    assert 94 - off <= covered["day before"] <= 97 + off
    assert covered["first two"] >= 94 - off
    if "other way" in name:
        assert covered["separate"] <= 92 + off
    else:
        assert covered["separate"] >= 98  # as if each day had a random log of its own: too wide


GROUPS = ("a", "b", "c")
RANDOM = np.array([0.05, 0.05, 0.05])


def draw_users(rng, users, rates, lean, rows_a_user=6):
    rows = rng.multinomial(rows_a_user, np.full(3, 1 / 3), size=len(users))
    positives = np.zeros((1024, 3), dtype=np.int64)
    positives[users] = rng.binomial(rows, 3 * rates * lean[users])
    return positives


@pytest.mark.slow
@pytest.mark.parametrize("runs", [300])
def test_users_who_come_back_every_day(runs):
    """Users with leanings, half of whom are there on every day: clusters hold, rows as independent do not."""
    rng = np.random.default_rng(11)
    rates = [np.array(q) for q in ([0.10, 0.08, 0.05], [0.11, 0.08, 0.045], [0.10, 0.08, 0.055])] * 4
    truth = [penalty(q / RANDOM) for q in rates]
    so_far = [penalty(np.mean(rates[: t + 1], axis=0) / RANDOM) for t in range(len(rates))]
    hits = {name: [] for name in ("changes", "changes by rows", "days", "running")}
    for _ in range(runs):
        lean = rng.beta(0.5, 1, size=(1024, 3)) * 3
        days = [
            draw_users(rng, np.concatenate([np.arange(300), 300 + rng.choice(400, 300, False)]), q, lean)
            for q in rates
        ]
        parts = [draw_users(rng, np.arange(500, 1024), RANDOM, lean, 20)]
        whole = np.ones((len(days), 1), dtype=bool)
        clustered, by_rows = (
            timeline_of(
                [counts_of(GROUPS, together(day), 3_600) for day in days],
                [counts_of(GROUPS, together(part), 10_480) for part in parts],
                whole,
                None,
            )
            for together in (lambda counts: counts, lambda counts: counts.sum(axis=0)[None])
        )
        for name, timeline in (("changes", clustered), ("changes by rows", by_rows)):
            arms = Stretches(timeline, (timeline.day(1), timeline.day(2)))
            change = penalty_difference(arms, 1, 0, 0.95, 0)
            hits[name].append(change.low <= truth[2] - truth[1] <= change.high)
        for name, held, values in (
            ("days", every_day.on_each_day(clustered, 0.95), truth),
            ("running", every_day.until_each_day(clustered, 0.95), so_far),
        ):
            inside = [each.penalty[0] <= h <= each.penalty[1] for each, h in zip(held, values, strict=True)]
            hits[name].append(all(inside))
    covered = {name: 100 * float(np.mean(values)) for name, values in hits.items()}
    assert covered["changes"] >= 93.5 - slack(runs)
    assert covered["days"] >= 95 - slack(runs)
    assert covered["running"] >= 95 - slack(runs)
    assert covered["changes by rows"] < covered["changes"]


@pytest.mark.slow
@pytest.mark.parametrize("runs", [100])
@pytest.mark.parametrize("size", [0, 0.3])
def test_all_changes_of_a_month_at_once(size, runs):
    """The changes that are said to be clear: none is, in at least 95% of series without any change."""
    found = changes_at_once(even(4, size, days=30), runs, single=True)
    assert found["alarm"] <= 5 + slack(runs)
    if size:
        assert found["alarm alone"] >= 40


@pytest.mark.parametrize("runs", [25, pytest.param(250, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("name", JUMPS)
def test_changes_to_and_from_a_fair_day(name, runs):
    """A day that may be fair does not hide a change that is clear, upwards as downwards."""
    found = changes_at_once(JUMPS[name], runs)
    assert found["hold"] >= 95 - slack(runs)
    if name in ("2 groups, between 0 and .2", "4 groups, between 0 and .2"):
        assert min(found["rises"], found["falls"]) >= 20
        assert abs(found["rises"] - found["falls"]) <= 25
