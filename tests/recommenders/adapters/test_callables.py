"""Functions and vectors as recommenders, and the choice of adapter; nothing here needs another library."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.recommenders.adapters import (
    as_recommender,
    from_callable,
    from_implicit,
    from_lenskit,
    from_torch,
    from_vectors,
)
from evenhand.recommenders.scores.factors import Factors

USERS, ITEMS = ["u3", "u1", "u2"], [30, 10, 20, 40]  # not sorted


def product(users: Any, items: Any) -> Any:
    """The digit of the user times the item: 0.1 more for each ten."""
    return np.array([int(user[1:]) for user in users]) * items + items / 100


@pytest.mark.parametrize("batch", [1, 5, 1000])
def test_a_function_is_asked_with_original_ids(batch: int) -> None:
    model = from_callable(product, USERS, ITEMS, batch=batch)
    assert model.score(["u2", "u3", "u1"], [10, 40, 40]).tolist() == [20.1, 120.4, 40.4]
    expected = product(np.repeat(["u1", "u2", "u3"], 4), np.tile([10, 20, 30, 40], 3)).reshape(3, 4)
    assert np.allclose(model.score_block(np.array([0, 1, 2])), expected)
    assert model.rank(["u2"], k=2)["item_id"].to_list() == [40, 30]


@pytest.mark.parametrize("batch", [0, 2.5, True])
def test_a_batch_is_a_whole_number(batch: Any) -> None:
    with pytest.raises(InputError, match=f"batch is {batch}, but must be a whole number of at least 1"):
        from_callable(product, USERS, ITEMS, batch=batch)


def test_no_batch_is_larger_than_asked() -> None:
    sizes: list[int] = []

    def counting(users: Any, items: Any) -> Any:
        sizes.append(len(users))
        return np.zeros(len(users))

    from_callable(counting, USERS, ITEMS, batch=5).rank()
    assert sizes == [1, 5, 5, 2]  # the trial, and 12 pairs


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda u, i: 1.0, r"given 1 pairs and returned an array of shape \(\)"),
        (lambda u, i: np.zeros((len(u), 2)), r"returned an array of shape \(1, 2\)"),
        (lambda u, i: np.full(len(u), np.nan), "1 scores of 1 that are not finite, the first for user"),
        (lambda u, i: ["good"] * len(u), "must return numbers, one a pair"),
        ("not a function", "a str cannot be called"),
    ],
)
def test_a_function_that_returns_something_else_is_refused(function: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_callable(function, USERS, ITEMS)


def test_the_pair_without_a_finite_score_is_named() -> None:
    model = from_callable(lambda u, i: np.where((u == "u1") & (i == 20), np.inf, 1.0), USERS, ITEMS)
    with pytest.raises(InputError, match="first for user 'u1' and item 20"):
        model.rank()


@pytest.mark.parametrize(
    ("users", "items", "message"),
    [
        (["a", "a"], ITEMS, "1 user ids appear more than once, for example"),
        (USERS, [], "there are no item ids"),
        (USERS, [[1, 2]], r"item ids must be a plain list.* shape \(1, 2\)"),
        (np.array(["a", 1], dtype=object), ITEMS, "user ids are of several types"),
        (["a", None], ITEMS, "1 of 2 user ids are empty"),
    ],
)
def test_bad_ids_are_refused(users: Any, items: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_callable(product, users, items)


def test_vectors_from_arrays_and_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    users, items, bias = rng.normal(size=(3, 5)), rng.normal(size=(4, 5)), rng.normal(size=4)
    np.save(tmp_path / "users.npy", users)
    np.save(tmp_path / "items.npy", items)
    model = from_vectors(
        tmp_path / "users.npy", str(tmp_path / "items.npy"), user_ids=USERS, item_ids=ITEMS, item_bias=bias
    )
    expected = (users @ items.T + bias)[[0, 1], [3, 0]]
    assert np.allclose(model.score(["u3", "u1"], [40, 30]), expected, atol=1e-6)
    by_row = from_vectors(users, items)
    assert np.allclose(by_row.score([2], [3]), users[2] @ items[3], atol=1e-6)


def test_bad_vectors_are_refused(tmp_path: Path) -> None:
    good = np.zeros((3, 2))
    with pytest.raises(InputError, match="there is no file"):
        from_vectors(tmp_path / "none.npy", good)
    (tmp_path / "text.npy").write_text("1,2,3")
    with pytest.raises(InputError, match=r"text\.npy is not an array of numbers"):
        from_vectors(good, tmp_path / "text.npy")
    np.savez(tmp_path / "two.npz", a=good, b=good)
    with pytest.raises(InputError, match="archive of several arrays"):
        from_vectors(tmp_path / "two.npz", good)
    with pytest.raises(InputError, match=r"item_bias has the shape \(2,\), but there are 3 items"):
        from_vectors(good, good, item_bias=[1, 2])
    with pytest.raises(InputError, match="user vectors have the shape"):
        from_vectors(good, good, user_ids=["a"])


def test_the_adapter_is_chosen_by_type() -> None:
    vectors = as_recommender((np.eye(3), np.eye(3)))
    assert isinstance(vectors, Factors)
    assert as_recommender(vectors) is vectors
    listed = as_recommender([np.eye(3), 2 * np.eye(3)], user_ids=USERS)
    assert listed.score(["u1"], [1]).tolist() == [2.0]
    for wrong in ([], (np.eye(2),), [np.eye(2)] * 3):
        with pytest.raises(InputError, match=f"a .* of {len(wrong)} is no recommender; give two arrays"):
            as_recommender(wrong)
    assert as_recommender(product, user_ids=USERS, item_ids=ITEMS).score(["u1"], [10]).tolist() == [10.1]
    table = pd.DataFrame({"user_id": [1], "item_id": [2], "score": [3.0]})
    assert as_recommender(table).score([1], [2]).tolist() == [3.0]
    with pytest.raises(InputError, match="does not know the ids of its users and items"):
        as_recommender(product)
    with pytest.raises(InputError, match="a int is not a table"):
        as_recommender(7)


def test_adapters_need_no_other_library() -> None:
    """With all three libraries hidden, everything imports, and the ones that need them say so."""
    code = """
import sys
for name in ("torch", "implicit", "lenskit"):
    sys.modules[name] = None  # an import of it fails
from evenhand.errors import InputError
from evenhand.recommenders.adapters import from_lenskit, from_torch
for call in (lambda: from_torch(1, [1], [1]), lambda: from_lenskit(1)):
    try:
        call()
    except InputError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.split(" is not installed")[0] for line in lines] == ["torch", "lenskit"]


def test_a_model_that_is_not_of_implicit_is_refused() -> None:
    with pytest.raises(InputError, match="a dict has neither factors nor similarities"):
        from_implicit({}, USERS, ITEMS)


@pytest.mark.slow
def test_things_of_another_library_are_refused() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("lenskit")
    with pytest.raises(InputError, match="a int is not a torch module"):
        from_torch(1, USERS, ITEMS)
    with pytest.raises(InputError, match="a int is not a LensKit pipeline"):
        from_lenskit(1)
