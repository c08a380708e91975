"""Pairs of groups where relevance is rare, or not observed alike for all items: limits of shares hold, known
chances of observation mend the target, and factors that would explain a violation are not above the truth."""

import numpy as np
import pytest

from calibration.exposure_pair_worlds import (
    SEEN,
    factors,
    liked_by_a_tenth,
    of_a_known_target,
    pairs_hold,
    partly_seen,
    placebo,
    violations,
)
from calibration.rates import can_be_at_least, can_be_at_most
from evenhand.exposure.pairs import pairs

FAIR = 0.1  # a tolerance that a system that is fair to the truth should keep


def shares_hold(groups: int, personal: float, users: int, runs: int) -> None:
    found = pairs_hold(liked_by_a_tenth(groups, personal), users, runs)
    assert can_be_at_least(found.together * runs / 100, runs, 0.95), found
    assert can_be_at_most(found.overstated * runs / 100, runs, 0.05), found


@pytest.mark.parametrize("personal", [0.0, 1.5], ids=["one ranking", "personal"])
def test_shares_of_rare_relevance_hold_in_a_few_samples(personal):
    shares_hold(2, personal, 1000, 120)


def test_limits_of_a_known_target_do_not_hold():
    assert pairs_hold(liked_by_a_tenth(), 1000, 40, limits=of_a_known_target).together < 60


def test_shares_of_little_relevance_are_those_of_items_at_random():
    """With one relevant item a user nearly the same pairs are off when relevance is drawn at random."""
    little, much = placebo(1), placebo(10)
    assert little.from_relevance < 0.25
    assert little.correlation > 0.85
    assert much.from_relevance > 0.8
    assert much.correlation < 0.6


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "users"), [(2, 1000), (2, 100), (2, 20), (10, 500)])
def test_shares_of_rare_relevance_hold(groups, users):
    shares_hold(groups, 0.0, users, 1000)


def audits_of_partly_seen_relevance(users: int, runs: int) -> None:
    """A system that is exactly fair to the truth, of which some relevance is observed less than other."""
    world = partly_seen()
    covered = false_violations = 0
    for run in range(runs):
        found = pairs(world.draw(users, run, weighted=True))
        covered += bool(((found.low <= 0) & (found.high >= 0)).all())
        false_violations += bool(violations(found, FAIR))
    assert can_be_at_least(covered, runs, 0.95), covered
    assert can_be_at_most(false_violations, runs, 0.05), false_violations


def factors_that_explain(users: int, runs: int) -> None:
    """Without weights every audit is false, and says that missingness weaker than the true one would do."""
    world = partly_seen()
    for run in range(runs):
        found = factors(world.draw(users, run, weighted=False), FAIR)
        assert found
        assert all(factor is not None and 1 <= factor <= SEEN.max() / SEEN.min() for factor in found)


def test_known_chances_of_observation_mend_the_target_in_a_few_samples():
    audits_of_partly_seen_relevance(400, 60)


def test_factors_explain_false_violations_in_a_few_samples():
    factors_that_explain(400, 60)


@pytest.mark.slow
def test_known_chances_of_observation_mend_the_target():
    audits_of_partly_seen_relevance(400, 1000)


@pytest.mark.slow
def test_factors_explain_false_violations():
    factors_that_explain(400, 500)
    factors_that_explain(100, 500)


def test_targets_weighted_by_known_chances_are_right_on_average():
    """To the Monte Carlo error of 4,000 users, in every pair of groups; unweighted ones are far off."""
    world = partly_seen(0.1)
    weighted, plain = (pairs(world.draw(4000, 7, weighted=kind)) for kind in (True, False))
    assert np.abs(weighted.share).max() < 0.05
    assert np.abs(plain.share).max() > 0.1
