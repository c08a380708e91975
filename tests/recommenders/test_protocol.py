from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders import Factors, Interactions
from evenhand.recommenders.simple import ItemScores, ItemWeights, RandomScores


@pytest.fixture
def factors():
    rng = np.random.default_rng(1)
    users, items = np.array(["b", "a", "c"]), np.array([30, 10, 20, 40])
    return Factors(users, items, rng.normal(size=(3, 2)), rng.normal(size=(4, 2)), rng.normal(size=4))


def test_scores_are_by_original_id_whatever_the_order_given(factors):
    rng = np.random.default_rng(1)
    p, q, b = rng.normal(size=(3, 2)), rng.normal(size=(4, 2)), rng.normal(size=4)
    scores = factors.score(["a", "c", "a"], [30, 40, 10])
    expected = [p[1] @ q[0] + b[0], p[2] @ q[3] + b[3], p[1] @ q[1] + b[1]]
    assert scores == pytest.approx(expected, rel=1e-5)


def test_pairs_and_blocks_agree(factors):
    user, item = np.repeat(np.arange(3), 4), np.tile(np.arange(4), 3)
    blocks = factors.score_block(np.arange(3)).ravel()
    assert factors.score_pairs(user, item) == pytest.approx(blocks, rel=1e-5)
    general = super(Factors, factors).score_pairs(user[::-1], item[::-1])
    assert general[::-1] == pytest.approx(blocks, rel=1e-5)


def test_rank_is_the_order_of_the_scores_without_what_was_excluded(factors):
    seen = sparse.csr_array(np.array([[1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 0]], dtype=np.float32))
    table = factors.rank(k=3, exclude=seen)
    for code, user in enumerate(factors.user_ids):
        mine = table[table.user_id == user]
        left = np.flatnonzero(seen.toarray()[code] == 0)
        order = left[np.argsort(-factors.score_block(np.array([code]))[0][left])][:3]
        assert mine.item_id.tolist() == factors.item_ids[order].tolist()
        assert mine["rank"].tolist() == list(range(1, len(mine) + 1))
    assert len(table[table.user_id == "c"]) == 1  # only one item was left


def test_ties_go_to_the_first_item():
    scores = np.array([1, 2, 2, 2, 2, 2, 0, 0, 2, 2, 2, 2])
    model = ItemScores(np.array([7]), np.arange(12), scores)
    assert model.rank([7], k=1).item_id.tolist() == [1]
    assert model.rank([7], k=6).item_id.tolist() == [1, 2, 3, 4, 5, 8]


@pytest.mark.parametrize(
    ("users", "items", "says"),
    [
        (["z"], [10], "1 user ids were not seen in training, for example 'z'"),
        (["a", "a"], [10, 99], "1 item ids were not seen in training, for example 99"),
        ([1], [10], "1 user ids were not seen"),
        (["a"], [10, 20], "two lists of equal length"),
    ],
)
def test_ids_that_were_not_seen_are_refused(factors, users, items, says):
    with pytest.raises(InputError, match=says):
        factors.score(users, items)


def test_a_policy_draws_the_best_more_often_and_everything_sometimes():
    model = ItemScores(np.arange(4000), np.array(["x", "y", "z"]), np.array([2.0, 1.0, 0.0]))
    drawn = model.sample(np.arange(4000), 1, np.random.default_rng(0), beta=1.0)
    shares = drawn.item_id.value_counts(normalize=True)
    expected = np.exp([2, 1, 0]) / np.exp([2, 1, 0]).sum()
    assert shares[["x", "y", "z"]].to_numpy() == pytest.approx(expected, abs=0.025)
    with pytest.raises(InputError, match="beta is 0"):
        model.sample([0], 1, np.random.default_rng(0), beta=0)


def test_random_scores_are_the_same_whenever_asked():
    model = RandomScores(np.arange(5), np.arange(30), seed=3)
    assert np.array_equal(model.score_block(np.array([4])), model.score_block(np.arange(5))[[4]])
    assert not np.array_equal(model.score_block(np.array([3])), model.score_block(np.array([4])))


def test_item_weights_sum_over_what_was_taken():
    taken = sparse.csr_array(np.array([[1, 0, 1], [0, 1, 0]], dtype=np.float32))
    weights = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]], dtype=np.float32)
    for form in (weights, sparse.csr_array(weights)):
        model = ItemWeights(np.arange(2), np.arange(3), taken, form)
        assert model.score_block(np.arange(2)).tolist() == [[5, 7, 2], [3, 0, 4]]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda f: f.drop(columns="item_id"), "no column 'item_id'"),
        (lambda f: f.assign(user_id=f.user_id.mask(f.index < 3)), "empty in 3 of 2,400 rows"),
        (lambda f: f[:0], "no rows"),
        (lambda f: pd.concat([f, f[:2]]), "2 of 2,402 rows repeat a pair"),
    ],
)
def test_interactions_that_cannot_be_used(tastes, change, says):
    with pytest.raises(InputError, match=says):
        Interactions.from_frame(change(tastes))


def test_interactions_survive_the_way_to_codes_and_back(tastes, interactions):
    back = interactions.frame()
    assert (
        back.sort_values(["user_id", "item_id"])
        .reset_index(drop=True)
        .equals(tastes.sort_values(["user_id", "item_id"]).reset_index(drop=True))
    )
    assert interactions.matrix().sum() == len(tastes)


@pytest.mark.parametrize("which", ["user", "item"])
def test_vectors_that_are_not_finite_are_refused(which):
    vectors = {"user": np.ones((2, 3)), "item": np.ones((4, 3))}
    vectors[which][1, 2] = np.nan
    with pytest.raises(InputError, match=f"1 of . {which} vectors are not finite, the first in row 1"):
        Factors(np.arange(2), np.arange(4), vectors["user"], vectors["item"])
    with pytest.raises(InputError, match="must share one space"):
        Factors(np.arange(2), np.arange(4), np.ones((2, 3)), np.ones((4, 2)))


def test_large_scores_keep_their_order_and_their_noise():
    model = ItemScores(np.arange(600), np.arange(20), np.zeros(20))
    model.item_scores = 1.7e9 + np.arange(20.0)  # would all be equal in 32 bits
    assert model.rank([0], k=3).item_id.tolist() == [19, 18, 17]
    drawn = model.sample(np.arange(600), 1, np.random.default_rng(0), beta=1.0)
    assert (drawn.item_id == 19).mean() == pytest.approx(1 - np.exp(-1), abs=0.06)
    tiny = model.sample(np.arange(600), 1, np.random.default_rng(0), beta=1e-40)
    assert (tiny.item_id == 19).all()


@pytest.mark.parametrize("wrong", [np.zeros((2, 4)), np.zeros((3, 3)), "seen"])
def test_an_exclusion_of_the_wrong_shape_is_refused(factors, wrong):
    with pytest.raises(InputError, match="a row for all 3 users and a column for all 4 items"):
        factors.rank(k=2, exclude=wrong)


def test_an_exclusion_of_any_form_is_the_same(factors):
    seen = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 0]], dtype=np.float32)
    expected = factors.rank(k=2, exclude=sparse.csr_array(seen))
    assert factors.rank(k=2, exclude=seen).equals(expected)
    assert factors.rank(k=2, exclude=sparse.csc_array(seen)).equals(expected)


def test_decimal_ids_come_back_as_text(tastes):
    ids = Interactions.from_frame(tastes.assign(item_id=[Decimal(i) for i in tastes.item_id])).item_ids
    assert ids.dtype.kind == "U"
    assert (ids[1:] > ids[:-1]).all()


def test_a_list_has_at_least_one_place(factors):
    with pytest.raises(InputError, match="k is 0"):
        factors.rank(k=0)
