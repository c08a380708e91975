"""What an audit in randomised blocks promises, against simulated truth: at most delta of the outcomes are
wrong, however the level of rewards moves, and the constraint holds.

The slow tests are the claim, on 1,000 runs each at epsilon = .05; the quick ones are the same with epsilon =
.1 and a level that moves four times as fast, which makes audits a quarter as long.
"""

import numpy as np
import pytest

from calibration.envy_drift_worlds import (
    DELTA,
    LEVELS,
    MUCH_MISSING,
    REPORTS,
    TRUTHS,
    UNEQUAL,
    audits,
    audits_taking_the_worst,
    audits_with_much_missing,
    truth_of,
    wrong,
)
from calibration.rates import can_be_at_most
from evenhand.envy import Auditor, simulate, simulate_system
from evenhand.envy.online.designs.block import Block
from evenhand.envy.online.designs.block_rules import differences_lower

SIZES = [
    pytest.param(300, 0.1, id="quick"),
    pytest.param(1_000, 0.05, id="full", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("runs", "epsilon"), SIZES)
@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("level", LEVELS)
def test_a_level_that_moves_is_not_taken_for_envy(level, truth, runs, epsilon):
    found = audits(truth, runs, level, epsilon=epsilon)
    assert can_be_at_most(wrong(found, truth), runs, DELTA)
    assert found.held.all()
    assert found.share("inconclusive") == 0


def test_the_unpaired_design_takes_it_for_envy():
    """So the worlds can tell; it says that it assumes a level that stands still."""
    found = audits("all equal", 100, "ramp, .3 to .5", epsilon=0.1, design="unpaired")
    assert not can_be_at_most(wrong(found, "all equal"), 100, DELTA)


def test_wrong_outcomes_are_possible_and_counted():
    """At the boundary some runs are wrong: the limit is not met by never being wrong."""
    assert sum(wrong(audits(truth, 300, epsilon=0.1), truth) for truth in TRUTHS) > 0


@pytest.mark.parametrize(
    ("runs", "epsilon"),
    [pytest.param(300, 0.15, id="quick"), pytest.param(1_000, 0.1, id="full", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("report", REPORTS)
def test_graded_late_and_missing_rewards(report, truth, runs, epsilon):
    found = audits(truth, runs, epsilon=epsilon, **REPORTS[report])
    assert can_be_at_most(wrong(found, truth), runs, DELTA)
    assert found.held.all()
    assert can_be_at_most((found.outcomes == "inconclusive").sum(), runs, 0.02)


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("late", ["bad_late", "good_late"])
def test_which_rewards_come_first_says_nothing_of_a_single_policy(late, truth):
    """Of nine others too few blocks are over before the late rewards come; of one, all that are over early
    have the same rewards, which would pass a policy that is better by epsilon."""
    found = audits(truth, 300, arms=1, epsilon=0.15, delay=late, longest=400)
    assert can_be_at_most(wrong(found, truth), 300, DELTA)


@pytest.mark.parametrize("report", UNEQUAL)
def test_rewards_that_are_missing_unequally_certify_nothing(report):
    """Counted as 0 they would be taken for a difference; as the worst that they can be they are not."""
    runs, truth = 100, "best better by epsilon" if "others" in report else "all equal"
    found = audits(truth, runs, epsilon=0.1, **UNEQUAL[report])
    assert can_be_at_most(wrong(found, truth), runs, DELTA)
    worst = audits(truth, runs, epsilon=0.1, unreported="worst", budget=10_000, **UNEQUAL[report])
    assert can_be_at_most(wrong(worst, truth), runs, DELTA)


@pytest.mark.parametrize(
    ("runs", "epsilon"),
    [pytest.param(100, 0.1, id="quick"), pytest.param(1_000, 0.05, id="full", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("report", MUCH_MISSING)
def test_where_much_is_missing_a_small_difference_of_shares_certifies_nothing(report, runs, epsilon):
    """It is too small to be seen in time, and large enough to be taken for a difference of policies."""
    found = audits_with_much_missing(report, runs, epsilon)
    assert can_be_at_most(wrong(found, truth_of(report)), runs, DELTA)


@pytest.mark.parametrize("runs", [30, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("others", "alpha"), [(0.42, 0.05), (0.35, 0.1)])
def test_own_rewards_that_get_lost_do_not_make_worse_policies_affordable(others, alpha, runs):
    """With `worst` the constraint, too, takes what is missing as the worst that it can be."""
    assert audits_taking_the_worst(0.5, others, alpha, runs).held.all()


def test_limits_of_arms_hold_whatever_is_missing():
    """All rewards are 1, a third of the own gets lost, and the claims are about all of them."""
    for seed in range(20):
        auditor, rng = (
            Auditor(1, alpha=1.0, budget=600, rng=seed, unreported="worst"),
            np.random.default_rng(seed),
        )
        while auditor.outcome is None:
            pull = auditor.assign(deadline=9)
            lost = pull.arm == 0 and rng.random() < 1 / 3
            auditor.deliver({pull.id: None if lost else 1.0})
        low, high = auditor.intervals[1]
        assert low <= 0 <= high


@pytest.mark.slow
@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("arms", [1, 75])
def test_one_policy_and_many(arms, truth):
    found = audits(truth, 200, "moods of 200 steps", arms=arms, epsilon=0.1)
    assert can_be_at_most(wrong(found, truth), 200, DELTA)
    assert found.held.all()


@pytest.mark.parametrize("arms", [2, 9])
@pytest.mark.parametrize("better", [0.15, 0.3])
def test_a_better_policy_that_is_unlucky_at_first_is_tried_again_before_all_others_are_given_up(better, arms):
    """Else a tenth of the audits of clear cases would be many times as long as the one in the middle."""
    found = simulate([0.4, 0.4 + better, *[0.4] * (arms - 1)], 400, rng=1)
    assert found.share("envy") > 0.99
    middle, most = np.quantile(found.durations, [0.5, 0.97])
    assert most < 4 * middle


@pytest.mark.parametrize("alpha", [0.05, 0.4, 1.0])
@pytest.mark.parametrize("others", [0.0, 0.1, 0.3])
def test_the_constraint_holds_while_the_level_stands_still(alpha, others):
    found = simulate([0.4, *[others] * 5], 100, 0.1, DELTA, alpha)
    assert found.held.all()
    assert set(found.outcomes) == {"no_envy"}


def test_a_system_without_envy_is_seldom_called_envious():
    """Eight policies each for the five users drawn, all equal; the error is that of the whole system."""
    table, runs = np.full((40, 40), 0.4), 40
    given = {"epsilon": 0.3, "delta": 0.2, "gamma": 0.5, "lambda_": 0.9}
    found = [simulate_system(table, rng=seed, **given).outcome for seed in range(runs)]
    assert can_be_at_most(found.count("envy"), runs, 0.2)
    assert found.count("no_envy") > runs / 2


@pytest.mark.parametrize("runs", [2_000, pytest.param(10_000, marks=pytest.mark.slow)], ids=["quick", "full"])
def test_what_is_missing_alike_seldom_keeps_a_system_from_passing(runs):
    """One of 41 users whose shares are called unequal is enough, so that they share the error of that."""
    found = simulate([0.4] * 5, runs, 0.2, DELTA / 3, rng=3, missing=0.2, users=41)
    assert can_be_at_most((found.outcomes == "inconclusive").sum(), runs, 0.02 / 41)


def test_errors_of_audits_that_are_begun_again_add_up():
    """Which is why a certificate says so: of ten in a row, two are wrong."""
    runs = 1_000  # of which about 24 say envy
    found = simulate([0.4] * 10, runs, 0.05, rng=1, budget=6_000)
    envy, undecided = (float(np.mean(found.outcomes == word)) for word in ("envy", "inconclusive"))
    assert can_be_at_most(runs * envy, runs, DELTA)
    assert envy * sum(undecided**audit for audit in range(10)) > 2 * DELTA


def test_the_most_that_an_audit_has_cost_holds_where_likes_get_lost():
    """Half of the own likes, and less of the others', so that all seem alike: with what is missing as 0 alone
    an audit costs more than its limit."""
    rng, runs = np.random.default_rng(1), 20
    means, lost = np.repeat([0.9, 1.0], [4, 2]), np.repeat([0.4, 0.5], [4, 2])
    beyond = {1: 0, 2: 0}
    for _ in range(runs):
        design = Auditor(4, rng=0).design
        liked = rng.random((800, 6)) < means
        gone = liked & (rng.random(liked.shape) < lost / means)
        for rewards, missing in zip((liked & ~gone).tolist(), gone.tolist(), strict=True):
            told = {place: None if missing[place] else float(rewards[place]) for place in range(6)}
            design._enter_ledger(Block(1, [1, 2, 3, 4, 0, 0], 0, told))
        readings = (design.ledger, design.if_liked)
        for known in beyond:
            beyond[known] += -differences_lower(readings[:known], design._rules) < 800 * 4 * 0.1
        assert design.differences_lower == differences_lower(readings, design._rules)
    assert beyond[2] == 0
    assert not can_be_at_most(beyond[1], runs, DELTA)
