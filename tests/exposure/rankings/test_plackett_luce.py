"""Exact exposure: against every permutation, against closed forms and the reference, and in the limits."""

import math

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.exposure.rankings.browsing import dcg, positions, rbp
from evenhand.exposure.rankings.plackett_luce import plackett_luce
from evenhand.exposure.rankings.reference import reference
from evenhand.exposure.rankings.static import static
from exposure import oracle

BETAS = [1e-3, 1e-2, 0.1, 1, 10, 1e3]
MODELS = [("rbp", None), ("dcg", None), ("rbp", 1), ("rbp", 3), ("dcg", 3), ("dcg", 5), ("dcg", 50)]
ROWS = {
    "spread": [0.3, -1.2, 2.0, 0.9, -0.4, 0.1],
    "equal": [0.7] * 6,
    "two alike": [1.0, 0.0, 1.0, -0.5, 0.0, 0.0],
    "one item": [3.0],
    "two items": [0.2, 0.1],
    "one 1e12 times the others": [0.0, math.log(1e12), 0.0, 0.0, 0.0],
    "one 1e-12 times the others": [0.0, -math.log(1e12), 0.0, 0.0, 0.0],
    "each 1e12 times the next": [-math.log(1e12) * i for i in range(5)],
}


def normal(users, items, seed=0, spread=1.0):
    return np.random.default_rng(seed).normal(0, spread, size=(users, items))


# Every permutation


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize(("discount", "k"), MODELS)
def test_every_permutation(row, beta, discount, k):
    scores = ROWS[row]
    exact = oracle.enumerated(scores, beta, oracle.weights_of(discount, len(scores), k))
    found, error = plackett_luce([scores], beta, discount=discount, k=k, return_error=True)
    assert np.abs(found[0] - exact).max() <= min(1e-9, error[0])


@pytest.mark.parametrize(("discount", "k"), MODELS)
@pytest.mark.parametrize("patience", [0.01, 0.5, 0.99])
def test_every_permutation_of_seven(discount, k, patience):
    scores = normal(1, 7, seed=7)[0].tolist()
    exact = oracle.enumerated(scores, 0.5, oracle.weights_of(discount, 7, k, patience))
    found = plackett_luce([scores], 0.5, patience, discount, k)[0]
    assert np.abs(found - exact).max() <= 1e-9


@pytest.mark.parametrize(
    "weights", [[5.0], [3, 2, 2, 0.5], [1, 1, 1, 1, 1, 1], [4, 1, 0, 0], [9, 8, 7, 6, 5, 4, 3, 2]]
)
def test_every_permutation_with_weights_of_ones_own(weights):
    scores = ROWS["spread"]
    exact = oracle.enumerated(scores, 1, weights)
    assert np.abs(plackett_luce([scores], discount=weights)[0] - exact).max() <= 1e-9 * weights[0]


@settings(max_examples=60, deadline=None)
@given(
    scores=st.lists(st.floats(-50, 50), min_size=1, max_size=5),
    beta=st.floats(-3, 3).map(lambda power: 10**power),
    discount=st.sampled_from(["rbp", "dcg"]),
    k=st.none() | st.integers(1, 6),
    patience=st.floats(0.001, 0.999),
)
def test_every_permutation_of_anything(scores, beta, discount, k, patience):
    exact = oracle.enumerated(scores, beta, oracle.weights_of(discount, len(scores), k, patience))
    assert np.abs(plackett_luce([scores], beta, patience, discount, k)[0] - exact).max() <= 1e-9


# Closed forms


def test_two_items_by_hand():
    found = plackett_luce([[math.log(3), 0.0]], patience=0.5)
    assert found[0] == pytest.approx([0.75 + 0.25 * 0.5, 0.25 + 0.75 * 0.5], abs=1e-9)


@pytest.mark.parametrize("items", [1, 10, 3000])
@pytest.mark.parametrize("model", [rbp(0.8), rbp(0.999), dcg(), rbp(0.8, 7), dcg(7), dcg(400)])
def test_equal_weights_share_everything(items, model):
    found = plackett_luce(np.full((1, items), 2.5), discount=model)
    assert np.abs(found - model.weights(items).sum() / items).max() <= 1e-9


@pytest.mark.parametrize("spread", [0.1, 1, 10, 100])
def test_a_cut_at_one_is_the_softmax(spread):
    scores = normal(3, 400, spread=spread)
    softmax = np.exp(scores - scores.max(axis=1, keepdims=True))
    softmax /= softmax.sum(axis=1, keepdims=True)
    assert np.abs(plackett_luce(scores, k=1) - softmax).max() <= 1e-9


@pytest.mark.parametrize("spread", [0, 0.3, 3, 30])
def test_a_cut_where_nobody_looks_any_more_changes_nothing(spread):
    """0.9^400 is 5e-19: two different kernels, one answer, with long cuts."""
    scores = normal(2, 1000, spread=spread)
    uncut = plackett_luce(scores, discount=rbp(0.9), accuracy=1e-12)
    assert np.abs(plackett_luce(scores, discount=rbp(0.9, 400), accuracy=1e-12) - uncut).max() <= 2e-12


def test_weights_of_all_positions_are_the_discount_they_are_taken_from():
    scores = normal(2, 450, spread=2)
    listed = plackett_luce(scores, discount=dcg().weights(450), accuracy=1e-12)
    assert np.abs(listed - plackett_luce(scores, discount="dcg", accuracy=1e-12)).max() <= 2e-12


# The reference


@pytest.mark.parametrize("beta", [0.02, 0.3, 1, 100])
@pytest.mark.parametrize("model", [rbp(0.2), rbp(0.8), rbp(0.98), dcg(), rbp(0.9, 10), dcg(25)])
def test_the_kernels_match_the_reference_within_the_error_they_state(beta, model):
    scores = normal(3, 150, seed=1)
    plain = reference(scores, beta, model)
    for accuracy in (1e-3, 1e-6, 1e-9, 1e-12):
        found, error = plackett_luce(scores, beta, discount=model, accuracy=accuracy, return_error=True)
        assert (np.abs(found - plain).max(axis=1) <= error + 1e-12).all()
        assert (error <= 1.2 * accuracy).all()


@pytest.mark.parametrize("model", [rbp(0.8), dcg(), dcg(10)])
def test_a_catalogue_with_a_long_tail(model):
    """Heavy items, and thousands that only power series see."""
    scores = np.concatenate([normal(1, 40, spread=2), normal(1, 1500, spread=0.2) - 6], axis=1)
    plain = reference(scores, 1, model)
    found = plackett_luce(scores, discount=model, accuracy=1e-11)
    assert np.abs(found - plain).max() <= 2e-11
    # Items hardly ever shown are small, but not wrong: relatively, too.
    assert np.abs(found / plain - 1).max() <= 1e-7


@pytest.mark.parametrize("favourite", [1.0, 2.5, 4.0])
def test_a_few_favourites_in_an_even_crowd(favourite):
    """Nodes end before any clock has u = 1, but not before the favourites are no longer small."""
    scores = np.zeros((1, 2000))
    scores[0, :30] = favourite
    plain = reference(scores, 1, rbp(0.8), 1e-13)
    assert np.abs(plackett_luce(scores, accuracy=1e-11) - plain).max() <= 1e-11


# Properties


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    items=st.integers(1, 600),
    spread=st.sampled_from([0, 0.01, 1, 30]),
    beta=st.floats(-3, 3).map(lambda power: 10**power),
    model=st.sampled_from(
        [rbp(0.05), rbp(0.8), rbp(0.995), dcg(), rbp(0.8, 5), dcg(60), positions([7, 7, 1])]
    ),
)
def test_total_exposure_is_the_sum_of_the_weights(seed, items, spread, beta, model):
    scores = np.round(normal(2, items, seed, spread), 2)  # with ties
    weights = model.weights(items)
    found, error = plackett_luce(scores, beta, discount=model, return_error=True)
    assert np.abs(found.sum(axis=1) - weights.sum()).max() <= 1e-9 * items * weights[0]
    assert (error <= 2.1e-9 * weights[0]).all()
    assert found.min() >= -1e-9 * weights[0]
    assert found.max() <= (1 + 1e-9) * weights[0]
    # The better an item's score, the more it is seen, and alike items alike.
    for row, seen in zip(scores, found, strict=True):
        order = np.argsort(row)
        assert (np.diff(seen[order]) >= -2e-9 * weights[0]).all()
        tied = np.diff(row[order]) == 0
        assert (np.abs(np.diff(seen[order])[tied]) <= 1e-12 * weights[0]).all()


@settings(max_examples=30, deadline=None)
@given(
    shift=st.floats(-1e6, 1e6), seed=st.integers(0, 1000), discount=st.sampled_from(["rbp", "dcg", [3, 2, 1]])
)
def test_a_constant_added_to_a_users_scores_changes_nothing(shift, seed, discount):
    scores = np.round(normal(2, 30, seed) * 64) / 64  # so that the sum is exact
    shift = round(shift * 64) / 64
    found = plackett_luce(scores, 0.5, discount=discount)
    assert np.array_equal(plackett_luce(scores + shift, 0.5, discount=discount), found)


@pytest.mark.parametrize("discount", ["rbp", "dcg", [3, 2, 1]])
def test_only_the_ratio_of_scores_to_beta_matters(discount):
    scores = normal(3, 200)
    found = plackett_luce(scores * 8, 4, discount=discount)
    assert np.array_equal(found, plackett_luce(scores * 2, 1, discount=discount))


@pytest.mark.parametrize("discount", ["rbp", "dcg", [3, 2, 1]])
def test_users_and_the_order_of_items_do_not_matter_to_each_other(discount):
    scores = normal(5, 300, seed=3)
    found = plackett_luce(scores, discount=discount, accuracy=1e-12)
    order = np.random.default_rng(0).permutation(300)
    shuffled = plackett_luce(np.asfortranarray(scores[::-1, order]), discount=discount, accuracy=1e-12)
    assert np.abs(shuffled - found[::-1, order]).max() <= 1e-13


@pytest.mark.parametrize("discount", ["rbp", "dcg", [3, 2, 1]])
def test_the_same_answer_with_one_thread(discount):
    scores = normal(9, 300, seed=4)
    found = plackett_luce(scores, 0.3, discount=discount)
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        assert np.array_equal(plackett_luce(scores, 0.3, discount=discount), found)
    finally:
        numba.set_num_threads(threads)


# Limits


@pytest.mark.parametrize("model", [rbp(0.8), dcg(), rbp(0.8, 4), dcg(4), positions([2, 1])])
def test_static_is_the_limit(model):
    scores = np.round(normal(4, 60), 1)  # with ties, and never closer than 0.1 otherwise
    still = static(scores, discount=model)
    distances = [
        np.abs(plackett_luce(scores, beta, discount=model) - still).max() for beta in (0.1, 0.03, 0.01, 0.003)
    ]
    assert distances == sorted(distances, reverse=True)
    assert distances[0] > 0.01
    assert distances[-1] <= 1e-9 * model.weights(1)[0]


@pytest.mark.parametrize("model", [rbp(0.8), dcg(), dcg(2)])
@pytest.mark.parametrize("beta", [1e-300, 1e-3, 1, 1e3])
def test_no_finite_score_overflows(model, beta):
    scores = np.array([[1e308, -1e308, 0.0, 0.0, -1e308, 1.7e308]])
    assert np.abs(plackett_luce(scores, beta, discount=model) - static(scores, discount=model)).max() <= 1e-9


def test_an_endless_temperature_is_a_random_order():
    found = plackett_luce(normal(2, 50), 1e300)
    assert np.abs(found - rbp(0.8).weights(50).sum() / 50).max() <= 1e-9


def test_static_by_hand():
    scores = [[0.1, 0.9, 0.5, 0.5], [1, 1, 1, 1]]
    assert static(scores, 0.5) == pytest.approx(
        np.array([[0.125, 1, 0.375, 0.375], [1.875 / 4] * 4]), abs=1e-15
    )
    assert static(scores, 0.5, k=2) == pytest.approx(np.array([[0, 1, 0.25, 0.25], [1.5 / 4] * 4]), abs=1e-15)


def test_static_of_more_users_than_a_block():
    scores = normal(700, 20)
    ranks = (-scores).argsort(axis=1).argsort(axis=1)
    assert np.array_equal(static(scores, discount="dcg"), dcg().weights(20)[ranks])


# Single precision


@pytest.mark.parametrize("discount", ["rbp", "dcg", [3, 2, 1]])
def test_single_precision_in_and_out(discount):
    scores = normal(4, 500).astype(np.float32)
    exact = plackett_luce(scores.astype(np.float64), discount=discount)
    found, error = plackett_luce(scores, discount=discount, return_error=True)
    assert found.dtype == np.float32
    assert (np.abs(found - exact).max(axis=1) <= error).all()
    assert np.array_equal(found, exact.astype(np.float32))
    assert np.array_equal(plackett_luce(scores, discount=discount, dtype=np.float64), exact)
    assert static(scores, discount=discount).dtype == np.float32


# What is accepted, and what is not


def test_whole_numbers_and_lists_are_scores():
    assert np.array_equal(plackett_luce([[1, 2, 3]]), plackett_luce(np.array([[1.0, 2.0, 3.0]])))


def test_a_cut_beyond_the_items_cuts_nothing():
    scores = normal(2, 6)
    for discount in ("rbp", "dcg"):
        assert np.array_equal(
            plackett_luce(scores, discount=discount, k=100), plackett_luce(scores, discount=discount)
        )
    assert plackett_luce(scores, discount=[4, 3, 2, 1, 1, 1, 1, 1]).sum() == pytest.approx(24)


def test_no_users_are_no_rows():
    exposure, error = plackett_luce(np.empty((0, 5)), return_error=True)
    assert exposure.shape == (0, 5)
    assert error.shape == (0,)
    assert static(np.empty((0, 5))).shape == (0, 5)


def test_weights_of_nothing_are_exposure_of_nothing():
    exposure, error = plackett_luce(normal(2, 5), discount=[0, 0], return_error=True)
    assert not exposure.any()
    assert not error.any()


def test_scores_stay_as_they_were():
    scores = normal(2, 50)
    before = scores.copy()
    plackett_luce(scores)
    static(scores)
    assert np.array_equal(scores, before)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"scores": [[1.0, math.nan], [math.inf, 0]]},
            "2 scores are NaN or infinite, the first in row 0, column 1",
        ),
        ({"scores": [[0.0, -math.inf]]}, "1 scores are NaN or infinite"),
        ({"scores": np.empty((3, 0))}, "no items"),
        ({"scores": [1.0, 2.0]}, "1 dimensions"),
        ({"scores": [[1.0], [1.0, 2.0]]}, "table of numbers"),
        ({"scores": [["a", "b"]]}, "must be numbers"),
        ({"scores": [[None, {}]]}, "table of numbers"),
        ({"scores": [[1j]]}, "must be numbers"),
        ({"beta": 0}, "beta is 0, but must be a finite number above 0"),
        ({"beta": -1.0}, "beta is -1.0"),
        ({"beta": math.inf}, "beta is inf"),
        ({"beta": "static"}, "beta is 'static'"),
        ({"patience": 0.0}, "patience is 0.0"),
        ({"patience": 1}, "patience is 1.0, but must be below 1"),
        ({"k": 0}, "k is 0"),
        ({"discount": "err"}, "discount is 'err'"),
        ({"discount": [1, 2]}, "must not rise"),
        ({"accuracy": 1e-20}, "accuracy is 1e-20"),
        ({"accuracy": 1.0}, "accuracy is 1.0"),
        ({"dtype": np.int64}, "must be float32 or float64"),
        ({"dtype": "wide"}, "must be float32 or float64"),
        ({"scores": np.zeros((1, 600)), "k": 501}, "cut at 501 of 600 items"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments, words):
    with pytest.raises(InputError) as error:
        plackett_luce(**{"scores": [[1.0, 2.0, 3.0]], **arguments})
    assert words in str(error.value)
    assert "\n" not in str(error.value)
