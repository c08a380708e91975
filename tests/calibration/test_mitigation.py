"""What is claimed about vectors after a mitigation, against simulated truth.

The slow tests are the claim; the quick ones are the same with fewer runs and wider bounds. Seeds are fixed.
"""

import numpy as np
import pytest

from calibration.gap_worlds import EQUAL, FEW_FAR, HARD, gap_changes
from calibration.mitigation_worlds import (
    Pool,
    Rankings,
    Shown,
    accuracy_changes,
    alarms,
    covers,
    erased,
    expected_residue,
    few_change,
    few_items_lean,
    few_lose_all,
    few_users_turn,
    forgotten,
    half_gain_few_lose,
    knowing_nothing,
    some_move_few_lose,
    turned_round,
)
from calibration.rates import can_be_at_least, can_be_at_most

both = pytest.mark.parametrize(
    ("runs", "slack"), [(20, 0.12), pytest.param(400, 0, marks=pytest.mark.slow)], ids=["quick", "full"]
)


@both
@pytest.mark.parametrize(("users", "dimensions"), [(300, 12), (100, 8)])
def test_vectors_that_know_nothing_are_at_chance(users, dimensions, runs, slack):
    found = [knowing_nothing(users, dimensions, run) for run in range(runs)]
    assert np.mean([covers(one) for one in found]) >= 0.935 - slack
    assert np.mean([alarms(one) for one in found]) <= 0.06 + slack
    assert np.mean([one.balanced for one in found]) == pytest.approx(0.5, abs=0.006 + slack / 2)


@pytest.mark.parametrize("method", ["leace", "projection", "nullspace"])
def test_an_erasure_leaves_held_out_users_near_chance_and_those_who_made_it_below(method):
    found = [erased(1_200, 12, 0.25, method, run) for run in range(12)]
    residue = np.mean([one.held_out.balanced for one in found]) - 0.5
    assert abs(residue - expected_residue(1_200, 12, 0.25)) < 0.035
    assert np.mean([one.took_part.balanced for one in found]) < 0.49
    assert np.mean([covers(one.held_out) for one in found]) >= 0.75


@pytest.mark.slow
@pytest.mark.parametrize("method", ["leace", "projection", "nullspace"])
@pytest.mark.parametrize(("users", "dimensions", "runs"), [(1_200, 12, 150), (4_000, 64, 40)])
def test_what_an_erasure_leaves_is_what_the_size_of_its_sample_says(users, dimensions, runs, method):
    found = [erased(users, dimensions, 0.25, method, run) for run in range(runs)]
    residue = np.mean([one.held_out.balanced for one in found]) - 0.5
    expected = expected_residue(users, dimensions, 0.25)
    # The line of a classifier errs more than that between the means, and leaves more.
    assert expected - 0.01 < residue < expected + (0.01 if method == "leace" else 0.02)
    assert np.mean([one.rank for one in found]) < 5


@both
@pytest.mark.parametrize(("users", "items"), [(400, 60), (120, 20)])
def test_intervals_of_the_change_of_a_group_cover(users, items, runs, slack):
    pool = Pool.make()
    truth = pool.truth()
    found = [pool.drawn(users, items, run).interval for run in range(runs)]
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.925 - slack


def test_a_group_that_leans_the_other_way_now_is_not_said_to_lean_less():
    """By the change alone, which is sure, nearly all samples had one word or the other, at random."""
    assert can_be_at_most(turned_round(400, 60, 60), 60, 0.05)


@pytest.mark.parametrize("runs", [40, pytest.param(500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize(("groups", "items"), [(20, 5), (20, 20)])
def test_changes_that_a_few_items_carry_are_covered(groups, items, runs):
    """Most groups have none of them: by what their own items vary, no run held all groups."""
    assert can_be_at_least(few_items_lean(groups, items, runs), runs, 0.95)


@pytest.mark.parametrize("runs", [150, pytest.param(1_000, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_changes_that_a_few_users_carry_are_covered(runs):
    """With what users of each side vary by, and as many degrees as there are users, 87% held."""
    assert can_be_at_least(few_users_turn(100, 0.02, runs)[0], runs, 0.95)


@pytest.mark.parametrize("runs", [150, pytest.param(1_000, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_a_large_quiet_side_does_not_speak_for_the_few_of_the_other(runs):
    """With what both sides vary by together 89% held; so few users are warned of."""
    held, _ = few_users_turn(20, 0.2, runs, items=60, beside=600)
    assert can_be_at_least(held, runs, 0.95)


RANKINGS = {
    "rare, gains and losses": Rankings(1_000, 0.01, 0.5),
    "few users, gains and losses": Rankings(100, 0.1, 0.5),
    "frequent": Rankings(300, 0.5, 0.6),
}


@pytest.mark.parametrize("runs", [600, pytest.param(1_500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("world", RANKINGS.values(), ids=RANKINGS.keys())
def test_changes_of_few_users_are_covered(world, runs):
    """Tilting alone, without Student's interval, covers 91% of the first two."""
    assert can_be_at_least(world.covered(runs), runs, 0.95)


@pytest.mark.parametrize("runs", [300, pytest.param(1_500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("world", [Rankings(300, 0.01, 1.0), Rankings(1_000, 0.005, 0.9)])
def test_rare_gains_are_covered(world, runs):
    """Three to five users who change."""
    assert can_be_at_least(world.covered(runs), runs, 0.95)


@pytest.mark.parametrize("runs", [300, pytest.param(1_500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize(("users", "share"), [(100, 0.03), (200, 0.02), (40, 0.1)])
def test_changes_of_what_is_shown_that_few_have_are_covered(users, share, runs):
    """All of one size; where no list changed there is no interval. Student's held in 83, 93 and 93%."""
    held, stated = few_change(users, share, runs)
    assert can_be_at_least(held, stated, 0.95)


SHOWN = {
    "all gain, 1 in 50 loses": Shown(100, (0.02,), (-0.6, 0.012), 0.006),
    "all gain, 1 in 100 loses": Shown(200, (0.01,), (-0.6, 0.006), 0.003),
    "half gain, 1 in 100 far more": Shown(200, (0.5, 0.01), (0.05, 0.8, 0.0)),
}


@pytest.mark.parametrize("runs", [300, pytest.param(1_500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize("world", SHOWN.values(), ids=SHOWN.keys())
def test_small_changes_of_what_is_shown_do_not_hide_large_ones_of_a_few(world, runs):
    """By what the sample has, 83 to 88% held."""
    assert can_be_at_least(world.covered(runs)[0], runs, 0.95)


@pytest.mark.parametrize("runs", [300, pytest.param(1_500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize(
    ("users", "chance", "each"), [(200, 0.01, 0.005), (100, 0.02, 0.02), (1_000, 0.003, 0.02)]
)
def test_small_gains_of_all_do_not_hide_the_losses_of_a_few(users, chance, each, runs):
    """Of 200 users none may be among the 1 in 100 who lose nearly all: without them 17% of samples said that
    all is better."""
    found = few_lose_all(users, chance, each, runs)
    assert can_be_at_least(found["held"], runs, 0.95), found
    assert can_be_at_most(found["better"], runs, 0.05), found


@pytest.mark.parametrize("runs", [300, pytest.param(1_500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize(
    ("users", "some", "size", "few"),
    [(100, 0.05, 0.12, 0.01), (400, 0.05, 0.12, 0.005), (200, 0.2, 0.12, 0.01)],
)
def test_moves_of_some_do_not_hide_the_losses_of_a_few(users, some, size, few, runs):
    """By the size of the changes alone, without those who stay, 75 to 90% held."""
    assert can_be_at_least(some_move_few_lose(users, some, size, few, runs), runs, 0.95)


@pytest.mark.parametrize("runs", [300, pytest.param(1_500, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize(("users", "few"), [(20, 0.075), (40, 0.05)])
def test_nor_do_gains_of_many(users, few, runs):
    """Where limits know of such losses only if all changes are small, 82 and 89% held."""
    assert can_be_at_least(half_gain_few_lose(users, few, runs), runs, 0.95)


@pytest.mark.parametrize("runs", [20, pytest.param(400, marks=pytest.mark.slow)], ids=["quick", "full"])
@pytest.mark.parametrize(("users", "rare"), [(400, 0.05), (200, 0.1)])
def test_the_accuracy_of_a_rare_attribute_and_its_change_are_covered(users, rare, runs):
    found = accuracy_changes(users, 8, rare, runs)
    assert can_be_at_least(found["change"], runs, 0.95)
    assert can_be_at_least(found["before"], runs, 0.95)
    assert can_be_at_most(found["alarms"], runs, 0.05)


@pytest.mark.slow
def test_what_is_forgotten_about_ten_users_is_covered():
    """Normal quantiles held in 91%."""
    assert can_be_at_least(forgotten(200, 10, 300), 300, 0.95)


@pytest.mark.parametrize(
    ("world", "runs"),
    [
        *(pytest.param(world, 80, id=f"quick: {name}") for name, world in (EQUAL | FEW_FAR).items()),
        *(
            pytest.param(world, 100 if name in HARD else 400, id=f"full: {name}", marks=pytest.mark.slow)
            for name, world in (EQUAL | FEW_FAR | HARD).items()
        ),
    ],
)
def test_the_change_of_the_largest_gap_is_held_whichever_groups_are_at_its_ends(world, runs):
    """Limits of the groups found at the ends hold in 65 to 77% of the quick worlds, and where a group has a
    few values far from all others, limits that know nothing of these in 64 to 70%."""
    found = gap_changes(world, runs)
    assert can_be_at_least(found["held"], runs, 0.95), found
    assert can_be_at_most(found["above"], runs, 0.025), found
    assert can_be_at_most(found["below"], runs, 0.025), found
