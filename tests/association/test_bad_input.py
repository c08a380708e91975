"""What cannot be audited is refused in one sentence that says what, where, and what to do."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from association.worlds import world
from evenhand.association import (
    accuracy,
    cosine_matrix,
    deaa,
    direction,
    directions,
    eaa,
    geaa,
    projection,
    r_ripa,
)
from evenhand.errors import InputError

RNG = np.random.default_rng(0)
A, B, ITEMS = RNG.normal(size=(30, 4)), RNG.normal(size=(20, 4)), RNG.normal(size=(10, 4))


def with_row(vectors, value):
    changed = vectors.copy()
    changed[3] = value
    return changed


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: eaa(ITEMS[:, :3], A, B), "items has vectors of 3 dimensions, but a of 4"),
        (lambda: direction(A, B[:, :2]), "a has vectors of 4 dimensions, but b of 2"),
        (lambda: eaa(ITEMS, with_row(A, np.nan), B), "a: 1 of 30 vectors are not finite .rows 3,"),
        (lambda: direction(A, with_row(B, np.inf)), "b: 1 of 20 vectors are not finite"),
        (lambda: eaa(with_row(ITEMS, 0), A, B), "items: 1 of 10 vectors are zero"),
        (lambda: direction(A, np.concatenate([B, A[:2]])), "a and b overlap: 2 vectors of a are also in b"),
        (lambda: deaa(ITEMS, ITEMS[:4], A, B), "e and p overlap: 4 vectors"),
        (lambda: direction(A[:1], B[:2]), "3 entities with the attribute in 4 dimensions"),
        (lambda: direction(A, B, "svm"), "method is 'svm', but must be one of centroid"),
        (lambda: direction(A, B, pairs=[[0, 0]]), "pairs are for the method pca"),
        (lambda: direction(A, B, "pca", pairs=[[0, 99]]), "beyond the 30 entities of a or the 20 of b"),
        (lambda: direction(A[0], B), "a: vectors must be a table"),
        (lambda: direction([["x"]], B), "a: vectors must be numbers"),
        (lambda: direction([[1.0], [1.0, 2.0]], B), "a: the rows are of different lengths"),
        (lambda: directions(A, ["x"] * 30), "attribute has only the value 'x'"),
        (lambda: directions(A, ["x"] * 29), "attribute has 29 entries, but there are 30 vectors"),
        (lambda: accuracy(A, ["x"] * 28 + ["y"] * 2), "fewer than the 5 folds"),
        (lambda: cosine_matrix({}), "there are no directions"),
        (lambda: geaa(ITEMS, A, B, aggregate="median"), "aggregate is 'median'"),
        (lambda: geaa(ITEMS, A, B, permutations=3), "permutations is 3"),
        (lambda: geaa(ITEMS, A, B, level=1), "level is 1"),
        (lambda: r_ripa(ITEMS, np.zeros(4)), "direction: 1 of 1 vectors are zero"),
        (lambda: r_ripa(ITEMS, np.ones(3)), "e has vectors of 4 dimensions, but direction of 3"),
        (lambda: projection(ITEMS, np.ones(3)), "dimensions"),
        (lambda: direction(np.ma.masked_array(A), B), "a: a masked array was given"),
        (lambda: direction(np.ones((5, 4)), 1 + 0 * B + 0 * B), "overlap"),
    ],
)  # fmt: skip
def test_functions_refuse(call, message):
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def good():
    return world(users=60, items=40, dimensions=4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"items": np.ones((40, 3))}, "items has vectors of 3 dimensions, but users of 4"),
        ({"users": np.full((60, 4), np.nan)}, "users: 60 of 60 vectors are not finite"),
        ({"items": np.zeros((40, 4))}, "items: 40 of 40 vectors are zero"),
        ({"attribute": ["F"] * 60}, "attribute has only the value 'F'"),
        ({"attribute": ["F"] * 59 + ["M"]}, "only 1 of users have the value 'M'"),
        ({"attribute": ["F"] * 59}, "attribute has 59 values, but there are 60 users"),
        ({"attribute": "gender"}, "must be a table and a column"),
        ({"attribute": {"u1": "F"}}, "none of the ids of users"),
        ({"attribute": 3}, "attribute is a int"),
        ({"item_groups": ["x"] * 39 + ["y"]}, "'y' has 1 of items"),
        ({"item_groups": ["x"] * 3}, "item_groups has 3 values, but there are 40 items"),
        ({"item_groups": {"x": [0, 99]}}, "1 members of 'x' are not among items, for example 99"),
        ({"item_groups": pd.DataFrame({"x": [2] * 40})}, "a frame must have 0 and 1 only"),
        ({"pairs": [("x", "Action")]}, "pairs names 'x'; the groups are Action, Romance, Western"),
        ({"pairs": ["Action"]}, "each the names of two groups"),
        ({"toward": "X"}, "toward is 'X', but attribute has the values F, M"),
        ({"method": "lda"}, "method is 'lda'"),
        ({"test": "crosfit"}, "did you mean 'crossfit'"),
        ({"users": None}, "there are no vectors of users"),
        ({"users": "nowhere.npy"}, "users: there is no file nowhere.npy"),
        ({"user_ids": [1, 2]}, "users: there are 2 ids for 60 vectors"),
        ({"user_ids": [1] * 60}, "users: 59 ids appear more than once"),
        ({"against": np.ones(3)}, "against must be one direction of 4"),
        ({"alpha": 0}, "alpha is 0"),
    ],
)
def test_the_audit_refuses(good, changes, message):
    arguments = {
        "items": good.items,
        "users": good.users,
        "attribute": good.gender,
        "item_groups": good.genres,
    }
    with pytest.raises(InputError, match=message) as caught:
        eh.association.audit(**(arguments | changes))
    assert "\n" not in str(caught.value)


def test_fewer_entities_than_dimensions():
    rng = np.random.default_rng(1)
    with pytest.raises(InputError, match="20 entities with the attribute in 32 dimensions"):
        eh.association.audit(rng.normal(size=(40, 32)), rng.normal(size=(20, 32)), ["a", "b"] * 10)


def test_files_that_hold_something_else(tmp_path, good):
    np.savez(tmp_path / "two.npz", x=np.ones((2, 2)), y=np.ones((2, 2)))
    with pytest.raises(InputError, match=r"two.npz holds x, y; one array must be called user_vectors"):
        eh.association.audit(good.items, tmp_path / "two.npz", good.gender)
    (tmp_path / "broken.npy").write_bytes(b"nonsense")
    with pytest.raises(InputError, match=r"broken.npy cannot be read as NumPy arrays"):
        eh.association.audit(good.items, tmp_path / "broken.npy", good.gender)
    with pytest.raises(InputError, match=r"has neither a model\.json"):
        eh.association.audit(good.items, tmp_path, good.gender)
    table = pd.DataFrame({"user_id": [1, 2], "vector": [[1.0, 2.0], [1.0]]})
    with pytest.raises(InputError, match="vectors of 2 different lengths"):
        eh.association.audit(good.items, table, good.gender)
    gaps = pd.DataFrame({"user_id": [1, 2], "vector": [[1.0, 2.0], [None, 1.0]]})
    with pytest.raises(InputError, match=r"empty places|not finite"):
        eh.association.audit(good.items, gaps, good.gender)
    with pytest.raises(InputError, match="there is no column 'user_id'"):
        eh.association.audit(good.items, table.drop(columns="user_id"), good.gender)


def test_a_model_without_vectors(good):
    scores = pd.DataFrame({"user_id": [1, 1], "item_id": [1, 2], "score": [0.1, 0.2]})
    with pytest.raises(InputError, match="has no vectors of users and items"):
        eh.association.audit(eh.recommenders.as_recommender(scores), None, {1: "F"})


def test_vectors_without_ids_beside_a_table_that_is_not_in_order(tmp_path):
    """Ids 1 to 40, shuffled: a row may be the number of an id, or the place of a row."""
    rng = np.random.default_rng(0)
    np.save(tmp_path / "users.npy", rng.normal(size=(40, 4)))
    table = pd.DataFrame({"user_id": np.arange(1, 41), "g": ["a", "b"] * 20})
    items, groups = rng.normal(size=(20, 4)), ["x", "y"] * 10
    eh.association.audit(items, tmp_path / "users.npy", (table, "g"), groups)
    with pytest.raises(InputError, match=r"not in the order of 'user_id': vectors may be in either"):
        eh.association.audit(
            items, tmp_path / "users.npy", (table.sample(frac=1, random_state=0), "g"), groups
        )


def test_more_groups_of_items_than_can_be_held_are_refused_first():
    rng = np.random.default_rng(0)
    items = rng.normal(size=(100_000, 2))
    names = [f"g{i}" for i in range(len(items))]
    tracemalloc.start()
    with pytest.raises(InputError, match=r"item_groups make 100,000 groups, but must make 1 to 500"):
        eh.association.audit(items, rng.normal(size=(40, 2)), ["a", "b"] * 20, names)
    assert tracemalloc.get_traced_memory()[1] < 1e9  # a table of both would be 10 GB
    tracemalloc.stop()
