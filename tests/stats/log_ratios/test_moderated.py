import numpy as np
import pytest

from evenhand.stats.log_ratios.moderated import moderated, moderated_scores


def test_groups_that_differ_by_chance_learn_from_each_other():
    rng = np.random.default_rng(0)
    found = moderated(rng.chisquare(20, 400) / 20, np.full(400, 20.0))
    assert found.min() > 0.85
    assert np.quantile(found, 0.5) == pytest.approx(1, abs=0.1)


def test_groups_that_have_nothing_in_common_do_not():
    variances = np.array([0.01, 1.0, 100.0, 3.0])
    np.testing.assert_allclose(moderated(variances, np.full(4, 200.0)), variances, rtol=0.5)
    np.testing.assert_allclose(moderated(variances, np.full(4, 1e6)), variances, rtol=1e-3)


def test_no_variance_becomes_smaller():
    rng = np.random.default_rng(1)
    for _ in range(50):
        variances = rng.lognormal(0, rng.uniform(0, 3), 5)
        assert (moderated(variances, rng.uniform(1, 100, 5)) >= variances).all()


def test_two_groups_know_no_more_than_each_other():
    """The second counts for as many degrees as it has: half way, where both have as many."""
    found = moderated(np.array([0.9, 1.1]), np.array([50.0, 50.0]))
    usual = np.sqrt(0.9 * 1.1)  # the mean of logs; its bias is that of 50 degrees
    assert found[0] == pytest.approx((0.9 + usual) / 2, rel=0.02)
    assert found[1] == pytest.approx(1.1)


def test_what_arms_have_in_common_still_cancels():
    one = np.random.default_rng(2).standard_exponential((60, 1, 4)) - 1
    found = moderated_scores(np.repeat(one, 2, axis=1))
    np.testing.assert_array_equal(found[:, 0], found[:, 1])
    np.testing.assert_allclose(found[:, :1], moderated_scores(one))
    factors = found[:, 0] / one[:, 0]
    np.testing.assert_allclose(factors, np.broadcast_to(factors[0], factors.shape))
    assert factors.min() == pytest.approx(1)
    assert factors.max() > 1.01


def test_a_group_of_few_clusters_learns_from_groups_of_many():
    """The variance of a mean of 30 is a hundred times that of one of 3,000, and yet they are alike."""
    rng, scores = np.random.default_rng(4), np.zeros((3_000, 1, 3))
    for k, number in enumerate((30, 3_000, 3_000)):
        scores[:number, 0, k] = rng.normal(size=number) / number
    scores[:, :, 0] *= 0.7 * np.sqrt(1 / 30 / (scores[:, 0, 0] ** 2).sum())
    factors = (moderated_scores(scores)[0, 0] / scores[0, 0]) ** 2
    np.testing.assert_allclose(factors[1:], 1, atol=0.05)
    assert factors[0] > 1.1


def test_a_group_without_large_clusters_does_not_know_its_variance():
    """Its clusters are all alike, and so it would have as many degrees of freedom as clusters."""
    scores = np.full((100, 1, 4), 0.3)
    scores[:3, 0, 1:] = 3.0
    factors = (moderated_scores(scores)[0, 0] / scores[0, 0]) ** 2
    assert factors[0] > 1.5


def test_groups_of_one_item_or_none_are_left_as_they_are():
    scores = np.zeros((30, 1, 3))
    scores[:, 0, 0] = np.random.default_rng(3).normal(size=30)
    scores[4, 0, 1] = 2.0
    np.testing.assert_array_equal(moderated_scores(scores), scores)
