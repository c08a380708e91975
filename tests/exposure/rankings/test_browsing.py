"""Weights of positions, by the published formulas, and the mixtures of patiences that stand for them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.exposure.rankings.browsing import browsing_model, dcg, misfit, positions, rbp


def test_rbp_halves_with_a_patience_of_a_half():
    assert rbp(0.5).weights(4).tolist() == [1, 0.5, 0.25, 0.125]
    assert rbp(0.5, k=2).weights(4).tolist() == [1, 0.5, 0, 0]


def test_dcg_is_one_over_the_logarithm():
    assert dcg().weights(3) == pytest.approx([1, 1 / math.log2(3), 0.5], abs=1e-15)
    assert dcg(k=1).weights(3).tolist() == [1, 0, 0]


def test_positions_are_as_given_and_zero_beyond():
    model = positions([3, 2, 2])
    assert model.weights(5).tolist() == [3, 2, 2, 0, 0]
    assert model.weights(2).tolist() == [3, 2]


@pytest.mark.parametrize("n", [1, 2, 3, 7, 100, 3706, 30_000])
@pytest.mark.parametrize("accuracy", [1e-4, 1e-9, 1e-13])
def test_dcg_is_a_positive_mixture_at_every_rank(n, accuracy):
    patiences, coefficients = dcg().mixture(n, accuracy)
    ranks = np.arange(n)
    mixed = sum(c * gamma**ranks for gamma, c in zip(patiences, coefficients, strict=True))
    distance = np.abs(mixed - 1 / np.log2(2 + ranks)).max()
    assert distance <= accuracy
    assert misfit(patiences, coefficients, dcg().weights(n)) == pytest.approx(distance, abs=1e-15)
    assert (coefficients > 0).all()
    assert ((patiences > 0) & (patiences <= 1)).all()


def test_a_coarser_mixture_needs_fewer_patiences():
    assert len(dcg().mixture(3706, 1e-5)[0]) < len(dcg().mixture(3706, 1e-13)[0])


def test_a_mixture_can_be_changed_without_changing_the_next_one():
    first = dcg().mixture(50)[1]
    first[:] = 0
    assert dcg().mixture(50)[1].sum() == pytest.approx(1)


@pytest.mark.parametrize("make", [rbp, dcg])
def test_only_a_cut_that_cuts_is_no_mixture(make):
    assert make(k=5).mixture(6) is None
    assert make(k=5).mixture(5) is not None
    assert make(k=9).mixture(5) is not None


def test_equal_weights_of_all_positions_are_patience_one():
    assert [part.tolist() for part in positions([2, 2, 2]).mixture(3)] == [[1], [2]]
    assert positions([2, 2, 2]).mixture(4) is None
    assert positions([2, 2, 1]).mixture(3) is None


@given(n=st.integers(1, 300), k=st.integers(1, 400), patience=st.floats(0.001, 0.999))
def test_weights_never_rise_and_start_at_one(n, k, patience):
    for model in (rbp(patience, k), dcg(k)):
        weights = model.weights(n)
        assert len(weights) == n
        assert weights[0] == 1
        assert (np.diff(weights) <= 0).all()
        assert not weights[k:].any()


def test_a_discount_is_a_word_a_list_or_a_model():
    assert browsing_model("rbp", 0.7, 3) == rbp(0.7, 3)
    assert browsing_model("dcg", 0.7, None) == dcg()
    assert browsing_model([2, 1, 1], 0.7, 2) == positions([2, 1])
    assert browsing_model(dcg(4), 0.7, None) == dcg(4)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rbp(0), "patience is 0, but must be a finite number above 0"),
        (lambda: rbp(1.0), "patience is 1.0, but must be below 1"),
        (lambda: rbp(1.5), "patience is 1.5"),
        (lambda: rbp(math.nan), "patience is nan"),
        (lambda: rbp(0.8, k=0), "k is 0, but must be a whole number of at least 1"),
        (lambda: dcg(k=2.5), "k is 2.5"),
        (lambda: positions([]), "at least one number"),
        (lambda: positions([[1, 2]]), "at least one number"),
        (lambda: positions(["a"]), "list of numbers"),
        (lambda: positions([1, -1]), "weight of position 2 is -1"),
        (lambda: positions([1, math.inf]), "weight of position 2 is inf"),
        (lambda: positions([1, 0.5, 0.75]), "position 3 has more than the one above it"),
        (lambda: browsing_model("dgc", 0.8, None), "Did you mean 'dcg'"),
        (lambda: browsing_model(dcg(), 0.8, 3), "k belongs to the browsing model"),
        (lambda: browsing_model([1.0], 0.8, 0), "k is 0"),
    ],
)
def test_what_cannot_be_meant_is_refused(make, words):
    with pytest.raises(InputError) as error:
        make()
    assert words in str(error.value)
    assert "\n" not in str(error.value)
