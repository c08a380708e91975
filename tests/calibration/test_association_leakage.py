"""What leakage and amplification claim, against simulated truth.

benchmarks/association_leakage.py has the claim in full; slow and quick tests are the same with fewer
runs, and rates are judged by `calibration.rates`.
"""

import numpy as np
import pytest

from association.growth_worlds import Trained
from calibration.leak_worlds import (
    Listeners,
    at_the_threshold,
    audits,
    coverage,
    item_coverage,
    item_estimates,
    item_p_values,
    least_of_groups,
)
from calibration.rates import can_be_at_least, can_be_at_most
from evenhand.association import eaa
from evenhand.association.growing.growth import Growth, Members, growth
from evenhand.association.leaking.findings import COARSE

FULL = 120
sizes = pytest.mark.parametrize(
    "runs", [20, pytest.param(FULL, marks=pytest.mark.slow)], ids=["quick", "full"]
)


@sizes
@pytest.mark.parametrize(("strength", "users"), [(0.1, 300), (0.3, 200)])
def test_intervals_of_accuracy_and_auc_cover_how_well_others_are_told(strength, users, runs):
    held = coverage(Listeners(strength), users, "balanced", runs)
    for measure in ("leak_accuracy", "leak_auc", "leak_parity"):
        assert can_be_at_least(held[measure] / 100 * runs, runs, 0.95), (measure, held)


@pytest.mark.parametrize("runs", [10, pytest.param(300, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_histories_that_are_mostly_the_same_are_warned_of(runs):
    """Of a dozen histories, precision is held in 86% and accuracy in 90%; others have no score in common."""
    coarse = at_the_threshold(Listeners(0.6, count=12, length=1), 200, runs)
    assert (coarse > COARSE).mean() > 0.95
    assert (at_the_threshold(Listeners(0.3), 200, runs) < COARSE).all()


@pytest.mark.parametrize("runs", [25, pytest.param(150, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_intervals_cover_where_the_value_is_rare(runs):
    """Twenty users of 400 teach where the threshold is, which moves the predictions of everybody."""
    held = coverage(Listeners(0.1, share=0.05), 400, "balanced", runs)
    for measure, percent in held.items():
        assert can_be_at_least(percent * runs / 100, runs, 0.94), (measure, held)


@pytest.mark.parametrize("runs", [12, pytest.param(100, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize(
    ("strength", "users", "share", "count"), [(0.1, 200, 0.3, 80), (0.3, 200, 0.3, 80), (0.2, 400, 0.05, 20)]
)
def test_intervals_of_items_cover_with_users_and_items_drawn_anew(strength, users, share, count, runs):
    for measure, (held, _, made) in item_coverage(strength, users, runs, share, count).items():
        assert can_be_at_least(held, made, 0.95), measure


@sizes
@pytest.mark.parametrize("share", [0.3, 0.5])
def test_without_leakage_there_is_hardly_an_alarm(share, runs):
    found = audits(Listeners(0.0, share), 200, "unbalanced" if share == 0.3 else "balanced", runs)
    majority = max(share, 1 - share)
    beyond = sum(one[0].interval[0] > majority for one in found)
    exact = sum(one[0].p_value <= 0.05 for one in found)
    area = sum(one[1].p_value <= 0.05 for one in found)
    assert can_be_at_most(max(beyond, exact, area), runs, 0.05)


@pytest.mark.slow
def test_as_if_users_were_independent_intervals_would_not_cover():
    held = coverage(Listeners(0.1), 300, "balanced", 280, refit=False)
    assert max(held["leak_accuracy"], held["leak_auc"]) < 91


@pytest.mark.parametrize("runs", [15, pytest.param(120, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_labels_of_items_do_not_alarm_on_noise(runs):
    p_values = item_p_values(Listeners(0.0), 120, "unbalanced", runs, 19)
    assert can_be_at_most((p_values <= 0.05).sum(), runs, 0.05)


@pytest.mark.parametrize("runs", [15, pytest.param(120, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_of_all_groups_of_items_none_alarms_on_noise_and_some_do_where_there_is_leakage(runs):
    """As many tests as would make the smallest p-value .5 if each were multiplied by their number."""
    noise = least_of_groups(Listeners(0.0), 120, runs, 19)
    assert can_be_at_most((noise <= 0.05).sum(), runs, 0.05)
    assert (least_of_groups(Listeners(0.5), 120, 5, 19) <= 0.05).all()


def test_users_who_teach_may_not_be_the_audience():
    apart, same = (
        one.mean() / (one.std() / np.sqrt(len(one))) for one in item_estimates(Listeners(0.0), 200, 40)
    )
    assert abs(apart) < 3 < same


Scored = tuple[np.ndarray, np.ndarray]


def scores(runs: range, **how: float) -> list[Scored]:
    """Scores of items in each training, with all users and without each fifth of them."""
    world = Trained(users=60, items=90)
    women, part = world.gender == "F", np.arange(60) % 5
    scored = []
    for run in runs:
        items, users = world.training(run, **how)
        sets = [np.ones(60, dtype=bool), *(part != number for number in range(5))]
        rows = [eaa(items, users[kept & women], users[kept & ~women]) for kept in sets]
        scored.append((rows[0], np.stack(rows[1:])))
    return scored


def grown(states: list[list[Scored]], who: Members) -> Growth:
    whole, without = ([[one[which] for one in state] for state in states] for which in (0, 1))
    return growth(whole, without, who)


@pytest.mark.parametrize("trainings", [2, 3, 5])
def test_trainings_that_differ_in_nothing_but_their_seed_do_not_alarm(trainings):
    """Of single p-values; those of Beattie, and of items paired, alarm."""
    drawn = scores(range(200))
    romance = Trained(users=60, items=90).genres == "Romance"
    rng = np.random.default_rng(0)
    ours, theirs = [], []
    for _ in range(400):
        chosen = rng.permutation(len(drawn))[: 2 * trainings]
        states = [[drawn[run] for run in part] for part in (chosen[:trainings], chosen[trainings:])]
        found = grown(states, Members(romance))
        ours.append(found.p_value)
        theirs.append(found.estimate / np.sqrt(found.change.entities.variance) if trainings == 2 else 0.0)
    assert 100 * np.mean(np.array(ours) <= 0.05) <= 6
    if trainings == 2:
        assert 100 * np.mean(np.array(theirs) > 1.645) > 10


def test_growth_beyond_the_noise_is_found():
    romance = Trained(users=60, items=90).genres == "Romance"
    found = grown([scores(range(4)), scores(range(4, 8), lean=1.3)], Members(romance))
    assert found.p_value < 0.05
