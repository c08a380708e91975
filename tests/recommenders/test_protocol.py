from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

from evenhand.errors import InputError
from evenhand.recommenders import Factors, Interactions
from evenhand.recommenders.adapters import from_table, from_vectors
from evenhand.recommenders.scores.simple import ItemScores, ItemWeights, RandomScores


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
        ("a", [10], "user ids must be a plain list, one id a place, but a single str was given; put it into"),
        (["a"], 10, "item ids must be a plain list, one id a place, but a single int was given"),
        ([["a"]], [10], r"but an array of the shape \(1, 1\) was given"),
        ([["a"], ["a", "b"]], [10, 20], "but lists were given"),
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
        (lambda f: f.to_dict("records"), "a list is not a pandas DataFrame"),
        (lambda f: pd.concat([f, f[["item_id"]]], axis=1), "two columns 'item_id'"),
        (
            lambda f: f.assign(item_id=["7", *f.item_id[1:]]),
            "column 'item_id' holds values of 2 types, for example [0-9]+ and '7'; make them all text",
        ),
        (lambda f: f.assign(user_id=f.timestamp > 3), "'user_id' are of the type bool, but must be text or"),
        (lambda f: f.assign(user_id=f.timestamp + 1j), "'user_id' are of the type complex128"),
        (lambda f: f.assign(user_id=pd.to_timedelta(f.timestamp)), "'user_id' are of the type timedelta64"),
        (
            lambda f: f.assign(item_id=f.item_id.replace(3, np.inf)),
            "are not finite, for example inf; ids must",
        ),
        (lambda f: f.assign(user_id=f.user_id.replace("u000", "u001\0")), "20 of 2,400 are bytes, or have a"),
        (lambda f: f.assign(user_id=f.user_id.str.encode("ascii")), "2,400 of 2,400 are bytes"),
        (lambda f: f.assign(user_id=[[1]] * len(f)), "column 'user_id' holds a list; ids must be text"),
        (
            lambda f: f.assign(rating=["good", "5", *["4"] * (len(f) - 2)]),
            "column 'rating' is not a finite number in 1 of 2,400 rows, for example 'good'",
        ),
        (
            lambda f: f.assign(timestamp=pd.to_timedelta(f.timestamp)),
            "'timestamp' is not .* 2,400 of 2,400 rows",
        ),
        (lambda f: f.assign(timestamp=f.timestamp + 1j), "'timestamp' is not a finite number in 2,400"),
        (lambda f: f.assign(rating=f.timestamp.mask(f.index < 2, np.inf)), "'rating' .* in 2 of 2,400 rows"),
    ],
)
def test_interactions_that_cannot_be_used(tastes, change, says):
    with pytest.raises(InputError, match=says):
        Interactions.from_frame(change(tastes))


def test_dates_are_seconds_and_a_missing_one_is_not_known(tastes):
    dates = pd.Series(pd.to_datetime("1970-01-02")).repeat(len(tastes)).reset_index(drop=True)
    for given in (
        dates,
        dates.dt.tz_localize("UTC"),
        dates.astype(pd.ArrowDtype(pa.timestamp("us"))),
        dates.dt.date.astype(object),
        dates.astype("datetime64[s]"),
    ):
        time = Interactions.from_frame(tastes.assign(timestamp=given.mask(tastes.index < 3))).time
        assert np.isnan(time[:3]).all()
        assert (time[3:] == 86_400).all()


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


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "3", None])
def test_a_list_has_a_whole_number_of_places(factors, k):
    table = from_table(pd.DataFrame({"user_id": ["a"], "item_id": [1], "score": [1.0]}))
    rng = np.random.default_rng(0)
    for ask in (
        lambda: factors.rank(k=k),
        lambda: table.rank(k=k),  # which makes its lists in its own way
        lambda: factors.sample(["a"], k, rng),
    ):
        with pytest.raises(InputError, match=f"k is {k!r}, but must be a whole number of at least 1"):
            ask()
    assert len(factors.rank(["a"], k=np.int64(2))) == 2


@pytest.mark.parametrize("beta", [float("nan"), float("inf"), -1, "1", None])
def test_a_policy_needs_a_temperature_and_a_generator(factors, beta):
    with pytest.raises(InputError, match=f"beta is {beta!r}, but must be a finite number above 0"):
        factors.sample(["a"], 1, np.random.default_rng(0), beta=beta)
    with pytest.raises(InputError, match="rng is a int, but must be such as"):
        factors.sample(["a"], 1, 0)


def test_what_is_not_in_a_table_is_not_drawn():
    rows = pd.DataFrame({"user_id": ["a", "b"], "item_id": [1, 2], "score": [1.0, 2.0]})
    drawn = from_table(rows, user_ids=["a", "b", "c"]).sample(["a", "b", "c"], 2, np.random.default_rng(0))
    assert drawn.values.tolist() == [["a", 1, 1], ["b", 1, 2]]


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        ([True, False], "user ids are of the type bool, but must be text or numbers"),
        ([1j, 2j], "user ids are of the type complex128"),
        (np.array([1, 2], "m8[s]"), "user ids are of the type timedelta64"),
        ([1.0, np.inf], "user ids: 1 of 2 are not finite, for example inf"),
        (np.array(["a", "a\0"], dtype=object), "user ids: 1 of 2 are bytes, or have a zero character"),
        (np.ma.array([1, 2], mask=[0, 1]), "user ids are a masked array; drop what is masked"),
    ],
)
def test_ids_are_text_or_numbers(ids, says):
    with pytest.raises(InputError, match=says):
        Factors(ids, [1], np.ones((2, 1)), np.ones((1, 1)))


def test_masked_vectors_are_refused():
    masked = np.ma.array([[1.0], [2.0]], mask=[[0], [1]])
    with pytest.raises(InputError, match="user vectors must be a plain array, but a masked one was given"):
        Factors([1, 2], [1], masked, np.ones((1, 1)))
    with pytest.raises(InputError, match="user vectors must be a plain array"):
        from_vectors(masked, np.ones((1, 1)))
