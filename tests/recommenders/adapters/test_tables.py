"""Tables of scores and lists, as recommenders."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from evenhand.datasets import marketplace
from evenhand.errors import InputError
from evenhand.recommenders.adapters import as_recommender, from_table


@pytest.fixture
def rows() -> pd.DataFrame:
    """Not sorted; a score of 0 and one below it, to be told from pairs that are missing."""
    return pd.DataFrame(
        {
            "user_id": ["b", "a", "b", "a"],
            "item_id": [30, 10, 10, 20],
            "score": [0.0, -1.5, 2.0, 4.0],
        }
    )


def test_scores_are_those_of_the_table(rows: pd.DataFrame) -> None:
    model = from_table(rows)
    assert model.user_ids.tolist() == ["a", "b"]
    assert model.item_ids.tolist() == [10, 20, 30]
    assert model.score(rows["user_id"], rows["item_id"]).tolist() == rows["score"].to_list()
    assert model.score([], []).tolist() == []
    assert model.score_block(np.array([1, 0])).tolist() == [[2.0, -np.inf, 0.0], [-1.5, 4.0, -np.inf]]


def test_rankings_hold_only_what_the_table_has(rows: pd.DataFrame) -> None:
    assert from_table(rows).rank(k=3).values.tolist() == [
        ["a", 1, 20, 4.0],
        ["a", 2, 10, -1.5],
        ["b", 1, 10, 2.0],
        ["b", 2, 30, 0.0],
    ]


@pytest.mark.parametrize("k", [1, 3, 12, 50])
def test_lists_are_those_of_a_dense_sort(k: int) -> None:
    rng = np.random.default_rng(4)
    user, item = np.nonzero(rng.random((30, 12)) < 0.4)
    score = rng.integers(0, 6, len(user)) / 2  # many ties
    model = from_table(pd.DataFrame({"user_id": user, "item_id": item, "score": score}), user_ids=range(31))
    users = rng.permutation(31)
    for exclude in (None, sparse.csr_array(rng.random((31, 12)) < 0.3)):
        items, best = model.top(users, k, exclude)
        scores = model.score_block(users)
        if exclude is not None:
            scores[exclude[users].toarray()] = -np.inf
        order = np.argsort(-scores, axis=1, kind="stable")[:, :k]  # ties by the item's place
        expected = np.take_along_axis(scores, order, axis=1)
        assert (best == expected).all()
        assert (items == np.where(np.isneginf(expected), -1, order)).all()
    assert (items < 0).any()


def test_pairs_that_are_not_in_the_table(rows: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="2 of 3 pairs have no score in the table"):
        from_table(rows).score(["a", "a", "b"], [30, 10, 20])
    lowest = from_table(rows, missing="lowest")
    assert lowest.score(["a", "a", "b"], [30, 10, 20]).tolist() == [-np.inf, -1.5, -np.inf]
    with pytest.raises(InputError, match="missing is 'zero', but must be"):
        from_table(rows, missing="zero")  # type: ignore[arg-type]


def test_lists_by_rank(rows: pd.DataFrame) -> None:
    lists = rows.assign(rank=[1, 2, 2, 1])
    model = from_table(lists.drop(columns="score"))
    assert model.rank(k=5)[["user_id", "item_id"]].values.tolist() == [
        ["a", 20],
        ["a", 10],
        ["b", 30],
        ["b", 10],
    ]
    # With both columns the score decides, unless asked otherwise.
    assert from_table(lists).rank(["b"], k=1)["item_id"].to_list() == [10]
    assert from_table(lists, by="rank").rank(["b"], k=1)["item_id"].to_list() == [30]


@pytest.mark.parametrize("name", ["top.parquet", "top.csv"])
def test_files_with_other_column_names(tmp_path: Path, rows: pd.DataFrame, name: str) -> None:
    theirs = rows.rename(columns={"user_id": "member", "score": "logit"})
    write = theirs.to_parquet if name.endswith("parquet") else theirs.to_csv
    write(tmp_path / name, index=False)
    model = from_table(tmp_path / name, columns={"user_id": "member", "score": "logit"})
    assert model.score(["a"], [20]).tolist() == [4.0]


def test_users_and_items_without_a_row(rows: pd.DataFrame) -> None:
    model = from_table(rows, user_ids=["c", "b", "a"], item_ids=[40, 10, 20, 30])
    assert model.user_ids.tolist() == ["a", "b", "c"]
    assert model.item_ids.tolist() == [10, 20, 30, 40]
    assert model.score(rows["user_id"], rows["item_id"]).tolist() == rows["score"].to_list()
    assert model.rank(["c"]).empty
    with pytest.raises(
        InputError, match="the table has 1 item ids that are not among item_ids, for example 30;"
    ):
        from_table(rows, item_ids=[10, 20])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"item_id": [10, 10, 10, 20]}, "1 key of user_id, item_id appears more than once"),
        ({"score": [0.0, np.nan, 1.0, 2.0]}, "column 'score' is (empty|not finite) in 1 of 4 rows"),
        ({"score": [0.0, np.inf, 1.0, 2.0]}, "column 'score' is not finite in 1 of 4 rows"),
        ({"user_id": ["b", "a", "b", "a\0"]}, "there is text with a zero character"),
        (
            {"user_id": [0.0, np.inf, 1.0, 2.0]},
            "holds floats beyond .* in 1 of 4 rows, for example user_id=inf",
        ),
        ({"item_id": [True, False, False, True]}, "item ids of the table are of the type bool"),
        ({"user_id": ["a", None, "b", "b"]}, "column 'user_id' is empty in 1 of 4 rows"),
        ({"score": ["1", "2", "3", "4"]}, "column 'score' is of type string"),
    ],
)
def test_a_bad_table_is_refused(rows: pd.DataFrame, change: dict[str, list], message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_table(rows.assign(**change))


@pytest.mark.parametrize(
    ("rank", "message"),
    [
        ([1, 1, 1, 2], "1 key of user_id, rank appears more than once"),
        ([0, 1, 1, 2], "must hold whole numbers from 1"),
        ([1, 1, 1.5, 2], "must hold whole numbers from 1"),
    ],
)
def test_bad_ranks_are_refused(rows: pd.DataFrame, rank: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_table(rows.drop(columns="score").assign(rank=rank))


def test_columns_and_rows_must_be_there(rows: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="no column 'score'"):
        from_table(rows.drop(columns="score"))
    with pytest.raises(InputError, match="there are no rows"):
        from_table(rows.iloc[:0])


def test_a_table_in_two_files(tmp_path: Path, rows: pd.DataFrame) -> None:
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, part in zip(paths, (rows[:2], rows[2:]), strict=True):
        part.to_parquet(path, index=False)
    assert as_recommender(paths).score(["b"], [10]).tolist() == [2.0]


@pytest.mark.parametrize("wrong", ["seen", np.zeros((2, 2))])
def test_an_exclusion_of_the_wrong_shape_is_refused(rows: pd.DataFrame, wrong: object) -> None:
    with pytest.raises(InputError, match="a row for all 2 users and a column for all 3 items"):
        from_table(rows).rank(k=2, exclude=wrong)  # type: ignore[arg-type]


def test_a_world_s_scores_as_it_saved_them(tmp_path: Path) -> None:
    world = marketplace(users=60, items=120, days=2, seed=5, default_rows=100, random_rows=100)
    world.save(tmp_path)
    model = as_recommender(tmp_path / "scores.parquet")
    best = np.argsort(-world.scores, axis=1)[:, :10]
    items = world.items["item_id"].to_numpy()
    found = model.rank(world.users["user_id"].to_numpy(), k=10)["item_id"].to_numpy().reshape(60, 10)
    assert (found == items[best]).all()
