"""Coat: on files of the published format made here, and on the real ones where they are."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from evenhand.datasets import coat
from evenhand.errors import InputError

USER_MAP = "gender:men\ngender:women\nage:20-30\nage:over 60"
ITEM_MAP = "color:red\ncolor:light: blue\nonfrontpage:yes\nonfrontpage:no"
FILES = {
    "train.ascii": "0 5 0\n1 0 2\n",
    "test.ascii": "3 0 0\n0 4 0\n",
    "user_item_features/user_features.ascii": "1 0 0 1\n0 1 1 0\n",
    "user_item_features/user_features_map.txt": USER_MAP,
    "user_item_features/item_features.ascii": "1 0 1 0\n0 1 0 1\n1 0 0 1\n",
    "user_item_features/item_features_map.txt": ITEM_MAP,
}


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Two users, three items, in the published format (the last line of a map has no line end)."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_ratings_and_attributes_are_decoded(published: Path) -> None:
    data = coat(published)
    assert data.selected.values.tolist() == [[0, 1, 5], [1, 0, 1], [1, 2, 2]]
    assert data.random.values.tolist() == [[0, 0, 3], [1, 1, 4]]
    assert list(data.selected) == list(data.random) == ["user_id", "item_id", "rating"]
    assert data.users.to_dict("list") == {
        "user_id": [0, 1],
        "gender": ["men", "women"],
        "age": ["over 60", "20-30"],
    }
    assert data.items.to_dict("list") == {
        "item_id": [0, 1, 2],
        "color": ["red", "light: blue", "red"],
        "onfrontpage": ["yes", "no", "no"],
    }


USERS, USER_NAMES = "user_item_features/user_features.ascii", "user_item_features/user_features_map.txt"
ITEM_NAMES = "user_item_features/item_features_map.txt"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("test.ascii", "3 0\n0 4\n", "train.ascii is 2 x 3 and test.ascii is 2 x 2"),
        ("train.ascii", "0 5 0\n1 0\n", "train.ascii is not a matrix: its lines have from 2 to 3 values"),
        ("train.ascii", "\n", "train.ascii is not a matrix: it is empty"),
        ("train.ascii", "0 five 0\n1 0 2\n", "train.ascii must hold whole numbers"),
        ("test.ascii", "3 0 0\n0 6 -1\n", "2 values are not ratings from 0 to 5, e.g. 6 at row 2, column 2"),
        (USERS, "1 0 0 1\n", "is 1 x 4, but the ratings have 2 users"),
        (ITEM_NAMES, "color:red\n", "3 items and item_features_map.txt names 1"),
        (USERS, "1 1 0 1\n0 1 1 0\n", "'gender' is not one-hot in 1 rows, e.g. row 1"),
        (USERS, "1 0 0 1\n0 1 0 0\n", "'age' is not one-hot in 1 rows, e.g. row 2"),
        (USERS, "2 -1 0 1\n0 1 1 0\n", "'gender' is not one-hot in 1 rows, e.g. row 1"),
        (
            USER_NAMES,
            "gender:men\nwomen\nage:a\nage:b",
            "lines must read \"attribute:value\", but one is 'women'",
        ),
    ],
)
def test_a_bad_file_is_named(published: Path, name: str, text: str, message: str) -> None:
    (published / name).write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        coat(published)


@pytest.mark.parametrize("name", list(FILES))
def test_a_missing_file_is_named(published: Path, name: str) -> None:
    (published / name).unlink()
    with pytest.raises(InputError, match=f"{Path(name).name} is missing"):
        coat(published)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no folder .*nowhere"):
        coat(tmp_path / "nowhere")


def test_the_published_data(data_folder: Callable[[str], Path]) -> None:
    data = coat(data_folder("coat"))
    assert (len(data.selected), len(data.random)) == (6960, 4640)
    assert (len(data.users), len(data.items)) == (290, 300)
    # 24 self-selected and 16 random ratings from each user
    assert (data.selected.groupby("user_id").size() == 24).all()
    assert (data.random.groupby("user_id").size() == 16).all()
    assert set(data.selected["rating"]) == set(data.random["rating"]) == {1, 2, 3, 4, 5}
    assert list(data.users) == ["user_id", "gender", "age", "location", "fashioninterest"]
    assert list(data.items) == ["item_id", "gender", "jackettype", "color", "onfrontpage"]
    assert data.users["age"].nunique() == 6
    # The files decode back to themselves.
    raw = np.loadtxt(data_folder("coat") / "train.ascii")
    again = np.zeros_like(raw)
    again[data.selected["user_id"], data.selected["item_id"]] = data.selected["rating"]
    assert (raw == again).all()
