"""Days pooled while tastes change."""

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.opportunity.measures import penalty
from evenhand.opportunity.over_time.matching import (
    OUT_OF_PROPORTION,
    doubts_of_pooling,
    moved_by_matching,
)

TASTES = np.array([[0.1, 0.1], [0.2, 0.05]])  # of a weekday and a weekend, by group
DEFAULT_ROWS = np.array([1000.0, 4000.0])


def days(random_rows):
    """Fair on both days: what is liked is shown as it is liked."""
    return (TASTES * DEFAULT_ROWS[:, None], TASTES * random_rows[:, None], DEFAULT_ROWS, random_rows)


def test_random_traffic_in_proportion_moves_nothing():
    assert moved_by_matching(*days(DEFAULT_ROWS / 10)) == pytest.approx(0, abs=1e-12)


def test_random_traffic_out_of_proportion_is_found_out():
    positives, random, *rows = days(np.array([100.0, 100.0]))
    wrong = float(penalty(positives.sum(axis=0) / random.sum(axis=0)))
    assert wrong > 0.1
    assert moved_by_matching(positives, random, *rows) == pytest.approx(-wrong)


def test_a_day_without_random_traffic_cannot_be_matched():
    """All weekends: what is left is fair, and all together is not."""
    positives, random, rows, _ = days(np.array([100.0, 400.0]))
    weekdays = random * [[1], [0]], rows, np.array([100.0, 0.0])
    wrong = float(penalty(positives.sum(axis=0) / random[0]))
    assert wrong > 0.1
    assert moved_by_matching(positives, *weekdays) == pytest.approx(-wrong)


def test_a_day_with_hardly_any_random_traffic_cannot_be_matched_either():
    """Twenty rows for 4,000, none of which was liked."""
    positives, random, rows, _ = days(np.array([100.0, 400.0]))
    hardly = random * [[1], [0]], rows, np.array([100.0, 20.0])
    assert moved_by_matching(positives, *hardly) == pytest.approx(-float(penalty(positives.sum(axis=0))))


@pytest.mark.parametrize(
    ("held", "moved", "doubted"),
    [
        ((0.15, 0.2), -0.1, True),
        ((0.15, 0.2), -0.01, False),
        ((0.0, 0.05), 0.2, True),
        ((0.0, 0.3), 0.0, False),
    ],
)
def test_what_hangs_on_it_is_not_decided(held, moved, doubted):
    assert doubts_of_pooling(held, moved, 0.1, "above") == ((OUT_OF_PROPORTION,) if doubted else ())
    assert doubts_of_pooling(held, moved, None, "above") == ()


def logs(random_rows, seed=0):
    """Eight days, fair on each; on every other one tastes differ, and default rows are four times as many."""
    rng = np.random.default_rng(seed)
    made = {"default": [], "random": []}
    for day in range(8):
        for name, rows in (("default", 4 * int(DEFAULT_ROWS[day % 2])), ("random", random_rows[day % 2])):
            group = rng.integers(0, 2, rows)
            liked = rng.random(rows) < 2 * TASTES[day % 2][group]
            made[name].append(
                pd.DataFrame({"day": day, "group": np.array(["a", "b"])[group], "liked": liked.astype(int)})
            )
    return (pd.concat(parts, ignore_index=True) for parts in made.values())


@pytest.mark.parametrize("window", [1, 7])
@pytest.mark.parametrize(
    ("random_rows", "doubted"), [((4_000, 4_000), True), ((2_000, 8_000), False), ((8_000, 0), True)]
)
def test_a_series_of_fair_days_is_no_violation(random_rows, doubted, window):
    default, random = logs(random_rows)
    series = eh.opportunity.series(default, random, "liked", "group", "day", window=window)
    running = series.find("running_penalty")
    assert running.verdict != "violation"
    assert (OUT_OF_PROPORTION in running.doubts) == doubted
    assert (running.interval.low > running.tolerance) == doubted
