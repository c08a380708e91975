"""Targets: equal expected exposure in closed form, by plain ranking, and as the published code has it."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.exposure.problem.targets import equal_exposure, published_targets, relevant_pairs
from exposure.plain import plain_target

GAMMA = 0.8
RBP = GAMMA ** np.arange(50)
DCG = 1 / np.log2(np.arange(50) + 2)


def targets(relevance, weights=RBP, **options):
    matrix = np.atleast_2d(relevance)
    return equal_exposure(*relevant_pairs(matrix), matrix.shape[1], weights, **options)


def test_binary_relevance_under_rbp_has_a_closed_form():
    m, n = 3, 10
    found = targets([1] * m + [0] * (n - m))
    relevant = (1 - GAMMA**m) / (m * (1 - GAMMA))
    others = (GAMMA**m - GAMMA**n) / ((n - m) * (1 - GAMMA))
    np.testing.assert_allclose(found.dense(n)[0], [relevant] * m + [others] * (n - m), rtol=1e-12)
    assert found.random[0] == pytest.approx((1 - GAMMA**n) / (n * (1 - GAMMA)))


@given(
    st.lists(st.sampled_from([0, 0.5, 1, 2, 5]), min_size=1, max_size=12),
    st.sampled_from(["rbp", "dcg", "rbp at 3", "dcg at 3"]),
)
def test_graded_relevance_shares_the_slots_of_a_grade(grades, discount):
    weights = (RBP if "rbp" in discount else DCG).copy()
    if "3" in discount:
        weights[3:] = 0
    found = targets(grades, weights, without_relevant="uniform").dense(len(grades))[0]
    np.testing.assert_allclose(found, plain_target(grades, weights), atol=1e-13)
    assert found.sum() == pytest.approx(weights[: len(grades)].sum())


def test_the_target_is_the_mean_over_all_ideal_rankings():
    grades = [2, 0, 1, 1, 0, 2]
    ideal = [
        order
        for order in itertools.permutations(range(6))
        if all(grades[a] >= grades[b] for a, b in itertools.pairwise(order))
    ]
    mean = np.zeros(6)
    for order in ideal:
        mean[list(order)] += DCG[:6] / len(ideal)
    np.testing.assert_allclose(targets(grades, DCG).dense(6)[0], mean, rtol=1e-12)


def test_several_users_do_not_mix():
    rng = np.random.default_rng(0)
    relevance = rng.integers(0, 4, (20, 9))
    found = targets(relevance, DCG, without_relevant="uniform").dense(9)
    for row, grades in zip(found, relevance, strict=True):
        np.testing.assert_allclose(row, plain_target(grades, DCG), rtol=1e-12)


def test_a_grade_of_zero_is_as_good_as_not_listed():
    offsets = np.array([0, 3])
    listed = equal_exposure(offsets, np.array([4, 1, 2]), [0, 1, 3], 6, RBP)
    np.testing.assert_allclose(listed.dense(6)[0], plain_target([0, 1, 3, 0, 0, 0], RBP))


def test_candidates_may_differ_between_users():
    found = equal_exposure(np.array([0, 1, 2]), np.array([0, 0]), [1, 1], np.array([4, 9]), RBP)
    np.testing.assert_allclose(found.random, [RBP[:4].mean(), RBP[:9].mean()])
    np.testing.assert_allclose(found.rest, [RBP[1:4].mean(), RBP[1:9].mean()])


def test_everything_relevant_leaves_nothing_for_the_rest():
    found = targets([1, 1, 1])
    np.testing.assert_allclose(found.dense(3)[0], RBP[:3].mean())


def test_users_without_relevant_items_are_left_out_or_get_random_exposure():
    relevance = [[0, 0, 0], [0, 1, 0]]
    assert targets(relevance).counted.tolist() == [False, True]
    uniform = targets(relevance, without_relevant="uniform")
    assert uniform.counted.all()
    np.testing.assert_allclose(uniform.dense(3)[0], uniform.random[0])


def test_the_published_variant():
    # Two relevant of four: (.8 + .64) / 2 each, the others 0, and the mean of all as random exposure.
    relevance = np.array([[1, 1, 0, 0], [0, 0, 0, 0]])
    offsets, items, _ = relevant_pairs(relevance)
    found = published_targets(offsets, items, 4, 0.8)
    np.testing.assert_allclose(found.dense(4), [[0.72, 0.72, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_allclose(found.random, 1.44 / 8)
    assert found.counted.all()
    np.testing.assert_allclose(published_targets(offsets, items, 4, 0.8, random=0.1).random, 0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: targets([1, -1]), "negative"),
        (lambda: targets([1, np.nan]), "not finite"),
        (lambda: targets([1, 0], RBP[:1]), "position weights for up to 2"),
        (lambda: targets([1, 0], -RBP), "0 or more"),
        (lambda: targets([1, 0], without_relevant="drop"), "without_relevant"),
        (lambda: equal_exposure(np.array([0, 2]), np.array([0, 1]), [1, 1], 1, RBP), "2 relevant ones"),
        (lambda: equal_exposure(np.array([0, 2]), np.array([1, 1]), [1, 1], 3, RBP), "more than once"),
        (lambda: equal_exposure(np.array([0, 2]), np.array([1, 2]), [1], 3, RBP), "1 grades"),
        (lambda: relevant_pairs([1, 0]), "users by items"),
        (lambda: published_targets(np.array([0, 1]), np.array([0]), 2, 1.0), "below 1"),
        (lambda: published_targets(np.array([0, 1]), np.array([0]), 2, 0.0), "above 0"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call, message):
    with pytest.raises(InputError, match=message):
        call()
